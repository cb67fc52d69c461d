"""One round's exchange with the neighbours: send, wait for the end of the slot, combine what was heard."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nodes.arrays import Floats
from nodes.messages import Coder
from nodes.port import Port, Schedule
from nodes.weights import Weights
from nodes.wire import WireError


class Exchange:
    """A node's combination step (dSVOR paper eq. 21) over a network that may stay silent.

    A neighbour that is not heard leaves its weight with the node (``self``), or speaks by the last value heard of it
    (``hold``; until the first one as ``self``), so the weights in use always sum to one. ``late: discard`` refuses
    frames of earlier rounds, ``combine`` takes them where nothing newer is there.
    """

    def __init__(
        self,
        node: int,
        port: Port,
        schedule: Schedule,
        coder: Coder,
        weights: Weights,
        on_silence: Literal["self", "hold"],
        late: Literal["combine", "discard"],
    ) -> None:
        self._port, self._schedule, self._coder = port, schedule, coder
        self._weights = weights.row(node, port.neighbours)
        self._place = {member: i for i, member in enumerate(sorted((node, *port.neighbours)))}
        self._holds, self._discards_late = on_silence == "hold", late == "discard"
        self._held: dict[int, Floats] = {}

    async def combine(self, vector: Floats, k: int) -> Floats:
        """Send ``vector`` in slot k; at the slot's end, the weighted sum of it and of what the neighbours sent."""
        port, decode = self._port, self._coder.decode
        for frame, receivers in self._coder.encode(vector, k):
            port.send(frame, receivers)
        await self._schedule.slot_end(k)
        rows = [vector] * len(self._place)
        for place, value in self._held.items():
            rows[place] = value
        for sender, data in port.drain():
            try:
                round_, theirs = decode(sender, data)
            except WireError:
                port.refuse(sender)
                continue
            if round_ != k and self._discards_late:
                continue
            place = self._place[sender]
            rows[place] = theirs
            if self._holds:
                self._held[place] = theirs
        combined: Floats = self._weights.dot(np.array(rows))
        return combined

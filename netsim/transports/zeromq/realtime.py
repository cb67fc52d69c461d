"""Real time: frames travel singly and at once, and nobody waits for anybody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from netsim.edges import Outgoing
from netsim.ports import Deliver, Parcel
from netsim.transports.zeromq.bundles import ENVELOPE, BundleError, pack_frame, unpack_frame
from netsim.transports.zeromq.desk import Desk
from netsim.transports.zeromq.peers import Peers
from netsim.transports.zeromq.protocol import Message
from netsim.transports.zeromq.sockets import framing

PAUSE = 0.05
"""Seconds between two looks at what has come, where no slot ends."""


class RealTime:
    """Carries one worker's frames as they are sent. ``arrive`` and ``obey`` as in lockstep."""

    def __init__(
        self,
        peers: Peers,
        desk: Desk,
        arrive: Callable[[int, Parcel], object],
        obey: Callable[[Message], object],
        curve: bool,
    ) -> None:
        self._peers, self._desk, self._arrive, self._obey, self._curve = peers, desk, arrive, obey, curve
        self.now = 0
        self.counts: dict[str, int] = {}

    def way(self, source: int, target: int, end: Outgoing) -> Deliver:
        """How a node's parcels reach the worker of another node."""
        outlets, worker, curve = self._peers.outlets, self._peers.worker_of[target], self._curve

        def deliver(parcel: Parcel) -> None:
            message = pack_frame(target, parcel)
            end.envelope += ENVELOPE
            end.framing += framing(len(message), curve)
            outlet = outlets.get(worker)
            if outlet is not None and not outlet.send(message):
                end.overrun += 1  # the other end is so slow that the frame cannot be in time

        return deliver

    def before(self, time: int) -> None:
        """Take what has come in, before nodes wake for ``time``."""
        self.now = time
        self.take()

    def take(self) -> None:
        """All frames that are here by now."""
        for worker, data in self._peers.messages():
            try:
                target, parcel = unpack_frame(data, self._peers.edges[worker])
            except BundleError:
                self._peers.malformed += 1
                continue
            self._arrive(target, parcel)

    def lose(self, worker: int) -> int:
        """Take nothing more of a dead worker; gives how far this one has come."""
        self._peers.lose(worker)
        return self.now

    def silence(self, worker: int) -> None:
        """Nobody waits."""

    async def tend(self) -> None:
        """Report, obey, and take what has come in, until cancelled."""
        while True:
            self.take()
            self._desk.flush()
            self._desk.alive(self.now)
            while (command := self._desk.command()) is not None:
                self._obey(command)
            await asyncio.sleep(PAUSE)

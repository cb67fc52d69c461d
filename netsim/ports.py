"""A node's port: frames go out along its edges, and lie in its inbox until they are due."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from netsim.edges import Incoming, Outgoing
from netsim.pacing import Slots
from nodes.wire import Frame

Parcel = tuple[int, int, int, int, int, int, bytes]
"""A frame under way: (source, slot, due, number on its edge, sent, end of its slot, data); times in nanoseconds.

Its order is the order in which a receiver takes frames; the number makes it total, so that data are never compared.
"""

Inbox = list[Parcel]
Deliver = Callable[[Parcel], object]
"""Brings a parcel to the receiver's inbox, wherever that is."""


class NodePort:
    """The port of one node.

    ``outgoing`` holds the end of the edge to each neighbour with the way to the neighbour's inbox, ``incoming`` the
    end of the edge from each neighbour.
    """

    def __init__(
        self,
        node: int,
        neighbours: Mapping[int, int],
        slots: Slots,
        outgoing: Mapping[int, tuple[Outgoing, Deliver]],
        incoming: Mapping[int, Incoming],
        inbox: Inbox,
    ) -> None:
        self.neighbours = neighbours
        self._node, self._slots, self._outgoing, self._incoming = node, slots, outgoing, incoming
        self._inbox, self._drained = inbox, -1

    def send(self, frame: Frame, to: Sequence[int]) -> None:
        """Decide each frame's fate now; what will arrive goes to the receiver's inbox with the time it is due."""
        slots = self._slots
        now, slot = slots.now, slots.current()
        end = slots.phase + (slot + 1) * slots.period
        data, positions, values = frame
        size = len(data)
        for neighbour in to:
            edge, deliver = self._outgoing[neighbour]
            edge.count(size, positions, values)
            if edge.perfect:
                deliver((self._node, slot, now, edge.sent, now, end, data))
                continue
            for delay, content in edge.carry(slot, data):
                deliver((self._node, slot, now + delay, edge.sent, now, end, content))

    def arrive(self, parcel: Parcel) -> None:
        """Take a parcel that comes from elsewhere; one that a drain has missed was overrun by the clock."""
        source, _, due, _, sent, _, _ = parcel
        if due <= self._drained and sent < self._drained:
            self._incoming[source].overrun += 1
        self._inbox.append(parcel)

    def drain(self) -> list[tuple[int, bytes]]:
        """What was sent strictly before now and is due by now, less what is older than, or repeats, what was heard."""
        now, inbox, incoming = self._slots.now, self._inbox, self._incoming
        self._drained = now
        inbox.sort()
        heard: list[tuple[int, bytes]] = []
        waiting: Inbox = []
        last_source = last_slot = -1
        for parcel in inbox:
            source, slot, due, number, sent, end, data = parcel
            if due > now or sent >= now:
                waiting.append(parcel)
                continue
            edge = incoming[source]
            edge.delivered += 1
            edge.delivered_bytes += len(data)
            if due > end:
                edge.late += 1
            if slot > edge.newest:
                edge.newest, edge.heard = slot, [number]
                if source == last_source and slot > last_slot:
                    edge.stale += _drop_last(heard, source)
            elif slot < edge.newest or number in edge.heard:
                edge.stale += 1
                continue
            else:
                edge.heard.append(number)
            heard.append((source, data))
            last_source, last_slot = source, slot
        inbox[:] = waiting
        return heard

    def refuse(self, sender: int) -> None:
        """Count a frame that the node could not read."""
        self._incoming[sender].refused += 1


def _drop_last(heard: list[tuple[int, bytes]], source: int) -> int:
    """Take away what a source said at the end of the list, and say how many frames that were."""
    dropped = 0
    while heard and heard[-1][0] == source:
        heard.pop()
        dropped += 1
    return dropped

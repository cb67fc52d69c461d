"""The cast of a run: nodes with their ends of all edges, ready to play on any event loop."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import numpy as np

from netsim.edges import Acted, Incoming, Outgoing, summed
from netsim.pacing import SlotClock, Slots
from netsim.parts import Part
from netsim.ports import Deliver, Inbox, NodePort
from netsim.traffic import Traffic, total
from nodes.arrays import Floats
from nodes.node import NodeError, Share, run
from nodes.wire import Decoder

Tell = Callable[[int, int, Floats, Traffic], object]
"""Takes what a node tells: node, completed rounds, parameters (P,), and its traffic up to then."""


class Cast:
    """The nodes of one part of a world.

    Each end of an edge is where its node is: frames between two of these nodes go from hand to hand, others along
    ``way(target, end)``, which says how a parcel reaches a node elsewhere.
    """

    def __init__(self, part: Part, tell: Tell, way: Callable[[int, Outgoing], Deliver] | None = None) -> None:
        self._part, self._tell, self._way = part, tell, way
        self._inboxes: dict[int, Inbox] = {node: [] for node in part.neighbours}
        self._outgoing = {
            (node, other): Outgoing(part.channel(node, other))
            for node, around in part.neighbours.items()
            for other in around
        }
        self._incoming = {(other, node): Incoming() for node, around in part.neighbours.items() for other in around}
        self._decode = Decoder(part.task.nodes, part.task.parameters).__getitem__
        self.ports: dict[int, NodePort] = {}
        """node -> its port, once the cast plays."""

    async def play(self, clock: SlotClock) -> None:
        """All rounds of all nodes; raises the error of the first node that fails, by round and number."""
        part = self._part
        lives = [(share, self._open(share, clock)) for share in part.shares]
        tasks = {}
        try:
            async with asyncio.TaskGroup() as group:
                for share, slots in lives:
                    tasks[group.create_task(self._live(share, slots), name=f"node {share.node}")] = share.node, slots
        except ExceptionGroup as failed:
            errors: tuple[Exception, ...] = failed.exceptions
        else:
            errors = tuple(
                NodeError(node, slots.current() - 1, "it was cancelled from within")
                for task, (node, slots) in tasks.items()
                if task.cancelled()
            )
            if not errors:
                return
        failures = [error for error in errors if isinstance(error, NodeError)]
        raise min(failures, key=lambda error: (error.round, error.node), default=errors[0])

    def acted(self) -> tuple[Acted, ...]:
        """What link elements have done on the edges that begin here."""
        return summed(acted for end in self._outgoing.values() for acted in end.channel.acted())

    def traffic(self) -> dict[tuple[int, int], Traffic]:
        """What was counted on each directed edge, at those of its ends that are here, when all is over."""
        for end in self._incoming.values():
            end.waiting = 0
        for node, inbox in self._inboxes.items():
            for parcel in inbox:
                self._incoming[parcel[0], node].waiting += 1
        ends = {edge: end.traffic for edge, end in self._outgoing.items()}
        for edge, end in self._incoming.items():
            ends[edge] = ends.get(edge, Traffic()) + end.traffic
        return ends

    def silence(self, sources: Collection[int], time: int) -> None:
        """Drop what nodes elsewhere have sent at this time or later."""
        for inbox in self._inboxes.values():
            inbox[:] = [parcel for parcel in inbox if parcel[0] not in sources or parcel[4] < time]

    def _open(self, share: Share, clock: SlotClock) -> Slots:
        part, node = self._part, share.node
        slots = Slots(clock, part.period, part.rounds, part.recorded)
        around = part.neighbours[node]
        outgoing = {other: (self._outgoing[node, other], self._deliver(node, other)) for other in around}
        incoming = {other: self._incoming[other, node] for other in around}
        self.ports[node] = NodePort(node, around, slots, outgoing, incoming, self._inboxes[node])
        return slots

    def _deliver(self, source: int, target: int) -> Deliver:
        inbox = self._inboxes.get(target)
        if inbox is not None:
            return inbox.append
        assert self._way is not None, "a part of a world needs a way to the rest of it"
        return self._way(target, self._outgoing[source, target])

    async def _live(self, share: Share, slots: Slots) -> None:
        node = share.node
        around = self._part.neighbours[node]
        ends: list[Outgoing | Incoming] = [self._outgoing[node, other] for other in around]
        ends += [self._incoming[other, node] for other in around]

        def tell(completed: int, estimate: Floats) -> None:
            self._tell(node, completed, estimate, total(end.traffic for end in ends))

        await run(self._part.task, share, self.ports[node], slots, tell, self._decode)


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings where parameters overflow, since that is found and reported; no collector over all that stands."""
    gc.freeze()
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        gc.unfreeze()

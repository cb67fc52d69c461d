"""All nodes as coroutines of one process, on virtual or on real time."""

from __future__ import annotations

import asyncio
import gc
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import numpy as np

from netsim.edges import Edge
from netsim.pacing import SECOND, SlotClock, Slots
from netsim.ports import Inbox, NodePort
from netsim.traffic import of_node
from netsim.transports.base import DivergedError, Observer, Outcome
from netsim.virtual import TimeLimitError, VirtualLoop
from netsim.world import World
from nodes.arrays import Floats
from nodes.node import NodeError, run
from nodes.wire import Decoder, NonFiniteError


@dataclass(frozen=True, kw_only=True)
class InProcess:
    """Nodes as coroutines in one process.

    On ``virtual`` time the clock jumps from slot to slot; on ``real`` time the run sleeps for each slot. The numbers
    are the same.
    """

    kind: Literal["in-process"] = "in-process"
    time: Literal["virtual", "real"] = "virtual"

    def run(self, world: World, observer: Observer) -> Outcome:
        """Run all rounds of all nodes."""
        limit = math.inf if world.limit is None else world.limit / SECOND
        cast = _Cast(world, observer)
        if self.time == "virtual":
            with _quiet(), asyncio.Runner(loop_factory=lambda: VirtualLoop(limit)) as runner:
                return runner.run(cast.play())
        with _quiet(), asyncio.Runner() as runner:
            try:
                # The last slot may end right at the limit, and a real loop wakes a little later.
                return runner.run(asyncio.wait_for(cast.play(), limit + world.period / SECOND))
            except TimeoutError:
                raise TimeLimitError(f"the run would pass its time limit of {limit:g} s; raise limit") from None


class _Cast:
    """The nodes of one run with their edges, inboxes and ports."""

    def __init__(self, world: World, observer: Observer) -> None:
        self._world, self._observer = world, observer
        self._edges = {
            (m, n): Edge(world.channel(m, n)) for m, neighbours in world.neighbours.items() for n in neighbours
        }
        self._inboxes: dict[int, Inbox] = {m: [] for m in world.neighbours}
        self._decode = Decoder(world.task.nodes, world.task.parameters).__getitem__

    async def play(self) -> Outcome:
        world = self._world
        clock = SlotClock(asyncio.get_running_loop())
        try:
            async with asyncio.TaskGroup() as group:
                for share in world.shares:
                    group.create_task(self._live(share.node, clock), name=f"node {share.node}")
        except ExceptionGroup as group:
            return Outcome(self._edges, diverged=_diverged(group.exceptions))
        return Outcome(self._edges)

    async def _live(self, node: int, clock: SlotClock) -> None:
        world, observer = self._world, self._observer
        slots = Slots(clock, world.period, world.rounds, world.recorded)
        neighbours = world.neighbours[node]
        outgoing = {n: (self._edges[node, n], self._inboxes[n]) for n in neighbours}
        incoming = {n: self._edges[n, node] for n in neighbours}
        port = NodePort(node, neighbours, slots, outgoing, incoming, self._inboxes[node])

        def tell(completed: int, estimate: Floats) -> None:
            traffic = of_node([edge for edge, _ in outgoing.values()], incoming.values())
            observer.tell(node, completed, estimate, traffic)

        await run(world.task, world.shares[node], port, slots, tell, self._decode)


def _diverged(errors: Sequence[Exception]) -> int:
    """The round in which a run diverged that ended with these errors; raises the first of them if it did not."""
    failures = [error for error in errors if isinstance(error, NodeError)]
    first = min(failures, key=lambda error: (error.round, error.node), default=errors[0])
    if isinstance(first, DivergedError):
        return first.completed
    if isinstance(first, NodeError) and isinstance(first.cause, NonFiniteError):
        return first.round
    raise first


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings where parameters overflow, since that is found and reported; no collector over all that stands."""
    gc.freeze()
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        gc.unfreeze()

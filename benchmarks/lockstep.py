"""Two workers in lockstep against one process, where two processors really work side by side."""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.beside import PATIENCE, awaited, beside
from benchmarks.worlds import world
from netsim.traffic import Traffic
from netsim.transports.base import Transport
from netsim.transports.inprocess import InProcess
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.world import World
from nodes.arrays import Floats


def lockstep(nodes: int = 2000, rounds: int = 20) -> dict[str, float]:
    """How many times as fast two workers are as one process, and two busy processes, before or after, at the least."""
    built, before = world(nodes, "ordinal", 50, rounds), busy()
    ours, base = _learn(ZeroMQ(workers=2), built), _learn(InProcess(), built)
    if not all(np.array_equal(ours.final[node], base.final[node]) for node in range(nodes)):
        raise RuntimeError("lockstep and one process came to different parameters")
    figures = {"lockstep s": ours.seconds, "in process s": base.seconds, "over one": base.seconds / ours.seconds}
    return {**figures, "busy over one": min(before, busy())}


def busy(turns: int = 40_000) -> float:
    """How many times as fast two processes that have nothing to do with each other are as one after the other."""
    with beside(_work, turns) as first, beside(_work, turns) as second:
        for pipe in (first, second):
            awaited(pipe)  # it is there
        alone, both = _seconds(first), _seconds(first, second)
    return 2 * alone / both


class _Clock:
    """An observer that only takes the time on the wall from when all nodes have told their start to the last's end.

    By then all have sent their first frames in either transport: in lockstep what nodes tell leaves with those.
    """

    def __init__(self) -> None:
        self._start = self._end = 0.0
        self.final: dict[int, Floats] = {}

    @property
    def seconds(self) -> float:
        """From start to end."""
        return self._end - self._start

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """Note the time."""
        if completed == 0:
            self._start = time.perf_counter()
        else:
            self._end = time.perf_counter()
            self.final[node] = estimate

    def lose(self, nodes: Collection[int]) -> None:
        """The measurement is lost with them."""
        raise RuntimeError(f"a worker with {len(nodes)} nodes died")


def _learn(transport: Transport, built: World) -> _Clock:
    clock = _Clock()
    transport.run(built, clock)
    return clock


def _work(pipe: Connection[Any, Any], turns: int) -> None:
    """A fixed amount of Python and numpy each time that the pipe says so."""
    matrix, vector = np.ones((50, 200)), np.full(200, 0.5)
    with pipe, suppress(EOFError):
        pipe.send("ready")
        while pipe.poll(PATIENCE / 1000) and pipe.recv():
            for _ in range(turns):
                sum(range(1000))
                matrix.T.dot(matrix.dot(vector))
            pipe.send("done")


def _seconds(*pipes: Connection[Any, Any]) -> float:
    """Until all processes at these pipes have done their work."""
    start = time.perf_counter()
    for pipe in pipes:
        pipe.send("go")
    for pipe in pipes:
        awaited(pipe)
    return time.perf_counter() - start

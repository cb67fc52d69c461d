"""Trials: runs of a transport that are watched, bounded in time, and compared with what should be left."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import networkx as nx

from netsim.traffic import Traffic
from netsim.transports.base import Observer, Outcome, Transport
from netsim.units import written
from netsim.world import World
from nodes.arrays import Floats
from nodes.node import run as live
from nodes.wire import Decoder, Frame

Make = Callable[[], Transport]
Plan = Callable[[int], World]
"""A world for a length of its slots in nanoseconds."""

SLOTS: Final = (10_000_000, 40_000_000, 160_000_000)
"""Lengths of slots: the next is tried where a real clock did not wait for frames in the one before."""
SETTLE: Final = 0.5
"""Seconds that threads and processes have to be gone after a run."""
ENOUGH: Final = 30.0
"""Seconds after which a run is taken never to end."""


class OverrunError(RuntimeError):
    """A real clock overran frames even in the longest slots, so that nothing can be said of the transport."""


@dataclass
class Notes:
    """An observer that keeps what it is told, and raises what is planned for a number of completed rounds."""

    planned: Mapping[int, Exception] = field(default_factory=dict)
    told: dict[tuple[int, int], tuple[Floats, Traffic]] = field(default_factory=dict)
    """(node, completed rounds) -> parameters and traffic."""
    again: list[tuple[int, int]] = field(default_factory=list)
    """What was told more than once."""
    lost: list[int] = field(default_factory=list)

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """Keep it."""
        if completed in self.planned:
            raise self.planned[completed]
        if (node, completed) in self.told:
            self.again.append((node, completed))
        self.told[node, completed] = estimate.copy(), traffic

    def lose(self, nodes: Collection[int]) -> None:
        """Keep it."""
        self.lost += nodes


class Run(NamedTuple):
    """A run that ended well."""

    world: World
    told: Mapping[tuple[int, int], tuple[Floats, Traffic]]
    outcome: Outcome


def played(law: str, make: Make, plan: Plan) -> Run:
    """A run to the end, with longer slots where frames were overrun; all nodes have told all, of all edges is known."""
    for slot in SLOTS:
        world, notes = plan(slot), Notes()
        outcome = end_of(make, world, notes)
        if not isinstance(outcome, Outcome):
            raise AssertionError(f"{law}: a run that nothing stops ends with {outcome!r}") from outcome
        if any(traffic.overrun for traffic in outcome.edges.values()):
            continue
        require(law, outcome.diverged is None, f"a run that converges ends as diverged in round {outcome.diverged}")
        require(law, not (outcome.deaths or notes.lost), f"nodes were lost: {outcome.deaths}, {notes.lost}")
        wanted = {(node, k) for node in world.neighbours for k in world.recorded}
        wrong = sorted(wanted ^ notes.told.keys()) + notes.again
        require(law, not wrong, f"(node, completed rounds) {wrong} were not told once each as recorded")
        edges = set(nx.DiGraph(world.graph).edges) ^ set(outcome.edges)
        require(law, not edges, f"edges {sorted(edges)} are in one of the graph and the outcome only")
        return Run(world, notes.told, outcome)
    raise OverrunError(f"{law}: frames were overrun even in slots of {written(SLOTS[-1])}; try on a less busy machine")


def end_of(make: Make, world: World, observer: Observer) -> Outcome | Exception:
    """How a run ends."""
    with _bounded():
        try:
            return make().run(world, observer)
        except Exception as error:  # of any kind: it is compared with what should have come
            return error


class _EndlessError(BaseException):
    """A run has not ended; not an exception that a node or a transport could take for one of its own."""


@contextmanager
def _bounded() -> Iterator[None]:
    """Breaks off what takes too long, where the system has alarms, which go to the main thread."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise _EndlessError

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, ENOUGH)
    try:
        yield
    except _EndlessError:
        raise AssertionError(f"ends: a run that takes a moment has not ended after {ENOUGH:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def alone(world: World, node: int) -> dict[int, Floats]:
    """What a node learns that hears nothing, by completed rounds."""
    told: dict[int, Floats] = {}
    around = _Nowhere(world.neighbours[node], world.rounds, world.recorded)
    decode = Decoder(1, world.task.parameters).__getitem__

    def tell(completed: int, estimate: Floats) -> None:
        told[completed] = estimate

    life = live(world.task, world.shares[node], around, around, tell, decode)
    try:
        life.send(None)
    except StopIteration:
        return told
    raise AssertionError("a node that has nothing to wait for waits")


@dataclass(frozen=True)
class _Nowhere:
    """A port to nobody, and a schedule without waiting."""

    neighbours: Mapping[int, int]
    rounds: int
    recorded: frozenset[int]

    def send(self, frame: Frame, to: Sequence[int]) -> None:
        """It is gone."""

    def drain(self) -> list[tuple[int, bytes]]:
        """Nothing."""
        return []

    def refuse(self, sender: int) -> None:
        """There is nothing to refuse."""

    async def slot_end(self, k: int) -> None:
        """At once."""


def opened() -> set[str]:
    """What is open in this process, in words."""
    loops = (each for each in gc.get_objects() if issubclass(type(each), asyncio.AbstractEventLoop))
    return {
        *(f"event loop {id(loop)}" for loop in loops if not loop.is_closed()),
        *(f"thread {thread.name}" for thread in threading.enumerate()),
        *(f"process {process.name}" for process in multiprocessing.active_children()),
        *_system("fd", lambda file: f"file {file} ({os.readlink(f'/proc/self/fd/{file}')})"),
        *_system("task", lambda thread: f"thread {thread} of the system"),
    }


def _system(folder: str, words: Callable[[str], str]) -> Iterable[str]:
    """What the system knows of this process, where it tells."""
    try:
        names = os.listdir(f"/proc/self/{folder}")
    except FileNotFoundError:
        return
    for name in names:
        try:
            yield words(name)
        except FileNotFoundError:
            continue  # the listing itself was open


def require(law: str, holds: bool, sentence: str) -> None:
    """``AssertionError`` that names the law, unless it holds."""
    if not holds:
        raise AssertionError(f"{law}: {sentence}")

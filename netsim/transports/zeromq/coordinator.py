"""The coordinator: gives a world's nodes to workers, hears what they tell, and decides who is dead."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

import numpy as np
import structlog
import zmq

from netsim import __version__
from netsim.pacing import SECOND
from netsim.traffic import Traffic
from netsim.transports.base import Death, DivergedError, Observer, Outcome, TransportError
from netsim.transports.zeromq.assignment import Peer, parts_of, plain
from netsim.transports.zeromq.crew import Crew
from netsim.transports.zeromq.names import fresh_name
from netsim.transports.zeromq.protocol import (
    Alive,
    Assign,
    Bound,
    Close,
    Done,
    Failed,
    Free,
    Held,
    Here,
    Link,
    Listening,
    Message,
    Open,
    Probe,
    ProtocolError,
    Ready,
    Start,
    Told,
    Took,
    Until,
    pack,
    unpack,
)
from netsim.transports.zeromq.seats import Inquests, Seat
from netsim.virtual import DeadlockError, TimeLimitError
from netsim.world import World
from nodes.node import NodeError

log = structlog.get_logger(__name__)

TICK: Final = 0.25
"""Seconds between two looks at who is still there."""
HEAD_START: Final = 0.1
"""Seconds between the word to start and the start of a real clock, which all hear and compute their first round in."""
M = TypeVar("M", bound=Message)


@dataclass(kw_only=True)
class Coordinator:
    """One run of a world by a crew; ``patience`` in seconds."""

    crew: Crew
    world: World
    observer: Observer
    clock: Literal["virtual", "real"]
    patience: float
    on_death: Literal["continue", "stop"]
    _seats: dict[int, Seat] = field(init=False)
    """The living workers."""
    _left: list[Seat] = field(init=False, default_factory=list)
    _inquests: Inquests = field(init=False)
    _malformed: int = field(init=False, default=0)
    _stuck: float = field(init=False, default=0.0)

    def run(self) -> Outcome:
        """Bring the world to its end, and leave the crew ready for another."""
        self._seats = self._seated()
        period = self.world.period
        self._inquests = Inquests(self._seats, self._tell, period, self.world.rounds * period)
        self._poller = zmq.Poller()
        self._poller.register(self.crew.inlet.socket, zmq.POLLIN)
        for sentinel in self.crew.sentinels:
            self._poller.register(sentinel, zmq.POLLIN)
        try:
            self._begin()
            with np.errstate(all="ignore"):  # where parameters overflow, the observer says so
                while not all(seat.done for seat in self._seats.values()) or self._inquests:
                    self._go_on()
            return self._outcome()
        except DivergedError as error:
            return Outcome({}, diverged=error.completed)
        finally:
            self._end()

    # -- start ---------------------------------------------------------------------------------------------------

    def _seated(self) -> dict[int, Seat]:
        workers = list(self.crew.members)[: self.world.task.nodes]
        if not workers:
            raise TransportError("no worker is left to run nodes; start them again")
        parts = dict(zip(workers, parts_of(self.world.task.nodes, len(workers)), strict=True))
        owner = {node: worker for worker, nodes in parts.items() for node in nodes}
        return {
            worker: Seat(
                self.crew.members[worker],
                nodes,
                frozenset(owner[other] for node in nodes for other in self.world.neighbours[node]) - {worker},
            )
            for worker, nodes in parts.items()
        }

    def _begin(self) -> None:
        """All workers there, assigned, linked and started."""
        absent = self._seats.keys() - self.crew.present
        for worker, here in self._all(Here, "come", self.crew.wait, absent).items():
            if here.version != __version__:
                raise TransportError(
                    f"{self._seats[worker]} is netsim {here.version}, this is {__version__}; install one version"
                )
            self.crew.present.add(worker)
        self._say(Open())
        bound = self._all(Bound, "open a port", self.crew.wait, self._seats.keys())
        names = {(a, b): fresh_name() for a, seat in self._seats.items() for b in sorted(seat.links)}
        for worker, seat in self._seats.items():
            peers = [
                Peer(other, self._seats[other].nodes, *bound[other], names[worker, other], names[other, worker])
                for other in sorted(seat.links)
            ]
            self._tell(worker, Assign(plain(self.world, seat.nodes, peers, self.clock)))
        self._all(Listening, "take its assignment", max(self.crew.wait, self.patience), self._seats.keys())
        self._say(Link())
        self._all(Ready, "hear all others", max(self.crew.wait, self.patience), self._seats.keys())
        self._say(Start(time.monotonic() + HEAD_START if self.crew.one_clock else 0.0))
        log.debug("workers started", workers=[str(seat) for seat in self._seats.values()])

    def _all(self, kind: type[M], what: str, seconds: float, workers: Collection[int]) -> dict[int, M]:
        """A message of one kind from each of these workers, within bounded time."""
        got: dict[int, M] = {}
        last = time.monotonic() + seconds
        while missing := [self._seats[worker] for worker in workers if worker not in got]:
            for worker, message in self._news():
                if isinstance(message, kind):
                    got[worker] = message
                elif isinstance(message, Failed):
                    raise TransportError(f"{self._seats[worker]} cannot {what}: {message.reason}")
            for worker, seat in self._seats.items():
                if (reason := self._ending(worker)) is not None:
                    raise TransportError(f"{seat} did not {what}: {reason}")
            if time.monotonic() > last:
                names = ", ".join(map(str, missing))
                raise TransportError(f"not there after {seconds:g} s: {names} did not {what}; the run was not started")
        return got

    # -- run -----------------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        start = time.monotonic()
        for worker, message in self._news():
            self._hear(worker, message)
        if (lost := self._lost()) is not None:
            self._lose(*lost)
        # Time in which this process itself had other things to do is nobody's silence.
        self._be_patient(min(time.monotonic() - start, 2 * TICK))

    def _news(self) -> Iterator[tuple[int, Message]]:
        """What workers of this run have said, if anything comes within a moment."""
        self._poller.poll(int(TICK * 1000))
        while (received := self.crew.inlet.receive()) is not None:
            worker, data = received
            if worker not in self._seats:
                continue
            try:
                message = unpack(data)
            except ProtocolError:
                self._malformed += 1
                continue
            self._seats[worker].silence = 0.0
            yield worker, message

    def _hear(self, worker: int, message: Message) -> None:
        seat = self._seats[worker]
        match message:
            case Told(completed, nodes, estimates, traffic):
                stack = np.frombuffer(estimates).reshape(len(nodes), self.world.task.parameters)
                for node, estimate, counts in zip(nodes, stack, traffic, strict=True):
                    self.observer.tell(node, completed, estimate, Traffic(*counts))
                self._tell(worker, Took(len(estimates)))
                self._move(seat, completed * self.world.period)
            case Alive(time, waits_for):
                seat.waits_for = waits_for
                self._move(seat, time)
            case Failed():
                seat.done = message
                self._say(Until(message.time))
            case Done():
                seat.done = message
                self._stuck = 0.0
            case Held(dead, promise):
                self._bury(self._inquests.answered(worker, dead, promise))

    def _move(self, seat: Seat, time: int) -> None:
        if time > seat.time:
            seat.time = time
            self._stuck = 0.0

    def _be_patient(self, elapsed: float) -> None:
        for worker, seat in self._seats.items():
            seat.silence += elapsed
            if seat.silence > self.patience:
                self._lose(worker, f"nothing was heard of it for {self.patience:g} s")
                return
        self._stuck += elapsed
        if self._stuck > self.patience and self.clock == "virtual":
            waiting = [seat for seat in self._seats.values() if seat.waits_for and not seat.done]
            waits = "; ".join(
                f"{seat} at {seat.time / SECOND:g} s for {', '.join(map(self._name, seat.waits_for))}"
                for seat in waiting
            )
            raise DeadlockError(f"all workers live, and for {self.patience:g} s none went on; there wait {waits}")

    # -- death ---------------------------------------------------------------------------------------------------

    def _lost(self) -> tuple[int, str] | None:
        """A worker that is gone, with what shows it."""
        for worker in self._seats:
            if (reason := self._ending(worker)) is not None:
                return worker, reason
        if self.crew.inlet.disconnected():
            for worker in self._seats:
                if not self._tell(worker, Probe()):
                    return worker, "its connection is closed"
        return None

    def _ending(self, worker: int) -> str | None:
        return self.crew.ending(worker)

    def _lose(self, worker: int, reason: str) -> None:
        """Go on without a worker; what it has done to the end counts."""
        seat = self._seats.pop(worker)
        for sentinel, other in self.crew.sentinels.items():
            if other == worker:
                self._poller.unregister(sentinel)
        self.crew.dismiss(worker)
        self._left.append(seat)
        for death in self._inquests.without(worker):
            self._bury(death)
        if seat.done:
            return
        if self.on_death == "stop":
            slot = seat.time // self.world.period
            raise TransportError(f"{seat} died in slot {slot} or later: {reason}; the run was stopped")
        if not self._seats:
            raise TransportError(f"all workers died; the last was {seat}: {reason}")
        self._bury(self._inquests.begin(worker, seat, reason))

    def _bury(self, death: Death | None) -> None:
        if death is not None:
            log.debug("worker died", worker=death.worker, slot=death.slot, reason=death.reason)
            self._stuck = 0.0
            self.observer.lose(death.nodes)

    # -- end -----------------------------------------------------------------------------------------------------

    def _outcome(self) -> Outcome:
        seats = [*self._seats.values(), *self._left]
        failures = [seat.done for seat in seats if isinstance(seat.done, Failed)]
        if failures:
            first = min(failures, key=lambda failed: (failed.time, failed.round, failed.node))
            if first.what == "diverged":
                return Outcome({}, diverged=first.round)
            raise _as_error(first)
        edges: dict[tuple[int, int], Traffic] = {}
        counts = Counter(workers=len(seats))
        for done in (seat.done for seat in seats if isinstance(seat.done, Done)):
            for source, target, *traffic in done.edges:
                edges[source, target] = edges.get((source, target), Traffic()) + Traffic(*traffic)
            counts.update(done.counts)
        inlet = self.crew.inlet
        own = {"strangers": inlet.strangers, "refused": inlet.refused, "malformed": inlet.malformed + self._malformed}
        counts.update({name: count for name, count in own.items() if count > 0})
        return Outcome(edges, deaths=tuple(self._inquests.deaths), transport=dict(counts))

    def _end(self) -> None:
        """Call the crew back from the run."""
        self._say(Close())
        free: set[int] = set()
        last = time.monotonic() + self.crew.grace
        while (absent := self._seats.keys() & self.crew.present - free) and time.monotonic() < last:
            free |= {worker for worker, message in self._news() if isinstance(message, Free)}
        for worker in absent:
            self.crew.dismiss(worker)  # or what it says of this run would be taken for words about the next

    def _say(self, message: Message) -> None:
        for worker in self._seats:
            self._tell(worker, message)

    def _tell(self, worker: int, message: Message) -> bool:
        return self.crew.inlet.send(worker, pack(message))

    def _name(self, worker: int) -> str:
        return str(self._seats[worker]) if worker in self._seats else f"worker {worker}"


def _as_error(failed: Failed) -> Exception:
    match failed.what:
        case "node":
            return NodeError(failed.node, failed.round, failed.reason)
        case "limit":
            return TimeLimitError(failed.reason)
        case "deadlock":
            return DeadlockError(failed.reason)
    return TransportError(failed.reason)

"""The coordinator: gives a world's nodes to workers, hears what they tell, and goes on without those that die."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from netsim.diagnostics import logger
from netsim.edges import Acted, summed
from netsim.pacing import SECOND
from netsim.traffic import Traffic
from netsim.transports.base import Death, DivergedError, Observer, Outcome, TransportError
from netsim.transports.zeromq.assignment import Peer, plain
from netsim.transports.zeromq.crew import GOODBYE, Crew
from netsim.transports.zeromq.names import fresh_name
from netsim.transports.zeromq.protocol import (
    Alive,
    Assign,
    Bound,
    Done,
    Failed,
    Held,
    Link,
    Listening,
    Message,
    Open,
    Ready,
    Start,
    Told,
    Took,
    Until,
)
from netsim.transports.zeromq.seats import Inquests, Seat
from netsim.transports.zeromq.workforce import TICK, Workforce
from netsim.virtual import DeadlockError, TimeLimitError
from netsim.world import World
from nodes.node import NodeError

log = logger(__name__)

HEAD_START: Final = 0.1
"""Seconds between the word to start and the start of a real clock, which all hear and compute their first round in."""


@dataclass(kw_only=True)
class Coordinator:
    """One run of a world by a crew; ``patience`` in seconds."""

    crew: Crew
    world: World
    observer: Observer
    clock: Literal["virtual", "real"]
    patience: float
    on_death: Literal["continue", "stop"]
    _workers: Workforce = field(init=False)
    _inquests: Inquests = field(init=False)
    _left: list[Seat] = field(init=False, default_factory=list)
    """Those who are gone."""
    _stuck: float = field(init=False, default=0.0)
    """Seconds for which no worker's time went on."""

    def __post_init__(self) -> None:
        period = self.world.period
        self._workers = Workforce(self.crew, self.world)
        self._inquests = Inquests(self._workers.seats, self._workers.tell, period, self.world.rounds * period)

    def run(self) -> Outcome:
        """Bring the world to its end, and leave the crew ready for another."""
        grace, seats = self.crew.grace, self._workers.seats
        try:
            self._begin()
            with np.errstate(all="ignore"):  # where parameters overflow, the observer says so
                while not all(seat.done for seat in seats.values()) or self._inquests:
                    self._go_on()
            return self._outcome()
        except DivergedError as error:
            return Outcome({}, diverged=error.completed, deaths=tuple(self._inquests.deaths))
        except KeyboardInterrupt:
            grace = GOODBYE
            raise
        finally:
            self._workers.release(grace)

    def _begin(self) -> None:
        """All workers there, assigned, linked and started."""
        workers, seats, seconds = self._workers, self._workers.seats, max(self.crew.wait, self.patience)
        workers.all_there()
        workers.say(Open())
        bound = workers.every(Bound, "open a port", self.crew.wait)
        names = {(a, b): fresh_name() for a, seat in seats.items() for b in sorted(seat.links)}
        for worker, seat in seats.items():
            peers = [
                Peer(other, seats[other].nodes, *bound[other], names[worker, other], names[other, worker])
                for other in sorted(seat.links)
            ]
            workers.tell(worker, Assign(plain(self.world, seat.nodes, peers, self.clock)))
        workers.every(Listening, "take its assignment", seconds)
        workers.say(Link())
        workers.every(Ready, "hear all others", seconds)
        workers.say(Start(time.monotonic() + HEAD_START if self.crew.one_clock else 0.0))
        log.debug("workers started", workers=[str(seat) for seat in seats.values()])

    def _go_on(self) -> None:
        start = time.monotonic()
        for worker, message in self._workers.news():
            self._hear(worker, message)
        for worker, reason in self._workers.lost():
            self._lose(worker, reason)
        # Time in which this process itself had other things to do is nobody's silence.
        self._be_patient(min(time.monotonic() - start, 2 * TICK))

    def _hear(self, worker: int, message: Message) -> None:
        seat = self._workers.seats[worker]
        match message:
            case Told(completed, nodes, estimates, traffic):
                stack = np.frombuffer(estimates).reshape(len(nodes), self.world.task.told)
                for node, estimate, counts in zip(nodes, stack, traffic, strict=True):
                    self.observer.tell(node, completed, estimate, Traffic(*counts))
                self._workers.tell(worker, Took(len(estimates)))
                self._move(seat, completed * self.world.period)
            case Alive(time, waits_for):
                seat.waits_for = waits_for
                self._move(seat, time)
            case Failed():
                seat.done = message
                self._workers.say(Until(message.time))
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
        seats = self._workers.seats
        for seat in seats.values():
            seat.silence += elapsed
        silent = [worker for worker, seat in seats.items() if seat.silence > self.patience]
        for worker in silent:
            self._lose(worker, f"nothing was heard of it for {self.patience:g} s (raise patience for longer rounds)")
        self._stuck = 0.0 if silent or self._inquests else self._stuck + elapsed
        waiting = [seat for seat in seats.values() if seat.waits_for and not seat.done]
        if self._stuck > self.patience and waiting:
            waits = "; ".join(
                f"{seat} at {seat.time / SECOND:g} s for {', '.join(map(self._name, seat.waits_for))}"
                for seat in waiting
            )
            raise DeadlockError(
                f"all workers live, and for {self.patience:g} s none went on, as when a connection between two of them "
                f"is cut; there wait {waits}"
            )

    def _name(self, worker: int) -> str:
        seat = self._workers.seats.get(worker)
        return f"worker {worker}" if seat is None else str(seat)

    def _lose(self, worker: int, reason: str) -> None:
        """Go on without a worker; what it has done to the end counts."""
        seat = self._workers.leave_out(worker)
        self._left.append(seat)
        for death in self._inquests.without(worker):
            self._bury(death)
        if seat.done:
            return
        if self.on_death == "stop":
            slot = seat.time // self.world.period
            raise TransportError(f"{seat} died in slot {slot} or later: {reason}; the run was stopped")
        if not self._workers.seats:
            raise TransportError(f"all workers died; the last was {seat}: {reason}")
        self._bury(self._inquests.begin(worker, seat, reason))

    def _bury(self, death: Death | None) -> None:
        if death is not None:
            log.debug("worker died", worker=death.worker, slot=death.slot, reason=death.reason)
            self._stuck = 0.0
            self.observer.lose(death.nodes)

    def _outcome(self) -> Outcome:
        seats, deaths = [*self._workers.seats.values(), *self._left], tuple(self._inquests.deaths)
        failures = [seat.done for seat in seats if isinstance(seat.done, Failed)]
        if failures:
            first = min(failures, key=lambda failed: (failed.time, failed.round, failed.node))
            if first.what == "diverged":
                return Outcome({}, diverged=first.round, deaths=deaths)
            raise _as_error(first)
        edges: dict[tuple[int, int], Traffic] = {}
        counts = Counter(workers=len(seats))
        acted: list[Acted] = []
        for done in (seat.done for seat in seats if isinstance(seat.done, Done)):
            acted += (Acted(*each) for each in done.acted)
            for source, target, *traffic in done.edges:
                edges[source, target] = edges.get((source, target), Traffic()) + Traffic(*traffic)
            counts.update(done.counts)
        counts += self.crew.inlet.strange() + Counter(malformed=self._workers.malformed)
        return Outcome(edges, deaths=deaths, acted=summed(acted), transport=dict(counts))


def _as_error(failed: Failed) -> Exception:
    match failed.what:
        case "node":
            return NodeError(failed.node, failed.round, failed.reason)
        case "limit":
            return TimeLimitError(failed.reason)
        case "deadlock":
            return DeadlockError(failed.reason)
    return TransportError(failed.reason)

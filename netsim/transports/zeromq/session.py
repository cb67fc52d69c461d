"""One run in a worker: nodes, the clock they go by, and the coordinator's commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from netsim.cast import Cast
from netsim.edges import Outgoing
from netsim.parts import Part
from netsim.ports import Deliver, Parcel
from netsim.transports.zeromq.assignment import Assignment
from netsim.transports.zeromq.bundles import FOREVER
from netsim.transports.zeromq.desk import BEAT, Desk
from netsim.transports.zeromq.lockstep import Lockstep
from netsim.transports.zeromq.peers import Peers
from netsim.transports.zeromq.protocol import (
    Close,
    Dead,
    Done,
    Failed,
    Held,
    Link,
    Listening,
    Message,
    Ready,
    Silent,
    Start,
    Took,
    Until,
)
from netsim.transports.zeromq.realtime import RealTime
from netsim.virtual import DeadlockError, TimeLimitError
from nodes.node import NodeError, told

C = TypeVar("C", bound=Message)


class ClosedError(Exception):
    """The coordinator has ended the run."""


class EnoughError(Exception):
    """Nothing that is still to be done is wanted."""


class Pacer(Protocol):
    """How a worker keeps time, and how its frames reach others."""

    now: int
    counts: dict[str, int]

    def way(self, target: int, end: Outgoing) -> Deliver:
        """How parcels reach a node that is elsewhere."""
        ...

    def play(self, cast: Cast, part: Part, before: Callable[[int], object], start: float) -> None:
        """All rounds of a cast, whose clock calls ``before``; ``TimeLimitError`` past the part's limit."""
        ...

    def before(self, time: int) -> None:
        """Called before nodes wake at a time."""
        ...

    def lose(self, worker: int) -> int:
        """Take nothing more of a dead worker; gives the time up to which it may have been heard."""
        ...

    def silence(self, worker: int) -> None:
        """Wait for a dead worker no longer."""
        ...


class Session:
    """A worker's part of one run, from the first hail to the coordinator's word that it is over."""

    def __init__(self, desk: Desk, peers: Peers, assignment: Assignment) -> None:
        self._desk, self._peers, self._part = desk, peers, assignment.part
        self._next, self._until = 0, FOREVER
        pacer = Lockstep if assignment.time == "virtual" else RealTime
        self._pacer: Pacer = pacer(peers, desk, self._arrive, self._obey)
        self._cast = Cast(assignment.part, desk.tell, self._pacer.way)

    def run(self) -> None:
        """Take part in the run; returns when it is over for all."""
        try:
            start = self._get_ready()
            self._desk.say(self._play(start))
            self._next = -1  # all that is wanted is done
            while True:
                self._obey(self._desk.await_command())
        except ClosedError:
            return

    def _get_ready(self) -> Start:
        self._desk.say(Listening())
        self._await(Link)
        self._peers.connect()
        while self._peers.unheard():
            self._peers.inlet.wait(int(BEAT * 1000))
            self._desk.alive(0)
            for command in self._desk.commands():
                self._obey(command)
        self._desk.say(Ready())
        return self._await(Start)

    def _await(self, kind: type[C]) -> C:
        while not isinstance(command := self._desk.await_command(), kind):
            self._obey(command)
        return command

    def _play(self, start: Start) -> Done | Failed:
        """All rounds, and what there is to say of them."""
        try:
            self._pacer.play(self._cast, self._part, self._before, start.at)
        except EnoughError:
            pass
        except NodeError as error:
            what = "diverged" if error.diverged else "node"
            return Failed(what, self._pacer.now, error.node, error.round, error.reason)
        except TimeLimitError as error:
            return self._failed("limit", str(error))
        except DeadlockError as error:
            return self._failed("deadlock", str(error))
        except ClosedError:
            raise
        except Exception as error:  # of anybody's code: it is the coordinator's to tell
            return self._failed("error", told(error))
        edges = tuple((*edge, *traffic) for edge, traffic in self._cast.traffic().items())
        return Done(edges, self._cast.acted(), {**self._pacer.counts, **self._peers.strange()})

    def _failed(self, what: str, reason: str) -> Failed:
        return Failed(what, self._pacer.now, 0, 0, reason)

    def _before(self, time: int) -> None:
        self._next = time
        if time > self._until:
            raise EnoughError
        self._pacer.before(time)

    def _arrive(self, target: int, parcel: Parcel) -> None:
        self._cast.ports[target].arrive(parcel)

    def _obey(self, command: Message) -> None:
        match command:
            case Close():
                raise ClosedError
            case Until(time):
                self._until = min(self._until, time)
                if self._next > self._until:
                    raise EnoughError
            case Took(size):
                self._desk.took(size)
            case Dead(worker):
                self._desk.say(Held(worker, self._pacer.lose(worker)))
            case Silent(worker, time):
                nodes = {node for node, other in self._peers.worker_of.items() if other == worker}
                self._cast.silence(nodes, time)
                self._pacer.silence(worker)

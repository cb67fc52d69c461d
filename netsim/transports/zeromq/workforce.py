"""The workers of one run, as the coordinator talks with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import zmq

from netsim import __version__
from netsim.transports.base import TransportError
from netsim.transports.zeromq.assignment import parts_of
from netsim.transports.zeromq.crew import Crew
from netsim.transports.zeromq.protocol import (
    Close,
    Failed,
    Free,
    Here,
    Message,
    Probe,
    ProtocolError,
    pack,
    unpack,
)
from netsim.transports.zeromq.seats import Seat
from netsim.world import World

TICK: Final = 0.25
"""Seconds between two looks at who is still there."""
M = TypeVar("M", bound=Message)


class Workforce:
    """A crew with the seats that its workers have in one run: what they say, and who of them is gone."""

    def __init__(self, crew: Crew, world: World) -> None:
        self.crew = crew
        self.seats = _seated(crew, world)
        """The workers that are not known to be gone."""
        self.malformed = 0
        self._world = world
        self._poller = zmq.Poller()
        self._poller.register(crew.inlet.socket, zmq.POLLIN)
        for sentinel in crew.sentinels:
            self._poller.register(sentinel, zmq.POLLIN)

    def news(self) -> Iterator[tuple[int, Message]]:
        """What workers of this run have said, if anything comes within a moment."""
        self._poller.poll(int(TICK * 1000))
        while (received := self.crew.inlet.receive()) is not None:
            worker, data = received
            try:
                message = unpack(data)
            except ProtocolError:
                self.malformed += 1
                continue
            if isinstance(message, Here):
                self._welcome(worker, message)
            seat = self.seats.get(worker)
            if seat is None:
                continue
            seat.silence = 0.0
            if seat.may_say(message, self._world):
                yield worker, message
            else:
                self.malformed += 1

    def tell(self, worker: int, message: Message) -> bool:
        """Send a message to a worker; False if it is not connected."""
        return self.crew.inlet.send(worker, pack(message))

    def say(self, message: Message) -> None:
        """Send a message to all."""
        for worker in self.seats:
            self.tell(worker, message)

    def all_there(self) -> None:
        """Wait until all have come, for as long as the crew allows; ``TransportError`` names who is missing."""
        self._wait("come", self.crew.wait, lambda: self.seats.keys() - self.crew.present)

    def every(self, kind: type[M], what: str, seconds: float) -> dict[int, M]:
        """A message of one kind from each, within bounded time; ``TransportError`` names who did not do ``what``."""
        got: dict[int, M] = {}

        def take(worker: int, message: Message) -> None:
            if isinstance(message, kind):
                got[worker] = message

        self._wait(what, seconds, lambda: self.seats.keys() - got.keys(), take)
        return got

    def lost(self) -> list[tuple[int, str]]:
        """The workers that are gone, with what shows it."""
        closed = self.crew.inlet.disconnected()
        found = []
        for worker, seat in self.seats.items():
            if (reason := self.crew.ending(worker)) is not None:
                found.append((worker, reason))
            elif (
                worker in self.crew.present and (closed or seat.silence >= 2 * TICK) and not self.tell(worker, Probe())
            ):
                # Of a process that ends the connection goes first.
                found.append((worker, self.crew.ending(worker, within=4 * TICK) or "its connection is closed"))
        return found

    def leave_out(self, worker: int) -> Seat:
        """Have nothing more to do with a worker; gives its seat."""
        for sentinel, other in self.crew.sentinels.items():
            if other == worker:
                self._poller.unregister(sentinel)
        self.crew.dismiss(worker)
        return self.seats.pop(worker)

    def release(self, seconds: float) -> None:
        """Call all back from the run, and leave out who does not come back in time."""
        self.say(Close())
        for worker, _ in self.lost():
            self.leave_out(worker)
        waits_for = self.seats.keys() & self.crew.present
        last = time.monotonic() + seconds
        while waits_for and time.monotonic() < last:
            waits_for -= {worker for worker, message in self.news() if isinstance(message, Free)}
            waits_for -= {worker for worker, _ in self.lost()}
        for worker in waits_for:
            self.leave_out(worker)  # or what it says of this run would be taken for words about the next

    def _welcome(self, worker: int, here: Here) -> None:
        if here.version != __version__:
            name = self.crew.members.get(worker, worker)
            raise TransportError(f"{name} is netsim {here.version}, this is {__version__}; install one version")
        self.crew.greet(worker)
        self.tell(worker, Probe())  # so that it knows that it is waited for

    def _wait(
        self,
        what: str,
        seconds: float,
        missing: Callable[[], set[int]],
        take: Callable[[int, Message], object] = lambda worker, message: None,
    ) -> None:
        last = time.monotonic() + seconds
        while missing():
            for worker, message in self.news():
                if isinstance(message, Failed):
                    raise TransportError(f"{self.seats[worker]} cannot {what}: {message.reason}")
                take(worker, message)
            for worker, reason in self.lost():
                raise TransportError(f"{self.leave_out(worker)} did not {what}: {reason}")
            if time.monotonic() > last and (late := missing()):
                names = ", ".join(str(self.seats[worker]) for worker in sorted(late))
                refused = self.crew.inlet.refused
                hint = f" ({refused} messages of strangers were refused: compare tokens and keys)" if refused else ""
                raise TransportError(
                    f"not there after {seconds:g} s: {names} did not {what}; the run was not started{hint}"
                )


def _seated(crew: Crew, world: World) -> dict[int, Seat]:
    """The seats of as many workers as there are nodes, nodes that follow each other side by side."""
    workers = list(crew.members)[: world.task.nodes]
    if not workers:
        raise TransportError("no worker is left to run nodes; start them again")
    parts = dict(zip(workers, parts_of(world.task.nodes, len(workers)), strict=True))
    owner = {node: worker for worker, nodes in parts.items() for node in nodes}
    return {
        worker: Seat(
            crew.members[worker],
            nodes,
            frozenset(owner[other] for node in nodes for other in world.neighbours[node]) - {worker},
        )
        for worker, nodes in parts.items()
    }

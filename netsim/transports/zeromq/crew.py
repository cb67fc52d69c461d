"""Crews: the workers of a run, and how they come to be there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from typing import Protocol

from netsim.processes import end, ending, started, uninterrupted
from netsim.transports.zeromq.inlet import Inlet
from netsim.transports.zeromq.names import fresh_name
from netsim.transports.zeromq.protocol import Bye, pack
from netsim.transports.zeromq.sockets import Sockets
from netsim.transports.zeromq.worker import Post, serve

START = 60.0
"""Seconds that workers on this machine have to appear."""
GOODBYE = 2.0
"""Seconds that a worker has to leave after it was told goodbye."""


class Crew(Protocol):
    """Workers that report to one inlet, each under a number."""

    inlet: Inlet
    one_clock: bool
    """Whether all of it are on this machine."""
    wait: float
    """Seconds that workers have to appear."""
    grace: float
    """Seconds that workers have to leave a run which is over."""
    present: set[int]
    """The workers that have appeared."""

    @property
    def members(self) -> Mapping[int, str]:
        """The workers that are or should be there, with what they are called."""
        ...

    @property
    def sentinels(self) -> Mapping[int, int]:
        """File descriptors that become readable when a worker's process ends, with the worker."""
        ...

    def ending(self, worker: int, within: float = 0.0) -> str | None:
        """How a worker's process ended; None if it has not within so many seconds, or nobody here can know."""
        ...

    def greet(self, worker: int) -> None:
        """Count a worker as present."""
        ...

    def dismiss(self, worker: int) -> None:
        """Have nothing more to do with a worker that is dead or seems so."""
        ...


class LocalCrew:
    """Processes of this machine."""

    one_clock = True
    wait = START
    grace = GOODBYE

    def __init__(self, inlet: Inlet) -> None:
        self.inlet = inlet
        self.present: set[int] = set()
        self._processes: dict[int, ForkServerProcess] = {}

    def hire(self, count: int) -> None:
        """Start so many workers."""
        for worker in range(count):
            name = fresh_name()
            self.inlet.admit(name, worker)
            with uninterrupted():
                self._processes[worker] = started(serve, Post(self.inlet.endpoint, name, "127.0.0.1", START))

    @property
    def members(self) -> Mapping[int, str]:
        """By number."""
        return {worker: f"worker {worker}" for worker in self._processes}

    @property
    def sentinels(self) -> Mapping[int, int]:
        """Of all processes."""
        return {process.sentinel: worker for worker, process in self._processes.items()}

    def ending(self, worker: int, within: float = 0.0) -> str | None:
        """By the exit code of the process."""
        process = self._processes[worker]
        if within:
            process.join(within)
        return None if process.is_alive() else ending(process)

    def greet(self, worker: int) -> None:
        """It has come."""
        self.present.add(worker)

    def dismiss(self, worker: int) -> None:
        """End the process."""
        _end(self._processes.pop(worker))
        self.inlet.expel(worker)

    def leave(self) -> None:
        """Say goodbye to all, and wait until they have gone."""
        say_goodbye(self)
        last = time.monotonic() + GOODBYE
        for process in self._processes.values():
            process.join(max(0.0, last - time.monotonic()))

    def end(self) -> None:
        """End all that are left."""
        for process in self._processes.values():
            _end(process)
        self._processes.clear()


@contextmanager
def local_crew(count: int) -> Iterator[LocalCrew]:
    """So many workers on this machine, for as long as the context lasts."""
    with Sockets() as sockets:
        crew = LocalCrew(sockets.inlet())
        try:
            crew.hire(count)
            yield crew
            crew.leave()
        finally:
            crew.end()


def say_goodbye(crew: Crew) -> None:
    """Say goodbye to all."""
    for worker in crew.members:
        crew.inlet.send(worker, pack(Bye()))


def _end(process: ForkServerProcess) -> None:
    end(process)
    if not process.is_alive():
        process.close()

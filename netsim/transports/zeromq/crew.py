"""Crews: the workers of a run, and how they come to be there."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from netsim.pacing import SECOND
from netsim.processes import end, ending, started
from netsim.transports.zeromq.keys import read_keys, read_public
from netsim.transports.zeromq.protocol import Bye, pack
from netsim.transports.zeromq.sockets import Inlet, Sockets, fresh_name
from netsim.transports.zeromq.worker import Post, serve

if TYPE_CHECKING:
    from netsim.scenario.hosts import Hosts

COORDINATOR = "coordinator"
"""The name of the coordinator's key file."""
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

    def ending(self, worker: int) -> str | None:
        """How a worker's process ended; None if it has not, or nobody here can know."""
        ...

    def dismiss(self, worker: int) -> None:
        """Have nothing more to do with a worker that is dead or seems so."""
        ...


class LocalCrew:
    """Processes of this machine."""

    one_clock = True
    wait = START

    def __init__(self, inlet: Inlet) -> None:
        self.inlet = inlet
        self.present: set[int] = set()
        self._processes: dict[int, ForkServerProcess] = {}

    def hire(self, count: int) -> None:
        """Start so many workers."""
        for worker in range(count):
            name = fresh_name()
            self.inlet.admit(name, worker)
            self._processes[worker] = started(serve, Post(self.inlet.endpoint, name, "127.0.0.1"))

    @property
    def members(self) -> Mapping[int, str]:
        """By number."""
        return {worker: f"worker {worker}" for worker in self._processes}

    @property
    def sentinels(self) -> Mapping[int, int]:
        """Of all processes."""
        return {process.sentinel: worker for worker, process in self._processes.items()}

    def ending(self, worker: int) -> str | None:
        """By the exit code of the process."""
        process = self._processes[worker]
        return None if process.is_alive() else ending(process)

    def dismiss(self, worker: int) -> None:
        """End the process."""
        end(self._processes.pop(worker))
        self.inlet.expel(worker)

    def leave(self) -> None:
        """Say goodbye to all, and wait until they have gone."""
        _dismissed(self)
        last = time.monotonic() + GOODBYE
        for process in self._processes.values():
            process.join(max(0.0, last - time.monotonic()))

    def end(self) -> None:
        """End all that are left."""
        for process in self._processes.values():
            end(process)
            process.close()
        self._processes.clear()


class HostCrew:
    """Workers on machines of a hosts file, which somebody starts there."""

    one_clock = False

    def __init__(self, inlet: Inlet, wait: float) -> None:
        self.inlet, self.wait = inlet, wait
        self.present: set[int] = set()
        self._members: dict[int, str] = {}

    def expect(self, host: str, name: bytes, key: bytes | None) -> None:
        """Expect one more worker on a host, under this name."""
        worker = len(self._members)
        self.inlet.admit(name, worker, key)
        self._members[worker] = f"worker {worker} on {host}"

    @property
    def members(self) -> Mapping[int, str]:
        """By number and host."""
        return dict(self._members)

    @property
    def sentinels(self) -> Mapping[int, int]:
        """None: the processes are elsewhere."""
        return {}

    def ending(self, worker: int) -> str | None:
        """Only the connection tells."""
        return None

    def dismiss(self, worker: int) -> None:
        """Refuse its return."""
        self.inlet.send(worker, pack(Bye()))
        self.inlet.expel(worker)
        del self._members[worker]


@contextmanager
def host_crew(hosts: Hosts, tell: Callable[[str, str], object]) -> Iterator[HostCrew]:
    """The workers of a hosts file, for as long as the context lasts.

    ``tell`` is given each host's name with the token by which its workers are known. ``ValueError`` for missing keys,
    ``OSError`` if the port cannot be had.
    """
    keys = read_keys(hosts.keys_folder, COORDINATOR) if hosts.keys_folder else None
    with Sockets(keys) as sockets:
        crew = HostCrew(sockets.inlet(hosts.coordinator_address, hosts.coordinator_port), hosts.wait / SECOND)
        for host, settings in hosts.hosts.items():
            token = secrets.token_hex(12)
            for number in range(settings.workers):
                key = read_public(hosts.keys_folder, host) if hosts.keys_folder else None
                crew.expect(host, name_of(token, number), key)
            tell(host, token)
        try:
            yield crew
        finally:
            _dismissed(crew)


def posts(hosts: Hosts, host: str, token: str, folder: Path) -> list[Post]:
    """The posts of a host's workers. ``ValueError`` for an unknown host or missing keys."""
    if host not in hosts.hosts:
        raise ValueError(f"there is no host {host!r}; known are {', '.join(hosts.hosts)}")
    settings, place = hosts.hosts[host], hosts.keys_folder
    return [
        Post(
            endpoint=f"tcp://{hosts.coordinator}",
            name=name_of(token, number),
            address=settings.address,
            keys=read_keys(place, host) if place else None,
            server=read_public(place, COORDINATOR) if place else None,
            folder=folder,
        )
        for number in range(settings.workers)
    ]


def name_of(token: str, number: int) -> bytes:
    """The name of a host's worker, which only those know who know the host's token."""
    return f"{token}-{number}".encode()


def _dismissed(crew: Crew) -> None:
    for worker in crew.members:
        crew.inlet.send(worker, pack(Bye()))


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

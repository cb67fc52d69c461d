"""Crews on several machines, by a hosts file that all of them have."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from netsim.pacing import SECOND
from netsim.transports.zeromq.crew import say_goodbye
from netsim.transports.zeromq.inlet import Inlet
from netsim.transports.zeromq.keys import COORDINATOR, read_keys, read_public
from netsim.transports.zeromq.protocol import Bye, Close, pack
from netsim.transports.zeromq.sockets import Sockets
from netsim.transports.zeromq.worker import Post
from netsim.units import written

if TYPE_CHECKING:
    from netsim.scenario.hosts import Hosts


class HostCrew:
    """Workers on machines of a hosts file, which somebody starts there."""

    one_clock = False
    grace = 60.0

    def __init__(self, inlet: Inlet, wait: float, tell: Callable[[str], object] = lambda words: None) -> None:
        self.inlet, self.wait, self._tell = inlet, wait, tell
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

    def ending(self, worker: int, within: float = 0.0) -> str | None:
        """Only the connection tells."""
        return None

    def greet(self, worker: int) -> None:
        """Tell who has come, and who is awaited still."""
        self.present.add(worker)
        absent = ", ".join(name for other, name in self._members.items() if other not in self.present)
        self._tell(f"{self._members[worker]} has come" + (f"; {absent} not yet" if absent else ""))

    def dismiss(self, worker: int) -> None:
        """Send it away, and refuse its return."""
        self.inlet.send(worker, pack(Close()))
        self.inlet.send(worker, pack(Bye()))
        self.inlet.expel(worker)
        del self._members[worker]


@contextmanager
def host_crew(
    hosts: Hosts, file: Path, instruct: Callable[[str], object], tell: Callable[[str], object]
) -> Iterator[HostCrew]:
    """The workers of a hosts file, for as long as the context lasts.

    ``instruct`` is told what to do on each host, ``tell`` who has come. ``ValueError`` for missing keys, ``OSError`` if
    the port cannot be had.
    """
    keys = read_keys(hosts.keys_folder, COORDINATOR) if hosts.keys_folder else None
    with Sockets(keys) as sockets:
        inlet = sockets.inlet(hosts.coordinator_address, hosts.coordinator_port)
        crew = HostCrew(inlet, hosts.wait / SECOND, tell)
        for host, settings in hosts.hosts.items():
            token = secrets.token_hex(12)
            for number in range(settings.workers):
                key = read_public(hosts.keys_folder, host) if hosts.keys_folder else None
                crew.expect(host, name_of(token, number), key)
            instruct(f"on {host} ({settings.address}): netsim worker {file} {host} --token {token}")
        tell(f"waiting for them, for up to {written(hosts.wait)}")
        try:
            yield crew
        finally:
            say_goodbye(crew)


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
            wait=hosts.wait / SECOND,
            keys=read_keys(place, host) if place else None,
            server=read_public(place, COORDINATOR) if place else None,
            folder=folder,
        )
        for number in range(settings.workers)
    ]


def name_of(token: str, number: int) -> bytes:
    """The name of a host's worker, which only those know who know the host's token."""
    return f"{token}-{number}".encode()

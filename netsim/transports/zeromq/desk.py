"""A worker's end of its connection to the coordinator: reports go out, commands come in."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Final

import zmq

from netsim.traffic import Traffic
from netsim.transports.zeromq.protocol import Alive, Message, Probe, Told, pack, unpack
from netsim.transports.zeromq.sockets import Outlet
from nodes.arrays import Floats

BEAT: Final = 0.25
"""Seconds between two signs of life."""
_LARGE: Final = 1 << 24
"""Bytes of parameters after which what was told is sent on."""
_MOST: Final = 1 << 26
"""Bytes of parameters that may wait at the coordinator."""


class CoordinatorGoneError(ConnectionError):
    """There is nobody left to work for."""


class Desk:
    """Reports to the coordinator, and its commands."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._beat = time.monotonic()
        self._told: dict[int, list[tuple[int, bytes, Traffic]]] = {}
        self._size = 0
        self._waiting = 0

    @property
    def behind(self) -> bool:
        """Whether the coordinator has so much left to look at that it should not be given more."""
        return self._waiting > _MOST

    def took(self, size: int) -> None:
        """The coordinator has looked at so many bytes of parameters."""
        self._waiting -= size

    @property
    def socket(self) -> zmq.Socket[bytes]:
        """To wait for commands with a poller."""
        return self._outlet.socket

    def say(self, message: Message) -> None:
        """Send a message, after all that was told."""
        self.flush()
        self._outlet.send(pack(message))

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """Keep what a node tells until ``flush``."""
        data = estimate.tobytes()
        self._told.setdefault(completed, []).append((node, data, traffic))
        self._size += len(data)
        if self._size > _LARGE:
            self.flush()

    def flush(self) -> None:
        """Send on all that was told."""
        for completed, told in self._told.items():
            nodes, estimates, traffic = zip(*told, strict=True)
            self._outlet.send(pack(Told(completed, nodes, b"".join(estimates), traffic)))
        self._told.clear()
        self._waiting += self._size
        self._size = 0

    def alive(self, now: int, waits_for: tuple[int, ...] = ()) -> None:
        """Give a sign of life, if the last one is long enough ago."""
        if time.monotonic() - self._beat >= BEAT:
            self._beat = time.monotonic()
            self._outlet.send(pack(Alive(now, waits_for)))

    def commands(self) -> Iterator[Message]:
        """The commands that are there by now; ``CoordinatorGoneError`` as of ``command``."""
        while (command := self.command()) is not None:
            yield command

    def command(self) -> Message | None:
        """The next command, or None where there is none; ``CoordinatorGoneError`` if there will be no more."""
        while (data := self._outlet.receive()) is not None:
            message = unpack(data)
            if not isinstance(message, Probe):  # which asks for nothing
                return message
        if self._outlet.closed():
            raise CoordinatorGoneError("the coordinator has closed the connection")
        return None

    def await_command(self, seconds: float = math.inf) -> Message:
        """The next command, with signs of life meanwhile; ``CoordinatorGoneError`` if it does not come in time."""
        last = time.monotonic() + seconds
        while (command := self.command()) is None:
            if time.monotonic() > last:
                raise CoordinatorGoneError(f"nothing was heard of the coordinator for {seconds:g} s")
            self.socket.poll(int(BEAT * 1000))
            self.alive(0)
        return command

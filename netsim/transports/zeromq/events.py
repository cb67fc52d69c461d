"""What befalls the connections of a socket, as its monitor tells it."""

from __future__ import annotations

import struct
from collections import Counter

import zmq

BROKEN = (
    zmq.EVENT_DISCONNECTED
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)
"""Ends of a connection, or of the attempt to make one."""

_EVENT = struct.Struct("=Hi")


class Events:
    """Counts what befalls the connections of a socket."""

    def __init__(self, socket: zmq.Socket[bytes], kinds: int) -> None:
        self._socket = socket
        self._pair = socket.get_monitor_socket(kinds)
        self._counts: Counter[int] = Counter()
        self._told: Counter[int] = Counter()

    def drain(self) -> None:
        """Take all events that are there; after the end those until then."""
        while not self._pair.closed and int(self._pair.get(zmq.EVENTS)) & zmq.POLLIN:
            event, _ = self._pair.recv_multipart(zmq.NOBLOCK)
            self._counts[_EVENT.unpack(event)[0]] += 1

    def seen(self, kinds: int) -> int:
        """How many events of these kinds there have been."""
        self.drain()
        return sum(count for event, count in self._counts.items() if event & kinds)

    def new(self, kinds: int) -> bool:
        """Whether there have been any since this was last asked."""
        count = self.seen(kinds)
        before, self._told[kinds] = self._told[kinds], count
        return count > before

    def close(self) -> None:
        """Close the socket as well; a second time does nothing."""
        if not self._pair.closed:
            self.drain()
            self._socket.disable_monitor()
            self._pair.close()  # or the context waits for it for ever
            self._socket.close()

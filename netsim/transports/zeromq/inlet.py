"""The end of many connections: where messages of admitted senders arrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import repeat

import zmq

from netsim.transports.zeromq.events import Events
from netsim.transports.zeromq.names import check_key, check_name

SIFTED = 1_000
"""Messages refused in a row before ``Inlet.receive`` gives its caller time for other things."""

RARELY = 64
"""Looks at an empty queue for each look at what befell connections."""

Socket = zmq.Socket[bytes]


class Inlet:
    """Where messages of admitted senders arrive; all others are counted and dropped.

    ``refused`` counts messages that no admitted sender sent: unknown names, and right names with wrong keys.
    ``malformed`` counts messages of anyone that were not exactly one part.
    """

    def __init__(self, socket: Socket, curve: bool) -> None:
        self.socket = socket
        self.refused = 0
        self.malformed = 0
        self._looks = 0
        self._told = Counter[str]()
        self._curve = curve
        self._take = _taking_keys(socket) if curve else _taking(socket)
        self._events = Events(socket, zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED)
        self._names: dict[int, bytes] = {}  # of all admitted senders
        self._keys: dict[int, bytes] = {}
        self._admitted: frozenset[bytes] = frozenset()  # replaced as a whole: the authenticator's thread looks into it
        self._awaited: dict[bytes, int] = {}  # senders by what shows them, before the first message
        self._heard: dict[bytes, int] = {}  # and since
        self._ever: set[bytes] = set()  # what showed senders that were heard, the expelled ones too

    @property
    def endpoint(self) -> str:
        """What others connect to (behind an address such as 0.0.0.0 they need one of this machine's instead)."""
        return str(self.socket.get_string(zmq.LAST_ENDPOINT)).rstrip("\0")

    @property
    def strangers(self) -> int:
        """Connections that came to this port, less one for each admitted sender that a message was received from.

        So every foreign connection counts once, whatever it does and however soon it goes, and so does any that a
        sender makes after its first. A peer that has connected counts until its first message, of one part, is taken.
        """
        return self._events.seen(zmq.EVENT_ACCEPTED) - len(self._ever)

    def strange(self) -> Counter[str]:
        """What came and was not taken since this was last asked: strangers, refused and malformed messages."""
        counts = Counter(strangers=self.strangers, refused=self.refused, malformed=self.malformed)
        new = counts - self._told
        self._told = counts
        return new

    def admit(self, name: bytes, sender: int, key: bytes | None = None) -> None:
        """Take messages of this name from now on, as those of ``sender``.

        ``key`` is the sender's public key, given if and only if there are keys. ``ValueError`` if the sender is
        admitted already, or another has its name.
        """
        check_name(name)
        check_key(key, self._curve, f"sender {sender}")
        if sender in self._names or name in self._names.values():
            raise ValueError(f"sender {sender} or its name is admitted already; expel the sender that has it first")
        self._names[sender] = name
        if key:
            self._keys[sender] = key
            self._admitted = frozenset(self._keys.values())
        self._awaited[name + (key or b"")] = sender

    def expel(self, sender: int) -> None:
        """Refuse messages of this sender from now on, and new connections with its key unless another shares it."""
        shown = self._names.pop(sender, b"") + self._keys.pop(sender, b"")
        self._admitted = frozenset(self._keys.values())
        self._awaited.pop(shown, None)
        self._heard.pop(shown, None)

    def callback(self, domain: str, key: bytes) -> bool:
        """Whether a connection with this key comes in: what the authenticator, in its own thread, asks."""
        return key in self._admitted

    def receive(self) -> tuple[int, bytes] | None:
        """The next message and its sender, or None where nothing is there now.

        None as well after ``SIFTED`` messages in a row that were refused, so that a flood of them does not hold the
        caller: who waits for the edge of ``socket.fd`` must look at ``zmq.EVENTS`` too; ``wait`` and pollers do.
        """
        for _ in repeat(None, SIFTED):
            try:
                parts = self._take()
            except zmq.Again:
                self._looks += 1
                if self._looks % RARELY:
                    return None
                break
            sender = self._heard.get(parts[0])
            if sender is not None and len(parts) == 2:
                return sender, parts[1]
            if self._welcome(parts):
                return self._heard[parts[0]], parts[1]
        self._events.drain()
        return None

    def _welcome(self, parts: list[bytes]) -> bool:
        """Whether this is the first message of an awaited sender, which has its connection now; if not, count it."""
        if len(parts) != 2:
            self.malformed += 1
        elif parts[0] not in self._awaited:
            self.refused += 1
        else:
            self._heard[parts[0]] = self._awaited.pop(parts[0])
            self._ever.add(parts[0])
            return True
        return False

    def wait(self, milliseconds: int) -> bool:
        """Wait until a message is there, of whomever; False if that time is over."""
        self._events.drain()
        return bool(self.socket.poll(milliseconds))

    def send(self, sender: int, data: bytes) -> bool:
        """Answer a sender that was heard; False if it was not heard yet, was expelled, or is not connected.

        Never waits, as the queue has no limit. True says that the message was queued, not that it arrives, and is
        still possible in the moments after ``disconnected``.
        """
        name = self._names.get(sender)
        if name is None or name + self._keys.get(sender, b"") not in self._heard:
            return False
        try:
            self.socket.send_multipart([name, data], zmq.NOBLOCK)
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise
            return False
        return True

    def disconnected(self) -> bool:
        """Whether any connection, of a sender or a stranger, was closed since the last look."""
        return self._events.new(zmq.EVENT_DISCONNECTED)

    def close(self) -> None:
        """Close the port; what was counted stays to be read."""
        self._events.close()


def _taking(socket: Socket) -> Callable[[], list[bytes]]:
    """What takes a message: its sender's name, which no other living connection has, and its parts."""
    receive, now = socket.recv, int(zmq.NOBLOCK)

    def take() -> list[bytes]:
        # As recv_multipart does, in half of its time for one part.
        parts = [receive(now)]
        more = True
        while more:
            part = receive(now, copy=False)
            parts.append(part.bytes)
            more = part.more
        return parts

    return take


def _taking_keys(socket: Socket) -> Callable[[], list[bytes]]:
    """What takes a message: its sender's name and proven public key in one, and its parts."""

    def take() -> list[bytes]:
        name, *parts = socket.recv_multipart(zmq.NOBLOCK, copy=False)
        return [name.bytes + str(parts[0].get("User-Id")).encode(), *(part.bytes for part in parts)]

    return take

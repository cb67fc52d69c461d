"""Sockets that carry messages between processes, and know strangers from peers.

A process has one ``Inlet``, a bound ROUTER, and an ``Outlet``, a connected DEALER, to every other process that it
sends to (the zguide, chapter 8, "True Peer Connectivity"). Who may send is settled by names: an outlet shows a random
name that only the coordinator and those two processes know. Beyond loopback, where names could be overheard, CURVE is
compulsory, and a name counts only together with the key that was admitted with it.
"""

from __future__ import annotations

import ipaddress
import secrets
import struct
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import repeat
from types import TracebackType
from typing import Self

import zmq
from zmq.auth.thread import ThreadAuthenticator

from netsim.transports.zeromq.keys import Keys

LARGEST = 64 << 20
"""Bytes of the largest message that an inlet takes; the connection that carries a larger one is cut."""

HANDSHAKE = 5_000
"""Milliseconds a connection has to say what ZMTP asks for, before it is cut."""

BACKLOG = 1_024
"""Connections that may wait to be accepted."""

LINGER = 500
"""Milliseconds for what is still queued when sockets are closed."""

SIFTED = 1_000
"""Messages refused in a row before ``Inlet.receive`` gives its caller time for other things."""

Socket = zmq.Socket[bytes]

_SEALED = len(b"\x07MESSAGE") + 8 + 16 + 1  # of CURVE: command, nonce, authenticator, flags (RFC 26)
_EVENT = struct.Struct("=Hi")


def fresh_name() -> bytes:
    """A name for an outlet that nobody guesses: 16 bytes, the first of which is not 0, as ZeroMQ's own names have."""
    return bytes([1 + secrets.randbelow(255)]) + secrets.token_bytes(15)


def framing(size: int, curve: bool) -> int:
    """Bytes that ZMTP adds to a message of ``size`` bytes in one part (RFC 23; with CURVE RFC 26)."""
    sealed = _SEALED if curve else 0
    return sealed + (2 if sealed + size <= 255 else 9)


def refuse_open(address: str, curve: bool) -> None:
    """``ValueError`` if messages would pass an address beyond loopback in the clear."""
    if not curve and not _is_loopback(address):
        raise ValueError(
            f"address {address!r} is beyond loopback, where messages are encrypted or not sent;"
            " make keys with `netsim keys HOSTS.yaml`, or use a loopback address such as 127.0.0.1"
        )


def _is_loopback(address: str) -> bool:
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class Sockets:
    """A context manager for the sockets of a process: closes all it opened, within ``LINGER`` or so.

    With keys, all connections are by CURVE. Sockets are used in the thread that opened them.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self._keys = keys
        self._inlets = 0
        self._context: zmq.Context[Socket] = zmq.Context()
        self._opened = ExitStack()
        self._opened.callback(self._context.term)
        self._context.set(zmq.MAX_SOCKETS, self._context.get(zmq.SOCKET_LIMIT))
        # Of all sockets to be, those of the monitors too: events that wait in a full queue stop the I/O thread.
        self._context.setsockopt(zmq.RCVHWM, 0)
        self._context.setsockopt(zmq.SNDHWM, 0)
        self._context.setsockopt(zmq.LINGER, LINGER)
        self._authenticator = None
        if keys:
            self._authenticator = ThreadAuthenticator(self._context)
            self._authenticator.start()
            self._opened.callback(self._authenticator.stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close everything; what is queued is sent if that takes no longer than ``LINGER``."""
        self._opened.close()

    def inlet(self, address: str = "127.0.0.1", port: int | None = None, largest: int = LARGEST) -> Inlet:
        """Bind to a port of an address of this machine, or to a free port.

        ``ValueError`` for an address beyond loopback without keys; ``OSError`` if the address or the port cannot be
        had. Messages of more than ``largest`` bytes are not taken.
        """
        refuse_open(address, self._keys is not None)
        socket = self._socket(zmq.ROUTER, address)
        socket.set(zmq.MAXMSGSIZE, largest + (_SEALED if self._keys else 0))
        socket.set(zmq.BACKLOG, BACKLOG)
        socket.set(zmq.ROUTER_MANDATORY, 1)
        self._inlets += 1
        domain = f"inlet-{self._inlets}"
        if self._keys:
            socket.curve_server = True
            socket.curve_secretkey = self._keys.secret
            socket.set(zmq.ZAP_DOMAIN, domain.encode())
            socket.set(zmq.ZAP_ENFORCE_DOMAIN, 1)  # without an authenticator nobody comes in
        inlet = Inlet(socket, self._keys is not None)
        self._opened.callback(inlet.close)
        if self._authenticator:
            self._authenticator.configure_curve_callback(domain, inlet)
        _bind(socket, address, port)
        return inlet

    def outlet(self, endpoint: str, name: bytes, server: bytes | None = None, high_water: int = 0) -> Outlet:
        """Connect to an inlet, which is there or yet to come, under a name that it admits.

        ``server`` is the public key of the inlet's owner, given if and only if there are keys. At most
        ``high_water`` messages are queued besides what the system's buffers take; 0 is no limit. ``ValueError`` for
        an address beyond loopback without keys, or a server's key without a pair of one's own, or the reverse.
        """
        _check_name(name)
        host = endpoint.removeprefix("tcp://").rpartition(":")[0].strip("[]")
        refuse_open(host, self._keys is not None)
        _check_key(server, self._keys is not None, f"the owner of {endpoint}")
        socket = self._socket(zmq.DEALER, host)
        socket.set(zmq.ROUTING_ID, name)
        socket.set(zmq.SNDHWM, high_water)
        if self._keys and server:
            socket.curve_publickey, socket.curve_secretkey = self._keys
            socket.curve_serverkey = server
        outlet = Outlet(socket)
        self._opened.callback(outlet.close)
        socket.connect(endpoint)
        return outlet

    def _socket(self, kind: zmq.SocketType, where: str) -> Socket:
        socket = self._context.socket(kind)
        socket.set(zmq.IPV6, ":" in where)
        socket.set(zmq.HANDSHAKE_IVL, HANDSHAKE)
        return socket


class Inlet:
    """Where messages of admitted senders arrive; all others are counted and dropped.

    ``refused`` counts messages that no admitted sender sent: unknown names, and right names with wrong keys.
    ``malformed`` counts messages of anyone that were not exactly one part.
    """

    def __init__(self, socket: Socket, curve: bool) -> None:
        self.socket = socket
        self.refused = 0
        self.malformed = 0
        self._curve = curve
        self._take = _taking_keys(socket) if curve else _taking(socket)
        self._events = _Events(socket, zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED)
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

    def admit(self, name: bytes, sender: int, key: bytes | None = None) -> None:
        """Take messages of this name from now on, as those of ``sender``.

        ``key`` is the sender's public key, given if and only if there are keys. ``ValueError`` if the sender is
        admitted already, or another has its name.
        """
        _check_name(name)
        _check_key(key, self._curve, f"sender {sender}")
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


class Outlet:
    """A connection to an inlet, up or yet to come. Messages arrive in the order they were sent, or the rest not."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self._events = _Events(socket, _BROKEN)

    def send(self, data: bytes) -> bool:
        """Queue a message; never waits. False if the queue is full."""
        try:
            self.socket.send(data, zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True

    def receive(self) -> bytes | None:
        """The next answer, or None where nothing is there now."""
        try:
            return b"".join(self.socket.recv_multipart(zmq.NOBLOCK))
        except zmq.Again:
            return None

    def closed(self) -> bool:
        """Whether the connection, once it was made, was ever refused or closed by the other end; stays true."""
        return self._events.seen(_BROKEN) > 0

    def close(self) -> None:
        """Close the connection; what is queued still leaves if it can."""
        self._events.close()


_BROKEN = (
    zmq.EVENT_DISCONNECTED
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)


class _Events:
    """Counts what befalls the connections of a socket."""

    def __init__(self, socket: Socket, kinds: int) -> None:
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


def _taking(socket: Socket) -> Callable[[], list[bytes]]:
    """What takes a message: its sender's name, which no other living connection has, and its parts."""
    return partial(socket.recv_multipart, zmq.NOBLOCK)


def _taking_keys(socket: Socket) -> Callable[[], list[bytes]]:
    """What takes a message: its sender's name and proven public key in one, and its parts."""

    def take() -> list[bytes]:
        name, *parts = socket.recv_multipart(zmq.NOBLOCK, copy=False)
        return [name.bytes + str(parts[0].get("User-Id")).encode(), *(part.bytes for part in parts)]

    return take


def _bind(socket: Socket, address: str, port: int | None) -> None:
    host = "127.0.0.1" if address == "localhost" else f"[{address}]" if ":" in address else address
    try:
        socket.bind(f"tcp://{host}:{'*' if port is None else port}")
    except zmq.ZMQError as error:
        if error.errno == zmq.EADDRINUSE:
            raise OSError(f"port {port} of {address} is taken; name another, or end the process that has it") from None
        raise OSError(f"cannot bind to {address}: {error.strerror}; name an address of this machine") from None


def _check_name(name: bytes) -> None:
    if not 1 <= len(name) <= 255 or name[0] == 0:
        raise ValueError(f"{name!r} cannot be a name; take one of fresh_name()")


def _check_key(key: bytes | None, curve: bool, owner: str) -> None:
    if curve and not key:
        raise ValueError(f"{owner} has no public key; give the one that was made with its secret key")
    if key and not curve:
        raise ValueError(f"{owner} has a public key, but there are no keys here; give Sockets a pair of its own")

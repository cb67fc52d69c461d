"""Sockets that carry messages between processes, and know strangers from peers.

A process has one ``Inlet``, a bound ROUTER, and an ``Outlet``, a connected DEALER, to every other process that it
sends to (the zguide, chapter 8, "True Peer Connectivity"). Who may send is settled by names: an outlet shows a random
name that only the coordinator and those two processes know. Beyond loopback, where names could be overheard, CURVE is
compulsory, and a name counts only together with the key that was admitted with it.
"""

from __future__ import annotations

import resource
import socket as system
from contextlib import ExitStack
from types import TracebackType
from typing import Self

import zmq
from zmq.auth.thread import ThreadAuthenticator

from netsim.addresses import beyond_loopback
from netsim.transports.zeromq.events import BROKEN, Events
from netsim.transports.zeromq.inlet import Inlet
from netsim.transports.zeromq.keys import Keys
from netsim.transports.zeromq.names import check_key, check_name

LARGEST = 64 << 20
"""Bytes of the largest message that an inlet takes; the connection that carries a larger one is cut."""

HANDSHAKE = 5_000
"""Milliseconds a connection has to say what ZMTP asks for, before it is cut."""

BACKLOG = 1_024
"""Connections that may wait to be accepted."""

MOST_HELD = 10_000
"""Messages of one connection that an inlet holds until they are received; more wait at the other end."""

LINGER = 500
"""Milliseconds for what is still queued when sockets are closed, by default."""

Socket = zmq.Socket[bytes]

_SEALED = len(b"\x07MESSAGE") + 8 + 16 + 1  # of CURVE: command, nonce, authenticator, flags (RFC 26)


def framing(size: int, curve: bool) -> int:
    """Bytes that ZMTP adds to a message of ``size`` bytes in one part (RFC 23; with CURVE RFC 26)."""
    sealed = _SEALED if curve else 0
    return sealed + (2 if sealed + size <= 255 else 9)


def refuse_open(address: str, curve: bool) -> None:
    """``ValueError`` if messages would pass an address beyond loopback in the clear."""
    if not curve and beyond_loopback(address):
        raise ValueError(
            f"address {address!r} is beyond loopback, where messages are encrypted or not sent;"
            " make keys with `netsim keys HOSTS.yaml`, or use a loopback address such as 127.0.0.1"
        )


class Sockets:
    """A context manager for the sockets of a process: closes all it opened.

    With keys, all connections are by CURVE. What is still queued at the end is sent if that takes no longer than
    ``linger`` milliseconds. Sockets are used in the thread that opened them.
    """

    def __init__(self, keys: Keys | None = None, linger: int = LINGER) -> None:
        self._keys = keys
        self._inlets = 0
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (hard, hard)
        )  # a connection takes several, and ZeroMQ aborts without
        self._context: zmq.Context[Socket] = zmq.Context()
        self._opened = ExitStack()
        self._opened.callback(self._context.term)
        self._context.set(zmq.MAX_SOCKETS, self._context.get(zmq.SOCKET_LIMIT))
        # Of all sockets to be, those of the monitors too: events that wait in a full queue stop the I/O thread.
        self._context.setsockopt(zmq.RCVHWM, 0)
        self._context.setsockopt(zmq.SNDHWM, 0)
        self._context.setsockopt(zmq.LINGER, linger)
        self._authenticator = None
        if keys:
            self._authenticator = ThreadAuthenticator(self._context)
            self._authenticator.start()
            self._opened.callback(self._authenticator.stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def curve(self) -> bool:
        """Whether all connections are encrypted."""
        return self._keys is not None

    def close(self) -> None:
        """Close everything."""
        self._opened.close()

    def inlet(self, address: str = "127.0.0.1", port: int | None = None, largest: int = LARGEST) -> Inlet:
        """Bind to a port of an address of this machine, or to a free port.

        ``ValueError`` for an address beyond loopback without keys; ``OSError`` if the address or the port cannot be
        had. Messages of more than ``largest`` bytes are not taken.
        """
        refuse_open(address, self.curve)
        socket = self._socket(zmq.ROUTER, address)
        socket.set(zmq.MAXMSGSIZE, largest + (_SEALED if self._keys else 0))
        socket.set(zmq.BACKLOG, BACKLOG)
        socket.set(zmq.RCVHWM, MOST_HELD)
        socket.set(zmq.ROUTER_MANDATORY, 1)
        self._inlets += 1
        domain = f"inlet-{self._inlets}"
        if self._keys:
            socket.curve_server = True
            socket.curve_secretkey = self._keys.secret
            socket.set(zmq.ZAP_DOMAIN, domain.encode())
            socket.set(zmq.ZAP_ENFORCE_DOMAIN, 1)  # without an authenticator nobody comes in
        inlet = Inlet(socket, self.curve)
        self._opened.callback(inlet.close)
        if self._authenticator:
            self._authenticator.configure_curve_callback(domain, inlet)
        _bind(socket, address, port)
        return inlet

    def outlet(
        self, endpoint: str, name: bytes, server: bytes | None = None, high_water: int = 0, again: bool = True
    ) -> Outlet:
        """Connect to an inlet, which is there or yet to come, under a name that it admits.

        ``server`` is the public key of the inlet's owner, given if and only if there are keys. At most
        ``high_water`` messages are queued besides what the system's buffers take; 0 is no limit. A connection that is
        cut has lost what was on its way: with ``again`` another is made for the rest, without it nothing arrives from
        then on, and the first attempt must succeed. ``ValueError`` for an address beyond loopback without keys, or a
        server's key without a pair of one's own, or the reverse.
        """
        check_name(name)
        host = endpoint.removeprefix("tcp://").rpartition(":")[0].strip("[]")
        refuse_open(host, self.curve)
        check_key(server, self.curve, f"the owner of {endpoint}")
        socket = self._socket(zmq.DEALER, host)
        socket.set(zmq.ROUTING_ID, name)
        socket.set(zmq.SNDHWM, high_water)
        if not again:
            socket.set(zmq.RECONNECT_IVL, -1)
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
        # A machine that vanished without a word is noticed by the system, within two minutes.
        socket.set(zmq.TCP_KEEPALIVE, 1)
        socket.set(zmq.TCP_KEEPALIVE_IDLE, 60)
        socket.set(zmq.TCP_KEEPALIVE_INTVL, 10)
        socket.set(zmq.TCP_KEEPALIVE_CNT, 6)
        return socket


class Outlet:
    """A connection to an inlet, up or yet to come. Messages arrive in the order they were sent, or the rest not."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self._events = Events(socket, BROKEN)

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
        return self._events.seen(BROKEN) > 0

    def close(self) -> None:
        """Close the connection; what is queued still leaves if it can."""
        self._events.close()


def _bind(socket: Socket, address: str, port: int | None) -> None:
    # ZeroMQ connects to names but does not bind to them.
    try:
        number = str(system.getaddrinfo(address, None, type=system.SOCK_STREAM)[0][4][0])
    except system.gaierror as error:
        raise OSError(f"{address} has no address here ({error.strerror}); name one of this machine") from None
    host = f"[{number}]" if ":" in number else number
    try:
        socket.bind(f"tcp://{host}:{'*' if port is None else port}")
    except zmq.ZMQError as error:
        if error.errno == zmq.EADDRINUSE:
            raise OSError(f"port {port} of {address} is taken; name another, or end the process that has it") from None
        raise OSError(f"cannot bind to {address}: {error.strerror}; name an address of this machine") from None

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial

import pytest
import zmq
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.transports.zeromq.inlet import Inlet
from netsim.transports.zeromq.keys import Keys, new_keys
from netsim.transports.zeromq.names import fresh_name
from netsim.transports.zeromq.sockets import Outlet, Sockets, framing, refuse_open

PEER = b"a peer's name"


def received(inlet: Inlet) -> tuple[int, bytes]:
    """The next message, which comes within seconds."""
    end = time.monotonic() + 5
    while (message := inlet.receive()) is None:
        assert time.monotonic() < end, "no message came"
        inlet.wait(10)
    return message


def answered(outlet: Outlet) -> bytes:
    """The next answer, which comes within seconds."""
    assert outlet.socket.poll(5000)
    answer = outlet.receive()
    assert answer is not None
    return answer


@pytest.fixture
def hostile() -> Iterator[Callable[..., zmq.Socket[bytes]]]:
    """Connects sockets with plain pyzmq, which do not come back by themselves when they are cut."""
    with ExitStack() as opened:
        context = opened.enter_context(zmq.Context())

        def connected(endpoint: str, name: bytes = b"", keys: Keys | None = None, server: bytes = b"") -> zmq.Socket:
            dealer = opened.enter_context(context.socket(zmq.DEALER))
            dealer.linger = 0
            dealer.reconnect_ivl = -1
            if name:
                dealer.routing_id = name
            if keys:
                dealer.curve_publickey, dealer.curve_secretkey = keys
                dealer.curve_serverkey = server
            dealer.connect(endpoint)
            return dealer

        yield connected


class Meeting:
    """An inlet that admits one peer as sender 1, with or without keys, and that peer's outlet to it.

    ``through`` gives the endpoint that the outlet connects to, from the inlet's.
    """

    def __init__(
        self,
        sockets: Callable[[Keys | None], Sockets],
        curve: bool = False,
        through: Callable[[str], str] = str,
        **options: int,
    ) -> None:
        self.keys = new_keys() if curve else None
        self.theirs = new_keys() if curve else None
        self.server = self.keys.public if self.keys else None
        self.inlet = sockets(self.keys).inlet(**options)
        self.inlet.admit(PEER, 1, self.theirs.public if self.theirs else None)
        self.outlet = sockets(self.theirs).outlet(through(self.inlet.endpoint), PEER, self.server)

    def greet(self) -> None:
        """The peer's message arrives."""
        assert self.outlet.send(b"hello")
        assert received(self.inlet) == (1, b"hello")


@pytest.fixture
def sockets() -> Iterator[Callable[..., Sockets]]:
    """Opens Sockets, and closes them."""
    with ExitStack() as opened:
        yield lambda keys=None: opened.enter_context(Sockets(keys))


@pytest.fixture
def meet(sockets) -> Callable[..., Meeting]:
    """Brings an inlet and a peer together."""
    return partial(Meeting, sockets)


# Names and addresses


def test_fresh_names_are_long_and_never_begin_with_zero():
    """A name has 16 bytes; byte 0 in front, which ZeroMQ keeps for names of its own, does not come in 5000 draws."""
    names = {fresh_name() for _ in range(5000)}
    assert len(names) == 5000
    assert {len(name) for name in names} == {16}
    assert {name[0] for name in names} == set(range(1, 256))


@pytest.mark.parametrize("address", ["0.0.0.0", "192.168.1.5", "::", "example.org", "*", "", "127.0.0.1.example.org"])
def test_beyond_loopback_keys_are_compulsory(address: str):
    """The error names the address and both remedies; with keys there is none."""
    with pytest.raises(
        ValueError, match=r"^address '.*' is beyond loopback, .*`netsim keys HOSTS.yaml`, or use a loop"
    ):
        refuse_open(address, curve=False)
    refuse_open(address, curve=True)


def test_sockets_beyond_loopback_are_refused_without_keys(sockets):
    """Neither an inlet nor an outlet is opened in the clear."""
    with pytest.raises(ValueError, match=r"address '0\.0\.0\.0' is beyond loopback"):
        sockets().inlet("0.0.0.0")
    with pytest.raises(ValueError, match=r"address '192\.0\.2\.1' is beyond loopback"):
        sockets().outlet("tcp://192.0.2.1:5000", PEER)


@pytest.mark.parametrize("address", ["127.0.0.2", "localhost", "::1"])
def test_every_loopback_address_serves(sockets, address: str):
    """An inlet says where it is, and an outlet gets there."""
    if address == "::1":
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("this machine has no IPv6")
    inlet = sockets().inlet(address)
    inlet.admit(PEER, 3)
    assert sockets().outlet(inlet.endpoint, PEER).send(b"here")
    assert received(inlet) == (3, b"here")


def test_a_taken_port_is_told_in_a_sentence(sockets):
    """Two inlets do not share a port, and the second hears so; nor does one bind to another machine's address."""
    port = int(sockets().inlet().endpoint.rsplit(":", 1)[1])
    with pytest.raises(OSError, match=rf"^port {port} of 127\.0\.0\.1 is taken; name another, or end the process"):
        sockets().inlet(port=port)
    with pytest.raises(OSError, match=r"^cannot bind to 192\.0\.2\.1: .*; name an address of this machine$"):
        sockets(new_keys()).inlet("192.0.2.1")


def test_an_outlet_may_come_before_the_inlet(sockets):
    """What was sent before there was anybody to hear it arrives, in order."""
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    outlet = sockets().outlet(f"tcp://127.0.0.1:{port}", PEER)
    for number in range(5):
        assert outlet.send(bytes([number]))
    inlet = sockets().inlet(port=port)
    inlet.admit(PEER, 1)
    assert [received(inlet) for _ in range(5)] == [(1, bytes([number])) for number in range(5)]
    assert not outlet.closed()


def test_names_and_keys_are_checked_where_they_enter(sockets):
    """A name that ZeroMQ would replace, a sender or name admitted twice, and a key too many or missing are errors."""
    inlet, secret = sockets().inlet(), sockets(new_keys())
    for name in (b"", b"\0abc", b"x" * 256):
        with pytest.raises(ValueError, match="cannot be a name"):
            inlet.admit(name, 1)
        with pytest.raises(ValueError, match="cannot be a name"):
            sockets().outlet(inlet.endpoint, name)
    inlet.admit(PEER, 1)
    for name, sender in ((PEER, 2), (b"other", 1)):
        with pytest.raises(ValueError, match=f"sender {sender} or its name is admitted already"):
            inlet.admit(name, sender)
    with pytest.raises(ValueError, match="sender 2 has a public key, but there are no keys here"):
        inlet.admit(b"other", 2, new_keys().public)
    with pytest.raises(ValueError, match="sender 2 has no public key"):
        secret.inlet().admit(b"other", 2)
    with pytest.raises(ValueError, match="has no public key"):
        secret.outlet(inlet.endpoint, PEER)
    with pytest.raises(ValueError, match="has a public key, but there are no keys here"):
        sockets().outlet(inlet.endpoint, PEER, new_keys().public)


# Messages


@pytest.mark.parametrize("curve", [False, True])
@settings(deadline=None, derandomize=True, max_examples=25)
@given(contents=st.lists(st.tuples(st.integers(0, 1), st.binary(max_size=300), st.integers(1, 230)), max_size=12))
def test_any_bytes_arrive_unchanged_and_in_order(both_pairs, curve: bool, contents):
    """Messages of 0 to 69 000 bytes from two senders arrive as they are, and in the order of each sender."""
    inlet, outlets = both_pairs[curve]
    sent: dict[int, list[bytes]] = {0: [], 1: []}
    for sender, piece, times in contents:
        sent[sender].append(piece * times)
        assert outlets[sender].send(piece * times)
    got: dict[int, list[bytes]] = {0: [], 1: []}
    for _ in contents:
        sender, message = received(inlet)
        got[sender].append(message)
    assert got == sent
    assert inlet.receive() is None


@pytest.fixture(scope="module")
def both_pairs() -> Iterator[dict[bool, tuple[Inlet, list[Outlet]]]]:
    """Two senders to an inlet, without keys and with; for laws that open nothing themselves."""
    with ExitStack() as opened:

        def pair(mine: Keys | None, theirs: list[Keys | None]) -> tuple[Inlet, list[Outlet]]:
            inlet = opened.enter_context(Sockets(mine)).inlet()
            outlets = []
            for sender, keys in enumerate(theirs):
                inlet.admit(PEER + bytes([sender]), sender, keys.public if keys else None)
                peer = opened.enter_context(Sockets(keys))
                outlets.append(
                    peer.outlet(inlet.endpoint, PEER + bytes([sender]), mine.public if mine else None),
                )
            return inlet, outlets

        yield {False: pair(None, [None, None]), True: pair(new_keys(), [new_keys(), new_keys()])}


@pytest.mark.parametrize("curve", [False, True])
@pytest.mark.parametrize("size", [0, 1, 222, 223, 255, 256, 1600])
def test_framing_is_what_passes_on_the_wire(meet, counting_proxy, curve: bool, size: int):
    """A message costs its size and the framing, byte by byte; the handshake is over before the first message."""
    proxies = []

    def through(endpoint: str) -> str:
        proxies.append(counting_proxy(endpoint))
        return proxies[0].endpoint

    meeting = meet(curve, through=through)
    meeting.greet()
    proxy = proxies[0]
    before = proxy.forth
    assert before > len(b"hello") + framing(5, curve)
    for number in range(1, 4):
        assert meeting.outlet.send(b"x" * size)
        assert received(meeting.inlet) == (1, b"x" * size)
        assert proxy.forth - before == number * (size + framing(size, curve))


def test_framing_in_numbers():
    """2 bytes up to 255 and 9 above; with CURVE 35 up to 222 and 42 above."""
    sizes = [0, 222, 223, 255, 256, 1 << 20]
    assert [framing(size, curve=False) for size in sizes] == [2, 2, 2, 2, 9, 9]
    assert [framing(size, curve=True) for size in sizes] == [35, 35, 42, 42, 42, 42]


@pytest.mark.parametrize("curve", [False, True])
def test_an_inlet_answers_whom_it_heard(meet, until, curve: bool):
    """Answers go back over the sender's connection; nobody else gets any, and who is gone is told."""
    meeting = meet(curve)
    assert not meeting.inlet.send(1, b"too early")
    meeting.greet()
    assert meeting.inlet.send(1, b"welcome")
    assert meeting.inlet.send(1, b"x" * 100_000)
    assert answered(meeting.outlet) == b"welcome"
    assert answered(meeting.outlet) == b"x" * 100_000
    assert meeting.outlet.receive() is None
    assert not meeting.inlet.send(2, b"of no sender")
    assert not meeting.inlet.disconnected()
    meeting.outlet.close()
    until(meeting.inlet.disconnected)
    assert not meeting.inlet.disconnected()
    until(lambda: not meeting.inlet.send(1, b"gone"))


def test_a_full_queue_is_told_and_nothing_waits(sockets):
    """An outlet with a high-water mark and nobody at the other end takes that many messages; without one, all."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        endpoint = f"tcp://127.0.0.1:{nobody.getsockname()[1]}"
    outlet = sockets().outlet(endpoint, PEER, high_water=10)
    assert [outlet.send(b"x") for _ in range(12)] == [True] * 10 + [False] * 2
    endless = sockets().outlet(endpoint, PEER)
    assert [endless.send(b"x") for _ in range(5000)] == [True] * 5000


def test_an_outlet_knows_that_the_other_end_is_gone(sockets, until):
    """A closed inlet is noticed, and stays noticed when there is another at its port."""
    first = sockets()
    inlet = first.inlet()
    inlet.admit(PEER, 1)
    outlet = sockets().outlet(inlet.endpoint, PEER)
    assert outlet.send(b"hello")
    assert received(inlet) == (1, b"hello")
    assert not outlet.closed()
    first.close()
    until(outlet.closed)
    second = sockets().inlet(port=int(outlet.socket.last_endpoint.decode().rsplit(":", 1)[1]))
    second.admit(PEER, 1)
    assert outlet.send(b"again")
    assert received(second) == (1, b"again")
    assert outlet.closed()


# Strangers


@pytest.mark.parametrize("curve", [False, True])
def test_a_peer_is_no_stranger_once_heard(meet, until, curve: bool):
    """A connection counts as nobody's until an admitted sender's first message came by it."""
    meeting = meet(curve)
    until(lambda: meeting.inlet.strangers == 1)
    meeting.greet()
    meeting.greet()
    assert (meeting.inlet.strangers, meeting.inlet.refused, meeting.inlet.malformed) == (0, 0, 0)


def test_an_unknown_name_changes_nothing(meet, hostile):
    """Messages of names that nobody admitted, chosen or given by ZeroMQ, are refused; two strangers count as two."""
    meeting = meet()
    for name in (b"unknown", b""):
        stranger = hostile(meeting.inlet.endpoint, name)
        for _ in range(3):
            stranger.send(b"let me in")
    refused_in_all(meeting.inlet, 6)
    meeting.greet()
    assert (meeting.inlet.strangers, meeting.inlet.malformed) == (2, 0)


def refused_in_all(inlet: Inlet, count: int) -> None:
    """That many messages are refused, and none is received."""
    end = time.monotonic() + 5
    while inlet.refused < count:
        assert inlet.receive() is None
        assert time.monotonic() < end, f"{inlet.refused} of {count} were refused"
        inlet.wait(10)
    assert inlet.receive() is None
    assert inlet.refused == count


def test_a_living_peers_name_cannot_be_taken(meet, hostile, until):
    """A second connection under the name of a connected peer is not heard, even when the peer is gone."""
    meeting = meet()
    meeting.greet()
    thief = hostile(meeting.inlet.endpoint, PEER)
    until(lambda: meeting.inlet.strangers == 1)
    thief.send(b"I am the peer")
    meeting.greet()
    assert meeting.inlet.receive() is None
    meeting.outlet.close()
    until(meeting.inlet.disconnected)
    meeting.inlet.expel(1)
    thief.send(b"I still am")
    for _ in range(5):  # also what befell connections before wakes it
        meeting.inlet.wait(10)
        assert meeting.inlet.receive() is None
    assert meeting.inlet.strangers == 1


def test_who_sends_too_much_is_cut(meet, hostile, until):
    """A message above the limit does not arrive and ends its connection; one at the limit arrives."""
    for curve in (False, True):
        meeting = meet(curve, largest=10_000)
        stranger = new_keys() if curve else None
        if stranger:
            meeting.inlet.admit(b"large", 2, stranger.public)
        rogue = hostile(meeting.inlet.endpoint, b"large", stranger, meeting.server or b"")
        rogue.send(b"x" * 10_001)
        until(meeting.inlet.disconnected)
        assert meeting.outlet.send(b"x" * 10_000)
        assert received(meeting.inlet) == (1, b"x" * 10_000)
        assert meeting.inlet.receive() is None
        assert (meeting.inlet.strangers, meeting.inlet.refused, meeting.inlet.malformed) == (1, 0, 0)


@pytest.mark.parametrize("curve", [False, True])
def test_messages_of_several_parts_are_malformed(meet, hostile, curve: bool):
    """Nobody's message of more than one part is received, an admitted sender's neither; its next one is."""
    meeting = meet(curve)
    meeting.greet()
    if not curve:
        hostile(meeting.inlet.endpoint, b"unknown").send_multipart([b"a", b"b"])
    meeting.outlet.socket.send_multipart([b"a", b"b"])
    meeting.outlet.socket.send_multipart([b""] * 1000)
    expected = 2 if curve else 3
    end = time.monotonic() + 5
    while meeting.inlet.malformed < expected:
        assert meeting.inlet.receive() is None
        assert time.monotonic() < end
    meeting.greet()
    assert (meeting.inlet.malformed, meeting.inlet.refused) == (expected, 0)
    assert meeting.inlet.strangers == (0 if curve else 1)


@pytest.mark.parametrize("curve", [False, True])
@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\nHost: netsim\r\n\r\n",
        b"\x00" * 1000,
        b"\xff" * 1000,
        b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\x00" + b"PUSH".ljust(20, b"\0") + b"\0" * 32,
        b"\x0e\0" + PEER + b"\x05\0evil",  # ZMTP 1.0 with a name one byte longer than the peer's
        bytes(range(256)) * 300,
    ],
)
def test_garbage_changes_nothing(meet, until, curve: bool, garbage: bytes):
    """What is no ZMTP, or none of ours, is nobody's connection and nothing of it arrives."""
    meeting = meet(curve)
    host, port = meeting.inlet.endpoint.removeprefix("tcp://").rsplit(":", 1)
    meeting.greet()
    with socket.create_connection((host, int(port))) as raw:
        raw.sendall(garbage)
        until(lambda: meeting.inlet.strangers == 1)
        meeting.greet()
    until(meeting.inlet.disconnected)
    meeting.greet()
    assert meeting.inlet.receive() is None
    assert meeting.inlet.strangers == 1


def test_who_has_no_admitted_key_does_not_come_in(meet, hostile, until):
    """No keys at all, keys nobody admitted, and a wrong key of the server end in the handshake and count each."""
    meeting = meet(curve=True)
    meeting.greet()
    endpoint, server = meeting.inlet.endpoint, meeting.server
    intruders = [
        hostile(endpoint, b"no keys"),
        hostile(endpoint, b"unknown key", new_keys(), server),
        hostile(endpoint, PEER + b"!", meeting.theirs, new_keys().public),
    ]
    for intruder in intruders:
        intruder.send(b"let me in")
    until(lambda: meeting.inlet.strangers == 3)
    until(meeting.inlet.disconnected)
    meeting.greet()
    assert meeting.inlet.receive() is None
    assert (meeting.inlet.strangers, meeting.inlet.refused) == (3, 0)


def test_an_outlet_that_is_refused_knows(sockets, until):
    """The other end of a handshake that failed is closed, without a message sent."""
    server = new_keys()
    inlet = sockets(server).inlet()
    outlet = sockets(new_keys()).outlet(inlet.endpoint, PEER, server.public)
    until(outlet.closed)
    assert inlet.receive() is None
    until(lambda: inlet.strangers > 0)


def test_a_right_key_with_anothers_name_is_refused(meet, hostile):
    """An admitted key under the name of another peer is refused message by message; under its own name it is heard."""
    meeting = meet(curve=True)
    other = new_keys()
    meeting.inlet.admit(b"other", 2, other.public)
    liar = hostile(meeting.inlet.endpoint, b"third", other, meeting.server)
    meeting.inlet.admit(b"third", 3, new_keys().public)
    for _ in range(3):
        liar.send(b"I am the third")
    refused_in_all(meeting.inlet, 3)
    assert not meeting.inlet.send(3, b"for the third alone")
    assert meeting.inlet.strangers >= 1
    meeting.greet()
    honest = hostile(meeting.inlet.endpoint, b"other", other, meeting.server)
    honest.send(b"I am the other")
    assert received(meeting.inlet) == (2, b"I am the other")
    assert (meeting.inlet.strangers, meeting.inlet.refused) == (1, 3)


@pytest.mark.parametrize("curve", [False, True])
def test_who_is_expelled_stays_out(meet, hostile, until, curve: bool):
    """An expelled sender's later messages are refused, and so is its return, which counts as a stranger's."""
    meeting = meet(curve)
    meeting.greet()
    meeting.inlet.expel(1)
    assert not meeting.inlet.send(1, b"farewell")
    assert meeting.outlet.send(b"once more")
    refused_in_all(meeting.inlet, 1)
    assert meeting.inlet.strangers == 0
    meeting.outlet.close()
    until(meeting.inlet.disconnected)
    for returns in range(1, 101):
        hostile(meeting.inlet.endpoint, PEER, meeting.theirs, meeting.server or b"").send(b"back again")
        until(lambda count=returns: meeting.inlet.strangers == count)
        meeting.inlet.wait(20)
        assert meeting.inlet.receive() is None
        if curve or meeting.inlet.refused == 2:  # before the old connection's name is free, nothing even gets here
            break
    assert meeting.inlet.refused == (1 if curve else 2)


def test_who_was_expelled_may_be_admitted_again(meet):
    """A sender that is taken back over its living connection is heard, and that connection counts once."""
    meeting = meet()
    meeting.greet()
    meeting.inlet.expel(1)
    meeting.inlet.expel(1)
    meeting.inlet.admit(PEER, 4)
    assert meeting.outlet.send(b"back")
    assert received(meeting.inlet) == (4, b"back")
    assert meeting.inlet.send(4, b"welcome back")
    assert answered(meeting.outlet) == b"welcome back"
    assert meeting.inlet.strangers == 0


def test_a_key_serves_until_all_who_share_it_are_expelled(sockets, hostile, until):
    """Two senders of one host may have one key; expelling one keeps the other."""
    server, shared = new_keys(), new_keys()
    inlet = sockets(server).inlet()
    inlet.admit(b"one", 1, shared.public)
    inlet.admit(b"two", 2, shared.public)
    inlet.expel(1)
    hostile(inlet.endpoint, b"two", shared, server.public).send(b"here")
    assert received(inlet) == (2, b"here")


def test_a_flood_of_refused_messages_does_not_hold_the_receiver(meet, hostile, until):
    """receive() comes back although more is there; all are counted, and the peer's message behind them is not lost."""
    meeting = meet()
    meeting.greet()
    flood = hostile(meeting.inlet.endpoint, b"flood")
    for _ in range(5000):
        flood.send(b"x")
    calls = 0
    while meeting.inlet.refused < 5000:
        assert meeting.inlet.wait(5000)
        assert meeting.inlet.receive() is None
        calls += 1
    assert calls >= 5
    meeting.greet()
    assert meeting.inlet.strangers == 1


@pytest.mark.parametrize("curve", [False, True])
def test_a_flood_of_connections_does_not_hold_the_inlet(meet, until, curve: bool):
    """4000 connections whose events nobody looks at: a peer's message still gets through, and all are counted."""
    meeting = meet(curve)
    meeting.greet()
    host, port = meeting.inlet.endpoint.removeprefix("tcp://").rsplit(":", 1)
    for _ in range(4000):
        with socket.create_connection((host, int(port)), timeout=5) as raw:
            raw.sendall(b"x" * 20)
    assert meeting.outlet.send(b"still here")
    assert meeting.inlet.wait(5000)
    assert received(meeting.inlet) == (1, b"still here")
    until(lambda: meeting.inlet.strangers == 4000)


# Ends


@pytest.mark.parametrize("curve", [False, True])
def test_nothing_is_left_after_the_end(curve: bool, until):
    """All file descriptors, threads and ports are given back, also where a peer never came and a message waits."""

    def held() -> tuple[int, int, int]:
        return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")), len(threading.enumerate())

    before = held()
    keys, theirs = (new_keys(), new_keys()) if curve else (None, None)
    server = keys.public if keys else None
    with closing(socket.create_server(("127.0.0.1", 0))) as silent, Sockets(keys) as mine, Sockets(theirs) as others:
        inlet = mine.inlet()
        mine.inlet()
        inlet.admit(PEER, 1, theirs.public if theirs else None)
        others.outlet(inlet.endpoint, PEER, server).send(b"hello")
        others.outlet(f"tcp://127.0.0.1:{silent.getsockname()[1]}", PEER, server).send(b"nobody hears")
        assert received(inlet) == (1, b"hello")
        endpoint = inlet.endpoint
        assert held() > before
        start = time.monotonic()
    assert time.monotonic() - start < 3
    until(lambda: all(now <= then for now, then in zip(held(), before, strict=True)))
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))


def test_what_was_sent_before_the_end_arrives(sockets):
    """Closing lets the queue run dry."""
    inlet = sockets().inlet()
    inlet.admit(PEER, 1)
    with Sockets() as short:
        outlet = short.outlet(inlet.endpoint, PEER)
        for number in range(200):
            assert outlet.send(bytes([number]) * 5000)
    assert [received(inlet) for _ in range(200)] == [(1, bytes([number]) * 5000) for number in range(200)]


def test_an_error_inside_closes_all(until):
    """Sockets close when their block ends by an error, and when an inlet could not be opened."""
    count = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="is taken"), Sockets() as sockets:
        sockets.inlet(port=int(sockets.inlet().endpoint.rsplit(":", 1)[1]))
    until(lambda: len(os.listdir("/proc/self/fd")) <= count)

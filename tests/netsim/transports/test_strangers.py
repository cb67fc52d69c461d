"""What others do to a run's ports, and what a run's own bytes on the wire are."""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zmq

from netsim.data import Rings
from netsim.links import Loss
from netsim.pacing import SECOND
from netsim.processes import started
from netsim.recorder import Recorder
from netsim.scenario.schema import Model, Network, Scenario
from netsim.topology import Complete, ErdosRenyi
from netsim.transports.inprocess import InProcess
from netsim.transports.zeromq.bundles import FOREVER, pack_bundle
from netsim.transports.zeromq.crew import START, LocalCrew
from netsim.transports.zeromq.inlet import Inlet
from netsim.transports.zeromq.keys import Keys, new_keys
from netsim.transports.zeromq.names import fresh_name
from netsim.transports.zeromq.protocol import Bound, Bye, Close, Done, pack, unpack
from netsim.transports.zeromq.sockets import LARGEST, Sockets, framing
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.transports.zeromq.worker import Post, serve
from netsim.virtual import DeadlockError
from netsim.world import World, build
from nodes.features import Fourier
from nodes.losses import OrdinalHinge
from nodes.messages import Full

MODEL = Model(features=Fourier(size=10), loss=OrdinalHinge())


def ports() -> list[int]:
    """The ports on which the processes of this one's workers listen."""
    inodes = set()
    for process in multiprocessing.active_children():
        for file in Path(f"/proc/{process.pid}/fd").iterdir():
            inodes.add(os.readlink(file).removeprefix("socket:[").removesuffix("]"))
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [int(line[1].split(":")[1], 16) for line in lines if line[3] == "0A" and line[9] in inodes]


class Attacked(Recorder):
    """A recorder that attacks the run's ports once ten rounds are recorded."""

    def __init__(self, world: World, attack: Callable[[list[int]], None]) -> None:
        self.rows: list[dict[str, Any]] = []
        super().__init__(world, self.rows.append)
        self._attack, self.ports = attack, list[int]()

    def tell(self, *told: Any) -> None:
        """Attack once."""
        super().tell(*told)
        if len(self.rows) > 10 and not self.ports:
            self.ports = ports()
            self._attack(self.ports)


def attack(ports: list[int]) -> None:
    """At each port garbage, and under guessed names bundles that promise everything; at one far too large a message."""
    context: zmq.Context[Any] = zmq.Context()
    forged = pack_bundle(FOREVER, [(0, (1, 5, 0, 1, 0, 10, b"\x95\0"))])
    for port in ports:
        with socket.create_connection(("127.0.0.1", port)) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\n\r\n")
        for name, message in {
            b"worker 1": forged,
            b"1": pack(Done((), (), {})),
            b"2": pack(Close()),
            b"3": b"",
        }.items():
            dealer = context.socket(zmq.DEALER)
            dealer.setsockopt(zmq.ROUTING_ID, name)
            dealer.connect(f"tcp://127.0.0.1:{port}")
            dealer.send(message)
            dealer.close(linger=2000)
    large = context.socket(zmq.DEALER)
    large.connect(f"tcp://127.0.0.1:{ports[0]}")
    large.send(bytes(LARGEST + 1))
    large.close(linger=2000)
    context.term()


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs /proc to find the ports of processes")
def test_strangers_change_nothing_and_are_counted():
    """Rows, parameters and traffic are those of a run that is left alone; every foreign connection is counted."""
    world = build(
        Scenario(
            name="attacked",
            rounds=1500,
            data=Rings(train=60, test=20),
            network=Network(topology=ErdosRenyi(nodes=6, p=0.5), links={"loss": Loss(p=0.2)}),
            model=MODEL,
        ),
        0,
        Path(),
    )
    attacked, alone = Attacked(world, attack), Recorder(world, (rows := list[dict]()).append)
    outcome = ZeroMQ(workers=3).run(world, attacked)
    expected = InProcess().run(world, alone)
    assert len(attacked.ports) == 3
    assert attacked.rows == rows
    assert np.array_equal(attacked.final, alone.final)
    assert outcome.edges == expected.edges
    assert outcome.deaths == ()
    assert outcome.transport["strangers"] == 3 * 5 + 1
    assert 3 * 3 <= outcome.transport["refused"] <= 3 * 4


class Rerouted:
    """An inlet of a coordinator that lets workers find each other by way of proxies only."""

    def __init__(self, inlet: Inlet, proxied: Callable[[str], Any]) -> None:
        self._inlet, self._proxied = inlet, proxied
        self.proxies: list[Any] = []

    def receive(self) -> tuple[int, bytes] | None:
        """Other endpoints than the workers' own."""
        received = self._inlet.receive()
        if received is None or not isinstance(bound := unpack(received[1]), Bound):
            return received
        self.proxies.append(self._proxied(bound.endpoint))
        return received[0], pack(bound._replace(endpoint=self.proxies[-1].endpoint))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inlet, name)


@contextmanager
def rerouted_crew(count: int, keys: Keys | None, proxied: Callable[[str], Any]) -> Iterator[Any]:
    """A crew of this machine whose workers talk by way of counting proxies, encrypted if there are keys."""
    with Sockets(keys) as sockets:
        inlet = sockets.inlet()
        crew: Any = LocalCrew(inlet)
        try:
            for worker in range(count):
                name = fresh_name()
                inlet.admit(name, worker, keys.public if keys else None)
                post = Post(inlet.endpoint, name, "127.0.0.1", START, keys, keys.public if keys else None)
                crew._processes[worker] = started(serve, post)
            crew.inlet = Rerouted(inlet, proxied)
            yield crew
            for worker in range(count):
                inlet.send(worker, pack(Bye()))
        finally:
            crew.end()


@pytest.mark.parametrize("curve", [False, True])
@pytest.mark.parametrize("values", ["float64", "float16"])
def test_bytes_on_real_time_are_those_on_the_wire(counting_proxy, curve, values):
    """Payload, envelopes, framing, and each connection's handshake, first and last message: proxies see no more."""
    keys = new_keys() if curve else None
    world = build(
        Scenario(
            name="counted",
            rounds=8,
            slot=40_000_000,
            data=Rings(train=60, test=20),
            network=Network(topology=Complete(nodes=3)),
            model=Model(features=Fourier(size=24), loss=OrdinalHinge()),
            messages=Full(values=values),
        ),
        0,
        Path(),
    )
    observer = Recorder(world, lambda row: None)
    with rerouted_crew(3, keys, counting_proxy) as crew:
        outcome = ZeroMQ(time="real").by(crew).run(world, observer)
        seen = sum(proxy.forth for proxy in crew.inlet.proxies)
    expected = InProcess().run(world, Recorder(world, lambda row: None))
    sent = sum(edge.sent_bytes for edge in outcome.edges.values())
    assert sent == sum(edge.sent_bytes for edge in expected.edges.values())
    # The first frame of each edge is all zeros, and small; others are as large as their values are wide.
    large = 400 if values == "float64" else 100
    for edge in outcome.edges.values():
        assert (edge.sent, edge.envelope) == (8, 8 * 44)
        assert edge.zmtp == framing(65, curve) + 7 * framing(large, curve)
    total = sent + sum(edge.envelope + edge.zmtp for edge in outcome.edges.values())
    connections = 3 * 2
    ends = framing(0, curve) + 1 + framing(1, curve)
    assert seen - total == connections * (handshake(counting_proxy, keys) + ends)


def test_a_connection_that_is_cut_ends_the_run(counting_proxy):
    """What it lost would be missing, so nothing goes on as if it had not been sent: the run ends and says who waits."""
    world = build(
        Scenario(
            name="cut",
            rounds=2000,
            data=Rings(train=60, test=20),
            network=Network(topology=Complete(nodes=3)),
            model=MODEL,
        ),
        0,
        Path(),
    )
    with rerouted_crew(3, None, counting_proxy) as crew:

        def cut(ports: list[int]) -> None:
            crew.inlet.proxies[0].cut = True

        with pytest.raises(DeadlockError, match=r"a connection between two of them is cut; there wait .* for worker"):
            ZeroMQ(patience=SECOND).by(crew).run(world, Attacked(world, cut))


def handshake(counting_proxy: Callable[[str], Any], keys: Keys | None) -> int:
    """Bytes that one who connects sends before its first message, which is empty."""
    with Sockets(keys) as sockets:
        inlet = sockets.inlet()
        name = fresh_name()
        inlet.admit(name, 0, keys.public if keys else None)
        proxy = counting_proxy(inlet.endpoint)
        outlet = sockets.outlet(proxy.endpoint, name, keys.public if keys else None)
        outlet.send(b"")
        assert inlet.wait(5000)
        assert inlet.receive() == (0, b"")
        return int(proxy.forth) - framing(0, keys is not None)

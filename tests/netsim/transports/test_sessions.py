"""One run after another by the same workers, who come when they come, and what a worker may say."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from netsim.data import Rings
from netsim.processes import end, started
from netsim.recorder import Recorder
from netsim.scenario.schema import Model, Network, Scenario
from netsim.topology import Complete
from netsim.traffic import Traffic
from netsim.transports.base import Outcome, TransportError
from netsim.transports.inprocess import InProcess
from netsim.transports.zeromq.desk import CoordinatorGoneError, Desk
from netsim.transports.zeromq.hosts import HostCrew
from netsim.transports.zeromq.names import fresh_name
from netsim.transports.zeromq.protocol import (
    Alive,
    Done,
    Failed,
    Here,
    Open,
    Probe,
    ProtocolError,
    Told,
    pack,
    unpack,
)
from netsim.transports.zeromq.seats import Seat
from netsim.transports.zeromq.sockets import Sockets
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.transports.zeromq.worker import Post, serve
from netsim.world import World, build
from nodes.features import Fourier
from nodes.losses import OrdinalHinge


def world(nodes: int, rounds: int = 10) -> World:
    """Nodes that all hear each other."""
    return build(
        Scenario(
            name="session",
            rounds=rounds,
            data=Rings(train=60, test=20),
            network=Network(topology=Complete(nodes=nodes)),
            model=Model(features=Fourier(size=10), loss=OrdinalHinge()),
        ),
        0,
        Path(),
    )


class Company:
    """A crew whose workers are started one by one."""

    def __init__(self, sockets: Sockets, count: int, wait: float) -> None:
        self.crew = HostCrew(sockets.inlet(), wait)
        self._names = [fresh_name() for _ in range(count)]
        for name in self._names:
            self.crew.expect("here", name, None)
        self.processes: dict[int, ForkServerProcess] = {}

    def start(self, *workers: int) -> None:
        """Start these workers."""
        for worker in workers:
            post = Post(self.crew.inlet.endpoint, self._names[worker], "127.0.0.1", 30.0)
            self.processes[worker] = started(serve, post)

    def run(self, world: World, transport: ZeroMQ | None = None, recorder: Recorder | None = None) -> Outcome:
        """Run a world by the crew."""
        recorder = recorder or Recorder(world, lambda row: None)
        return (transport or ZeroMQ()).by(self.crew).run(world, recorder)


@pytest.fixture
def company() -> Iterator[Any]:
    """Opens companies of so many workers, and ends them."""
    opened: list[Company] = []
    with Sockets() as sockets:

        def make(count: int, wait: float = 10.0) -> Company:
            opened.append(Company(sockets, count, wait))
            return opened[-1]

        yield make
        for each in opened:
            for process in each.processes.values():
                end(process)


def test_workers_serve_one_run_after_another(company):
    """Also of fewer nodes than workers, and with bits that are those of one process each time."""
    three = company(3)
    three.start(0, 1, 2)
    for nodes, workers in ((2, 2), (6, 3), (1, 1), (6, 3)):
        whole = world(nodes)
        recorder, alone = Recorder(whole, lambda row: None), Recorder(whole, lambda row: None)
        outcome = three.run(whole, recorder=recorder)
        assert outcome.edges == InProcess().run(whole, alone).edges
        assert np.array_equal(recorder.final, alone.final)
        assert outcome.transport["workers"] == workers
    assert sorted(three.crew.members) == [0, 1, 2]


def test_a_worker_that_comes_late_serves_the_next_run(company):
    """The run that it missed names it, and nobody else, in this run or the next."""
    two = company(2, wait=2.0)
    two.start(0)
    with pytest.raises(TransportError, match=r"not there after 2 s: worker 1 on here \(nodes 3-5\) did not come"):
        two.run(world(6))
    two.start(1)
    assert two.run(world(6)).transport["workers"] == 2


def test_those_who_die_together_are_noticed_together(company):
    """Nobody waits out the patience for the second of two whose connections close at once."""
    four = company(4)
    four.start(0, 1, 2, 3)
    whole = world(8, rounds=3000)

    class Deadly(Recorder):
        """Kills two workers once."""

        def tell(self, *told: Any) -> None:
            super().tell(*told)
            if told[1] > 90 and four.processes[1].is_alive():
                for worker in (1, 2):
                    os.kill(four.processes[worker].pid, signal.SIGKILL)
                    four.processes[worker].join()

    start = time.monotonic()
    outcome = four.run(whole, recorder=Deadly(whole, lambda row: None))
    assert time.monotonic() - start < 30
    assert {death.reason for death in outcome.deaths} == {"its connection is closed"}
    assert sorted(node for death in outcome.deaths for node in death.nodes) == [2, 3, 4, 5]
    assert sorted(four.crew.members) == [0, 3]
    assert four.run(world(4)).transport["workers"] == 2


def told(**changes: Any) -> Told:
    """What a worker with nodes 2 and 3 tells of them; ``changes`` replaces fields."""
    good = Told(5, (2, 3), bytes(8 * PARAMETERS * 2), (tuple(Traffic()), tuple(Traffic())))
    return good._replace(**changes)


WORLD = world(6)
PARAMETERS = WORLD.task.parameters
COUNTS = tuple(Traffic())


@pytest.mark.parametrize(
    ("message", "may"),
    [
        (told(), True),
        (told(nodes=(2, 4)), False),
        (told(nodes=(2, 99)), False),
        (told(completed=11), False),
        (told(estimates=bytes(8)), False),
        (told(traffic=(COUNTS,)), False),
        (told(traffic=(COUNTS, COUNTS[1:])), False),
        (Done(((2, 0, *COUNTS), (5, 3, *COUNTS)), (), {}), True),
        (Done(((0, 1, *COUNTS),), (), {}), False),
        (Done(((2, 0, 1),), (), {}), False),
        (Done((), (("loss", 0.5, 2),), {}), False),
        (Failed("node", 0, 2, 0, "?"), True),
        (Alive(5, ()), True),
    ],
)
def test_a_worker_may_speak_of_its_own_nodes_only(message, may):
    """What is about others, or of another length, is refused, and its last word is its last word."""
    seat = Seat("worker 1", (2, 3), frozenset({0, 2}))
    assert seat.may_say(message, WORLD) is may
    seat.done = Failed("node", 0, 2, 0, "?")
    assert seat.may_say(message, WORLD) is (may and not isinstance(message, Done | Failed))


@pytest.mark.parametrize(
    "data",
    [b"", b"\xc1", b"\x90", b"\x91\x63", b"\x92\x07\xa1x", b"\x93\x07\x01\x02", pack(Alive(5, ())) + b"0"],
)
def test_bytes_that_are_no_message_are_refused(data):
    """Whatever they are: unknown words, wrong numbers of fields, wrong types, too many bytes."""
    with pytest.raises(ProtocolError):
        unpack(data)


def test_probes_are_no_commands():
    """A worker never takes a probe, which may come at any time, for the command that it waits for."""
    with Sockets() as sockets:
        inlet, name = sockets.inlet(), fresh_name()
        inlet.admit(name, 0)
        desk = Desk(sockets.outlet(inlet.endpoint, name))
        desk.say(Here("1"))
        assert inlet.wait(5000)
        assert inlet.receive() == (0, pack(Here("1")))
        for message in (Probe(), Probe(), Open(), Probe()):
            assert inlet.send(0, pack(message))
        assert desk.await_command(5) == Open()
        assert desk.command() is None
        with pytest.raises(CoordinatorGoneError, match=r"nothing was heard of the coordinator for 0\.3 s"):
            desk.await_command(0.3)

"""Nodes in processes of their own: the numbers of one process, however many there are and however busy the machine."""

from __future__ import annotations

import multiprocessing
import sys
from dataclasses import asdict, replace
from pathlib import Path
from subprocess import Popen

import msgpack
import numpy as np
import pytest

from netsim.data import Rings
from netsim.links import Delay, Loss, Override
from netsim.recorder import Recorder
from netsim.scenario.load import load
from netsim.scenario.schema import Model, Network, Record, Scenario
from netsim.topology import Complete, ErdosRenyi, RandomRegular, Ring
from netsim.transports.base import Outcome, TransportError
from netsim.transports.inprocess import InProcess
from netsim.transports.zeromq.assignment import parts_of, plain, read
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.virtual import TimeLimitError
from netsim.world import World, build
from nodes.diffusion import Diffusion
from nodes.features import Fourier
from nodes.losses import OrdinalHinge
from nodes.messages import Full
from nodes.node import NodeError
from nodes.penalties import ElasticNet
from nodes.steps import Diminishing

FAULTS = {"delay": Delay(time=25_000_000, jitter=20_000_000), "loss": Loss(p=0.2)}
MODEL = Model(features=Fourier(size=10), loss=OrdinalHinge(), penalty=ElasticNet(alpha=0.5))


def world(**changes: object) -> World:
    """Six nodes that learn for forty rounds over faulty links; ``changes`` replaces parts."""
    parts: dict[str, object] = {
        "name": "small",
        "rounds": 40,
        "data": Rings(train=60, test=20),
        "network": Network(
            topology=ErdosRenyi(nodes=6, p=0.5),
            links=FAULTS,
            overrides=(Override(edges=((0, 1), (3, 2)), links={"loss": Loss(p=0.7)}),),
        ),
        "model": MODEL,
    }
    return build(Scenario(**{**parts, **changes}), 0, Path())  # type: ignore[arg-type]


def run(world: World, transport: InProcess | ZeroMQ) -> tuple[list[dict], Outcome, bytes]:
    """The recorded rows, how the run ended, and the final parameters of all nodes as bytes."""
    rows: list[dict] = []
    recorder = Recorder(world, rows.append)
    outcome = transport.run(world, recorder)
    return rows, outcome, recorder.final.tobytes()


def check_equal(world: World, transport: ZeroMQ) -> Outcome:
    """A run has the rows, the parameters and the traffic of each directed edge that one process gives."""
    rows, outcome, final = run(world, transport)
    expected_rows, expected, expected_final = run(world, InProcess())
    assert rows == expected_rows
    assert final == expected_final
    assert outcome.edges == expected.edges
    assert outcome.diverged is expected.diverged is None
    assert outcome.deaths == ()
    return outcome


@pytest.mark.parametrize("workers", [1, 2, 3, 6])
@pytest.mark.parametrize("silence", ["self", "hold"])
def test_any_number_of_workers_gives_the_bits_of_one_process(workers, silence):
    """Metrics, parameters, and frames and bytes of each edge, with loss and delays of up to three slots."""
    outcome = check_equal(world(algorithm=Diffusion(on_silence=silence)), ZeroMQ(workers=workers))
    edges = outcome.edges.values()
    assert sum(edge.late for edge in edges) > 0
    assert sum(edge.stale for edge in edges) > 0
    assert outcome.transport["workers"] == workers


@pytest.mark.parametrize("order", ["consensus", "adapt-then-combine"])
def test_orders_and_batches_and_narrow_values_are_the_same(order):
    """What else a scenario chooses reaches the workers as it was written."""
    algorithm = Diffusion(order=order, batch=3, late="discard", step=Diminishing(first=0.2, decay=0.3))
    check_equal(world(algorithm=algorithm, messages=Full(values="float16"), seed=7), ZeroMQ(workers=4))


def test_a_busy_machine_changes_nothing():
    """With more processes that do nothing but compute than there are processors, the bits are the same."""
    burners = [Popen([sys.executable, "-c", "while True: pass"]) for _ in range(6)]
    try:
        check_equal(world(rounds=15), ZeroMQ())
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def test_twenty_workers_run():
    """Twenty nodes in twenty processes on a ring, where most are linked to two others only."""
    outcome = check_equal(
        world(network=Network(topology=Ring(nodes=20), links=FAULTS), data=Rings(train=60, test=20), rounds=10),
        ZeroMQ(workers=20),
    )
    assert outcome.transport["workers"] == 20
    # A bundle a linked pair and slot, and the last one.
    assert outcome.transport["bundles"] == 40 * (10 + 1)


def test_two_thousand_nodes_run_on_two_workers():
    """One connection carries the frames of thousands of edges."""
    big = world(
        network=Network(topology=RandomRegular(nodes=2000, degree=4), links={"loss": Loss(p=0.1)}),
        data=Rings(train=4000, test=10),
        rounds=3,
        record=Record(every=3),
    )
    outcome = check_equal(big, ZeroMQ(workers=2))
    assert outcome.transport["bundles"] == 2 * (3 + 1)
    assert sum(edge.delivered for edge in outcome.edges.values()) > 20_000


def test_more_workers_than_nodes_are_as_many_as_nodes():
    """By default, too, each of a few nodes has a process of its own."""
    few = world(rounds=3, network=Network(topology=Complete(nodes=3)))
    assert check_equal(few, ZeroMQ(workers=50)).transport["workers"] == 3
    assert check_equal(few, ZeroMQ()).transport["workers"] == 3


def test_a_single_node_learns_alone():
    """A world without any edge runs as well."""
    check_equal(world(network=Network(topology=Complete(nodes=1)), data=Rings(train=20, test=20)), ZeroMQ())


def test_each_worker_is_given_its_own_nodes_data_only():
    """What goes over the wire holds the samples, labels and keys of a worker's nodes, and of nobody else."""
    whole = world()
    own, others = parts_of(6, 3)[1], [0, 1, 4, 5]
    sent = msgpack.packb(plain(whole, own, (), "virtual"))
    for node in range(6):
        share = whole.shares[node]
        found = [data in sent for data in (share.samples[0].tobytes(), share.key.to_bytes(16))]
        assert found == [node in own] * 2, node
        assert any(other in others for other in whole.neighbours[own[0]])


def test_an_assignment_arrives_as_it_was():
    """Pieces, samples, neighbours and the fates of frames are the same on both sides of the wire."""
    whole = world(algorithm=Diffusion(order="consensus", batch=5), seed=3)
    sent = msgpack.unpackb(msgpack.packb(plain(whole, (2, 3), (), "virtual")), strict_map_key=False)
    part, expected = read(sent).part, whole.part((2, 3))
    assert part.task == expected.task
    assert part.neighbours == expected.neighbours
    assert (part.period, part.rounds, part.recorded, part.limit) == (20_000_000, 40, expected.recorded, None)
    for got, wanted in zip(part.shares, expected.shares, strict=True):
        assert (got.node, got.key) == (wanted.node, wanted.key)
        assert np.array_equal(got.samples, wanted.samples)
        assert np.array_equal(got.labels, wanted.labels)
    for edge in ((3, 2), (2, 3), (2, 5)):
        fates = [[side.channel(*edge).fate(slot, n) for slot in range(40) for n in (0, 1)] for side in (part, expected)]
        assert fates[0] == fates[1]


OWN = """\
from dataclasses import dataclass
import numpy as np
from netsim.links import LOST
from nodes.losses import Squared
from nodes.quantities import Fraction, Positive


@dataclass(frozen=True, kw_only=True)
class Cut(Squared):
    at: Positive = 1.0

    def slopes(self, scores, thresholds, targets):
        return np.clip(scores - targets, -self.at, self.at), thresholds


@dataclass(frozen=True, kw_only=True)
class Every:
    n: int

    def delays(self, times, chance):
        return np.where(times // 20_000_000 % self.n == 0, LOST, 0.0)
"""
SCENARIO = """\
name: own
rounds: 20
data: {kind: rings, train: 60, test: 20}
network: {topology: {kind: ring, nodes: 5}, links: {gap: {kind: "mine:Every", n: 3}}}
model: {features: {kind: fourier, size: 8}, loss: {kind: "mine:Cut", at: 0.5}}
"""


def test_classes_of_the_users_own_run_in_workers(tmp_path):
    """A loss and a link from a file beside the scenario give the same bits in processes."""
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "own.yaml").write_text(SCENARIO)
    loaded = load(str(tmp_path / "own.yaml"))
    point = loaded.points[0]
    outcome = check_equal(build(point.scenario, 0, loaded.folder, point.resolved), ZeroMQ(workers=2))
    assert {edge.lost for edge in outcome.edges.values()} == {7}


def test_a_class_that_cannot_be_had_in_a_worker_is_named(tmp_path):
    """A run whose workers cannot import a class does not start, and says what is missing where."""
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "own.yaml").write_text(SCENARIO)
    loaded = load(str(tmp_path / "own.yaml"))
    point = loaded.points[0]
    elsewhere = build(point.scenario, 0, tmp_path / "elsewhere", point.resolved)
    with pytest.raises(TransportError, match=r"worker \d \(nodes \d-\d\) cannot take its assignment: loss: there "):
        run(elsewhere, ZeroMQ(workers=2))


@pytest.mark.parametrize("values", ["float64", "float16"])
def test_a_run_diverges_in_the_same_round(values):
    """Rows up to the end and the round in which numbers stopped being finite are those of one process."""
    wild = Diffusion(step=Diminishing(first=1e6 if values == "float16" else 1e200, decay=0))
    model = replace(MODEL, loss=OrdinalHinge(C=1e60), penalty=ElasticNet())
    diverging = world(algorithm=wild, model=model, messages=Full(values=values))
    rows, outcome, _ = run(diverging, ZeroMQ(workers=3))
    expected_rows, expected, _ = run(diverging, InProcess())
    assert outcome.diverged is not None
    assert (rows, outcome.diverged) == (expected_rows, expected.diverged)


BROKEN = """\
from dataclasses import dataclass
from nodes.losses import OrdinalHinge


@dataclass(frozen=True, kw_only=True)
class Broken(OrdinalHinge):
    def slopes(self, scores, thresholds, targets):
        if thresholds.max() > 0.2:
            raise KeyError("no such threshold")
        return super().slopes(scores, thresholds, targets)
"""


def test_a_node_that_fails_is_named_as_in_one_process(tmp_path):
    """Of several nodes that fail, the first by round and number, with its cause and line."""
    (tmp_path / "mine.py").write_text(BROKEN)
    text = SCENARIO.replace('{kind: "mine:Cut", at: 0.5}', '{kind: "mine:Broken"}').replace(
        ', links: {gap: {kind: "mine:Every", n: 3}}', ""
    )
    (tmp_path / "own.yaml").write_text(text)
    loaded = load(str(tmp_path / "own.yaml"))
    point = loaded.points[0]
    failing = build(point.scenario, 0, loaded.folder, point.resolved)
    told = []
    for transport in (InProcess(), ZeroMQ(workers=3)):
        with pytest.raises(NodeError, match=r"KeyError: 'no such threshold' \(mine\.py, line 9\)") as error:
            run(failing, transport)
        told.append(str(error.value))
    assert told[0] == told[1]


def test_a_time_limit_ends_a_run_with_the_time():
    """On both clocks."""
    with pytest.raises(TimeLimitError, match=r"virtual time would pass its limit of 0\.1 s.*node 0 at"):
        run(world(limit=100_000_000), ZeroMQ(workers=2))
    with pytest.raises(TimeLimitError, match=r"time limit of 0\.05 s"):
        run(world(limit=50_000_000), ZeroMQ(workers=2, time="real"))


def test_real_time_without_overrun_gives_the_numbers_of_virtual_time():
    """Frames travel singly, each counted with its envelope and framing; a slower slot is tried where frames overran."""
    for slot in (20_000_000, 80_000_000, 320_000_000):
        links = {"delay": Delay(time=slot, jitter=slot // 2), "loss": Loss(p=0.2)}
        timed = world(rounds=12, slot=slot, network=Network(topology=Ring(nodes=4), links=links))
        rows, outcome, final = run(timed, ZeroMQ(time="real"))
        if not any(edge.overrun for edge in outcome.edges.values()):
            break
    expected_rows, expected, expected_final = run(timed, InProcess())
    assert final == expected_final
    for row, wanted in zip(rows, expected_rows, strict=True):
        assert row["frames"] == wanted["frames"]
        assert {**row, "bytes": wanted["bytes"]} == wanted
        assert wanted["bytes"].items() <= row["bytes"].items()
    for pair, edge in outcome.edges.items():
        carried = edge.sent - edge.lost
        assert edge._replace(envelope=0, zmtp=0) == expected.edges[pair]
        assert edge.envelope == 44 * carried
        assert edge.zmtp in (2 * carried, 9 * carried)


def test_frames_that_come_too_late_on_real_time_are_counted():
    """With slots far too short for the machine, frames miss the drain they were due for, and the counts say so."""
    hurried = world(slot=20_000, rounds=200, network=Network(topology=Complete(nodes=6)))
    _, outcome, _ = run(hurried, ZeroMQ(time="real"))
    overrun = sum(edge.overrun for edge in outcome.edges.values())
    assert overrun > 0
    for edge in outcome.edges.values():
        assert edge.sent == 200
        assert edge.delivered + edge.lost <= edge.sent


SLOW = """\
import time
from dataclasses import dataclass
from nodes.losses import Squared


@dataclass(frozen=True, kw_only=True)
class Slow(Squared):
    def slopes(self, scores, thresholds, targets):
        if targets.sum() == SUM:
            time.sleep(0.4)
        return super().slopes(scores, thresholds, targets)
"""


def test_a_frame_that_misses_the_last_drain_is_counted(tmp_path):
    """A node that computes for two slots sends too late for its neighbour's only drain: that is an overrun."""
    text = SCENARIO.replace('kind: ring, nodes: 5}, links: {gap: {kind: "mine:Every", n: 3}}', "kind: path, nodes: 2}")
    text = text.replace("rounds: 20", "rounds: 1\nslot: 200ms\nalgorithm: {order: adapt-then-combine}")
    (tmp_path / "own.yaml").write_text(text.replace('{kind: "mine:Cut", at: 0.5}', "squared"))
    (tmp_path / "mine.py").write_text(SLOW)
    loaded = load(str(tmp_path / "own.yaml"))
    labels = build(loaded.points[0].scenario, 0, tmp_path).shares[1].labels
    (tmp_path / "mine.py").write_text(SLOW.replace("SUM", str(int(labels.sum()))))
    loaded = load(str(tmp_path / "own.yaml"), ["model.loss=mine:Slow"])
    point = loaded.points[0]
    _, outcome, _ = run(build(point.scenario, 0, tmp_path, point.resolved), ZeroMQ(time="real"))
    assert {edge: (traffic.delivered, traffic.overrun) for edge, traffic in outcome.edges.items()} == {
        (0, 1): (1, 0),
        (1, 0): (0, 1),
    }


def test_nothing_is_left_behind():
    """After a run there is no child process, and the same open files as before."""
    run(world(rounds=2), ZeroMQ(workers=2))
    before = sorted(path.name for path in Path("/proc/self/fd").iterdir()) if Path("/proc/self/fd").exists() else []
    run(world(rounds=2), ZeroMQ(workers=3))
    with pytest.raises(TimeLimitError):
        run(world(limit=100_000_000), ZeroMQ(workers=3))
    assert multiprocessing.active_children() == []
    if before:
        assert sorted(path.name for path in Path("/proc/self/fd").iterdir()) == before


def test_an_outcome_can_be_written_as_plain_data():
    """What the transport counted is small numbers by name."""
    _, outcome, _ = run(world(rounds=2), ZeroMQ(workers=2))
    assert asdict(outcome)["transport"].keys() == {"workers", "bundles", "bundle-bytes"}

"""Link elements beyond fixed delay and independent loss: what each does to frames, and how that is counted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.cli import main
from netsim.data import Rings
from netsim.edges import GONE, Acted, Channel, Outgoing, Standing, summed
from netsim.links import (
    LOST,
    BurstLoss,
    Corrupt,
    Delay,
    DelayTable,
    DistanceLoss,
    Duplicate,
    GilbertElliott,
    Loss,
    Place,
    Rate,
    Reorder,
)
from netsim.links.harms import flipped
from netsim.links.queues import bits_per_second
from netsim.recorder import Recorder
from netsim.scenario.schema import Model, Network, Scenario
from netsim.topology import RandomGeometric
from netsim.traffic import Traffic, require_balance, total
from netsim.transports.base import Outcome
from netsim.transports.inprocess import InProcess
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.world import World, build
from nodes.features import Fourier
from nodes.losses import OrdinalHinge

Capsys = pytest.CaptureFixture[str]
SLOTS = 20_000
MS = 1_000_000


def channel(*elements: object, key: int = 7, source: int = 2, target: int = 3, period: int = 20 * MS) -> Channel:
    """A fresh channel with these elements."""
    standing = [Standing(f"element {i}", key + i, element) for i, element in enumerate(elements)]
    return Channel(standing, Place(source, target), period)


def fates(one: Channel, slots: int = SLOTS) -> np.ndarray:
    """The fates of the first frames of so many slots."""
    return np.array([one.fate(slot, 0) for slot in range(slots)])


def runs_of(lost: Sequence[bool]) -> list[int]:
    """The lengths of all runs of losses."""
    text = "".join("x" if each else " " for each in lost)
    return [len(run) for run in text.split()]


@pytest.mark.parametrize("distribution", ["uniform", "normal", "pareto"])
def test_delays_have_the_mean_and_spread_of_their_distribution(distribution: str) -> None:
    """Mean within four standard errors of the time; deviation that of the jitter, for uniform ones over sqrt(3)."""
    delays = fates(channel(Delay(time=50 * MS, jitter=5 * MS, distribution=distribution)))  # type: ignore[arg-type]
    deviation = 5 * MS / math.sqrt(3) if distribution == "uniform" else 5 * MS
    assert abs(delays.mean() - 50 * MS) < 4 * deviation / math.sqrt(SLOTS)
    # The fourth moment of a Pareto distribution of exponent 3 is infinite: its sample deviation is loose.
    assert delays.std() == pytest.approx(deviation, rel=0.3 if distribution == "pareto" else 0.03)


def test_tails_are_those_of_their_distribution() -> None:
    """Of normal delays 2.3 % are two deviations late, as are 3.7 % of Pareto ones, of which none is early by 0.58."""
    normal, pareto = (
        fates(channel(Delay(time=50 * MS, jitter=5 * MS, distribution=name)))  # type: ignore[arg-type]
        for name in ("normal", "pareto")
    )
    assert (normal > 60 * MS).mean() == pytest.approx(0.02275, abs=0.005)
    # P(X > m + 2 s) = (m + 2 s)^-3 of a Pareto distribution from 1 on, m = 3/2, s = sqrt(3)/2.
    assert (pareto > 60 * MS).mean() == pytest.approx((1.5 + math.sqrt(3)) ** -3, abs=0.006)
    assert pareto.min() >= 50 * MS - 5 * MS / math.sqrt(3) - 1


def test_delays_of_a_table_are_its_own_and_equally_likely() -> None:
    """Each of three within four deviations of a third."""
    delays = fates(channel(DelayTable(times=(5 * MS, 7 * MS, 40 * MS))))
    counts = [int((delays == each).sum()) for each in (5 * MS, 7 * MS, 40 * MS)]
    assert sum(counts) == SLOTS
    assert all(abs(count - SLOTS / 3) < 4 * math.sqrt(SLOTS * 2 / 9) for count in counts)


def test_reordered_frames_are_held_back() -> None:
    """Another delay for a tenth of them, added to what others take."""
    delays = fates(channel(Delay(time=MS), Reorder(p=0.1, time=30 * MS)))
    assert set(delays.tolist()) == {MS, 31 * MS}
    assert abs((delays == 31 * MS).sum() - SLOTS / 10) < 4 * math.sqrt(SLOTS * 0.09)


def test_a_gilbert_elliott_channel_loses_its_share_in_bursts() -> None:
    """Over 40 edges: the stationary share from the first slot on, and bad runs of 1 / r slots in the mean."""
    element = GilbertElliott(p=0.05, r=0.25)
    lost = np.array([fates(channel(element, source=edge), 2000) == GONE for edge in range(40)])
    assert lost.mean() == pytest.approx(element.rate, abs=0.01)
    assert element.rate == pytest.approx(1 / 6)
    assert lost[:, 0].mean() == pytest.approx(1 / 6, abs=4 * math.sqrt(5 / 36 / 40))
    lengths = [length for row in lost for length in runs_of(row)]
    assert np.mean(lengths) == pytest.approx(4.0, abs=0.15)


def test_bad_and_good_states_lose_as_they_say() -> None:
    """With bad-loss 80 % and good-loss 0.1 % the share is that of the formula."""
    element = GilbertElliott(p=0.02, r=0.3, bad_loss=0.8, good_loss=0.001)
    assert element.rate == pytest.approx(0.0509375)
    lost = np.array([fates(channel(element, source=edge), 3000) == GONE for edge in range(30)])
    assert lost.mean() == pytest.approx(element.rate, abs=0.004)


@pytest.mark.parametrize(("mean", "length"), [(0.3, 5.0), (0.1, 1.0), (0.5, 10.0)])
def test_burst_loss_has_the_mean_and_the_length_asked(mean: float, length: float) -> None:
    """Over 40 edges of 2000 slots; runs of one slot may follow each other, so that they look a little longer."""
    element = BurstLoss(mean=mean, length=length)
    lost = np.array([fates(channel(element, source=edge), 2000) == GONE for edge in range(40)])
    assert lost.mean() == pytest.approx(mean, abs=0.02)
    assert np.mean([run for row in lost for run in runs_of(row)]) == pytest.approx(length, rel=0.06)


def test_burst_loss_refuses_what_no_channel_has() -> None:
    """A mean of 90 % takes bursts of nine slots or more."""
    with pytest.raises(ValueError, match=r"length: 2 is too short for mean: 0\.9; take 9 or more"):
        BurstLoss(mean=0.9, length=2.0)
    BurstLoss(mean=0.9, length=9.0)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 2)), min_size=1, max_size=25))
def test_a_channel_turns_whether_frames_come_or_not(asked: list[tuple[int, int]]) -> None:
    """In whatever order slots are asked for, a channel has the states of one that is asked in order."""
    element = GilbertElliott(p=0.1, r=0.2)
    in_order = fates(channel(element), 901) == GONE
    one = channel(element)
    assert [one.fate(slot, n) == GONE for slot, n in asked] == [bool(in_order[slot]) for slot, _ in asked]


def test_loss_by_distance() -> None:
    """Nothing at no distance, a quarter of at-range half way, all beyond the range; no positions are an error."""
    element = DistanceLoss(range=2.0, at_range=0.4)
    assert [element.open(Place(0, 1, d)).p for d in (0.0, 1.0, 2.0, 2.001)] == pytest.approx([0.0, 0.1, 0.4, 1.0])
    with pytest.raises(ValueError, match="the nodes of this topology have no positions"):
        element.open(Place(0, 1))


def test_a_rate_makes_frames_wait_for_those_before() -> None:
    """1000 bit/s: 100 bytes with 25 of overhead take a second; a full queue loses; an idle link serves at once."""
    queue = Rate(rate_=1000.0, queue=3, overhead=25).open(Place(0, 1))
    second = 1_000_000_000
    assert [queue.passes(0, 100) for _ in range(4)] == [second, 2 * second, 3 * second, LOST]
    assert queue.passes(second, 100) == 3 * second  # one has left
    assert queue.passes(50 * second, 225) == 2 * second
    assert bits_per_second("250kbit/s") == 250_000
    with pytest.raises(ValueError, match="write a number with its unit, like 250kbit/s"):
        bits_per_second(250)


@settings(deadline=None, derandomize=True)
@given(st.binary(min_size=1, max_size=300), st.floats(0, 1, exclude_max=True))
def test_one_bit_flips(data: bytes, where: float) -> None:
    """Of the same length, differing in exactly one bit."""
    changed = flipped(data, where)
    assert len(changed) == len(data)
    assert sum((a ^ b).bit_count() for a, b in zip(data, changed, strict=True)) == 1


def test_the_longer_a_frame_the_likelier_a_flip() -> None:
    """1 - (1 - p)(1 - bit-errors)^bits."""
    element = Corrupt(p=0.1, bit_errors=1e-3)
    assert element.chance_of_flip(0) == pytest.approx(0.1)
    assert element.chance_of_flip(125) == pytest.approx(1 - 0.9 * 0.999**1000)


def carried(one: Channel, slots: int, data: bytes = bytes(100)) -> tuple[Outgoing, list[tuple[int, bytes]]]:
    """The end of an edge that has sent a frame in each slot, and what of it will arrive."""
    edge = Outgoing(one)
    arrived: list[tuple[int, bytes]] = []
    for slot in range(slots):
        edge.count(len(data), 0, 0)
        arrived += edge.carry(slot, data)
    return edge, arrived


def test_all_frames_and_copies_are_accounted_for() -> None:
    """sent + duplicated = arrived + lost + corrupted; copies meet a fate of their own; flipped ones arrive changed."""
    elements = (Duplicate(p=0.2), Loss(p=0.3), Corrupt(p=0.1), Corrupt(p=0.1, checksum=False), Rate(rate_=1e6))
    edge, arrived = carried(channel(*elements), 5000)
    assert edge.sent == 5000
    assert edge.duplicated == pytest.approx(1000, abs=4 * math.sqrt(800))
    assert edge.sent + edge.duplicated == len(arrived) + edge.lost + edge.corrupted
    assert edge.lost == pytest.approx(0.3 * 6000, abs=4 * math.sqrt(6000 * 0.21))
    assert edge.corrupted == pytest.approx(0.1 * 0.7 * 6000, abs=4 * math.sqrt(4200 * 0.09))
    assert edge.flipped == sum(content != bytes(100) for _, content in arrived) > 0
    acted = {each.name: (each.frames, each.acted) for each in edge.channel.acted()}
    assert acted["element 0"] == (5000 + edge.duplicated, edge.duplicated)
    assert acted["element 1"][1] == edge.lost


def test_copies_of_one_frame_have_draws_of_their_own() -> None:
    """Of frames that are always doubled, one may be lost and the other not, in all four ways."""
    edge = Outgoing(channel(Duplicate(p=1.0), Loss(p=0.5)))
    survivors = [len(edge.carry(slot, b"x")) for slot in range(400)]
    counts = [survivors.count(n) for n in range(3)]
    assert counts == pytest.approx([100, 200, 100], abs=40)


def test_what_acted_is_summed_by_name_and_rate() -> None:
    """Elements of one name on many edges are one line, unless they were expected to act otherwise."""
    parts = [Acted("loss", 0.5, 10, 4), Acted("a", None, 3, 1), Acted("loss", 0.5, 5, 2), Acted("loss", 0.1, 1, 0)]
    assert summed(parts) == (Acted("a", None, 3, 1), Acted("loss", 0.1, 1, 0), Acted("loss", 0.5, 15, 6))


ALL: dict[str, object] = {
    "delay": Delay(time=5 * MS, jitter=4 * MS, distribution="pareto"),
    "table": DelayTable(times=(MS, 30 * MS)),
    "back": Reorder(p=0.2, time=45 * MS),
    "burst": BurstLoss(mean=0.1, length=3.0),
    "ge": GilbertElliott(p=0.05, r=0.3, bad_loss=0.7, good_loss=0.01),
    "far": DistanceLoss(range=1.2, at_range=0.3),
    "twice": Duplicate(p=0.2),
    "crc": Corrupt(p=0.05, bit_errors=1e-5),
    "raw": Corrupt(p=0.02, checksum=False),
    "air": Rate(rate_=100_000.0, queue=2, overhead=17),
}


def world(links: dict[str, object]) -> World:
    """Seven nodes at places of a square, who learn for thirty rounds."""
    scenario = Scenario(
        name="faulty",
        rounds=30,
        data=Rings(train=70, test=20),
        network=Network(topology=RandomGeometric(nodes=7, radius=0.6), links=links),  # type: ignore[arg-type]
        model=Model(features=Fourier(size=10), loss=OrdinalHinge()),
    )
    return build(scenario, 0, Path())


def played(one: World, transport: InProcess | ZeroMQ) -> tuple[list[dict], bytes, Outcome]:
    """The recorded rows, the final parameters, and how it ended."""
    rows: list[dict] = []
    recorder = Recorder(one, rows.append)
    outcome = transport.run(one, recorder)
    return rows, recorder.final.tobytes(), outcome


@pytest.mark.parametrize("workers", [1, 3])
def test_the_same_frames_die_on_both_transports(workers: int) -> None:
    """With every element on every edge: rows, parameters, traffic of each edge and what elements did are equal."""
    one = world(ALL)
    here, there = played(one, InProcess()), played(one, ZeroMQ(workers=workers))
    assert here[:2] == there[:2]
    assert here[2].edges == there[2].edges
    assert here[2].acted == there[2].acted
    require_balance(here[2].edges)
    whole = total(here[2].edges.values())
    assert min(whole.duplicated, whole.lost, whole.corrupted, whole.flipped, whole.waiting) > 0
    assert {each.name for each in here[2].acted} == set(ALL)
    assert all(each.acted > 0 for each in here[2].acted)


def test_a_frame_too_many_is_found() -> None:
    """An edge on which a frame is neither delivered, lost, corrupted nor under way."""
    require_balance({(0, 1): Traffic(sent=5, duplicated=1, delivered=2, lost=1, corrupted=1, waiting=2)})
    with pytest.raises(
        RuntimeError, match="from node 0 to node 1 are not accounted for: 2 should be under way and 1 are"
    ):
        require_balance({(0, 1): Traffic(sent=5, duplicated=1, delivered=2, lost=1, corrupted=1, waiting=1)})


SMALL = """\
name: small
rounds: 20
data: {kind: rings, train: 40, test: 10}
network: {topology: {kind: ring, nodes: 5}, links: {loss: {p: 20%, kind: loss}, odd: {kind: duplicate, p: 0.001%}}}
model: {features: {kind: fourier, size: 8}, loss: ordinal-hinge}
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scenario with a fault that is too rare to be seen in it, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SMALL)
    (tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass\nimport numpy as np\n\n\n@dataclass(frozen=True)\nclass Lazy:\n"
        "    rate = 0.5\n\n    def delays(self, times, chance):\n        return np.zeros(len(times))\n"
    )


def test_faults_are_counted_in_table_and_json(small: None, capsys: Capsys) -> None:
    """Each by its name: frames, how many it acted on, how many were expected."""
    assert main(["run", "small.yaml", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["faults"]["loss"]["frames"] == 200
    assert row["faults"]["loss"]["acted"] == row["frames"]["lost"]
    assert row["faults"]["loss"]["expected"] == pytest.approx(40)
    assert row["faults"]["odd"]["expected"] == pytest.approx(0.002)
    assert main(["run", "small.yaml"]) == 0
    printed = capsys.readouterr()
    lost = row["frames"]["lost"]
    assert re.search(rf"loss +200 +{lost} +{lost / 2:.2f} +20\.00\n", printed.out)
    assert "warning" not in printed.err


def test_an_element_that_cannot_stand_there_is_told_before_the_run(small: None, capsys: Capsys) -> None:
    """Loss by distance on a ring, whose nodes have no positions."""
    setting = "network.links.loss={kind: distance-loss, range: 1}"
    assert main(["validate", "small.yaml", "--set", setting]) == 2
    assert "network.links.loss: the nodes of this topology have no positions" in capsys.readouterr().err


@pytest.mark.parametrize("strict", [False, True])
def test_a_fault_that_never_happened_is_told(small: None, strict: bool, capsys: Capsys) -> None:
    """A warning, and with --strict an error; one that is expected less than five times may stay away."""
    lazy = ["--set", "network.links.lazy={kind: mine:Lazy}", *(["--strict"] if strict else [])]
    assert main(["run", "small.yaml", *lazy]) == (1 if strict else 0)
    told = capsys.readouterr().err
    assert "lazy never acted on any of 200 frames, and was expected to on 100" in told
    assert ("warning: network" in told) is not strict
    assert "odd" not in told

"""Whole runs in process: what always holds, and how they end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from netsim.data import Rings
from netsim.links import Delay, Loss, Override
from netsim.recorder import Recorder
from netsim.scenario.schema import Model, Network, Scenario
from netsim.topology import Complete, ErdosRenyi, Ring, Star
from netsim.traffic import total
from netsim.transports.base import Outcome
from netsim.transports.inprocess import InProcess
from netsim.virtual import TimeLimitError
from netsim.world import build
from nodes.diffusion import Diffusion
from nodes.features import Fourier
from nodes.losses import OrdinalHinge
from nodes.messages import Full
from nodes.node import NodeError
from nodes.penalties import ElasticNet
from nodes.steps import Diminishing

FAULTS = {"delay": Delay(time=25_000_000, jitter=20_000_000), "loss": Loss(p=0.2)}


def scenario(**changes: object) -> Scenario:
    """Six nodes that learn for twenty rounds; ``changes`` replaces parts."""
    parts: dict[str, object] = {
        "name": "small",
        "rounds": 20,
        "data": Rings(train=60, test=20),
        "network": Network(topology=ErdosRenyi(nodes=6, p=0.5), links=FAULTS),
        "model": Model(features=Fourier(size=10), loss=OrdinalHinge(), penalty=ElasticNet(alpha=0.5)),
    }
    return Scenario(**{**parts, **changes})  # type: ignore[arg-type]


def run(scenario: Scenario, repeat: int = 0) -> tuple[list[dict], Outcome, Recorder]:
    """The recorded rows, how the run ended, and the recorder."""
    rows: list[dict] = []
    world = build(scenario, repeat, Path())
    recorder = Recorder(world, rows.append)
    return rows, scenario.transport.run(world, recorder), recorder


def test_every_frame_is_delivered_lost_or_in_flight_on_every_edge():
    """Sent = delivered + lost + in flight, with late frames among the delivered and stale ones too; each occurs."""
    _, outcome, _ = run(scenario(rounds=200))
    for edge in outcome.edges.values():
        flying = edge.sent - edge.delivered - edge.lost
        assert edge.sent == 200
        assert 0 <= flying <= 3
        assert 0 <= edge.late <= edge.delivered
        assert 0 <= edge.stale <= edge.delivered
    sums = total(outcome.edges.values())
    assert min(sums.lost, sums.late, sums.stale) > 0
    assert sums.sent_bytes > sums.values + sums.positions


def test_recorded_traffic_grows_to_the_totals_of_the_edges():
    """The last row's frames and bytes are the sums over all edges."""
    rows, outcome, _ = run(scenario())
    sums = total(outcome.edges.values())
    assert rows[0]["frames"]["sent"] == 0
    assert rows[-1]["frames"] == {**sums.frames(), "in-flight": sums.in_flight}
    assert rows[-1]["bytes"] == sums.bytes()
    sent = [row["bytes"]["sent"] for row in rows]
    assert sent == sorted(sent)


def test_real_time_gives_the_numbers_of_virtual_time():
    """Sleeping for every slot changes no recorded number and no parameter, and takes the time it should."""
    fast_rows, _, fast = run(scenario(slot=10_000_000))
    start = time.monotonic()
    slow_rows, _, slow = run(scenario(slot=10_000_000, transport=InProcess(time="real")))
    assert time.monotonic() - start >= 20 * 0.010
    assert slow_rows == fast_rows
    assert np.array_equal(slow.final, fast.final)


def test_one_node_learns_alone_and_sends_nothing():
    """A network of one is the centralised case: it learns, and there is no frame."""
    rows, outcome, _ = run(scenario(network=Network(topology=Complete(nodes=1)), rounds=200))
    assert outcome.edges == {}
    assert rows[-1]["frames"]["sent"] == 0
    assert rows[-1]["objective"] < 0.95 * rows[0]["objective"]


@pytest.mark.parametrize("topology", [Ring(nodes=7), Star(nodes=6), Complete(nodes=2)])
def test_consensus_shrinks_on_every_connected_graph(topology):
    """After 400 rounds nodes are closer together than half of what they were apart at most."""
    rows, _, _ = run(scenario(network=Network(topology=topology), rounds=400))
    assert rows[-1]["consensus"] < 0.5 * max(row["consensus"] for row in rows)


def test_narrow_values_make_small_frames_and_nearly_the_same_model():
    """float32 and float16 send half and a quarter of the value bytes, and the objective stays within a per cent."""
    rows = {values: run(scenario(messages=Full(values=values)))[0][-1] for values in ("float64", "float32", "float16")}
    wide = rows["float64"]
    for values, factor in (("float32", 2), ("float16", 4)):
        assert rows[values]["bytes"]["values"] * factor == pytest.approx(wide["bytes"]["values"], rel=0.02)
        assert rows[values]["objective"] == pytest.approx(wide["objective"], rel=0.01)


def test_an_override_changes_its_edge_in_its_direction_only():
    """A link that loses everything from 0 to 1 leaves all other edges as they were, down to single frames."""
    network = Network(topology=Complete(nodes=3), links={"loss": Loss(p=0.3)})
    blocked = Override(edges=((0, 1),), links={"loss": Loss(p=1.0)})
    _, plain, _ = run(scenario(network=network))
    _, changed, _ = run(scenario(network=Network(topology=network.topology, links=network.links, overrides=(blocked,))))
    assert changed.edges[0, 1].lost == changed.edges[0, 1].sent == 20
    for edge in set(plain.edges) - {(0, 1)}:
        assert changed.edges[edge].lost == plain.edges[edge].lost


@pytest.mark.parametrize("values", ["float64", "float16"])
def test_a_run_whose_parameters_outgrow_their_type_ends_as_diverged(values):
    """With an absurd step the run stops at the round in which a number no longer fits; rows before it stay."""
    wild = Diffusion(step=Diminishing(first=1e6 if values == "float16" else 1e200, decay=0))
    model = Model(features=Fourier(size=10), loss=OrdinalHinge(C=1e60), penalty=ElasticNet())
    rows, outcome, _ = run(scenario(algorithm=wild, model=model, messages=Full(values=values)))
    assert outcome.diverged is not None
    assert outcome.diverged <= 5
    assert rows[0]["round"] == 0
    assert all(np.isfinite(row["objective"]) for row in rows)


@dataclass(frozen=True, kw_only=True)
class Broken(OrdinalHinge):
    """A loss with a mistake that shows in the fourth adaptation of node 2."""

    kind: Literal["broken"] = "broken"  # type: ignore[assignment]

    def slopes(self, scores, thresholds, targets):
        """Fails once thresholds have moved far enough."""
        if thresholds.max() > 0.2:
            raise KeyError("no such threshold")
        return super().slopes(scores, thresholds, targets)


def test_an_exception_in_a_node_ends_the_run_with_node_round_and_cause():
    """The error names the node, the round and the cause with its line; the loop is closed and others are cancelled."""
    model = Model(features=Fourier(size=10), loss=Broken(), penalty=ElasticNet())
    with pytest.raises(
        NodeError, match=r"node \d failed in round \d+: KeyError: 'no such threshold' \(test_inpro"
    ) as e:
        run(scenario(model=model))
    assert isinstance(e.value.__cause__, KeyError)
    assert e.value.round < 20


def test_a_time_limit_ends_a_run_with_the_time():
    """Both clocks refuse to go past the limit."""
    with pytest.raises(TimeLimitError, match=r"virtual time would pass its limit of 0\.1 s.*node 0 at"):
        run(scenario(limit=100_000_000))
    with pytest.raises(TimeLimitError, match=r"time limit of 0\.05 s"):
        run(scenario(limit=50_000_000, transport=InProcess(time="real")))


def test_luck_does_not_depend_on_other_links_or_nodes():
    """Adding a delay, a node's neighbour or a louder message changes nobody's lost frames."""
    lost = {}
    for name, links in {
        "alone": {"loss": Loss(p=0.3)},
        "with delay": {"d": Delay(time=1000), "loss": Loss(p=0.3)},
    }.items():
        _, outcome, _ = run(scenario(network=Network(topology=Ring(nodes=5), links=links)))
        lost[name] = {edge: counted.lost for edge, counted in outcome.edges.items()}
    _, outcome, _ = run(scenario(network=Network(topology=Complete(nodes=5), links={"loss": Loss(p=0.3)})))
    lost["more edges"] = {edge: outcome.edges[edge].lost for edge in lost["alone"]}
    assert lost["alone"] == lost["with delay"] == lost["more edges"]


def test_passes_are_rounds_of_the_largest_node():
    """Two passes in batches of four over ten samples a node are 2 * ceil(10 / 4) rounds."""
    world = build(scenario(rounds=None, passes=2, algorithm=Diffusion(batch=4)), 0, Path())
    assert world.rounds == 6


@pytest.mark.parametrize(("rounds", "every", "count"), [(500, None, 168), (100, None, 101), (7, 3, 4), (1, None, 2)])
def test_start_and_last_round_are_recorded_and_at_most_200(rounds, every, count):
    """By default every few rounds, so that there are at most 200 rows with the start and the last."""
    from netsim.scenario.schema import Record

    world = build(scenario(rounds=rounds, record=Record(every=every)), 0, Path())
    assert {0, rounds} <= world.recorded
    assert len(world.recorded) == count <= 200

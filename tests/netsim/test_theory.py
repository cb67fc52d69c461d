"""What theorems say against what is measured, on small worlds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.baselines.descent import single_machine
from netsim.data import Rings
from netsim.links import Delay, Loss
from netsim.methods import perform
from netsim.mixing import combination_matrix, spectral_radius
from netsim.recorder import digest
from netsim.scaling import ZScore
from netsim.scenario.schema import Model, Network, Record, Scenario
from netsim.split import ByLabel
from netsim.theory import consensus_bounds, regret_is_bounded
from netsim.topology import Complete, ErdosRenyi, Ring
from netsim.transports.inprocess import InProcess
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.world import World, build
from nodes.batches import Batches
from nodes.diffusion import Diffusion
from nodes.features import Fourier
from nodes.losses import Hinge, OrdinalHinge, Squared
from nodes.messages import Full
from nodes.penalties import ElasticNet
from nodes.steps import Diminishing, Pegasos
from nodes.weights import Metropolis

ROUNDS = 40


class Twos(Rings):
    """Rings of which the inner two are one class and the outer two the other."""

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Any:
        """The same samples with two ranks."""
        four = super().load(generator, repeat, folder)
        return replace(four, y_train=(four.y_train + 1) // 2, y_test=(four.y_test + 1) // 2, ranks=2)


def world(**changes: Any) -> World:
    """A small world of two classes; ``changes`` replaces parts of its scenario."""
    parts: dict[str, Any] = {
        "name": "small",
        "rounds": ROUNDS,
        "record": Record(every=1, theory=True),
        "data": Twos(train=60, test=20),
        "network": Network(topology=ErdosRenyi(nodes=6, p=0.5)),
        "model": Model(features=Fourier(size=9), loss=Hinge(), penalty=ElasticNet(strength=0.05, share="node")),
        "algorithm": Diffusion(batch=1, step=Pegasos()),
    }
    return build(Scenario(**{**parts, **changes}), 0, Path(), {})


def rows(world: World, method: str = "network") -> list[dict[str, Any]]:
    """What is recorded of a run, but for its start."""
    found: list[dict[str, Any]] = []
    assert perform(method, world, InProcess(), found.append)["end"] == "completed"
    return found[1:]


@settings(deadline=None, derandomize=True, max_examples=30)
@given(
    seed=st.integers(0, 1000),
    order=st.sampled_from(["consensus", "combine-then-adapt", "adapt-then-combine"]),
    alpha=st.sampled_from([0.0, 0.5, 1.0]),
    zeros=st.sampled_from(["proximal", "subgradient"]),
    share=st.sampled_from(["network", "node"]),
    batch=st.sampled_from(["all", 1, 4]),
    average=st.sampled_from(["none", "weighted"]),
    step=st.sampled_from([Diminishing(), Diminishing(first=1.0, decay=1.0)]),
    loss=st.sampled_from([OrdinalHinge(), OrdinalHinge(reduce="mean", C=3.0), Hinge()]),
    lazy=st.booleans(),
)
def test_the_consensus_distance_stays_below_its_bound(
    seed: int,
    order: Any,
    alpha: float,
    zeros: Any,
    share: Any,
    batch: Any,
    average: Any,
    step: Any,
    loss: Any,
    lazy: bool,
) -> None:
    """In every round, for all orders, penalties, batches, averages and losses that have a bound."""
    here = world(
        seed=seed,
        data=Twos(train=60, test=20) if loss == Hinge() else Rings(train=60, test=20),
        network=Network(topology=ErdosRenyi(nodes=6, p=0.5), weights=Metropolis(lazy=lazy)),
        model=Model(features=Fourier(size=9), loss=loss, penalty=ElasticNet(alpha=alpha, zeros=zeros, share=share)),
        algorithm=Diffusion(order=order, batch=batch, average=average, step=step),
        rounds=25,
    )
    found = rows(here)
    assert all(row["consensus"] <= row["theory"]["consensus-bound"] for row in found)


def test_the_bound_is_the_papers_recursion() -> None:
    """u_{k+1} = rho u_k + eta_k L over sqrt(M) where L is the same in all rounds: no penalty, one sample a batch."""
    here = world(
        model=Model(features=Fourier(size=9), loss=Hinge(), penalty=ElasticNet(strength=0)),
        algorithm=Diffusion(batch=1, step=Diminishing(first=0.5, decay=0.1)),
    )
    radius = spectral_radius(combination_matrix(here.task.weights, here.neighbours))
    features = here.task.open_features()
    steepest = np.sqrt(sum(float((features(share.samples) ** 2).sum(axis=1).max()) for share in here.shares))
    bounds = consensus_bounds(here)
    assert bounds is not None
    assert radius is not None
    u = 0.0
    for k in range(ROUNDS):
        assert bounds[k] == pytest.approx(u / np.sqrt(6), rel=1e-12)
        u = radius * u + 0.5 / (1 + 0.1 * k) * steepest


@settings(deadline=None, derandomize=True, max_examples=20)
@given(
    seed=st.integers(0, 1000),
    order=st.sampled_from(["combine-then-adapt", "adapt-then-combine"]),
    objective=st.sampled_from([(Hinge(), 0.01), (Hinge(), 1.0), (Squared(labels="signs"), 2.0)]),
    batch=st.sampled_from(["all", 1, 3]),
)
def test_regret_stays_below_its_bound(seed: int, order: Any, objective: Any, batch: Any) -> None:
    """In every round, for networks and for isolated nodes, against the best parameters in hindsight."""
    loss, strength = objective
    here = world(
        seed=seed,
        model=Model(features=Fourier(size=9), loss=loss, penalty=ElasticNet(strength=strength, share="node")),
        algorithm=Diffusion(order=order, batch=batch, step=Pegasos()),
        rounds=30,
    )
    for method in ("network", "isolated"):
        for row in rows(here, method):
            assert row["theory"]["regret"] <= row["theory"]["regret-bound"] + 1e-9


def test_regret_is_what_was_paid_less_what_the_best_would_have_paid() -> None:
    """Worked out by hand for one node that learns from one sample a round."""
    here = world(network=Network(topology=Complete(nodes=1)), rounds=60)
    found: list[dict[str, Any]] = []
    end: dict[str, Any] = perform("centralised-features", here, InProcess(), found.append)
    (best,) = np.array(end["final"])
    z, y = here.task.open_features()(here.shares[0].samples), here.task.loss.targets(here.shares[0].labels, 2)

    def cost(theta: Any, i: int) -> float:
        return float(max(0, 1 - y[i] * (z[i] @ theta)) + 0.05 / 2 * theta @ theta)

    theta, regret = np.zeros(9), 0.0
    batches = Batches(60, 1, here.shares[0].key)
    for k in range(60):
        rows_of = batches.rows(k)
        assert rows_of is not None
        (i,) = rows_of
        regret += cost(theta, i) - cost(best, i)
        gradient = 0.05 * theta - (y[i] * (z[i] @ theta) < 1) * y[i] * z[i]
        theta = theta - gradient / (0.05 * (k + 1))
    assert rows(here)[-1]["theory"]["regret"] == pytest.approx(regret, rel=1e-9)


def test_the_gap_is_to_the_optimum_on_features() -> None:
    """objective - J*, never below zero."""
    here, found = world(), []
    perform("centralised-features", here, InProcess(), found.append)
    least = found[0]["objective"]
    for row in rows(here):
        assert row["theory"]["gap"] == pytest.approx(row["objective"] - least, abs=1e-9)
        assert row["theory"]["gap"] >= -1e-7


@pytest.mark.parametrize("order", ["consensus", "combine-then-adapt", "adapt-then-combine"])
@pytest.mark.parametrize("loss", [Hinge(), Squared(labels="signs")], ids=["hinge", "squared"])
def test_a_complete_graph_is_one_machine(order: Any, loss: Any) -> None:
    """Where all weigh all alike, every node follows descent on one machine, to 1e-10, also with unequal nodes."""
    here = world(
        data=Twos(train=58, test=20),
        network=Network(topology=Complete(nodes=6)),
        model=Model(features=Fourier(size=9), loss=loss, penalty=ElasticNet(strength=0.05, share="node")),
        algorithm=Diffusion(order=order, step=Diminishing(first=0.5, decay=0.01), average="weighted"),
    )
    found: list[dict[str, Any]] = []
    perform("single-machine", here, InProcess(), found.append)
    machine = dict(single_machine(here))
    assert sorted(machine) == list(range(ROUNDS + 1))
    final = rows(here)
    if order == "adapt-then-combine":
        assert max(row["theory"]["network-error"] for row in final) <= 1e-20
        assert [row["objective"] for row in final] == pytest.approx([row["objective"] for row in found[1:]], rel=1e-10)
    # The other orders combine before they adapt: nodes differ by their own gradients, but their mean does not.
    assert final[-1]["theory"]["network-error"] < 1e-2


@pytest.mark.parametrize("link", [Loss(p=0.5), Delay(time=50_000_000)])
def test_bounds_are_silent_once_a_frame_was_lost_or_late(link: Any) -> None:
    """Their proofs have every frame arrive in its slot; the gap and the network's error are told all the same."""
    network = Network(topology=ErdosRenyi(nodes=6, p=0.5), links={"link": link})
    last = rows(world(network=network))[-1]["theory"]
    assert set(last) == {"gap", "regret", "network-error"}


@pytest.mark.parametrize(
    "changes",
    [
        {"algorithm": Diffusion(order="consensus", step=Pegasos())},
        {"algorithm": Diffusion(step=Diminishing())},
        {"messages": Full(values="float32")},
        {"model": Model(features=Fourier(size=9), loss=OrdinalHinge(), penalty=ElasticNet(share="node"))},
    ],
)
def test_regret_has_a_bound_only_where_its_proof_goes_through(changes: dict[str, Any]) -> None:
    """Steps 1/(lambda n), gradients where the step starts, exact values sent, all parameters within its curvature."""
    assert regret_is_bounded(world())
    assert not regret_is_bounded(world(**changes))


def test_losses_without_a_steepest_slope_have_no_bound() -> None:
    """The squared loss, and values that are rounded on the wire."""
    squared = Model(features=Fourier(size=9), loss=Squared(labels="signs"), penalty=ElasticNet(strength=0.05))
    assert consensus_bounds(world(model=squared)) is None
    assert consensus_bounds(world(messages=Full(values="float16"))) is None


def test_theory_changes_no_number_of_a_run() -> None:
    """Parameters, metrics and traffic are those of the run without it."""
    with_theory = rows(world())
    without = rows(world(record=Record(every=1)))
    assert [{**row, "theory": None} for row in with_theory] == [{**row, "theory": None} for row in without]


def test_final_parameters_are_told_where_they_are_asked_for() -> None:
    """One row a node, whose digest is the record's."""
    here = world(record=Record(parameters=True), network=Network(topology=Ring(nodes=5)))
    end = perform("network", here, InProcess(), lambda row: None)
    final = np.array(end["final"])
    assert final.shape == (5, 9)
    assert digest(final) == end["parameters"]
    assert "final" not in perform("network", world(), InProcess(), lambda row: None)


def test_theory_is_the_same_over_zeromq() -> None:
    """Two workers tell what nodes measure: all rows are those of one process."""
    scenario = Scenario(
        name="small",
        rounds=20,
        record=Record(every=1, theory=True),
        data=Rings(train=60, test=20),
        network=Network(topology=ErdosRenyi(nodes=6, p=0.5)),
        model=Model(features=Fourier(size=9), loss=OrdinalHinge()),
    )
    here = build(scenario, 0, Path())
    found: list[dict[str, Any]] = []
    assert perform("network", here, ZeroMQ(workers=2), found.append)["end"] == "completed"
    assert found[1:] == rows(here)
    assert "regret" in found[-1]["theory"]


@pytest.mark.parametrize("loss", [Hinge(), OrdinalHinge()])
def test_no_objective_is_below_its_optimum_where_each_node_scales_by_itself(loss: Any) -> None:
    """The optimum is that of the objective that nodes have, on samples as each scales its own."""
    model = Model(features=Fourier(size=9), loss=loss, penalty=ElasticNet(alpha=0, share="node"))
    own = world(model=model, scaling=ZScore(from_="node"), split=ByLabel())
    gaps = [row["theory"]["gap"] for row in rows(own)]
    assert min(gaps) > -1e-6
    found: list[dict[str, Any]] = []
    perform("centralised-features", own, InProcess(), found.append)
    assert rows(own)[-1]["objective"] - found[0]["objective"] == pytest.approx(gaps[-1], abs=1e-6)


def test_bounds_that_overflow_are_left_out() -> None:
    """A run is recorded as without theory where its consensus bound is infinite."""
    model = Model(features=Fourier(size=9), loss=Hinge(), penalty=ElasticNet(strength=1e6, share="node"))
    violent = {"model": model, "algorithm": Diffusion(step=Diminishing(first=3.0)), "rounds": 80}
    with_theory, without = (
        perform("network", world(record=Record(every=1, theory=theory), **violent), InProcess(), lambda row: None)
        for theory in (True, False)
    )
    assert with_theory == without


def test_one_machine_keeps_its_parameters_as_nodes_do() -> None:
    """With ``parameters: true`` its last ones are in the record: those of a network that is complete, by algebra."""
    here = world(
        record=Record(parameters=True),
        network=Network(topology=Complete(nodes=6)),
        algorithm=Diffusion(order="adapt-then-combine", step=Diminishing()),
    )
    machine = perform("single-machine", here, InProcess(), lambda row: None)["final"]
    network = perform("network", here, InProcess(), lambda row: None)["final"]
    np.testing.assert_allclose(np.array(network), np.repeat(machine, 6, axis=0), atol=1e-10)

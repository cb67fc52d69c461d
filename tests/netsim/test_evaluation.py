from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from netsim import evaluation
from netsim.data import Rings
from netsim.evaluation import Evaluation
from netsim.scaling import Scaling, Unscaled, ZScore
from netsim.scenario.schema import Model, Network, Scenario
from netsim.topology import Star
from netsim.world import World, build
from nodes.arrays import Floats
from nodes.features import Fourier
from nodes.losses import Losses, OrdinalHinge, Squared
from nodes.penalties import ElasticNet

LOSSES: dict[str, Losses] = {
    "ordinal sum": OrdinalHinge(),
    "ordinal mean": OrdinalHinge(C=2.0, reduce="mean"),
    "squared": Squared(),
}


def world(loss: Losses = LOSSES["ordinal sum"], scaling: Scaling = ZScore(), share: Any = "network") -> World:  # noqa: B008
    """Four nodes with 8, 8, 7 and 7 samples of their own."""
    scenario = Scenario(
        name="tiny",
        rounds=1,
        data=Rings(train=30, test=13),
        scaling=scaling,
        network=Network(topology=Star(nodes=4)),
        model=Model(features=Fourier(size=6), loss=loss, penalty=ElasticNet(alpha=0.3, share=share)),
    )
    return build(scenario, 0, Path())


def stack(world: World, seed: int = 1) -> Floats:
    """Random parameters of all nodes, a third of them zero."""
    draws = np.random.default_rng(seed)
    values = draws.normal(size=(4, world.task.parameters))
    values[:, : world.task.feature_count] *= draws.random((4, world.task.feature_count)) > 0.3
    return values


@pytest.mark.parametrize("share", ["network", "node"])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("scaling", [ZScore(), ZScore(from_="node"), Unscaled()], ids=["shared", "own", "none"])
def test_the_objective_is_the_sum_of_all_nodes_objectives(loss: Losses, scaling: Scaling, share: Any) -> None:
    """J(theta) adds, node by node, what the node would minimise on its samples as it scales them."""
    tiny = world(loss, scaling, share)
    thetas, D, features = stack(tiny), 6, tiny.task.open_features()
    expected = []
    for theta in thetas:
        J = 0.0
        for own in tiny.shares:
            targets = loss.targets(own.labels, tiny.task.ranks)
            losses = loss.values(features(own.samples) @ theta[:D], theta[D:], targets)
            J += loss.factor(30) * (losses.sum() if loss.reduce == "sum" else losses.mean())
            J += (1 / 4 if share == "network" else 1) * tiny.task.penalty.value(theta[:D])
        expected.append(J)
    np.testing.assert_allclose(Evaluation(tiny).objectives(thetas), expected, rtol=1e-12)
    assert Evaluation(tiny).row(thetas)["objective"] == pytest.approx(np.mean(expected), rel=1e-12)


@pytest.mark.parametrize("scaling", [ZScore(), ZScore(from_="node")], ids=["shared", "own"])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_metrics_are_those_of_each_nodes_own_model(loss: Losses, scaling: Scaling) -> None:
    """On the test set as the node scales it: mean, deviation and worst over nodes."""
    tiny = world(loss, scaling)
    thetas, features = stack(tiny), tiny.task.open_features()
    each = [
        loss.metrics(features(scaler(tiny.dataset.X_test)) @ theta[:6], theta[6:], tiny.dataset.y_test)
        for theta, scaler in zip(thetas, tiny.scalers, strict=True)
    ]
    found = Evaluation(tiny).metrics(thetas)
    assert set(found) == set(each[0])
    for name, summary in found.items():
        values = np.array([metrics[name] for metrics in each])
        worst = values.min() if name == "accuracy" else values.max()
        assert summary == pytest.approx({"mean": values.mean(), "std": values.std(), "worst": worst}, rel=1e-12)
        assert summary["std"] > 0


def test_nodes_that_scale_by_themselves_differ() -> None:
    """With the same parameters everywhere, own scaling makes different predictions; shared scaling does not."""
    same = np.tile(stack(world())[0], (4, 1))
    for loss in LOSSES.values():
        assert [metric["std"] for metric in Evaluation(world(loss)).metrics(same).values()] == pytest.approx([0, 0])
    own = Evaluation(world(Squared(), ZScore(from_="node"))).metrics(same[:, :6])
    assert own["mse"]["std"] > 1e-3


def test_consensus_is_the_mean_square_distance_from_the_mean() -> None:
    """Root of the mean over nodes of ||theta_m - mean||^2; zero where all agree."""
    tiny = world()
    thetas = stack(tiny)
    expected = np.sqrt(np.mean([((theta - thetas.mean(axis=0)) ** 2).sum() for theta in thetas]))
    assert Evaluation(tiny).row(thetas)["consensus"] == pytest.approx(expected, rel=1e-12)
    assert Evaluation(tiny).row(np.tile(thetas[0], (4, 1)))["consensus"] == pytest.approx(0, abs=1e-15)


def test_zeros_are_counted_among_the_weights_only() -> None:
    """Thresholds do not count; small is below 1e-2 in size, exact zeros included."""
    tiny = world()
    thetas = np.ones((4, 9))
    thetas[:, 6:] = 0.0
    thetas[0, :3] = [0.0, -0.0, 0.0099]
    thetas[1, :3] = [-0.005, 0.01, -0.01]
    assert Evaluation(tiny).row(thetas)["zeros"] == {"exact": 2 / 24, "small": 4 / 24}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_chunks_give_what_kept_features_give(monkeypatch: pytest.MonkeyPatch, loss: Losses) -> None:
    """Training sets too large to keep are evaluated in pieces, with the same result."""
    tiny = world(loss, ZScore(from_="node"))
    kept = Evaluation(tiny).row(stack(tiny))
    monkeypatch.setattr(evaluation, "KEPT_BYTES", 30 * 6 * 8 - 1)
    monkeypatch.setattr(evaluation, "CHUNK_ROWS", 7)
    chunked = Evaluation(tiny)
    assert len(list(chunked._training())) == 5
    assert chunked.row(stack(tiny))["objective"] == pytest.approx(kept["objective"], rel=1e-12)


def test_evaluating_changes_nothing() -> None:
    """The same stack evaluates to the same row again, and is left as it was."""
    tiny = world()
    thetas = stack(tiny)
    before, judge = thetas.copy(), Evaluation(tiny)
    assert judge.row(thetas) == judge.row(thetas) == Evaluation(tiny).row(thetas)
    assert (thetas == before).all()

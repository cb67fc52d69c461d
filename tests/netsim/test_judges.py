"""Outside judges: other people's implementations of what is computed here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge, SGDClassifier
from skordinal.classifiers import SVOR

from netsim.baselines.svorim import kernel_optimum
from netsim.data import Npz, Rings, Ripples
from netsim.scaling import Unscaled
from netsim.scenario.schema import Model, Network, Scenario
from netsim.topology import Complete
from netsim.transports.inprocess import InProcess
from netsim.world import World, build
from nodes.arrays import Floats
from nodes.batches import Batches
from nodes.diffusion import Diffusion
from nodes.fourier import Fourier
from nodes.losses import Hinge, Squared, signs
from nodes.penalties import ElasticNet
from nodes.steps import Diminishing, Pegasos


class Latest:
    """An observer that keeps what nodes told last."""

    def __init__(self) -> None:
        self.parameters: dict[int, Floats] = {}

    def tell(self, node: int, completed: int, estimate: Floats, traffic: object) -> None:
        """Keep it."""
        self.parameters[node] = estimate.copy()


def final(world: World) -> Floats:
    """The last parameters (M, P) of all nodes."""
    observer = Latest()
    InProcess().run(world, observer)  # type: ignore[arg-type]
    return np.array([observer.parameters[node] for node in sorted(observer.parameters)])


def test_one_node_s_pegasos_is_scikit_learn_s_stochastic_descent(tmp_path: Path) -> None:
    """With steps 1/(lambda t) on the same samples in the same order, two passes give the same weights to 1e-9."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(120, 2))
    np.savez(tmp_path / "halves.npz", X=X, y=np.where(np.sin(2 * X[:, 0]) + X[:, 1] > 0, 1, -1))
    strength = 0.03
    scenario = Scenario(
        name="one",
        passes=2,
        data=Npz(path="halves.npz", train=100),
        scaling=Unscaled(),
        network=Network(topology=Complete(nodes=1)),
        model=Model(features=Fourier(size=15), loss=Hinge(), penalty=ElasticNet(strength=strength)),
        algorithm=Diffusion(batch=1, step=Pegasos()),
    )
    world = build(scenario, 0, tmp_path)
    (share,) = world.shares
    batches = Batches(100, 1, share.key)
    order = np.concatenate([batches.rows(k) for k in range(200)])
    judge = SGDClassifier(
        loss="hinge", alpha=strength, fit_intercept=False, learning_rate="invscaling", eta0=1 / strength, power_t=1.0,
        shuffle=False, max_iter=1, tol=None,
    )  # fmt: skip
    judge.fit(world.task.open_features()(share.samples)[order], signs(share.labels)[order])
    np.testing.assert_allclose(final(world)[0], judge.coef_[0], rtol=0, atol=1e-9)


def test_descent_on_a_complete_graph_comes_to_ridge_regression() -> None:
    """With the squared loss, equal nodes and a ridge every node has scikit-learn's weights to 1e-6."""
    scenario = Scenario(
        name="ridge",
        rounds=1500,
        data=Ripples(train=100, test=10),
        scaling=Unscaled(),
        network=Network(topology=Complete(nodes=5)),
        model=Model(features=Fourier(size=12), loss=Squared(), penalty=ElasticNet(strength=0.05, share="node")),
        algorithm=Diffusion(order="adapt-then-combine", step=Diminishing(first=1.0, decay=0.0)),
    )
    world = build(scenario, 0, Path())
    features = world.task.open_features()(world.dataset.X_train)
    judge = Ridge(alpha=0.05 * 100, fit_intercept=False).fit(features, world.dataset.y_train)
    np.testing.assert_allclose(final(world), np.tile(judge.coef_, (5, 1)), atol=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_centralised_baseline_labels_as_svor_does_on_rings(seed: int) -> None:
    """Chu and Keerthi's code with implicit constraints gives 98 % of 300 test samples the same rank, and the same MAE.

    It stops early, so that labels are compared and not objectives.
    """
    data = Rings(train=200, test=300).load(np.random.default_rng(seed), 0, Path())
    assert_alike(data.X_train, data.y_train, data.X_test, data.y_test, gamma=0.5, C=5.0)


@pytest.mark.parametrize("name", ["toy", "newthyroid", "tae"])
def test_the_centralised_baseline_labels_as_svor_does_on_published_sets(name: str, shared_data: Path) -> None:
    """The same on published partitions of real data."""
    data = Npz(path=f"{name}.npz").load(np.random.default_rng(0), 0, shared_data / "ordinal")
    mean, std = data.X_train.mean(axis=0), data.X_train.std(axis=0)
    std[std == 0] = 1
    assert_alike((data.X_train - mean) / std, data.y_train, (data.X_test - mean) / std, data.y_test, gamma=0.1, C=10.0)


def assert_alike(X: Floats, y: Floats, others: Floats, ranks_of: Floats, gamma: float, C: float) -> None:
    """That both give nearly all samples the same rank."""
    gram = Fourier(gamma=gamma).gram
    ranks = int(y.max())
    optimum = kernel_optimum(gram(X, X), y, ranks, C)  # type: ignore[arg-type]
    ours = 1 + ((gram(others, X) @ optimum.coefficients)[:, None] > optimum.thresholds).sum(axis=1)
    theirs = SVOR(C=C, kernel="rbf", gamma=gamma, constraints="implicit", tol=1e-4).fit(X, y).predict(others)
    assert (ours == theirs).mean() >= 0.98
    assert np.abs(ours - ranks_of).mean() == pytest.approx(np.abs(theirs - ranks_of).mean(), abs=0.02)

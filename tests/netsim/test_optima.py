"""Exact optima of the hinge and squared losses, with the run's features and with the exact kernel."""

from __future__ import annotations

from pathlib import Path

import clarabel
import numpy as np
import pytest
from scipy import sparse

from netsim.baselines.centralised import centralised, centralised_features
from netsim.baselines.kernels import kernel_features
from netsim.baselines.linear import hinge_optimum, squared_optimum
from netsim.baselines.optima import AbsentError
from netsim.data import Dataset, Rings
from netsim.evaluation import Evaluation
from netsim.scenario.schema import Model, Network, Scenario
from netsim.topology import Complete, Ring
from netsim.world import World, build
from nodes.arrays import Floats
from nodes.diffusion import Diffusion
from nodes.features import Features, Fourier, Linear
from nodes.losses import Hinge, Losses, OrdinalHinge, Squared
from nodes.penalties import ElasticNet


class Halves:
    """Two classes by the side of a curve, or a curve to follow."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """72 training samples, which five nodes cannot share evenly, and 28 test samples."""
        X = generator.normal(size=(100, 2))
        curve = np.sin(2 * X[:, 0]) + X[:, 1]
        y = (curve > 0) + 1 if self.ranks else curve
        return Dataset(X[:72], y[:72], X[72:], y[72:], self.ranks)


def world(loss: Losses, strength: float = 0.01, features: Features = Fourier(size=12), **more: object) -> World:  # noqa: B008
    """A small world of five nodes with 14 or 15 samples each."""
    penalty = ElasticNet(strength=strength, share="node", **more)  # type: ignore[arg-type]
    scenario = Scenario(
        name="halves",
        rounds=3,
        data=Halves(2 if loss == Hinge() else 0),  # type: ignore[arg-type]
        network=Network(topology=Ring(nodes=5)),
        model=Model(features=features, loss=loss, penalty=penalty),
    )
    return build(scenario, 0, Path(), {})


def by_clarabel(features: Floats, signs: Floats, counts: Floats, curvature: float) -> Floats:
    """The weights of the primal program of the hinge loss, by an interior point method."""
    samples, columns = features.shape
    quadratic = sparse.block_diag([curvature * np.eye(columns), sparse.csc_array((samples, samples))], format="csc")
    rows = sparse.block_array(
        [
            [sparse.csc_array(-signs[:, None] * features), -sparse.eye_array(samples)],
            [None, -sparse.eye_array(samples)],
        ],
        format="csc",
    )
    limits = np.concatenate([-np.ones(samples), np.zeros(samples)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    cost = np.concatenate([np.zeros(columns), counts])
    solver = clarabel.DefaultSolver(
        sparse.triu(quadratic, format="csc"), cost, rows, limits, [clarabel.NonnegativeConeT(2 * samples)], settings
    )
    return np.array(solver.solve().x[:columns])


def test_the_hinge_s_optimum_is_that_of_an_interior_point_method() -> None:
    """Weights agree with clarabel's to 1e-5, with samples that count unequally."""
    draws = np.random.default_rng(1)
    features, counts = draws.normal(size=(60, 7)), draws.uniform(0.01, 0.2, 60)
    signs = np.sign(features[:, 0] + draws.normal(size=60))
    found = hinge_optimum(features, signs, counts, 0.3)
    np.testing.assert_allclose(found, by_clarabel(features, signs, counts, 0.3), atol=1e-5)


@pytest.mark.parametrize("curvature", [0.0, 0.5])
def test_the_squared_loss_s_optimum_has_no_gradient(curvature: float) -> None:
    """curvature w + sum_i counts_i (w'z_i - y_i) z_i vanishes; without curvature and with few samples w is shortest."""
    draws = np.random.default_rng(2)
    features, targets, counts = draws.normal(size=(9, 12)), draws.normal(size=9), draws.uniform(0.5, 2, 9)
    weights = squared_optimum(features, targets, counts, curvature)
    gradient = curvature * weights + features.T @ (counts * (features @ weights - targets))
    np.testing.assert_allclose(gradient, 0, atol=1e-10)
    if curvature == 0:
        np.testing.assert_allclose(weights, np.linalg.lstsq(features, targets, rcond=None)[0], atol=1e-9)


@pytest.mark.parametrize("repeated", [False, True])
def test_kernel_features_have_the_kernel_as_inner_product(repeated: bool) -> None:
    """Between training samples, and between training and other samples, to 1e-5; also with repeated samples."""
    draws = np.random.default_rng(3)
    train, others = draws.normal(size=(40, 2)), draws.normal(size=(7, 2))
    train = np.vstack([train, train]) if repeated else train
    gram = Fourier(gamma=0.7).gram
    features = kernel_features(gram, train)
    np.testing.assert_allclose(features(train) @ features(train).T, gram(train, train), atol=1e-5)
    np.testing.assert_allclose(features(train) @ features(others).T, gram(train, others), atol=1e-5)


@pytest.mark.parametrize("loss", [Hinge(), Squared()], ids=["hinge", "squared"])
def test_no_parameters_are_better_than_the_optimum_on_features(loss: Losses) -> None:
    """The network's own objective, as runs report it, is least there: nodes with fewer samples weigh each more."""
    here = world(loss)
    row, end = centralised_features(here)
    (theta,) = np.array(end["final"])
    evaluation = Evaluation(here)
    assert evaluation.objectives(theta[None])[0] == pytest.approx(row["objective"], rel=1e-12)
    moves = np.random.default_rng(0).normal(size=(40, len(theta))) * np.logspace(-4, 0, 40)[:, None]
    assert (evaluation.objectives(theta + moves) >= row["objective"] * (1 - 1e-9)).all()


@pytest.mark.parametrize("loss", [Hinge(), Squared()], ids=["hinge", "squared"])
def test_many_features_come_to_the_exact_kernel(loss: Losses) -> None:
    """With 2000 random features the two centralised objectives agree within 7 %."""
    exact, _ = centralised(world(loss))
    many, _ = centralised_features(world(loss, features=Fourier(size=2000)))
    assert many["objective"] == pytest.approx(exact["objective"], rel=0.07)


def test_the_linear_kernel_and_linear_features_have_one_optimum() -> None:
    """Both baselines agree on the objective and the accuracy."""
    here = world(Hinge(), features=Linear())
    exact, features = centralised(here)[0], centralised_features(here)[0]
    assert exact["objective"] == pytest.approx(features["objective"], rel=1e-6)
    assert exact["accuracy"] == features["accuracy"]


@pytest.mark.parametrize(
    ("loss", "strength", "more", "features", "exact"),
    [
        (Hinge(), 0.0, {}, "known with a penalty only", "would repeat every label"),
        (Squared(), 0.1, {"alpha": 0.5}, "known for alpha: 0 only", "known for alpha: 0 only"),
    ],
)
def test_what_has_no_exact_optimum_says_why(
    loss: Losses, strength: float, more: dict[str, object], features: str, exact: str
) -> None:
    """The baseline is absent, with a reason."""
    here = world(loss, strength, **more)
    with pytest.raises(AbsentError, match=features):
        centralised_features(here)
    with pytest.raises(AbsentError, match=exact):
        centralised(here)


def test_the_ordinal_optimum_knows_the_strength() -> None:
    """A strength of s with C is s times the problem with C/s, whose weights are the same."""

    def solved(strength: float, C: float) -> float:
        scenario = Scenario(
            name="rings",
            rounds=1,
            data=Rings(train=60, test=10),
            network=Network(topology=Complete(nodes=3)),
            model=Model(
                features=Fourier(size=10), loss=OrdinalHinge(C=C), penalty=ElasticNet(alpha=0.3, strength=strength)
            ),
            algorithm=Diffusion(),
        )
        return float(centralised_features(build(scenario, 0, Path()))[0]["objective"])

    assert solved(4.0, 2.0) == pytest.approx(4 * solved(1.0, 0.5), rel=1e-7)

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from netsim.baselines.centralised import AbsentError, centralised, centralised_features
from netsim.baselines.highs import solve
from netsim.baselines.interior import solve_primal
from netsim.baselines.programs import dual_on_features, dual_on_kernel, dual_shares
from netsim.baselines.svorim import (
    FEW_FEATURES,
    FeatureOptimum,
    KernelOptimum,
    best_thresholds,
    feature_optimum,
    hinge_sum,
    kernel_optimum,
    threshold_interval,
)
from netsim.data import Strips
from netsim.scenario.schema import Model, Network, Scenario
from netsim.topology import ErdosRenyi
from netsim.world import build
from nodes.arrays import Floats, Integers
from nodes.diffusion import Diffusion
from nodes.features import Linear
from nodes.losses import OrdinalHinge
from nodes.penalties import ElasticNet

PUBLISHED = ["toy_std0_C10_g1", "toy_std1_C1_g1", "housing5_std1_C1_g0.1"]


def gaussian(left: Floats, right: Floats, gamma: float) -> Floats:
    """The Gaussian kernel of every pair of rows."""
    return np.exp(-gamma * ((left[:, None] - right[None]) ** 2).sum(axis=2))


def rings(samples: int, seed: int) -> tuple[Floats, Integers]:
    """Points of a disc, noisy and standardised, and their ranks by radius 1, 2, 3 of 4."""
    draws = np.random.default_rng(seed)
    radius, angle = 4 * np.sqrt(draws.random(samples)), 2 * np.pi * draws.random(samples)
    inputs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    inputs += 0.2 * draws.standard_normal(inputs.shape)
    return (inputs - inputs.mean(axis=0)) / inputs.std(axis=0), 1 + np.digitize(radius, [1.0, 2.0, 3.0])


def waves(inputs: Floats, size: int, gamma: float, seed: int) -> Floats:
    """Random Fourier features of the Gaussian kernel."""
    draws = np.random.default_rng(seed)
    directions = draws.standard_normal((inputs.shape[1], size)) * np.sqrt(2 * gamma)
    return np.sqrt(2 / size) * np.cos(inputs @ directions + 2 * np.pi * draws.random(size))


def by_clarabel(features: Floats, ranks_of: Integers, ranks: int, weight: float, ridge: float, lasso: float) -> float:
    """The optimum of the primal over (w, |w|, b, slacks), by an interior-point method."""
    (samples, columns), cuts = features.shape, ranks - 1
    signs = np.where(ranks_of[:, None] > np.arange(1, ranks), 1.0, -1.0).reshape(-1, 1)
    hinges = samples * cuts
    each, slacks = np.eye(columns), np.eye(hinges)
    margins = [signs * np.repeat(features, cuts, axis=0), np.zeros((hinges, columns))]
    margins += [-signs * np.tile(np.eye(cuts), (samples, 1)), slacks]
    rest = np.zeros((columns, cuts + hinges))
    least = np.block(
        [
            [*margins],
            [np.zeros((hinges, 2 * columns + cuts)), slacks],
            [-each, each, rest],
            [each, each, rest],
        ]
    )
    limits = np.concatenate([np.ones(hinges), np.zeros(hinges + 2 * columns)])
    cost = np.concatenate([np.zeros(columns), np.full(columns, lasso), np.zeros(cuts), np.full(hinges, weight)])
    curvature = sparse.diags_array(np.concatenate([np.full(columns, ridge), np.zeros(len(cost) - columns)]))
    options = clarabel.DefaultSettings()
    options.verbose, options.tol_gap_rel, options.tol_gap_abs, options.tol_feas = False, 1e-10, 1e-10, 1e-10
    cones = [clarabel.NonnegativeConeT(len(limits))]
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(curvature), cost, sparse.csc_matrix(-least), -limits, cones, options
    )
    return float(solver.solve().obj_val)


def closed(optimum: KernelOptimum | FeatureOptimum) -> bool:
    """Whether primal and dual value are equal to 1e-7."""
    return abs(optimum.objective - optimum.bound) <= 1e-7 * optimum.objective + 1e-12


@pytest.fixture(scope="module", params=PUBLISHED)
def published(request: pytest.FixtureRequest, shared_data: Path) -> tuple[dict[str, Any], KernelOptimum, Any]:
    """A known optimum, ours of the same problem, and (scores of training, ranks, scores of test, ranks)."""
    known = json.loads((shared_data / "ordinal" / "svorim_optima.json").read_text())[request.param]
    stored = np.load(shared_data / "ordinal" / f"{request.param.split('_')[0]}.npz", allow_pickle=False)
    train, test = stored["train_idx"][0], stored["test_idx"][0]
    inputs, ranks_of = stored["X"].astype(float), stored["y"].astype(np.int64)
    if known["std"]:
        inputs = (inputs - inputs[train].mean(axis=0)) / inputs[train].std(axis=0, ddof=1)
    kernel = gaussian(inputs[train], inputs[train], known["gamma"])
    optimum = kernel_optimum(kernel, ranks_of[train], known["Q"], known["C"])
    beyond = gaussian(inputs[test], inputs[train], known["gamma"]) @ optimum.coefficients
    return known, optimum, (kernel @ optimum.coefficients, ranks_of[train], beyond, ranks_of[test])


def test_objective_is_the_published_one(published: Any) -> None:
    """The objective agrees with an independent solver's on three real problems to 1e-6."""
    known, optimum, _ = published
    assert optimum.objective == pytest.approx(known["obj_qp"], rel=1e-6)


def test_thresholds_are_the_published_ones(published: Any) -> None:
    """Known thresholds lie in our interval of equally good ones, and equal its middle where it is a point."""
    known, optimum, (scores, ranks_of, _, _) = published
    for rank, (ours, theirs) in enumerate(zip(optimum.thresholds, known["thr_qp"], strict=True), start=1):
        low, high = threshold_interval(scores, ranks_of, rank)
        assert low - 1e-3 <= theirs <= high + 1e-3
        assert abs(ours - theirs) <= 1e-3 + (high - low) / 2


def test_test_error_is_the_published_one(published: Any) -> None:
    """At the published thresholds, which need not be the middle ones, our function makes the published errors."""
    known, _, (_, _, scores, ranks_of) = published
    predicted = 1 + (scores[:, None] > np.array(known["thr_qp"])).sum(axis=1)
    assert np.abs(predicted - ranks_of).mean() == pytest.approx(known["mae_qp"], abs=1e-12)


@pytest.mark.parametrize("published", PUBLISHED[1:], indirect=True)
def test_test_error_at_our_own_thresholds(published: Any) -> None:
    """Where the optimal thresholds are unique, ours make the published errors too."""
    known, optimum, (_, _, scores, ranks_of) = published
    predicted = 1 + (scores[:, None] > optimum.thresholds).sum(axis=1)
    assert np.abs(predicted - ranks_of).mean() == pytest.approx(known["mae_qp"], abs=1e-12)


@pytest.mark.parametrize("weight", [0.1, 1.0, 30.0])
def test_kernel_optimum_agrees_with_an_interior_point_method(weight: float) -> None:
    """A kernel that is a product of features has the optimum over those features, found by clarabel in the primal."""
    for seed in range(4):
        inputs, ranks_of = rings(30, seed)
        features = waves(inputs, 12, 0.5, seed)
        ours = kernel_optimum(features @ features.T, ranks_of, 4, weight).objective
        assert ours == pytest.approx(by_clarabel(features, ranks_of, 4, weight, 1.0, 0.0), rel=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("scale", [1.0, 0.05])
def test_feature_optimum_agrees_with_an_interior_point_method(alpha: float, scale: float) -> None:
    """The elastic net's optimum is that of clarabel in the primal, for every mixture and scale of the penalty."""
    for seed in range(4):
        inputs, ranks_of = rings(30, seed)
        features = waves(inputs, 15, 0.5, seed)
        ours = feature_optimum(features, ranks_of, 4, 1.0, alpha, scale).objective
        theirs = by_clarabel(features, ranks_of, 4, 1.0, scale * (1 - alpha), scale * alpha)
        assert ours == pytest.approx(theirs, rel=1e-6)


def test_kernel_and_features_are_the_same_problem_without_l1() -> None:
    """With alpha 0 the scores of the two optima are equal, the strictly convex part being unique."""
    inputs, ranks_of = rings(80, 5)
    features = waves(inputs, 20, 0.5, 5)
    kernel = features @ features.T
    ours, other = kernel_optimum(kernel, ranks_of, 4, 1.0), feature_optimum(features, ranks_of, 4, 1.0, 0.0)
    np.testing.assert_allclose(kernel @ ours.coefficients, features @ other.weights, atol=1e-6)
    np.testing.assert_allclose(ours.thresholds, other.thresholds, atol=1e-6)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(
    seed=st.integers(0, 1000),
    samples=st.integers(1, 30),
    ranks=st.integers(2, 5),
    weight=st.sampled_from([0.1, 1.0, 20.0]),
    rounded=st.booleans(),
)
def test_kernel_optimum_closes_the_gap(seed: int, samples: int, ranks: int, weight: float, rounded: bool) -> None:
    """Primal and dual value meet, also with repeated samples and absent ranks, and no share leaves its box."""
    draws = np.random.default_rng(seed)
    inputs = draws.standard_normal((samples, 2))
    inputs = np.round(inputs) if rounded else inputs
    ranks_of = draws.integers(1, ranks + 1, samples)
    optimum = kernel_optimum(gaussian(inputs, inputs, 0.5), ranks_of, ranks, weight)
    assert closed(optimum)
    assert np.all(optimum.coefficients <= weight * (ranks_of - 1) + 1e-9)
    assert np.all(optimum.coefficients >= -weight * (ranks - ranks_of) - 1e-9)
    assert abs(optimum.coefficients.sum()) <= 1e-6 * weight
    assert np.all(np.diff(optimum.thresholds) >= -1e-9)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(
    seed=st.integers(0, 1000),
    samples=st.integers(1, 30),
    columns=st.integers(1, 40),
    alpha=st.sampled_from([0.0, 0.3, 0.9, 1.0]),
    scale=st.sampled_from([0.05, 1.0]),
)
def test_no_step_from_the_feature_optimum_descends(
    seed: int, samples: int, columns: int, alpha: float, scale: float
) -> None:
    """The gap is closed, and small steps in any direction do not lower the objective."""
    draws = np.random.default_rng(seed)
    features, ranks_of = draws.standard_normal((samples, columns)), draws.integers(1, 5, samples)
    optimum = feature_optimum(features, ranks_of, 4, 1.0, alpha, scale)

    def objective(weights: Floats) -> float:
        scores = features @ weights
        penalty = scale * ((1 - alpha) / 2 * weights @ weights + alpha * np.abs(weights).sum())
        return float(penalty) + hinge_sum(scores, best_thresholds(scores, ranks_of, 4), ranks_of)

    assert objective(optimum.weights) == pytest.approx(optimum.objective, rel=1e-12)
    assert closed(optimum)
    for step in 10.0 ** draws.uniform(-4, 0, 20):
        moved = objective(optimum.weights + step * draws.standard_normal(columns))
        assert moved >= optimum.objective * (1 - 1e-7)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    seed=st.integers(0, 1000),
    samples=st.integers(1, 40),
    columns=st.integers(1, 8),
    ranks=st.integers(2, 5),
    alpha=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    weight=st.sampled_from([0.1, 1.0, 10.0]),
    rounded=st.booleans(),
)
def test_primal_and_dual_are_each_other_s(
    seed: int, samples: int, columns: int, ranks: int, alpha: float, weight: float, rounded: bool
) -> None:
    """An interior-point method in the primal and an active set in the dual find the same shares' gain and weights.

    Also with repeated samples and absent ranks, and for the linear programs of alpha 1.
    """
    draws = np.random.default_rng(seed)
    features = draws.standard_normal((samples, columns))
    features = np.round(features) if rounded else features
    signs = np.where(draws.integers(1, ranks + 1, samples)[:, None] > np.arange(1, ranks), 1.0, -1.0)
    ours = solve_primal(signs, features, weight, 1 - alpha, alpha)
    theirs = solve(dual_on_features(signs, features, weight, 1.0, 1 - alpha, alpha))
    for shares in (ours.shares, weight * dual_shares(theirs, signs, 1.0)):
        assert np.all((signs * shares >= 0) & (signs * shares <= weight))
        np.testing.assert_allclose(shares.sum(axis=0), 0.0, atol=1e-5)
    hinges = np.maximum(0.0, 1.0 - signs * ((features @ ours.weights)[:, None] - ours.thresholds)).sum()
    penalty = (1 - alpha) / 2 * ours.weights @ ours.weights + alpha * np.abs(ours.weights).sum()
    curved = theirs.values[:columns]
    quadratic = weight * curved @ curved / (2 * (1 - alpha)) if alpha < 1 else 0.0
    gain = theirs.values[-signs.size :] @ signs.ravel() - quadratic
    assert penalty + weight * hinges == pytest.approx(weight * gain, rel=1e-6, abs=1e-8)
    if alpha < 1:
        np.testing.assert_allclose(ours.weights, theirs.multipliers[:columns], atol=1e-5)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(
    seed=st.integers(0, 1000),
    samples=st.integers(1, 40),
    columns=st.integers(1, 8),
    alpha=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    rounded=st.booleans(),
)
def test_features_that_are_zero_change_nothing(
    seed: int, samples: int, columns: int, alpha: float, rounded: bool
) -> None:
    """Few features, and the same with so many empty ones that the dual is solved first, have the same optimum."""
    draws = np.random.default_rng(seed)
    features, ranks_of = draws.standard_normal((samples, columns)), draws.integers(1, 5, samples)
    features = np.round(features) if rounded else features
    padded = np.hstack([features, np.zeros((samples, FEW_FEATURES))])
    few, many = (feature_optimum(inputs, ranks_of, 4, 1.0, alpha) for inputs in (features, padded))
    assert few.objective == pytest.approx(many.objective, rel=1e-8, abs=1e-10)
    assert few.bound == pytest.approx(many.bound, rel=1e-7, abs=1e-10)
    assert np.all(many.weights[columns:] == 0.0)
    if alpha < 1:
        np.testing.assert_allclose(few.weights, many.weights[:columns], atol=1e-5)
        np.testing.assert_array_equal(np.abs(few.weights) < 1e-6, np.abs(many.weights[:columns]) < 1e-6)


def test_few_features_have_exact_zeros() -> None:
    """Of eight features that mean nothing and one that does, the l1 part leaves exactly the one."""
    draws = np.random.default_rng(8)
    features = draws.standard_normal((200, 9))
    ranks_of = 1 + np.digitize(features[:, 0], [-0.7, 0.0, 0.7])
    for alpha in (0.5, 1.0):
        weights = feature_optimum(features, ranks_of, 4, 1.0, alpha, 60.0).weights
        assert weights[0] > 0.1
        assert np.all(weights[1:] == 0.0)


@pytest.fixture(scope="module")
def strips() -> Scenario:
    """The strips with linear features: a thousand samples of two inputs, four ranks, C = 1."""
    network = Network(topology=ErdosRenyi(nodes=20, p=0.2))
    model = Model(features=Linear(), loss=OrdinalHinge(), penalty=ElasticNet(alpha=0))
    return Scenario(name="strips", data=Strips(), network=network, model=model, algorithm=Diffusion(), rounds=1)


def test_strips_have_their_known_optimum(strips: Scenario) -> None:
    """Both baselines reach the optimum of a primal solved apart: the linear kernel's features are the inputs."""
    world = build(strips, 0, Path())
    for baseline in (centralised, centralised_features):
        assert baseline(world)[0]["objective"] == pytest.approx(689.1753652287312, rel=1e-9)


def test_a_failing_solver_leaves_the_baseline_absent(strips: Scenario) -> None:
    """The reason is the solver's, here for a sample farther away than it takes numbers."""
    world = build(strips, 0, Path())
    world.dataset.X_train[0] = 1e300
    with pytest.raises(AbsentError, match=r"the solver found no optimum: .* rescale the inputs or the weight C"):
        centralised(world)


def test_multipliers_are_thresholds_with_their_sign() -> None:
    """The dual's multipliers lie among the minimising thresholds, far from those of the opposite sign."""
    inputs, ranks_of = rings(200, 1)
    kernel, features = gaussian(inputs, inputs, 0.5), waves(inputs, 50, 0.5, 1)
    exact, mixed = kernel_optimum(kernel, ranks_of, 4, 1.0), feature_optimum(features, ranks_of, 4, 1.0, 0.5)
    for scores, optimum in ((kernel @ exact.coefficients, exact), (features @ mixed.weights, mixed)):
        assert np.all(np.abs(optimum.multipliers) > 0.5)
        for rank, multiplier in enumerate(optimum.multipliers, start=1):
            low, high = threshold_interval(scores, ranks_of, rank)
            assert low - 1e-6 <= multiplier <= high + 1e-6


def test_weights_follow_from_the_pull_on_their_feature() -> None:
    """A weight is not zero only where the penalty's slope is reached; the l1 part makes most of them exact zeros."""
    inputs, ranks_of = rings(200, 2)
    features = waves(inputs, 100, 0.5, 2)
    zeros = [
        int((feature_optimum(features, ranks_of, 4, 1.0, alpha).weights == 0.0).sum()) for alpha in (0, 0.5, 0.9, 1)
    ]
    assert zeros[0] == 0
    assert zeros == sorted(zeros)
    assert zeros[2] > 60
    weights = feature_optimum(features, ranks_of, 4, 1.0, 0.9).weights
    assert np.abs(weights[weights != 0]).min() > 1e-4


def test_a_heavy_l1_penalty_leaves_nothing() -> None:
    """Every weight is exactly zero when the l1 weight exceeds what all samples together can pull."""
    inputs, ranks_of = rings(40, 3)
    for alpha in (0.5, 1.0):
        optimum = feature_optimum(inputs, ranks_of, 4, 1.0, alpha, 1e4)
        assert np.all(optimum.weights == 0.0)
        assert optimum.objective == pytest.approx(hinge_sum(np.zeros(40), optimum.thresholds, ranks_of))


def test_threshold_interval_by_hand() -> None:
    """Scores 0 and 4 of ranks 1 and 2 are free of hinges between 1 and 3; the middle is 2."""
    scores, ranks_of = np.array([0.0, 4.0]), np.array([1, 2])
    assert threshold_interval(scores, ranks_of, 1) == (1.0, 3.0)
    assert best_thresholds(scores, ranks_of, 2) == pytest.approx([2.0])


@settings(deadline=None, derandomize=True)
@given(seed=st.integers(0, 1000), samples=st.integers(2, 20))
def test_threshold_interval_holds_all_minimisers(seed: int, samples: int) -> None:
    """The hinges are equal at both ends and in the middle, and larger outside."""
    draws = np.random.default_rng(seed)
    scores, ranks_of = draws.standard_normal(samples), np.concatenate([[1, 2], draws.integers(1, 3, samples - 2)])
    low, high = threshold_interval(scores, ranks_of, 1)
    at = [
        hinge_sum(scores, np.array([place]), ranks_of) for place in (low - 0.1, low, (low + high) / 2, high, high + 0.1)
    ]
    assert at[1] == pytest.approx(at[2], abs=1e-9)
    assert at[3] == pytest.approx(at[2], abs=1e-9)
    assert min(at[0], at[4]) > at[2] + 0.05


def test_thresholds_beyond_all_samples_are_a_margin_away() -> None:
    """With rank 2 of 1 to 4 alone, the outer thresholds lie 1 beyond the extreme scores, and no hinge is left."""
    scores, ranks_of = np.array([-0.5, 0.25]), np.array([2, 2])
    thresholds = best_thresholds(scores, ranks_of, 4)
    np.testing.assert_allclose(thresholds, [-1.5, 1.25, 1.25])
    assert hinge_sum(scores, thresholds, ranks_of) == 0.0


def test_an_absent_rank_costs_nothing() -> None:
    """Samples of ranks 1 and 2 among four ranks have the objective they have among two, and finite thresholds."""
    inputs, ranks_of = rings(60, 4)
    ranks_of = np.minimum(ranks_of, 2)
    kernel, features = gaussian(inputs, inputs, 0.5), waves(inputs, 20, 0.5, 4)
    two, four = kernel_optimum(kernel, ranks_of, 2, 1.0), kernel_optimum(kernel, ranks_of, 4, 1.0)
    assert four.objective == pytest.approx(two.objective, rel=1e-9)
    assert four.thresholds[1] == pytest.approx((kernel @ four.coefficients).max() + 1)
    two_mixed, four_mixed = (feature_optimum(features, ranks_of, ranks, 1.0, 0.5) for ranks in (2, 4))
    assert four_mixed.objective == pytest.approx(two_mixed.objective, rel=1e-9)
    assert np.all(np.isfinite(four_mixed.thresholds))


def test_one_sample_a_rank() -> None:
    """Four far samples, one a rank: with a large weight they are put apart without a hinge."""
    inputs = np.array([[0.0], [10.0], [20.0], [30.0]])
    optimum = kernel_optimum(gaussian(inputs, inputs, 0.5), np.array([1, 2, 3, 4]), 4, 100.0)
    # Far samples do not see one another: scores -3, -1, 1, 3 are the cheapest with margins of 1 about each threshold.
    np.testing.assert_allclose(optimum.coefficients, [-3, -1, 1, 3], atol=1e-6)
    np.testing.assert_allclose(optimum.thresholds, [-2, 0, 2], atol=1e-6)
    assert optimum.objective == pytest.approx(10.0)


def test_the_same_problem_gives_the_same_bits() -> None:
    """Solving twice gives identical arrays."""
    inputs, ranks_of = rings(100, 6)
    features = waves(inputs, 30, 0.5, 6)
    first, second = (feature_optimum(features, ranks_of, 4, 1.0, 0.9) for _ in range(2))
    assert first.weights.tobytes() == second.weights.tobytes()
    assert first.objective == second.objective


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """The solver writes nothing on standard output or error."""
    inputs, ranks_of = rings(20, 7)
    kernel_optimum(gaussian(inputs, inputs, 0.5), ranks_of, 4, 1.0)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kernel", [-np.eye(4), np.eye(4) + 2 * np.eye(4)[::-1]])
def test_a_kernel_that_is_no_inner_product_is_an_error(kernel: Floats) -> None:
    """Whether its diagonal is negative or it is indefinite."""
    with pytest.raises(RuntimeError, match="negative eigenvalue"):
        kernel_optimum(kernel, np.array([1, 1, 2, 2]), 2, 1.0)


def test_either_solver_comes_first_with_the_same_optimum() -> None:
    """160 samples on a grid of 25 points, of six ranks: the kernel's optimum is that of the dual's own program."""
    draws = np.random.default_rng(3)
    inputs = draws.integers(0, 5, (160, 2)).astype(float)
    ranks_of = np.clip(1 + (inputs.sum(axis=1) + draws.normal(size=160)).astype(int) // 2, 1, 6)
    kernel = gaussian(inputs, inputs, 0.5)
    ours = kernel_optimum(kernel, ranks_of, 6, 2.0)
    signs = np.where(ranks_of[:, None] > np.arange(1, 6), 1.0, -1.0)
    theirs = solve(dual_on_kernel(signs, kernel, 2.0, 1.0))
    coefficients = 2.0 * dual_shares(theirs, signs, 1.0).sum(axis=1)
    assert closed(ours)
    np.testing.assert_allclose(kernel @ ours.coefficients, kernel @ coefficients, atol=1e-5)


def test_ranks_outside_are_refused() -> None:
    """Ranks counted from zero are an error that names the range."""
    with pytest.raises(ValueError, match="ranks run from 0 to 1; they must be among 1 to 2"):
        kernel_optimum(np.eye(2), np.array([0, 1]), 2, 1.0)

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest

from nodes.arrays import Floats
from nodes.batches import Batches
from nodes.learner import Learner
from nodes.ledger import Ledger
from nodes.losses import OrdinalHinge, Squared
from nodes.penalties import ElasticNet
from nodes.steps import Diminishing

D, N, RANKS = 4, 11, 3
PART = 0.25
STEP = Diminishing(first=0.5, decay=1.0)
LOSSES: list[OrdinalHinge | Squared] = [
    OrdinalHinge(C=3.0),
    OrdinalHinge(C="33/N", reduce="mean"),
    Squared(),
    Squared(reduce="sum"),
]
NAMES = ["ordinal sum", "ordinal mean", "squared mean", "squared sum"]


def opened(
    loss: OrdinalHinge | Squared,
    size: int | None = None,
    alpha: float = 0.3,
    zeros: Literal["proximal", "subgradient"] = "proximal",
) -> tuple[Learner, Callable[[Floats], float]]:
    """A learner on random samples, and the objective that it should lower, without the proximal part."""
    draws = np.random.default_rng(4)
    features = draws.normal(size=(N, D))
    targets = loss.targets(draws.integers(1, RANKS + 1, N), RANKS)
    penalty = ElasticNet(alpha=alpha, zeros=zeros)
    learner = Learner(features, targets, loss, loss.factor(N), penalty, PART, STEP, Batches(N, size, key=7))

    def objective(theta: Floats) -> float:
        losses = loss.values(features @ theta[:D], theta[D:], targets)
        smooth = (1 - alpha) / 2 * float(theta[:D] @ theta[:D])
        return loss.factor(N) * float(losses.mean() if loss.reduce == "mean" else losses.sum()) + PART * smooth

    return learner, objective


def point(loss: OrdinalHinge | Squared, seed: int = 0) -> Floats:
    """Random parameters."""
    return np.random.default_rng(seed).normal(size=D + loss.thresholds(RANKS))


@pytest.mark.parametrize("loss", LOSSES, ids=NAMES)
def test_the_gradient_is_that_of_the_objective(loss: OrdinalHinge | Squared) -> None:
    """It equals numeric derivatives of factor * sum (or mean) of losses plus the node's part of the ridge."""
    learner, objective = opened(loss)
    for seed in range(5):
        theta = point(loss, seed)
        moves = 1e-6 * np.eye(len(theta))
        numeric = [(objective(theta + move) - objective(theta - move)) / 2e-6 for move in moves]
        np.testing.assert_allclose(learner.gradient(theta, 0), numeric, atol=2e-6)


@pytest.mark.parametrize("loss", LOSSES, ids=NAMES)
@pytest.mark.parametrize("size", [1, 4, 11, 50])
def test_batches_stand_for_all_samples(loss: OrdinalHinge | Squared, size: int) -> None:
    """Over a pass the batches' gradients, weighed by their sizes, average to the gradient on all samples."""
    whole, batched = opened(loss)[0], opened(loss, size)[0]
    theta = point(loss)
    sizes = [min(size, N - start) for start in range(0, N, size)]
    mean = sum(count / N * batched.gradient(theta, k) for k, count in enumerate(sizes))
    np.testing.assert_allclose(mean, whole.gradient(theta, 0), rtol=1e-12, atol=1e-12)
    if size < N:
        assert np.abs(batched.gradient(theta, 0) - whole.gradient(theta, 0)).max() > 1e-3


def test_the_gradient_is_a_fresh_array() -> None:
    """Parameters are left as they were, and gradients that were given out are not written to again."""
    loss = LOSSES[0]
    learner, _ = opened(loss)
    theta = point(loss)
    kept, first = theta.copy(), learner.gradient(theta, 0)
    copy = first.copy()
    learner.gradient(theta + 1, 1)
    assert (theta == kept).all()
    assert (first == copy).all()


def test_a_step_goes_down_the_gradient_and_then_shrinks() -> None:
    """point - eta_k g, then soft thresholding by eta_k * part * alpha of the weights and not of the thresholds."""
    learner, _ = opened(LOSSES[0], alpha=0.8)
    here = np.array([1.0, -1.0, 0.02, 0.0, 0.05, -0.01])
    gradient = np.array([2.0, -2.0, 0.0, 0.1, 0.0, 0.0])
    kept = here.copy()
    # eta_1 = 0.25, so weights move by -0.25 g and then by 0.25 * 0.25 * 0.8 = 0.05 towards zero.
    assert learner.descend(here, gradient.copy(), 1).tolist() == pytest.approx([0.45, -0.45, 0, 0, 0.05, -0.01])
    assert (here == kept).all()


def test_subgradient_mode_moves_by_the_sign() -> None:
    """The sign of each weight, times part * alpha, joins the gradient; thresholds are not penalised."""
    loss = LOSSES[0]
    theta = point(loss)
    smooth = opened(loss, alpha=0.3)[0].gradient(theta, 0)
    signed, _ = opened(loss, alpha=0.3, zeros="subgradient")
    difference = signed.gradient(theta, 0) - smooth
    np.testing.assert_allclose(difference[:D], PART * 0.3 * np.sign(theta[:D]), rtol=1e-12)
    assert (difference[D:] == 0).all()
    assert signed.descend(np.zeros(6), np.full(6, -1e-4), 0).tolist() == pytest.approx([5e-5] * 6)


@pytest.mark.parametrize("loss", [LOSSES[2], LOSSES[0]], ids=["squared", "ordinal"])
def test_steps_lower_the_objective(loss: OrdinalHinge | Squared) -> None:
    """A small step along the gradient lowers what the node is to lower."""
    learner, objective = opened(loss, alpha=0.0)
    theta = point(loss)
    gradient = learner.gradient(theta, 0)
    lower = learner.descend(theta, gradient.copy() * 1e-4, 0)
    assert objective(lower) < objective(theta)
    assert np.allclose(lower, theta - 0.5e-4 * gradient)


@pytest.mark.parametrize("size", [None, 3])
def test_a_ledger_is_told_of_what_each_adaptation_costs(size: int | None) -> None:
    """The loss of the batch with the node's part of the penalty, before learning; and half the step times ||g||^2."""
    loss, penalty, ledger = OrdinalHinge(C=3.0), ElasticNet(alpha=0.3, zeros="subgradient"), Ledger()
    draws = np.random.default_rng(4)
    features, labels = draws.normal(size=(N, D)), draws.integers(1, RANKS + 1, N)
    targets, batches = loss.targets(labels, RANKS), Batches(N, size, key=7)
    learner = Learner(features, targets, loss, 3.0, penalty, PART, STEP, batches, ledger)
    paid = energy = 0.0
    for k in range(6):
        theta = point(loss, k)
        gradient = learner.gradient(theta, k)
        rows = Batches(N, size, key=7).rows(k)
        rows = np.arange(N) if rows is None else rows
        each = loss.values(features[rows] @ theta[:D], theta[D:], targets[rows])
        paid += 3.0 * N * float(each.mean()) + PART * penalty.value(theta[:D])
        energy += STEP.size(k) / 2 * float(gradient @ gradient)
        np.testing.assert_allclose(ledger.sums, [paid, energy], rtol=1e-12)

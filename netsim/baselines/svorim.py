"""The exact optimum of support vector ordinal regression with implicit constraints (SVORIM).

Every threshold b_q (q = 1 .. ranks-1) is placed by all samples: with t_iq = +1 where y_i > q and -1 elsewhere,

    minimise  penalty(w) + C sum_iq max(0, 1 - t_iq (f_i - b_q)),    f_i = <w, phi(x_i)>

(Chu and Keerthi, Support vector ordinal regression, Neural Computation 19, 2007, section 4). The dual has a signed
share a_iq for each hinge, between 0 and C t_iq, and the pull u_i = sum_q a_iq of each sample on the function:

    maximise  sum_iq t_iq a_iq - conjugate of the penalty at sum_i u_i phi(x_i)    subject to    sum_i a_iq = 0.

What is dense, kernel or features, meets only the pulls and so occurs once; all other rows are sparse. An active-set
method solves it, the faster the more of the function's directions there are: where they are few, as with repeated
samples or many ranks, it may take minutes, and the primal a second by an interior-point method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from netsim.baselines.highs import solve
from netsim.baselines.interior import solve_primal
from netsim.baselines.kernels import factor
from netsim.baselines.programs import dual_on_features, dual_on_kernel, dual_shares
from nodes.arrays import Floats, Integers

LARGEST_GAP = 1e-7
"""Largest duality gap, relative to the objective, that is called the optimum."""

# The active-set method works with absolute tolerances. A wide box for the shares makes it cycle where the curvature is
# small, a narrow one costs digits where it is large. So these widths are tried until the gap closes.
BOXES = (0.1, 1.0, 0.01, 1e-3, 10.0, 1e-4)

FEW_FEATURES = 200
"""Up to so many features, and as many as a quarter of the samples, the primal is tried before the dual."""


@dataclass(frozen=True)
class KernelOptimum:
    """The optimum with a kernel: f(x) = sum_i coefficients[i] kernel(x, x_i).

    ``coefficients`` (N,) and ``thresholds`` (ranks-1,) attain ``objective``; no function and thresholds are below
    ``bound``, the dual value. ``multipliers`` (ranks-1,) are the thresholds as the solver gives them: each lies among
    the equally good values of its threshold, of which ``thresholds`` has the middle one.
    """

    coefficients: Floats
    thresholds: Floats
    objective: float
    bound: float
    multipliers: Floats


@dataclass(frozen=True)
class FeatureOptimum:
    """The optimum on given features: f(x) = <weights (D,), features of x>; other fields as in `KernelOptimum`."""

    weights: Floats
    thresholds: Floats
    objective: float
    bound: float
    multipliers: Floats


def kernel_optimum(kernel: Floats, ranks_of: Integers, ranks: int, weight: float) -> KernelOptimum:
    """Minimise ||w||^2 / 2 + weight * hinges in the space of a kernel, given as its matrix (N, N) on the samples.

    ``ranks_of`` (N,) holds ranks from 1 to ``ranks``. Raises ``RuntimeError`` where the solver fails.
    """
    signs = _signs(ranks_of, ranks)

    def by_dual(box: float) -> KernelOptimum:
        unit = weight / box
        solution = solve(dual_on_kernel(signs, kernel, unit, box))
        return evaluated(unit * dual_shares(solution, signs, box), solution.multipliers[1 - ranks :])

    def by_primal() -> KernelOptimum:
        solution = solve_primal(signs, features, weight, curvature=1.0, limit=0.0)
        return evaluated(solution.shares, solution.thresholds)

    def evaluated(shares: Floats, multipliers: Floats) -> KernelOptimum:
        coefficients = shares.sum(axis=1)
        scores = kernel @ coefficients
        thresholds = best_thresholds(scores, ranks_of, ranks)
        penalty = float(coefficients @ scores) / 2
        objective = penalty + weight * hinge_sum(scores, thresholds, ranks_of)
        bound = float((signs * shares).sum()) - penalty
        return KernelOptimum(coefficients, thresholds, objective, bound, multipliers)

    features = factor(kernel)
    return _first_closed(by_dual, by_primal, primal_first=_few(features))


def feature_optimum(
    features: Floats, ranks_of: Integers, ranks: int, weight: float, alpha: float, penalty_scale: float = 1.0
) -> FeatureOptimum:
    """Minimise penalty_scale * ((1-alpha)/2 ||w||^2 + alpha ||w||_1) + weight * hinges over ``features`` (N, D).

    A weight is exactly zero where the dual says so: where the samples' pull on its feature is below the l1 weight.
    Raises ``RuntimeError`` where the solver fails.
    """
    signs = _signs(ranks_of, ranks)
    columns = features.shape[1]
    curvature, limit = penalty_scale * (1 - alpha), penalty_scale * alpha

    def by_dual(box: float) -> FeatureOptimum:
        unit = weight / box
        solution = solve(dual_on_features(signs, features, unit, box, curvature, limit))
        shares = unit * dual_shares(solution, signs, box)
        return evaluated(solution.multipliers[:columns], shares, solution.multipliers[1 - ranks :])

    def by_primal() -> FeatureOptimum:
        solution = solve_primal(signs, features, weight, curvature, limit)
        return evaluated(solution.weights, solution.shares, solution.thresholds)

    def evaluated(weights: Floats, shares: Floats, multipliers: Floats) -> FeatureOptimum:
        pulls = features.T @ shares.sum(axis=1)
        weights = np.where(np.abs(pulls) < limit * (1 - 1e-8), 0.0, weights)
        scores = features @ weights
        thresholds = best_thresholds(scores, ranks_of, ranks)
        penalty = curvature / 2 * float(weights @ weights) + limit * float(np.abs(weights).sum())
        objective = penalty + weight * hinge_sum(scores, thresholds, ranks_of)
        bound = _bound(float((signs * shares).sum()), pulls, curvature, limit)
        return FeatureOptimum(weights, thresholds, objective, bound, multipliers)

    # A linear program is solved by the simplex method, which is fast on the dual for any number of features.
    return _first_closed(by_dual, by_primal, primal_first=curvature > 0 and _few(features))


def hinge_sum(scores: Floats, thresholds: Floats, ranks_of: Integers) -> float:
    """The sum over samples and thresholds of max(0, 1 - t_iq (score_i - b_q))."""
    signs = _signs(ranks_of, len(thresholds) + 1)
    return float(np.maximum(0.0, 1.0 - signs * (scores[:, None] - thresholds)).sum())


def threshold_interval(scores: Floats, ranks_of: Integers, rank: int) -> tuple[float, float]:
    """All minimisers of the hinges of one threshold, that between ``rank`` and the next, for given scores (N,).

    The sum falls with slope -n, n the number of samples up to ``rank``; its slope grows by one at each score + 1 of
    those and at each score - 1 of the others. So it is flat from the n-th of these places to the next. An end is
    infinite where all samples are on one side.
    """
    low = ranks_of <= rank
    places = np.sort(np.where(low, scores + 1.0, scores - 1.0))
    ends = np.concatenate([[-np.inf], places, [np.inf]])
    count = int(low.sum())
    return float(ends[count]), float(ends[count + 1])


def best_thresholds(scores: Floats, ranks_of: Integers, ranks: int) -> Floats:
    """The middle of every threshold's `threshold_interval`.

    Where all samples are on one side: the interval's finite end, beyond the extreme score by the margin of 1.
    """
    ends = np.array([threshold_interval(scores, ranks_of, rank) for rank in range(1, ranks)])
    lower = np.where(np.isfinite(ends[:, 0]), ends[:, 0], ends[:, 1])
    upper = np.where(np.isfinite(ends[:, 1]), ends[:, 1], ends[:, 0])
    return np.asarray((lower + upper) / 2)


def _signs(ranks_of: Integers, ranks: int) -> Floats:
    """t_iq, shape (N, ranks-1)."""
    if len(ranks_of) == 0 or ranks < 2:
        raise ValueError(f"{len(ranks_of)} samples of {ranks} ranks have no thresholds; give a sample and two ranks")
    if ranks_of.min() < 1 or ranks_of.max() > ranks:
        raise ValueError(f"ranks run from {ranks_of.min()} to {ranks_of.max()}; they must be among 1 to {ranks}")
    return np.where(ranks_of[:, None] > np.arange(1, ranks), 1.0, -1.0)


def _bound(gain: float, pulls: Floats, curvature: float, limit: float) -> float:
    """The dual value of shares with this ``gain``, their sum times t, and these ``pulls`` (D,) on the features."""
    if curvature > 0:
        excess = np.maximum(np.abs(pulls) - limit, 0.0)
        return gain - float(excess @ excess) / (2 * curvature)
    # The value has no excess: what the solver's tolerance leaves of it is taken from all shares in proportion.
    return gain * limit / max(limit, float(np.abs(pulls).max()))


def _few(features: Floats) -> bool:
    samples, columns = features.shape
    return bool(columns <= min(FEW_FEATURES, samples // 4))


Optimum = TypeVar("Optimum", KernelOptimum, FeatureOptimum)


def _first_closed(by_dual: Callable[[float], Optimum], by_primal: Callable[[], Optimum], primal_first: bool) -> Optimum:
    """The first optimum, over the widths of box of the dual and the primal, whose duality gap is closed."""
    routes: list[tuple[str, Callable[[], Optimum]]] = [(f"in a box of {box:g}", partial(by_dual, box)) for box in BOXES]
    routes.insert(0 if primal_first else len(routes), ("in the primal", by_primal))
    failures = []
    for name, route in routes:
        try:
            optimum = route()
        except RuntimeError as failure:
            failures.append(f"{failure} {name}")
            continue
        gap = abs(optimum.objective - optimum.bound)
        # The objective itself can be zero, or rounding: where all samples are of one extreme rank.
        if gap <= LARGEST_GAP * abs(optimum.objective) + 1e-12:
            return optimum
        failures.append(f"duality gap {gap:.1e} of {optimum.objective:.6g} {name}")
    raise RuntimeError(f"the solver found no optimum: {', '.join(failures)}; rescale the inputs or the weight C")

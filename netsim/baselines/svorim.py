"""The exact optimum of support vector ordinal regression with implicit constraints (SVORIM).

Every threshold b_q (q = 1 .. ranks-1) is placed by all samples: with t_iq = +1 where y_i > q and -1 elsewhere,

    minimise  penalty(w) + C sum_iq max(0, 1 - t_iq (f_i - b_q)),    f_i = <w, phi(x_i)>

(Chu and Keerthi, Support vector ordinal regression, Neural Computation 19, 2007, section 4). The dual has a signed
share a_iq for each hinge, between 0 and C t_iq, and the pull u_i = sum_q a_iq of each sample on the function:

    maximise  sum_iq t_iq a_iq - conjugate of the penalty at sum_i u_i phi(x_i)    subject to    sum_i a_iq = 0.

What is dense, kernel or features, meets only the pulls and so occurs once; all other rows are sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import highspy
import numpy as np
from highspy._core import _Highs
from scipy import sparse

from nodes.arrays import Floats, Integers

LARGEST_GAP = 1e-7
"""Largest duality gap, relative to the objective, that is called the optimum."""

# The solver's active-set method works with absolute tolerances. A wide box for the shares makes it cycle where the
# curvature is small, a narrow one costs digits where it is large; so these widths are tried until the gap closes.
BOXES = (0.1, 1.0, 0.01, 1e-3, 10.0, 1e-4)


@dataclass(frozen=True)
class KernelOptimum:
    """The optimum with a kernel: f(x) = sum_i coefficients[i] kernel(x, x_i).

    ``coefficients`` (N,) and ``thresholds`` (ranks-1,) attain ``objective``; no function and thresholds are below
    ``bound``, the dual value. ``multipliers`` (ranks-1,) are the thresholds as the dual gives them: each lies among the
    equally good values of its threshold, of which ``thresholds`` has the middle one.
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


@dataclass(frozen=True)
class _Program:
    """Minimise cost'x + x'Hx / 2 with lower <= x <= upper and |rows x| <= slack; ``hessian`` H is for the first x."""

    cost: Floats
    lower: Floats
    upper: Floats
    rows: sparse.csc_array
    slack: Floats
    hessian: sparse.csc_array


@dataclass(frozen=True)
class _Solution:
    values: Floats
    multipliers: Floats
    objective: float


def kernel_optimum(kernel: Floats, ranks_of: Integers, ranks: int, weight: float) -> KernelOptimum:
    """Minimise ||w||^2 / 2 + weight * hinges in the space of a kernel, given as its matrix (N, N) on the samples.

    ``ranks_of`` (N,) holds ranks from 1 to ``ranks``. Raises ``RuntimeError`` where the solver fails.
    """
    signs = _signs(ranks_of, ranks)
    curvature = sparse.csc_array(np.tril(kernel))

    def attempt(box: float) -> KernelOptimum:
        unit = weight / box
        solution = _solve(replace(_shares(signs, box), hessian=unit * curvature))
        coefficients = unit * _pulls(solution, signs, box)
        scores = kernel @ coefficients
        thresholds = best_thresholds(scores, ranks_of, ranks)
        objective = float(coefficients @ scores) / 2 + weight * hinge_sum(scores, thresholds, ranks_of)
        return KernelOptimum(
            coefficients, thresholds, objective, -unit * solution.objective, solution.multipliers[1 - ranks :]
        )

    return _first_closed(attempt)


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

    def attempt(box: float) -> FeatureOptimum:
        unit = weight / box
        solution = _solve(_on_features(_shares(signs, box), features, unit, curvature, limit))
        pulls = features.T @ (unit * _pulls(solution, signs, box))
        weights = np.where(np.abs(pulls) < limit * (1 - 1e-8), 0.0, solution.multipliers[:columns])
        scores = features @ weights
        thresholds = best_thresholds(scores, ranks_of, ranks)
        penalty = curvature / 2 * float(weights @ weights) + limit * float(np.abs(weights).sum())
        objective = penalty + weight * hinge_sum(scores, thresholds, ranks_of)
        return FeatureOptimum(
            weights, thresholds, objective, -unit * solution.objective, solution.multipliers[1 - ranks :]
        )

    return _first_closed(attempt)


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


def _shares(signs: Floats, box: float) -> _Program:
    """The program's part about hinges, on columns (pulls, shares), with shares in units of C / box."""
    samples, thresholds = signs.shape
    free = np.full(samples, np.inf)
    each, cut = sparse.eye_array(samples), sparse.eye_array(thresholds)
    to_pulls = sparse.kron(each, np.ones((1, thresholds)))
    to_thresholds = sparse.kron(np.ones((1, samples)), cut)
    return _Program(
        cost=np.concatenate([np.zeros(samples), -signs.ravel()]),
        lower=np.concatenate([-free, box * np.minimum(signs, 0.0).ravel()]),
        upper=np.concatenate([free, box * np.maximum(signs, 0.0).ravel()]),
        rows=sparse.block_array([[each, -to_pulls], [None, to_thresholds]], format="csc"),
        slack=np.zeros(samples + thresholds),
        hessian=sparse.csc_array((samples, samples)),
    )


def _pulls(solution: _Solution, signs: Floats, box: float) -> Floats:
    shares = solution.values[-signs.size :].reshape(signs.shape)
    return np.asarray(np.clip(shares, box * np.minimum(signs, 0.0), box * np.maximum(signs, 0.0)).sum(axis=1))


def _on_features(shares: _Program, features: Floats, unit: float, curvature: float, limit: float) -> _Program:
    """``shares`` on columns (p, pulls, shares) with rows p - Z'u within the l1 weight, whose multipliers are weights.

    p is what the quadratic part of the penalty takes of the pull on a feature: nothing where there is no such part.
    """
    columns = features.shape[1]
    free = np.full(columns, np.inf if curvature > 0 else 0.0)
    each = sparse.eye_array(columns)
    from_shares = sparse.csc_array((columns, shares.rows.shape[1] - len(features)))
    from_samples = sparse.hstack([sparse.csc_array(-features.T), from_shares])
    return _Program(
        cost=np.concatenate([np.zeros(columns), shares.cost]),
        lower=np.concatenate([-free, shares.lower]),
        upper=np.concatenate([free, shares.upper]),
        rows=sparse.block_array([[each, from_samples], [None, shares.rows]], format="csc"),
        slack=np.concatenate([np.full(columns, limit / unit), shares.slack]),
        hessian=sparse.csc_array(each * (unit / curvature) if curvature > 0 else (columns, columns)),
    )


def _model(program: _Program) -> highspy.HighsModel:
    model = highspy.HighsModel()
    linear, columns = model.lp_, len(program.cost)
    linear.num_col_, linear.num_row_ = columns, len(program.slack)
    linear.col_cost_, linear.col_lower_, linear.col_upper_ = program.cost, program.lower, program.upper
    linear.row_lower_, linear.row_upper_ = -program.slack, program.slack
    rows, hessian = program.rows, program.hessian
    linear.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    linear.a_matrix_.start_, linear.a_matrix_.index_, linear.a_matrix_.value_ = rows.indptr, rows.indices, rows.data
    if hessian.nnz > 0:
        beyond = np.full(columns - hessian.shape[0], hessian.nnz)
        model.hessian_.dim_ = columns
        model.hessian_.format_ = highspy.HessianFormat.kTriangular
        model.hessian_.start_ = np.concatenate([hessian.indptr, beyond])
        model.hessian_.index_, model.hessian_.value_ = hessian.indices, hessian.data
    return model


def _solve(program: _Program) -> _Solution:
    # The public class prints a banner on standard output as it is made, before it can be told to be silent.
    solver = _Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("qp_regularization_value", 1e-9)
    solver.setOptionValue("qp_nullspace_limit", len(program.cost))
    # Where it does not cycle it takes one or two iterations a column; a limit in iterations keeps runs repeatable.
    solver.setOptionValue("qp_iteration_limit", 5 * len(program.cost) + 1000)
    solver.passModel(_model(program))
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError(solver.modelStatusToString(status).lower())
    solution = solver.getSolution()
    value = float(solver.getInfo().objective_function_value)
    return _Solution(np.array(solution.col_value), np.array(solution.row_dual), value)


Optimum = TypeVar("Optimum", KernelOptimum, FeatureOptimum)


def _first_closed(attempt: Callable[[float], Optimum]) -> Optimum:
    """The first optimum, over the widths of box, whose duality gap is closed."""
    failures = []
    for box in BOXES:
        try:
            optimum = attempt(box)
        except RuntimeError as failure:
            failures.append(f"{failure} in a box of {box:g}")
            continue
        gap = abs(optimum.objective - optimum.bound)
        # The objective itself can be zero, or rounding: where all samples are of one extreme rank.
        if gap <= LARGEST_GAP * abs(optimum.objective) + 1e-12:
            return optimum
        failures.append(f"duality gap {gap:.1e} of {optimum.objective:.6g} in a box of {box:g}")
    raise RuntimeError(f"the solver found no optimum: {', '.join(failures)}; rescale the inputs or the weight C")

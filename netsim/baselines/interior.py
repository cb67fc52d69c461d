"""The primal of support vector ordinal regression on few features, by clarabel's interior-point method."""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse

from nodes.arrays import Floats

TOLERANCE = 1e-10
GOOD = (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved)


@dataclass(frozen=True)
class PrimalSolution:
    """Weights (D,), thresholds (ranks-1,) and the signed share of each hinge (N, ranks-1), its multiplier."""

    weights: Floats
    thresholds: Floats
    shares: Floats


def solve_primal(signs: Floats, features: Floats, weight: float, curvature: float, limit: float) -> PrimalSolution:
    """Minimise curvature/2 ||w||^2 + limit ||w||_1 + weight * hinges, as signs t_iq (N, ranks-1) place thresholds.

    In the columns (w, |w|, thresholds, scores, slacks) the features occur once, in the rows that make the scores, and
    the hinges' rows are sparse. Raises ``RuntimeError`` with the solver's status where it finds no optimum.
    """
    (samples, cuts), columns = signs.shape, features.shape[1]
    hinges, sizes = signs.size, columns if limit > 0 else 0
    each, size, sample, slack = (sparse.eye_array(n) for n in (columns, sizes, samples, hinges))
    sign = sparse.diags_array(signs.ravel())
    to_scores, to_cuts = sparse.kron(sample, np.ones((cuts, 1))), sparse.kron(np.ones((samples, 1)), np.eye(cuts))
    ends = sparse.csc_array((sizes, columns)) if sizes == 0 else each
    rows = sparse.block_array(
        [
            [sparse.csc_array(features), sparse.csc_array((samples, sizes)), None, -sample, None],
            [None, None, sign @ to_cuts, -(sign @ to_scores), -slack],
            [None, None, None, None, -slack],
            [ends, -size, None, None, None],
            [-ends, -size, None, None, None],
        ],
        format="csc",
    )
    cones = [clarabel.ZeroConeT(samples), clarabel.NonnegativeConeT(2 * hinges + 2 * sizes)]
    limits = np.concatenate([np.zeros(samples), -np.ones(hinges), np.zeros(hinges + 2 * sizes)])
    none = np.zeros(cuts + samples)
    cost = np.concatenate([np.zeros(columns), np.full(sizes, limit / weight), none, np.ones(hinges)])
    rest = len(cost) - columns
    quadratic = sparse.block_diag([each * (curvature / weight), sparse.csc_array((rest, rest))], format="csc")
    solution = clarabel.DefaultSolver(quadratic, cost, rows, limits, cones, _settings()).solve()
    if solution.status not in GOOD:
        raise RuntimeError(f"{solution.status}".lower())
    weights, _, thresholds, _ = np.split(np.array(solution.x), np.cumsum([columns, sizes, cuts]))
    multipliers = np.array(solution.z)[samples : samples + hinges].reshape(signs.shape)
    return PrimalSolution(weights, thresholds, weight * signs * np.clip(multipliers, 0.0, 1.0))


def _settings() -> clarabel.DefaultSettings:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    # The library that threads factorisation may sum in another order.
    settings.direct_solve_method = "qdldl"
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    return settings

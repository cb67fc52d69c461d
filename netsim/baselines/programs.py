"""The dual programs of support vector ordinal regression, on a kernel and on features.

Both are in units: the objective is divided by ``unit`` = C / box, so that the shares run from 0 to t box.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from netsim.baselines.highs import Program, Solution
from nodes.arrays import Floats


def dual_on_kernel(signs: Floats, kernel: Floats, unit: float, box: float) -> Program:
    """On columns (pulls, shares); the multipliers of the last rows are the thresholds."""
    return replace(_hinges(signs, box), hessian=unit * sparse.csc_array(np.tril(kernel)))


def dual_on_features(
    signs: Floats, features: Floats, unit: float, box: float, curvature: float, limit: float
) -> Program:
    """On columns (p, pulls, shares) with rows p - Z'u within the l1 weight, whose multipliers are weights.

    p is what the quadratic part of the penalty takes of the pull on a feature: nothing where there is no such part.
    The multipliers of the last rows are the thresholds.
    """
    hinges, columns = _hinges(signs, box), features.shape[1]
    free, within = np.full(columns, np.inf if curvature > 0 else 0.0), np.full(columns, limit / unit)
    each = sparse.eye_array(columns)
    from_shares = sparse.csc_array((columns, signs.size))
    from_samples = sparse.hstack([sparse.csc_array(-features.T), from_shares])
    return Program(
        cost=np.concatenate([np.zeros(columns), hinges.cost]),
        lower=np.concatenate([-free, hinges.lower]),
        upper=np.concatenate([free, hinges.upper]),
        rows=sparse.block_array([[each, from_samples], [None, hinges.rows]], format="csc"),
        least=np.concatenate([-within, hinges.least]),
        most=np.concatenate([within, hinges.most]),
        hessian=sparse.csc_array(each * (unit / curvature) if curvature > 0 else (columns, columns)),
    )


def dual_shares(solution: Solution, signs: Floats, box: float) -> Floats:
    """The shares (N, ranks-1) of a solved dual, without what the solver's tolerance leaves beyond the box."""
    shares = solution.values[-signs.size :].reshape(signs.shape)
    return signs * np.clip(signs * shares, 0.0, box)


def _hinges(signs: Floats, box: float) -> Program:
    """The dual's part about hinges, on columns (pulls, shares)."""
    samples, cuts = signs.shape
    free, none = np.full(samples, np.inf), np.zeros(samples + cuts)
    each, cut = sparse.eye_array(samples), sparse.eye_array(cuts)
    to_pulls = sparse.kron(each, np.ones((1, cuts)))
    to_thresholds = sparse.kron(np.ones((1, samples)), cut)
    return Program(
        cost=np.concatenate([np.zeros(samples), -signs.ravel()]),
        lower=np.concatenate([-free, box * np.minimum(signs, 0.0).ravel()]),
        upper=np.concatenate([free, box * np.maximum(signs, 0.0).ravel()]),
        rows=sparse.block_array([[each, -to_pulls], [None, to_thresholds]], format="csc"),
        least=none,
        most=none,
        hessian=sparse.csc_array((samples, samples)),
    )

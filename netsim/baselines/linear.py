"""Exact optima of two-class and of regression losses on given features."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import linalg

from nodes.arrays import Floats

TOLERANCE = 1e-8
MOST_STEPS = 50_000


def hinge_optimum(features: Floats, signs: Floats, counts: Floats, curvature: float) -> Floats:
    """w (D,) that minimises curvature/2 ||w||^2 + sum_i counts_i max(0, 1 - signs_i w'z_i) over ``features`` (N, D).

    By liblinear's dual coordinate descent (Hsieh et al., ICML 2008). Raises ``RuntimeError`` where it does not end.
    """
    from sklearn.exceptions import ConvergenceWarning  # half a second, which other baselines should not pay
    from sklearn.svm import LinearSVC

    machine = LinearSVC(
        loss="hinge", C=1 / curvature, fit_intercept=False, tol=TOLERANCE, max_iter=MOST_STEPS, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            machine.fit(features, signs, sample_weight=counts)
        except ConvergenceWarning as warning:
            raise RuntimeError(f"no optimum after {MOST_STEPS} passes of the solver; give more strength") from warning
    weights: Floats = machine.coef_[0]
    return weights


def squared_optimum(features: Floats, targets: Floats, counts: Floats, curvature: float) -> Floats:
    """w (D,) that minimises curvature/2 ||w||^2 + sum_i counts_i (y_i - w'z_i)^2 / 2; of several the shortest."""
    solution: Floats
    if curvature == 0:
        roots = np.sqrt(counts)
        solution = linalg.lstsq(roots[:, None] * features, roots * targets)[0]
    else:
        weighted = features.T * counts
        matrix = weighted @ features + curvature * np.eye(features.shape[1])
        solution = linalg.solve(matrix, weighted @ targets, assume_a="pos")
    return solution

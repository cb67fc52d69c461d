"""Kernels as features: an exact kernel on given samples is an inner product of as many numbers as its rank."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

from nodes.arrays import Floats

Gram = Callable[[Floats, Floats], Floats]
"""The kernel between the rows of two sample arrays."""
TOLERANCE = 1e-12
"""Remainder of the diagonal, relative to its largest entry, below which a direction is left out."""


def kernel_features(gram: Gram, samples: Floats) -> Callable[[Floats], Floats]:
    """The map phi of sample arrays with phi(x)'phi(x') = gram(x, x') on the span of ``samples`` (N, K).

    By Cholesky decomposition with pivoting: the pivots are the samples that span the others.
    """
    kernel = gram(samples, samples)
    largest = float(kernel.diagonal().max())
    factor, order, rank, _ = linalg.lapack.dpstrf(kernel, tol=TOLERANCE * largest, lower=1)
    pivots = samples[order[:rank] - 1]
    lower = np.tril(factor[:rank, :rank])

    def features(others: Floats) -> Floats:
        solved: Floats = linalg.solve_triangular(lower, gram(pivots, others), lower=True).T
        return np.ascontiguousarray(solved)

    return features

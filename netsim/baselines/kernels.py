"""Kernels as features: an exact kernel on given samples is an inner product of as many numbers as its rank."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

from nodes.arrays import Floats, Integers

Gram = Callable[[Floats, Floats], Floats]
"""The kernel between the rows of two sample arrays."""
TOLERANCE = 1e-12
"""Remainder of the diagonal, relative to its largest entry, below which a direction is left out."""
INDEFINITE = 1e-6
"""What is left of the diagonal, relative to its largest entry, where a matrix is not positive semidefinite."""


def kernel_features(gram: Gram, samples: Floats) -> Callable[[Floats], Floats]:
    """The map phi of sample arrays with phi(x)'phi(x') = gram(x, x') on the span of ``samples`` (N, K)."""
    chosen, lower = _spanning(gram(samples, samples))
    pivots = samples[chosen]

    def features(others: Floats) -> Floats:
        return _solved(lower, gram(pivots, others))

    return features


def factor(kernel: Floats) -> Floats:
    """F (N, rank) with F F' = ``kernel`` (N, N)."""
    chosen, lower = _spanning(kernel)
    return _solved(lower, kernel[chosen])


def _spanning(kernel: Floats) -> tuple[Integers, Floats]:
    """Rows that span all others, and the Cholesky factor of their kernel, by decomposition with pivoting.

    Raises ``RuntimeError`` where that shows that the kernel is none.
    """
    largest = float(kernel.diagonal().max())
    decomposed, order, rank, _ = linalg.lapack.dpstrf(kernel, tol=TOLERANCE * largest, lower=1)
    left = np.abs(kernel.diagonal()[order - 1] - (np.tril(decomposed)[:, :rank] ** 2).sum(axis=1)).max()
    if largest < 0 or left > INDEFINITE * largest:
        raise RuntimeError("this kernel is no inner product: its matrix on the samples has a negative eigenvalue")
    return order[:rank] - 1, np.tril(decomposed[:rank, :rank])


def _solved(lower: Floats, rows: Floats) -> Floats:
    solved: Floats = linalg.solve_triangular(lower, rows, lower=True).T
    return np.ascontiguousarray(solved)

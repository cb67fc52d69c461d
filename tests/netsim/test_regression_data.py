"""Data whose labels are numbers."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from netsim.data import Dataset, KernelExpansion, Ripples, checked
from netsim.split import ByLabel, Dirichlet
from nodes.arrays import Floats

HERE = Path()


def load(piece: KernelExpansion | Ripples, seed: int = 0) -> Dataset:
    """The data set that a piece gives with this seed."""
    return checked(piece.load(np.random.default_rng(seed), 0, HERE))


def ripples(X: Floats) -> Floats:
    """The function of the reference, written out sample by sample."""
    return np.array([np.sin(4 * a) * np.cos(3 * b) + 0.5 * np.sin(6 * a * b) for a, b in X])


def test_ripples_are_noisy_in_training_and_exact_in_tests() -> None:
    """Training labels have noise of the deviation asked for, test labels none, inputs fill the square."""
    found = load(Ripples(train=4000, test=500, noise=0.5))
    assert (found.X_train.shape, found.X_test.shape, found.ranks) == ((4000, 2), (500, 2), 0)
    np.testing.assert_allclose(found.y_test, ripples(found.X_test), rtol=1e-12)
    noise = found.y_train - ripples(found.X_train)
    assert noise.std() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(2 * 4000))
    assert abs(noise.mean()) < 4 * 0.5 / np.sqrt(4000)
    assert -1 <= found.X_train.min() < -0.99
    assert 0.99 < found.X_train.max() <= 1


def test_an_expansion_is_a_sum_of_kernels() -> None:
    """Without noise the labels lie in the span of as many kernels as there are centres: their Gram matrix shows it."""
    found = load(KernelExpansion(train=300, test=10, inputs=2, centres=3, sigma=2.0, noise=0.0))
    again = np.random.default_rng(0)
    centres, coefficients = again.standard_normal((3, 2)), np.sqrt(5.0) * again.standard_normal(3)
    squares = ((found.X_test[:, None] - centres) ** 2).sum(axis=2)
    np.testing.assert_allclose(found.y_test, np.exp(-squares / 8) @ coefficients, rtol=1e-12)


def test_an_expansion_has_noise_in_training_only() -> None:
    """Of two data sets with the same seed, with and without noise, the inputs and test labels agree."""
    clean, noisy = (load(KernelExpansion(train=2000, test=50, noise=noise)) for noise in (0.0, 0.1))
    np.testing.assert_array_equal(clean.X_train, noisy.X_train)
    np.testing.assert_array_equal(clean.y_test, noisy.y_test)
    assert (noisy.y_train - clean.y_train).std() == pytest.approx(0.1, rel=0.1)


def test_numbers_are_checked() -> None:
    """Labels that are not finite, and ranks of 0 with whole numbers, are refused."""
    X = np.zeros((3, 1))
    for y in (np.array([1.0, np.nan, 2.0]), np.array([1, 2, 3])):
        with pytest.raises(ValueError, match="with ranks 0 give finite floating point numbers"):
            checked(Dataset(X, y, X, y, 0))


def test_numbers_are_split_by_their_order_and_not_by_rank() -> None:
    """``by-label`` gives each node a run of them; ``dirichlet`` has no ranks to share out."""
    draws = np.random.default_rng(0)
    y = draws.normal(size=40)
    parts = ByLabel().assign(y, 4, draws)
    edges = [(y[part].min(), y[part].max()) for part in parts]
    assert all(high <= low for (_, high), (low, _) in pairwise(edges))
    with pytest.raises(ValueError, match="these labels are numbers; take random or by-label"):
        Dirichlet().assign(y, 4, draws)

from __future__ import annotations

import math

import numpy as np
import pytest

from nodes.arrays import Floats
from nodes.draws import generator
from nodes.features import Fourier, Linear


def samples(count: int, inputs: int, seed: int = 1) -> Floats:
    """Normal inputs."""
    return np.random.default_rng(seed).normal(size=(count, inputs))


@pytest.mark.parametrize(("gamma", "inputs"), [(0.1, 2), (1.0, 3), ("auto", 4)])
def test_products_approach_the_kernel_at_the_monte_carlo_rate(gamma: float | str, inputs: int) -> None:
    """z(x)'z(x') has the kernel as its mean and the variance (1 + k^4/2 - k^2) / D, over 1000 draws of D = 50."""
    fourier = Fourier(gamma=gamma, size=50)
    X = samples(2, inputs)
    kernel = math.exp(-(1 / inputs if gamma == "auto" else float(gamma)) * float(((X[0] - X[1]) ** 2).sum()))
    maps = [fourier.open(inputs, generator(seed))(X) for seed in range(1000)]
    errors = np.array([z[0] @ z[1] for z in maps]) - kernel
    variance = (1 + kernel**4 / 2 - kernel**2) / 50
    assert abs(errors.mean()) < 4 * math.sqrt(variance / 1000)
    assert 0.8 < (errors**2).mean() / variance < 1.2


def test_gram_is_the_kernel_between_rows() -> None:
    """exp(-gamma ||x - x'||^2), row by row, with gamma 1/K where it is automatic."""
    left, right = samples(4, 3), samples(5, 3, seed=2)
    for gamma, width in ((0.7, 0.7), ("auto", 1 / 3)):
        expected = [[math.exp(-width * float(((x - y) ** 2).sum())) for y in right] for x in left]
        np.testing.assert_allclose(Fourier(gamma=gamma).gram(left, right), expected, rtol=1e-12)


def test_gram_never_exceeds_one() -> None:
    """Rounding far from the origin does not make a distance negative."""
    far = 1e4 + samples(30, 3)
    gram = Fourier(gamma=100.0).gram(far, far)
    assert gram.max() <= 1.0
    np.testing.assert_allclose(np.diag(gram), 1.0, rtol=1e-4)


def test_the_same_draws_give_the_same_map() -> None:
    """Nodes that open the map with equal draws have equal features to the bit; other draws give another map."""
    X = samples(6, 2)
    fourier = Fourier(size=20)
    first, again, other = (fourier.open(2, generator(key))(X) for key in (5, 5, 6))
    assert first.shape == (6, 20)
    assert (first == again).all()
    assert np.abs(first - other).max() > 0.1


def test_features_of_a_sample_do_not_depend_on_the_others() -> None:
    """Half of the samples have the features that they have among all; the samples are left as they were."""
    X = samples(8, 2)
    kept = X.copy()
    features = Fourier(size=20).open(2, generator(5))
    np.testing.assert_allclose(features(X)[:4], features(X[:4]), rtol=0, atol=1e-14)
    assert (kept == X).all()


def test_features_are_bounded_waves() -> None:
    """No feature is larger than sqrt(2/D), and the largest come close."""
    features = Fourier(size=50).open(2, generator(5))(samples(500, 2))
    assert 0.99 * math.sqrt(2 / 50) < np.abs(features).max() <= math.sqrt(2 / 50)


def test_linear_features_are_the_inputs() -> None:
    """As many as inputs, whatever the draws; their kernel is the inner product."""
    X = samples(5, 3)
    linear = Linear()
    assert linear.size_for(3) == 3
    assert (linear.open(3, generator(0))(X) == X).all()
    np.testing.assert_allclose(linear.gram(X, X[:2]), [[x @ y for y in X[:2]] for x in X], rtol=1e-12)


def test_sizes() -> None:
    """D is the parameter, whatever the inputs."""
    assert Fourier(size=7).size_for(3) == 7
    assert Fourier(size=7).open(3, generator(0))(samples(2, 3)).shape == (2, 7)

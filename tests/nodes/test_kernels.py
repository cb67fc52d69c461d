from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics.pairwise import laplacian_kernel

from nodes.kernels import KERNELS, Cauchy, Gaussian, Laplacian

LAWS = {
    "gaussian": stats.norm(scale=np.sqrt(2 * 0.3)),
    "laplacian": stats.cauchy(scale=0.3),
    "cauchy": stats.laplace(scale=np.sqrt(0.3)),
}
"""Of a coordinate of the frequencies, for gamma = 0.3."""

each_kernel = pytest.mark.parametrize("name", LAWS)


@each_kernel
def test_frequencies_follow_their_law(name):
    """6000 coordinates pass the test of Kolmogorov and Smirnov at one per cent; columns and rows are alike."""
    frequencies = KERNELS[name](0.3).frequencies(np.random.default_rng(3), (3, 2000))
    for row in frequencies:
        assert stats.kstest(row, LAWS[name].cdf).pvalue > 0.01


@each_kernel
def test_quantiles_invert_the_distribution_function(name):
    """From 2^-31 to 1 - 2^-31, the ends of what is asked for."""
    points = np.concatenate([[2.0**-31, 1e-3], np.linspace(0.01, 0.99, 99), [1 - 2.0**-31]])
    quantiles = KERNELS[name](0.3).quantiles(points)
    np.testing.assert_allclose(quantiles, LAWS[name].ppf(points), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(LAWS[name].cdf(quantiles), points, rtol=1e-7)


@each_kernel
def test_a_kernel_is_the_mean_wave_of_its_frequencies(name):
    """The integral of cos(omega t) over the law, by ten thousand quantiles, is the kernel at distance t."""
    points = (np.arange(10_000) + 0.5) / 10_000
    kernel = KERNELS[name](0.3)
    for distance in (0.0, 0.5, 1.0, 2.5):
        value = kernel.gram(np.array([[0.0]]), np.array([[distance]]))[0, 0]
        assert abs(np.cos(kernel.quantiles(points) * distance).mean() - value) < 2e-3


def test_gram_never_exceeds_one():
    """Rounding far from the origin does not make a distance negative."""
    far = 1e4 + np.random.default_rng(1).normal(size=(30, 3))
    for kernel in (Gaussian(100.0), Laplacian(100.0), Cauchy(100.0)):
        gram = kernel.gram(far, far)
        assert gram.max() <= 1.0
        np.testing.assert_allclose(np.diag(gram), 1.0, rtol=1e-4)


def test_the_laplacian_kernel_is_that_of_another_library():
    """scikit-learn's, on normal samples of five inputs."""
    left, right = (np.random.default_rng(seed).normal(size=(7, 5)) for seed in (1, 2))
    np.testing.assert_allclose(Laplacian(0.4).gram(left, right), laplacian_kernel(left, right, gamma=0.4), rtol=1e-12)


@settings(deadline=None, derandomize=True)
@given(
    name=st.sampled_from(sorted(LAWS)),
    gamma=st.floats(1e-3, 1e3),
    x=st.lists(st.floats(-10, 10), min_size=3, max_size=3),
    y=st.lists(st.floats(-10, 10), min_size=3, max_size=3),
)
def test_kernels_are_products_over_inputs(name, gamma, x, y):
    """The kernel of three inputs is the product of the kernels of each, and depends on x - x' alone."""
    kernel = KERNELS[name](gamma)
    left, right = np.array([x]), np.array([y])
    value = kernel.gram(left, right)[0, 0]
    parts = [kernel.gram(left[:, [k]], right[:, [k]])[0, 0] for k in range(3)]
    # Squared distances by inner products are good to the rounding of the squares.
    atol = 1e-12 * max(1.0, gamma)
    np.testing.assert_allclose(value, np.prod(parts), rtol=1e-9, atol=atol)
    np.testing.assert_allclose(value, kernel.gram(left - right, 0 * right)[0, 0], rtol=1e-9, atol=atol)

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import qmc

from nodes.draws import generator
from nodes.frequencies import DRAWS, SOBOL_DIMENSIONS, at_points, halton, orthogonal, polar, sobol
from nodes.kernels import Cauchy, Gaussian, Laplacian


@settings(deadline=None, derandomize=True)
@given(
    draw=st.sampled_from(sorted(DRAWS)), inputs=st.integers(1, 9), count=st.integers(1, 70), key=st.integers(0, 2**64)
)
def test_waves_have_a_column_for_each_frequency(draw, inputs, count, key):
    """Plain float64 arrays (K, m) and (m,), all finite, phases within a turn; equal for equal draws."""
    inputs = 2 if draw == "polar" else inputs
    waves, again = (DRAWS[draw](Gaussian(0.5), inputs, count, generator(key)) for _ in range(2))
    assert waves.frequencies.shape == (inputs, count)
    assert waves.frequencies.flags.c_contiguous
    assert np.isfinite(waves.frequencies).all()
    assert waves.phases.shape == (count,)
    assert waves.phases.min() >= 0
    assert waves.phases.max() < 2 * math.pi
    assert (waves.frequencies == again.frequencies).all()
    assert (waves.phases == again.phases).all()


def test_orthogonal_frequencies_are_orthogonal_in_blocks():
    """Five inputs and twelve frequencies: two whole blocks and two of a third, each with right angles."""
    frequencies = orthogonal(Gaussian(0.5), 5, 12, generator(3)).frequencies
    for block in (frequencies[:, :5], frequencies[:, 5:10], frequencies[:, 10:]):
        products = block.T @ block
        np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-12)
    assert abs(frequencies[:, 0] @ frequencies[:, 5]) > 1e-3


def test_orthogonal_frequencies_are_as_long_as_independent_ones_and_point_anywhere():
    """Lengths follow the chi law of K degrees, and coordinates the normal law, by Kolmogorov and Smirnov's test."""
    scale = math.sqrt(2 * 0.3)
    frequencies = np.hstack([orthogonal(Gaussian(0.3), 6, 6, generator(key)).frequencies for key in range(300)])
    assert stats.kstest(np.linalg.norm(frequencies, axis=0), stats.chi(6, scale=scale).cdf).pvalue > 0.01
    for column in range(6):
        for row in frequencies[:, column::6]:
            assert stats.kstest(row, stats.norm(scale=scale).cdf).pvalue > 1e-3


@pytest.mark.parametrize("draw", [sobol, halton])
@pytest.mark.parametrize("kernel", [Gaussian(0.5), Laplacian(0.5), Cauchy(0.5)])
def test_sequences_are_even_in_every_coordinate(draw, kernel):
    """Of 128 frequencies and phases each sixteenth of their law has the 8 due to it; by Halton's points, 7 to 10."""
    waves = draw(kernel, 3, 128, generator(7))
    edges = kernel.quantiles(np.arange(1, 16) / 16)
    counts = [np.bincount(np.searchsorted(edges, row), minlength=16) for row in waves.frequencies]
    counts.append(np.bincount((waves.phases / (2 * math.pi) * 16).astype(int), minlength=16))
    least, most = (8, 8) if draw is sobol else (7, 10)
    assert least <= np.min(counts)
    assert np.max(counts) <= most


def test_the_library_knows_as_many_dimensions_of_sobol_as_are_said():
    """So that a refusal comes before the library's."""
    assert qmc.Sobol.MAXDIM == SOBOL_DIMENSIONS


def test_points_at_the_ends_have_finite_quantiles():
    """A coordinate of exactly 0, which scrambling can give, is taken as half the resolution of Sobol's sequence."""
    for kernel in (Gaussian(0.5), Laplacian(0.5), Cauchy(0.5)):
        waves = at_points(kernel, np.array([[0.0, 0.5, 0.0], [1.0, 0.5, 1.0]]))
        ends = kernel.quantiles(np.array([2.0**-31, 0.5, 1 - 2.0**-31]))
        assert (waves.frequencies == [[ends[0], ends[2]], [ends[1], ends[1]]]).all()
        assert 0 < waves.phases[0] < waves.phases[1] < 2 * math.pi


@settings(deadline=None, derandomize=True)
@given(count=st.integers(1, 300), key=st.integers(0, 2**64))
def test_polar_frequencies_have_one_angle_and_one_length_in_each_stratum(count, key):
    """Angles are half a turn by m apart; m lengths fall each into a stratum of their own of Rayleigh's law."""
    waves = polar(Gaussian(0.5), 2, count, generator(key))
    angles = np.arctan2(waves.frequencies[1], waves.frequencies[0]) % (2 * math.pi)
    np.testing.assert_allclose(np.diff(angles), math.pi / count, atol=1e-9)
    heights = np.exp(-(waves.frequencies**2).sum(axis=0) / 2) * count
    # A height on the border of two strata may be rounded to either side.
    np.testing.assert_allclose(np.sort(heights) - np.arange(count), 0.5, atol=0.5 + 1e-9)


def test_polar_neighbours_have_lengths_far_apart():
    """Of 100 frequencies, those at neighbouring angles are at least 38 strata apart, or as near around the end."""
    waves = polar(Gaussian(0.5), 2, 100, generator(1))
    ranks = np.exp(-(waves.frequencies**2).sum(axis=0) / 2).argsort().argsort()
    apart = np.abs(np.diff(ranks))
    assert np.minimum(apart, 100 - apart).min() >= 37


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_fewest_polar_frequencies_have_the_kernel_as_their_mean_wave(count):
    """Shifted at random, even one frequency prefers no angle and no length; within four standard errors."""
    X = np.array([[0.0, 0.0], [0.9, 0.1], [-0.3, 1.2], [0.7, -0.7]])
    drawn = (polar(Gaussian(0.5), 2, count, generator(key)).frequencies for key in range(2000))
    waves = np.array([np.cos(X @ frequencies).mean(axis=1) for frequencies in drawn])
    errors = waves.mean(axis=0) - Gaussian(0.5).gram(X, X[:1])[:, 0]
    assert (np.abs(errors) <= 4 * waves.std(axis=0, ddof=1) / math.sqrt(2000)).all()

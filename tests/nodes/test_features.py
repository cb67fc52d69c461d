"""What holds for every feature map: its products approach its kernel, and all nodes have the same one."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest

from nodes.arrays import Floats
from nodes.draws import generator
from nodes.features import AdditiveChi2, Fourier, Linear

KERNELS = ("gaussian", "laplacian", "cauchy")
FORMS = ("phase", "pair")
DRAWN = [
    *itertools.product(KERNELS, ("independent", "sobol", "halton"), FORMS),
    *itertools.product(("gaussian",), ("orthogonal", "polar"), FORMS),
]
"""Every kernel, draw and form that go together."""

BETTER = {
    ("sobol", "phase"): 0.6,
    ("sobol", "pair"): 0.5,
    ("halton", "phase"): 0.6,
    ("halton", "pair"): 0.5,
    ("orthogonal", "phase"): 1.02,
    ("orthogonal", "pair"): 1.02,
    ("polar", "phase"): 0.25,
    ("polar", "pair"): 0.2,
}
"""The largest error in the plane at D = 200, over that of independent draws."""

each_drawn_map = pytest.mark.parametrize(("kernel", "draw", "form"), DRAWN)
each_map = pytest.mark.parametrize(
    "features",
    [
        Linear(),
        *(AdditiveChi2(steps=steps) for steps in (1, 2, 3)),
        *(Fourier(kernel=kernel, draw=draw, form=form, size=16) for kernel, draw, form in DRAWN),
    ],
    ids=lambda features: "-".join(str(value) for value in vars(features).values() if isinstance(value, str | int)),
)


def samples(count: int, inputs: int, seed: int = 1) -> Floats:
    """Normal inputs."""
    return np.random.default_rng(seed).normal(size=(count, inputs))


def error(features: Fourier, X: Floats, openings: int) -> float:
    """The root of the mean squared error of z(x)'z(x'), over pairs of samples and openings of the map."""
    pairs = np.triu_indices(len(X), 1)
    kernel = features.gram(X, X)[pairs]
    maps = (features.open(X.shape[1], generator(key))(X) for key in range(openings))
    return math.sqrt(np.mean([(((Z @ Z.T)[pairs] - kernel) ** 2).mean() for Z in maps]))


def monte_carlo_error(features: Fourier, X: Floats) -> float:
    """The same for independent draws, from their variance: that of 2 cos(.) cos(.), or of cos(omega'(x - x'))."""
    pairs = np.triu_indices(len(X), 1)
    kernel, doubled = features.gram(X, X)[pairs], features.gram(2 * X, 2 * X)[pairs]
    variances = 1 + doubled / 2 - kernel**2 if features.form == "phase" else 1 + doubled - 2 * kernel**2
    return math.sqrt(variances.mean() / features.size)


@each_drawn_map
def test_the_mean_of_products_is_the_kernel(kernel, draw, form):
    """Over 300 openings of D = 16, z(x)'z(x') is within four standard errors of the kernel for each of ten pairs."""
    features = Fourier(kernel=kernel, draw=draw, form=form, gamma=0.6, size=16)
    X = samples(5, 2)
    pairs = np.triu_indices(len(X), 1)
    maps = (features.open(2, generator(key))(X) for key in range(300))
    products = np.array([(Z @ Z.T)[pairs] for Z in maps])
    errors = products.mean(axis=0) - features.gram(X, X)[pairs]
    assert (np.abs(errors) < 4 * products.std(axis=0, ddof=1) / math.sqrt(300)).all()


@each_drawn_map
def test_products_approach_the_kernel_at_the_right_rate(kernel, draw, form):
    """Errors of independent draws are those of their variance, and fall as D^(-1/2); others fall no slower."""
    X, sizes = samples(25, 2), (32, 128, 512)
    errors, expected = [], []
    for size in sizes:
        features = Fourier(kernel=kernel, draw=draw, form=form, gamma=1.0, size=size)
        errors.append(error(features, X, 40))
        expected.append(monte_carlo_error(features, X))
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    if draw == "independent":
        np.testing.assert_allclose(errors, expected, rtol=0.15)
        assert -0.56 < slope < -0.44
    elif draw == "orthogonal":
        assert slope < -0.45
    else:
        assert slope < -0.6


@each_drawn_map
def test_even_draws_are_nearer_to_the_kernel(kernel, draw, form):
    """In the plane at D = 200 the errors of Sobol's and Halton's points are half of independent ones, polar a fifth.

    The long tails of the Laplacian kernel's frequencies leave less to gain; orthogonal ones are no worse.
    """
    features = Fourier(kernel=kernel, draw=draw, form=form, gamma=1.0, size=200)
    X = samples(25, 2)
    bound = BETTER.get((draw, form), 1.15) + (0.2 if kernel == "laplacian" else 0.0)
    assert error(features, X, 30) < bound * monte_carlo_error(features, X)


def test_orthogonal_draws_pay_in_many_dimensions():
    """With 20 inputs their error is below .6 of the independent one for pairs, and .9 for phases."""
    X = samples(25, 20)
    for form, bound in (("pair", 0.6), ("phase", 0.9)):
        features = Fourier(draw="orthogonal", form=form, gamma=0.02, size=128)
        assert error(features, X, 30) < bound * monte_carlo_error(features, X)


@each_map
def test_all_nodes_have_the_same_map(features):
    """Maps opened with equal draws are equal to the bit, for any samples; arrays are plain float64, and D wide."""
    X = np.abs(samples(6, 2))
    first, again = features.open(2, generator(5)), features.open(2, generator(5))
    Z = first(X)
    assert Z.shape == (6, features.size_for(2))
    assert Z.dtype == np.float64
    assert Z.flags.c_contiguous
    assert (again(X) == Z).all()
    assert (first(X) == Z).all()


@each_map
def test_features_of_a_sample_do_not_depend_on_the_others(features):
    """Half of the samples have the features that they have among all; the samples are left as they were."""
    X = np.abs(samples(8, 2))
    kept = X.copy()
    opened = features.open(2, generator(5))
    np.testing.assert_allclose(opened(X)[:4], opened(X[:4]), rtol=0, atol=1e-14)
    assert (kept == X).all()


@each_map
def test_kernels_are_kernels(features):
    """A gram matrix is symmetric, has no eigenvalue below zero, and takes rows of one array with those of another."""
    X = np.abs(samples(12, 2))
    gram = features.gram(X, X)
    np.testing.assert_allclose(gram, gram.T, rtol=1e-12)
    assert np.linalg.eigvalsh(gram).min() > -1e-12
    np.testing.assert_allclose(features.gram(X[:5], X), gram[:5], rtol=1e-12)


def test_linear_features_are_the_inputs():
    """As many as inputs, whatever the draws; their kernel is the inner product."""
    X = samples(5, 3)
    linear = Linear()
    assert linear.size_for(3) == 3
    assert (linear.open(3, generator(0))(X) == X).all()
    np.testing.assert_allclose(linear.gram(X, X[:2]), [[x @ y for y in X[:2]] for x in X], rtol=1e-12)


def test_slow_libraries_are_imported_where_they_are_needed_only():
    """A node with features of independent waves starts without scipy and scikit-learn."""
    script = (
        "import sys, numpy; from nodes.features import Fourier; "
        "Fourier().open(2, numpy.random.default_rng(0))(numpy.zeros((1, 2))); "
        "print({'scipy', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"

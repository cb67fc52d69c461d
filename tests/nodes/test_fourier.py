from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.kernel_approximation import RBFSampler

from nodes.arrays import Floats
from nodes.draws import generator
from nodes.fourier import Fourier
from nodes.frequencies import independent
from nodes.kernels import Gaussian


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


def test_another_library_is_as_far_from_the_kernel():
    """scikit-learn's features of the same size have the same error, over 150 draws, within their noise of 5%."""
    X = samples(30, 4)
    kernel = Fourier(gamma=0.2).gram(X, X)
    ours, theirs = [], []
    for key in range(150):
        Z = Fourier(gamma=0.2, size=60).open(4, generator(key))(X)
        S = RBFSampler(gamma=0.2, n_components=60, random_state=key).fit_transform(X)
        ours.append(((Z @ Z.T - kernel) ** 2).mean())
        theirs.append(((S @ S.T - kernel) ** 2).mean())
    assert 0.9 < np.mean(ours) / np.mean(theirs) < 1.1


@pytest.mark.parametrize(
    ("gamma", "inputs", "size", "key", "frequencies", "phases", "features"),
    [
        (
            "auto", 2, 200, 5, "06a53e84a3efd8ce7bb4908bbc05702d", "348fcbf82492919cf720ed03e57ee1f6",
            ("0x1.46c8968646e33p-4", "0x1.942a1a6cbf226p-4"),
        ),
        (
            0.7, 3, 20, 11, "688be119e71a897768eca35a11e06953", "42b11b0770134b03e9d7c969eca14d92",
            ("-0x1.0bc50963c8439p-2", "-0x1.42c2a3886a8afp-3"),
        ),
        (
            2.0, 21, 33, 2**100, "cda102f4a285a38aba7952c86f55f91d", "9320f098a24a7c934e8ad3630673ee9a",
            ("0x1.e60bf1ab115fap-3", "0x1.47d5119078f33p-3"),
        ),
    ],
)  # fmt: skip
def test_draws_are_the_ones_they_always_were(gamma, inputs, size, key, frequencies, phases, features):
    """Digests of frequencies and phases, and two features, of the first release: old results can be had again."""
    fourier = Fourier(gamma=gamma, size=size)
    waves = independent(Gaussian(fourier.width(inputs)), inputs, size, generator(key))
    digests = [hashlib.sha256(part.tobytes()).hexdigest()[:32] for part in waves]
    assert digests == [frequencies, phases]
    X = (np.arange(5.0 * inputs).reshape(5, inputs) % 7 - 3) / 4
    Z = fourier.open(inputs, generator(key))(X)
    np.testing.assert_allclose(Z[1, :2], [float.fromhex(value) for value in features], rtol=1e-12)
    expected = np.cos(X @ waves.frequencies + waves.phases) * math.sqrt(2 / size)
    assert (expected == Z).all()


def test_gram_is_the_kernel_between_rows() -> None:
    """exp(-gamma ||x - x'||^2), row by row, with gamma 1/K where it is automatic."""
    left, right = samples(4, 3), samples(5, 3, seed=2)
    for gamma, width in ((0.7, 0.7), ("auto", 1 / 3)):
        expected = [[math.exp(-width * float(((x - y) ** 2).sum())) for y in right] for x in left]
        np.testing.assert_allclose(Fourier(gamma=gamma).gram(left, right), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "at_distance"),
    [
        ("gaussian", lambda d, s: math.exp(-(d**2) / (2 * s**2))),
        ("laplacian", lambda d, s: math.exp(-abs(d) / s)),
        ("cauchy", lambda d, s: 1 / (1 + (d / s) ** 2)),
    ],
)
def test_sigma_is_the_width_that_papers_write(kernel, at_distance):
    """exp(-d^2 / 2 sigma^2), exp(-|d| / sigma) and 1 / (1 + d^2 / sigma^2)."""
    X = np.array([[0.0], [0.3], [-2.0]])
    gram = Fourier(kernel=kernel, sigma=0.7).gram(X, X[:1])
    np.testing.assert_allclose(gram[:, 0], [at_distance(float(x), 0.7) for x in X[:, 0]], rtol=1e-12)


def test_the_same_draws_give_the_same_map() -> None:
    """Nodes that open the map with equal draws have equal features to the bit; other draws give another map."""
    X = samples(6, 2)
    fourier = Fourier(size=20)
    first, again, other = (fourier.open(2, generator(key))(X) for key in (5, 5, 6))
    assert first.shape == (6, 20)
    assert (first == again).all()
    assert np.abs(first - other).max() > 0.1


def test_features_are_bounded_waves() -> None:
    """No feature is larger than sqrt(2/D), and the largest come close."""
    features = Fourier(size=50).open(2, generator(5))(samples(500, 2))
    assert 0.99 * math.sqrt(2 / 50) < np.abs(features).max() <= math.sqrt(2 / 50)


@settings(deadline=None, derandomize=True)
@given(
    kernel=st.sampled_from(["gaussian", "laplacian", "cauchy"]),
    draw=st.sampled_from(["independent", "orthogonal", "sobol", "halton", "polar"]),
    inputs=st.integers(1, 7),
    half=st.integers(1, 40),
    key=st.integers(0, 2**128 - 1),
)
def test_pairs_have_length_one(kernel, draw, inputs, half, key):
    """cos^2 + sin^2 of every frequency is 1: any sample is exactly as near to itself as the kernel says."""
    assume(kernel == "gaussian" or draw not in ("orthogonal", "polar"))
    assume(draw != "polar" or inputs == 2)
    fourier = Fourier(kernel=kernel, draw=draw, size=2 * half, form="pair")
    Z = fourier.open(inputs, generator(key))(samples(5, inputs))
    assert Z.shape == (5, 2 * half)
    np.testing.assert_allclose((Z**2).sum(axis=1), 1.0, rtol=1e-14)


def test_sizes() -> None:
    """D is the parameter, whatever the inputs and the form."""
    assert Fourier(size=7).size_for(3) == 7
    assert Fourier(size=7).open(3, generator(0))(samples(2, 3)).shape == (2, 7)
    assert Fourier(size=8, form="pair").size_for(3) == 8


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"gamma": 0.5, "sigma": 1.0}, r"gamma 0\.5 and sigma 1 both tell the width"),
        ({"size": 7, "form": "pair"}, r"size 7 is odd.*take an even size"),
        (
            {"draw": "orthogonal", "kernel": "laplacian"},
            r"needs kernel gaussian.*for laplacian take independent, sobol",
        ),
        ({"draw": "polar", "kernel": "cauchy"}, r"draw polar needs kernel gaussian"),
    ],
)
def test_what_does_not_go_together_is_refused(keys, message):
    """The message names the value, and what would do."""
    with pytest.raises(ValueError, match=message):
        Fourier(**keys)


@pytest.mark.parametrize(
    ("keys", "inputs", "message"),
    [
        ({"draw": "polar"}, 3, r"polar is for 2 inputs, and the data have 3; take sobol"),
        ({"draw": "polar"}, 1, r"polar is for 2 inputs, and the data have 1"),
        ({"draw": "sobol"}, 21201, r"at most 21200 inputs, and the data have 21201; take orthogonal"),
    ],
)
def test_inputs_that_a_draw_is_not_for_are_refused_before_anything_is_drawn(keys, inputs, message):
    """By the size, which is asked for when a scenario is checked, and by opening."""
    fourier = Fourier(**keys)
    with pytest.raises(ValueError, match=message):
        fourier.size_for(inputs)
    with pytest.raises(ValueError, match=message):
        fourier.open(inputs, generator(0))

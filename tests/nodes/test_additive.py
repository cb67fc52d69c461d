from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.additive import AdditiveChi2
from nodes.arrays import Floats
from nodes.draws import generator


def histograms(count: int, bins: int, seed: int = 1) -> Floats:
    """Shares that sum to one, some of them zero."""
    counts = np.random.default_rng(seed).poisson(2.0, size=(count, bins)) + np.eye(count, bins)
    return counts / counts.sum(axis=1, keepdims=True)


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.floats(0, 1e3), st.floats(0, 1e3)), min_size=1, max_size=6))
def test_gram_is_the_kernel_between_rows(pairs):
    """The sum over inputs of 2xy / (x + y), in which 0/0 counts as 0."""
    x, y = np.array(pairs).T
    expected = sum(2 * a * (b / (a + b)) for a, b in pairs if a + b > 0)
    gram = AdditiveChi2().gram(x[None], y[None])
    assert gram.shape == (1, 1)
    np.testing.assert_allclose(gram[0, 0], expected, rtol=1e-10, atol=1e-11)


def test_errors_fall_with_steps():
    """One, two and three steps are within 20%, 10% and 5% of the kernel, whose largest value is 1 for histograms."""
    X = histograms(40, 8)
    errors = []
    for steps in (1, 2, 3):
        features = AdditiveChi2(steps=steps)
        Z = features.open(8, generator(0))(X)
        assert Z.shape == (40, features.size_for(8)) == (40, (2 * steps - 1) * 8)
        errors.append(np.abs(Z @ Z.T - features.gram(X, X)).max())
    np.testing.assert_allclose(errors, [0.2, 0.1, 0.05], rtol=0.02)


def test_features_do_not_depend_on_the_draws():
    """Nothing is drawn: the generator is left where it was."""
    X = histograms(5, 3)
    draws = generator(4)
    Z = AdditiveChi2().open(3, draws)(X)
    assert (AdditiveChi2().open(3, generator(9))(X) == Z).all()
    assert draws.random() == generator(4).random()


def test_negative_inputs_are_refused():
    """By the map and by the kernel."""
    X = np.array([[0.2, 0.8], [1.5, -0.5]])
    features = AdditiveChi2()
    with pytest.raises(ValueError, match=r"inputs of 0 or more, and one is -0\.5$"):
        features.open(2, generator(0))(X)
    for left, right in ((X, X[:1]), (X[:1], X)):
        with pytest.raises(ValueError, match="0 or more"):
            features.gram(left, right)

from __future__ import annotations

import numpy as np
import pytest

from nodes.averages import AVERAGES


def test_the_weighted_average_is_the_sum_with_weights_one_two_three() -> None:
    """After n rounds it is sum_i i theta_i / sum_i i; what it is given is not changed."""
    draws = np.random.default_rng(0)
    iterates = draws.normal(size=(12, 5))
    predict = AVERAGES["weighted"]()
    for n in range(1, 13):
        given = iterates[n - 1].copy()
        found = predict(given)
        weights = np.arange(1, n + 1)
        np.testing.assert_allclose(found, weights @ iterates[:n] / weights.sum(), rtol=1e-12)
        np.testing.assert_array_equal(given, iterates[n - 1])


def test_without_an_average_the_latest_parameters_predict() -> None:
    """``none`` gives what it is given."""
    theta = np.ones(3)
    assert AVERAGES["none"]()(theta) is theta


@pytest.mark.parametrize("name", AVERAGES)
def test_two_nodes_have_averages_of_their_own(name: str) -> None:
    """What one has been given says nothing of the other."""
    first, second = AVERAGES[name](), AVERAGES[name]()
    first(np.full(2, 9.0))
    assert second(np.ones(2)).tolist() == [1.0, 1.0]

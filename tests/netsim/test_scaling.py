"""Scaling of inputs with the statistics of the training set or of each node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.scaling import Unscaled, ZScore

X = np.random.default_rng(0).normal([5.0, -100.0, 0.01], [2.0, 30.0, 0.001], (60, 3))
PARTS = [np.arange(0, 10), np.arange(10, 25), np.arange(25, 60)]


def test_training_set_scaler_gives_mean_zero_and_deviation_one() -> None:
    """The scaled training set has mean 0 and deviation 1 (ddof 0) in each column, with one scaler for all nodes."""
    scalers = ZScore().fit(X, PARTS)
    assert len(scalers) == 3
    assert all(scaler is scalers[0] for scaler in scalers)
    scaled = scalers[0](X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0, ddof=0), 1, rtol=1e-12)
    np.testing.assert_allclose(scalers[0].mean, X.mean(axis=0), rtol=1e-15)
    np.testing.assert_allclose(scalers[0].std, X.std(axis=0), rtol=1e-15)


def test_node_scalers_use_their_own_part_only() -> None:
    """With ``from: node`` each node's own samples have mean 0 and deviation 1, by statistics of its own."""
    scalers = ZScore(from_="node").fit(X, PARTS)
    for scaler, part in zip(scalers, PARTS, strict=True):
        np.testing.assert_allclose(scaler(X[part]).mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(scaler(X[part]).std(axis=0), 1, rtol=1e-12)
    assert not np.allclose(scalers[0].mean, scalers[1].mean)


@settings(deadline=None, derandomize=True)
@given(st.floats(-1e6, 1e6), st.integers(1, 50))
def test_constant_column_is_centred_only(value: float, rows: int) -> None:
    """A column of equal values has std 1, also where rounding makes numpy's deviation a little more than 0."""
    scaler = ZScore().fit(np.column_stack([np.full(rows, value), np.arange(rows)]), [np.arange(rows)])[0]
    assert scaler.std[0] == 1.0
    np.testing.assert_allclose(scaler(np.array([[value, 0.0], [value + 3, 0.0]]))[:, 0], [0, 3], atol=1e-8)


def test_rounded_constant_column_is_seen_as_constant() -> None:
    """Sixty times 0.1 has a deviation of about 1e-16 by numpy; dividing by it would blow up a test sample."""
    inputs = np.column_stack([np.full(60, 0.1), np.arange(60)])
    assert inputs.std(axis=0)[0] > 0
    assert ZScore().fit(inputs, [np.arange(60)])[0].std[0] == 1.0


def test_deviation_that_underflows_does_not_divide_by_zero() -> None:
    """Values so small that their squares vanish are left finite."""
    tiny = np.array([[1e-300], [2e-300]])
    assert np.isfinite(ZScore().fit(tiny, [np.arange(2)])[0](tiny)).all()


def test_node_with_one_sample_is_centred_on_it() -> None:
    """One sample has no deviation, so that its node only subtracts it."""
    scaler = ZScore(from_="node").fit(X, [np.array([7])])[0]
    assert scaler(X[[7]]).tolist() == [[0.0, 0.0, 0.0]]
    assert scaler.std.tolist() == [1.0, 1.0, 1.0]


def test_none_changes_no_bit() -> None:
    """Without scaling the inputs stay the same bits."""
    scalers = Unscaled().fit(X, PARTS)
    assert len(scalers) == 3
    assert scalers[2](X).tobytes() == X.tobytes()


def test_scaler_is_frozen() -> None:
    """A scaler's statistics cannot be exchanged after it is made."""
    with pytest.raises(AttributeError):
        ZScore().fit(X, PARTS)[0].mean = np.zeros(3)  # type: ignore[misc]

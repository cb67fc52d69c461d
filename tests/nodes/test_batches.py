from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.batches import Batches


def one_pass(batches: Batches, turn: int, per_pass: int) -> list[int]:
    """The rows of a whole pass in the order of their use."""
    return [int(row) for k in range(turn * per_pass, (turn + 1) * per_pass) for row in batches.rows(k)]  # type: ignore[union-attr]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(samples=st.integers(2, 40), size=st.integers(1, 39), key=st.integers(0, 2**128 - 1))
def test_every_pass_uses_every_sample_once(samples: int, size: int, key: int) -> None:
    """All batches but the last of a pass are full, and together they are all samples."""
    size = min(size, samples - 1)
    batches = Batches(samples, size, key)
    per_pass = -(-samples // size)
    for turn in range(3):
        assert sorted(one_pass(batches, turn, per_pass)) == list(range(samples))
        sizes = [len(batches.rows(turn * per_pass + i)) for i in range(per_pass)]  # type: ignore[arg-type]
        assert sizes == [size] * (per_pass - 1) + [samples - size * (per_pass - 1)]


def test_orders_differ_by_pass_and_key() -> None:
    """Each pass and each node's key has an order of its own, none of them that of the samples."""
    orders = [one_pass(Batches(30, 7, key), turn, 5) for key in (1, 2) for turn in range(3)]
    assert len({tuple(order) for order in [*orders, list(range(30))]}) == 7


def test_every_sample_comes_first_equally_often() -> None:
    """Over 4000 passes of 4 samples each sample opens a pass 1000 times, within five deviations."""
    first = [int(Batches(4, 1, key).rows(0)[0]) for key in range(4000)]  # type: ignore[index]
    assert np.abs(np.bincount(first, minlength=4) - 1000).max() < 5 * 28


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=12))
def test_rows_are_a_pure_function_of_the_adaptation(asked: list[int]) -> None:
    """Adaptation k has the same rows in whatever order, and however often, it is asked for."""
    batches = Batches(11, 3, 99)
    for k in asked:
        np.testing.assert_array_equal(batches.rows(k), Batches(11, 3, 99).rows(k))


@pytest.mark.parametrize("size", [None, 10, 11])
def test_all_samples(size: int | None) -> None:
    """Without a size, or with one not below the samples, every adaptation uses all rows."""
    batches = Batches(10, size, 0)
    assert [batches.rows(k) for k in range(3)] == [None] * 3

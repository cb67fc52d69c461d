from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.units import nanoseconds, positive_nanoseconds, written


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("20ms", 20_000_000),
        ("1ns", 1),
        ("2.5us", 2_500),
        ("0.3 s", 300_000_000),
        ("2min", 120_000_000_000),
        ("1e-3s", 1_000_000),
        (" 7ms ", 7_000_000),
        ("0s", 0),
        (0, 0),
    ],
)
def test_times_are_read_with_their_unit(text: Any, time: int) -> None:
    """Numbers with ns, us, ms, s or min become whole nanoseconds; only zero may stand without a unit."""
    assert nanoseconds(text) == time


@pytest.mark.parametrize("text", [20, 0.0, True, False, "20", "ms", "-5ms", "20 hours", "1 000ms", "nans", None, [1]])
def test_what_is_no_time_is_refused(text: Any) -> None:
    """The message shows what was written and names the units."""
    with pytest.raises(ValueError, match=r"is not a time; write .* \(ns, us, ms, s, min\)"):
        nanoseconds(text)


@pytest.mark.parametrize("text", ["1e400s", "1e300min", "5e18ns", "80e6min"])
def test_times_that_arrays_could_not_add_are_refused(text: str) -> None:
    """A sum of two times must fit into 64 bits, so the longest is 2^62 nanoseconds."""
    with pytest.raises(ValueError, match="too long a time; the longest is 4611686018s"):
        nanoseconds(text)
    assert nanoseconds("4611686018s") == 4_611_686_018 * 10**9


def test_periods_are_above_zero() -> None:
    """Neither zero nor what rounds to it can be a period."""
    assert positive_nanoseconds("1ns") == 1
    for text in ("0s", 0, "0.4ns"):
        with pytest.raises(ValueError, match="is not a time above zero"):
            positive_nanoseconds(text)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.integers(0, 10**6).flatmap(lambda n: st.sampled_from([n, n * 1000, n * 10**6, n * 10**9])))
def test_writing_is_the_inverse_of_reading(time: int) -> None:
    """What is written reads back as the same nanoseconds."""
    assert nanoseconds(written(time)) == time


@pytest.mark.parametrize(
    ("time", "text"),
    [(20_000_000, "20ms"), (1_500_000, "1500us"), (3, "3ns"), (120_000_000_000, "120s"), (0, "0s")],
)
def test_times_are_written_in_their_largest_unit(time: int, text: str) -> None:
    """The largest unit of which there is a whole number."""
    assert written(time) == text

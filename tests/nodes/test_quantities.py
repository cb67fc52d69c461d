from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from nodes.quantities import Count, Fraction, Index, NonNegative, Number, Positive, number


def read(quantity: Any, value: Any) -> Any:
    """The value as the scenario reader would take it."""
    return TypeAdapter(quantity).validate_python(value)


@pytest.mark.parametrize(
    ("written", "meant"), [(0.3, 0.3), (-2, -2.0), ("30%", 0.3), ("12.5 %", 0.125), ("1e1%", 0.1), ("-5%", -0.05)]
)
def test_numbers_may_be_written_in_per_cent(written: Any, meant: float) -> None:
    """A number is a float, however it is written."""
    got = read(Number, written)
    assert got == pytest.approx(meant, rel=1e-15)
    assert type(got) is float


@pytest.mark.parametrize(
    "written",
    [True, None, "0.3", "x%", "%", "nan%", "1e400%", math.nan, math.inf, -math.inf, [1], 10**400],
    ids=lambda written: str(written)[:10],
)
def test_what_is_no_finite_number_is_refused(written: Any) -> None:
    """Words, booleans, NaN, infinity and integers beyond all floats raise a ``ValueError`` that shows the value."""
    with pytest.raises(ValueError, match=r"is not a (finite number|percentage)") as refused:
        number(written)
    assert repr(written) in str(refused.value)


@pytest.mark.parametrize(
    ("quantity", "inside", "outside", "wanted"),
    [
        (Fraction, [0, 1, 0.5, "100%"], [-1e-9, 1 + 1e-9, "101%"], "between 0 and 1"),
        (Positive, [1e-300, 5], [0, -1, "0%"], "above 0"),
        (NonNegative, [0, 3.5], [-1e-300], "0 or more"),
        (Number, [-1e308, 0], [], ""),
        (Count, [1, 10**12], [0, -1, 1.0, 1.5, "2", True], "whole number of 1 or more"),
        (Index, [0, 7], [-1, 0.0, False, None], "whole number of 0 or more"),
    ],
    ids=["fraction", "positive", "non-negative", "number", "count", "index"],
)
def test_ranges(quantity: Any, inside: list[Any], outside: list[Any], wanted: str) -> None:
    """Each quantity takes its bounds as declared, and says what it wants where a value lies outside."""
    for value in inside:
        read(quantity, value)
    for value in outside:
        with pytest.raises(ValidationError, match=wanted):
            read(quantity, value)


@settings(deadline=None, derandomize=True)
@given(st.floats(0, 100))
def test_per_cent_is_a_hundredth(share: float) -> None:
    """``x%`` reads as x / 100, to the last bit."""
    assert number(f"{share!r}%") == share / 100


def test_annotations_are_inert_in_python() -> None:
    """Only the reader checks; a dataclass built in Python takes what it is given."""

    @dataclass(frozen=True)
    class Piece:
        p: Fraction

    assert Piece(7).p == 7

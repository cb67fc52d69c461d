"""Kinds of numbers that a scenario can hold: how each may be written, and what is refused.

A quantity is an annotated type, ``Fraction = Annotated[float, Written(...)]``. The annotation is inert in Python;
the scenario reader applies it at the edge, so range and spelling of a parameter are stated once, where it is declared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

LARGEST = sys.float_info.max


@dataclass(frozen=True)
class Written:
    """How a value may be written: ``parse`` gives the value or raises ``ValueError`` with the remedy.

    ``write`` is its inverse, for values that are held otherwise than they are written.
    """

    parse: Callable[[Any], Any]
    write: Callable[[Any], Any] | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> dict[str, Any]:
        # The validator's protocol for annotations; its schemas are plain dictionaries, so nothing is imported here.
        function = {"type": "no-info", "function": self.parse}
        return {"type": "function-before", "function": function, "schema": handler(source)}


def number(value: Any) -> float:
    """A finite number, written as one (``0.3``, ``1e-3``) or in per cent (``30%``)."""
    if isinstance(value, str) and value.rstrip().endswith("%"):
        try:
            return number(float(value.rstrip()[:-1])) / 100
        except ValueError:
            raise ValueError(f"{value!r} is not a percentage; write one like 30%") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)


def _bounded(holds: Callable[[float], bool], wanted: str) -> Callable[[Any], float]:
    def parse(value: Any) -> float:
        got = number(value)
        if not holds(got):
            raise ValueError(f"{value} is not {wanted}")
        return got

    return parse


def _integer(low: int, wanted: str) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ValueError(f"{value!r} is not {wanted}")
        return value

    return parse


positive = _bounded(lambda x: x > 0, "a number above 0")

Number = Annotated[float, Written(number)]
"""Any finite number."""
Fraction = Annotated[float, Written(_bounded(lambda x: 0 <= x <= 1, "between 0 and 1 (0% and 100%)"))]
"""A probability or share, 0 to 1."""
Positive = Annotated[float, Written(positive)]
"""A number above zero."""
NonNegative = Annotated[float, Written(_bounded(lambda x: x >= 0, "a number of 0 or more"))]
"""A number of zero or more."""
Count = Annotated[int, Written(_integer(1, "a whole number of 1 or more"))]
"""How many of something, at least one."""
Index = Annotated[int, Written(_integer(0, "a whole number of 0 or more"))]
"""A number counted from zero: a node, a seed."""

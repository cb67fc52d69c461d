"""Links that carry only so much at a time."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from netsim.links.element import LOST, Place
from nodes.quantities import Count, Index, Written

UNITS = {"bit/s": 1, "kbit/s": 1_000, "Mbit/s": 1_000_000, "Gbit/s": 1_000_000_000}
_WRITTEN = re.compile(r"\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*([kMG]?bit/s)\s*")
SECOND = 1_000_000_000


def bits_per_second(value: Any) -> float:
    """A rate such as ``250kbit/s`` in bits a second."""
    match = _WRITTEN.fullmatch(value) if isinstance(value, str) else None
    if match is None or float(match[1]) * UNITS[match[2]] < 1e-3:
        raise ValueError(f"{value!r} is not a rate above zero; write a number with its unit, like 250kbit/s")
    return float(match[1]) * UNITS[match[2]]


def _spelled(rate: float) -> str:
    return f"{rate!r}bit/s"


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A link that carries ``rate`` bits a second: frames wait for those before them, up to ``queue`` at a time.

    Each takes the time of its bytes and of ``overhead`` more. A frame that finds the queue full is lost.
    """

    kind: Literal["rate"] = "rate"
    rate_: Annotated[float, Written(bits_per_second, _spelled)]
    queue: Count = 1000
    overhead: Index = 0
    """Bytes that the link layer adds to each frame."""

    def open(self, place: Place) -> _Queue:
        """The queue of one edge."""
        return _Queue(self)


class _Queue:
    def __init__(self, element: Rate) -> None:
        self._element = element
        self._leaving: deque[float] = deque()

    def passes(self, time: int, size: int) -> float:
        """The delay of a frame of these many bytes that is sent at a time not before the last one's, or ``LOST``."""
        leaving, element = self._leaving, self._element
        while leaving and leaving[0] <= time:
            leaving.popleft()
        if len(leaving) >= element.queue:
            return LOST
        begins = max(float(time), leaving[-1] if leaving else 0.0)
        ends = begins + 8 * (size + element.overhead) * SECOND / element.rate_
        leaving.append(ends)
        return round(ends - time)

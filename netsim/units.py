"""Times, written with their unit in a scenario and held as whole nanoseconds."""

from __future__ import annotations

import re
from typing import Annotated, Any

from nodes.quantities import Written

NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000}
LONGEST = 1 << 62
"""The longest time in nanoseconds, about 146 years; sums of two still fit into 64 bits."""
_WRITTEN = re.compile(r"\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*(ns|us|ms|s|min)\s*")


def nanoseconds(value: Any) -> int:
    """A length of time such as ``20ms`` as whole nanoseconds."""
    if isinstance(value, int) and not isinstance(value, bool) and value == 0:
        return 0
    match = _WRITTEN.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{value!r} is not a time; write a number with its unit, like 20ms (ns, us, ms, s, min)")
    time = float(match[1]) * NANOSECONDS[match[2]]
    if time > LONGEST:
        raise ValueError(f"{value!r} is too long a time; the longest is {LONGEST // NANOSECONDS['s']}s")
    return round(time)


def positive_nanoseconds(value: Any) -> int:
    """A length of time above zero."""
    got = nanoseconds(value)
    if got <= 0:
        raise ValueError(f"{value!r} is not a time above zero")
    return got


def written(time: int) -> str:
    """The shortest spelling of a length of time that reads back as the same nanoseconds."""
    for unit, size in reversed(NANOSECONDS.items()):
        if unit != "min" and time % size == 0:
            return f"{time // size}{unit}"
    return f"{time}ns"


Duration = Annotated[int, Written(nanoseconds, written)]
"""A length of time of zero or more, in nanoseconds."""
Period = Annotated[int, Written(positive_nanoseconds, written)]
"""A length of time above zero, in nanoseconds."""

"""Link elements that delay frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from netsim.units import Duration, written
from nodes.arrays import Floats, Integers
from nodes.quantities import Fraction

PARETO = 3.0
"""The exponent of the Pareto distribution, as in the tables of tc netem."""


@dataclass(frozen=True, kw_only=True)
class Delay:
    """A delay of ``time``, or random around it by ``jitter``.

    ``uniform``: within the jitter of the time. ``normal``: the jitter is its standard deviation. ``pareto``: the same
    mean and deviation with a long tail of slow frames (exponent 3, none faster than time less 0.58 of the jitter).
    Delays below zero become zero.
    """

    kind: Literal["delay"] = "delay"
    time: Duration
    jitter: Duration = 0
    distribution: Literal["uniform", "normal", "pareto"] = "uniform"

    def __post_init__(self) -> None:
        if self.jitter > self.time:
            raise ValueError(
                f"jitter {written(self.jitter)} is longer than time {written(self.time)}, so that frames would arrive "
                "before they are sent; make it at most the time"
            )

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """Whole nanoseconds."""
        if self.jitter == 0:
            return np.full(len(times), float(self.time))
        return np.maximum(np.rint(self.time + self.jitter * _SPREADS[self.distribution](chance()[:, 0])), 0.0)

    @property
    def mean_delay(self) -> float:
        """In nanoseconds."""
        return float(self.time)


def _uniform(draws: Floats) -> Floats:
    return 2 * draws - 1


def _normal(draws: Floats) -> Floats:
    # Draws are multiples of 2^-53, so that half of one more keeps them off 0, where the quantile is infinite.
    quantiles: Floats = ndtri(draws + 2.0**-54)
    return quantiles


def _pareto(draws: Floats) -> Floats:
    mean = PARETO / (PARETO - 1)
    deviation = np.sqrt(PARETO / (PARETO - 2)) / (PARETO - 1)
    quantiles: Floats = ((1 - draws) ** (-1 / PARETO) - mean) / deviation
    return quantiles


_SPREADS: dict[str, Callable[[Floats], Floats]] = {"uniform": _uniform, "normal": _normal, "pareto": _pareto}
"""Quantiles of distributions of mean 0, by their deviation; of the uniform one by half its width."""


@dataclass(frozen=True, kw_only=True)
class DelayTable:
    """A delay drawn from measured ones, each as likely as the others."""

    kind: Literal["delay-table"] = "delay-table"
    times: tuple[Duration, ...]

    def __post_init__(self) -> None:
        if not self.times:
            raise ValueError("times: [] has no delay to draw; give one or more, like [5ms, 7ms, 40ms]")

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """One of the table for each."""
        table = np.array(self.times, dtype=np.float64)
        return table[(chance()[:, 0] * len(table)).astype(np.int64)]

    @property
    def mean_delay(self) -> float:
        """In nanoseconds."""
        return float(np.mean(self.times))


@dataclass(frozen=True, kw_only=True)
class Reorder:
    """Each frame is held back with probability ``p`` for another ``time``, so that later ones overtake it."""

    kind: Literal["reorder"] = "reorder"
    p: Fraction
    time: Duration

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """The time or nothing."""
        return np.where(chance()[:, 0] < self.p, float(self.time), 0.0)

    @property
    def rate(self) -> float:
        """The share of frames that are held back."""
        return self.p if self.time else 0.0

    @property
    def mean_delay(self) -> float:
        """In nanoseconds."""
        return self.p * self.time

"""Link elements that lose frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from netsim.links.element import LOST, Chance, Place
from nodes.arrays import Floats, Integers
from nodes.quantities import Fraction, Positive

Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Each frame is lost with probability ``p``, whatever became of others."""

    kind: Literal["loss"] = "loss"
    p: Fraction

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """Nothing or everything."""
        if self.p == 0:
            return np.zeros(len(times))
        return np.where(chance()[:, 0] < self.p, LOST, 0.0)

    @property
    def rate(self) -> float:
        """The share of frames that are lost."""
        return self.p


@dataclass(frozen=True, kw_only=True)
class GilbertElliott:
    """Loss in bursts: a channel that turns from good to bad with probability ``p`` a slot, and back with ``r``.

    Frames are lost with probability ``bad-loss`` and ``good-loss``; tc netem's gemodel has them as 1-h and 1-k. The
    channel starts in its stationary state, bad with probability p / (p + r), and turns once a slot whether a frame is
    sent or not (Gilbert 1960, Elliott 1963).
    """

    kind: Literal["gilbert-elliott"] = "gilbert-elliott"
    p: Fraction
    r: Fraction
    bad_loss: Fraction = 1.0
    good_loss: Fraction = 0.0

    def __post_init__(self) -> None:
        if self.p + self.r == 0:
            raise ValueError("p: 0 and r: 0 leave the channel where it starts; give one of them")

    def open(self, place: Place) -> _Bursts:
        """The channel of one edge."""
        return _Bursts(self)

    @property
    def rate(self) -> float:
        """The share of frames that are lost: (p bad-loss + r good-loss) / (p + r)."""
        return (self.p * self.bad_loss + self.r * self.good_loss) / (self.p + self.r)


@dataclass(frozen=True, kw_only=True)
class BurstLoss:
    """Loss in bursts by what is seen of them: the share ``mean`` of frames is lost, in runs of ``length`` slots.

    A Gilbert-Elliott channel with r = 1 / length and p = r mean / (1 - mean) that loses all while it is bad.
    """

    kind: Literal["burst-loss"] = "burst-loss"
    mean: Fraction
    length: Positive

    def __post_init__(self) -> None:
        if self.mean == 1:
            raise ValueError("mean: 1 has no end of a burst; take a loss of p: 100%")
        least = max(1.0, self.mean / (1 - self.mean))
        if self.length < least * (1 - 1e-12):  # rounding may put the least a little above itself
            raise ValueError(f"length: {self.length:g} is too short for mean: {self.mean:g}; take {least:g} or more")

    def open(self, place: Place) -> _Bursts:
        """The channel of one edge."""
        r = 1 / self.length
        # Rounding may put p a little above 1.
        return _Bursts(GilbertElliott(p=min(r * self.mean / (1 - self.mean), 1.0), r=r))

    @property
    def rate(self) -> float:
        """The share of frames that are lost."""
        return self.mean


class _Bursts:
    """The state of one channel, slot by slot, of which the last that were asked for are kept."""

    def __init__(self, element: GilbertElliott) -> None:
        self._element = element
        self._first, self._bad = 0, np.zeros(0, dtype=bool)

    def delays(self, times: Integers, chance: Chance) -> Floats:
        """Nothing or everything, as the channel is."""
        element = self._element
        loss = np.where(self._states(chance), element.bad_loss, element.good_loss)
        return np.where(chance()[:, 0] < loss, LOST, 0.0)

    def _states(self, chance: Chance) -> Booleans:
        first, end = chance.first, chance.first + chance.count
        if first < self._first:  # a slot before those that are kept: from the beginning
            self._first, self._bad = 0, np.zeros(0, dtype=bool)
        known = self._first + len(self._bad)
        if end > known:
            draws = chance.of_slots(known, end - known)
            last = bool(self._bad[-1]) if len(self._bad) else None
            grown = np.concatenate([self._bad, self._turned(last, draws)])
            dropped = max(first - self._first, 0)
            self._first, self._bad = self._first + dropped, grown[dropped:]
        return self._bad[first - self._first : end - self._first]

    def _turned(self, last: bool | None, draws: Floats) -> Booleans:
        """The states of slots that follow one in state ``last``; None where there is none before."""
        p, r = self._element.p, self._element.r
        worsens, mends = (draws[:, 1] < p).tolist(), (draws[:, 1] < r).tolist()
        states = []
        for k in range(len(draws)):
            begins = last is None
            last = bool(draws[k, 2] < p / (p + r)) if begins else not mends[k] if last else worsens[k]
            states.append(last)
        return np.array(states, dtype=bool)


@dataclass(frozen=True, kw_only=True)
class DistanceLoss:
    """Loss that grows with the distance d of two nodes: it is ``at-range`` times (d / range)^2, and 1 beyond the range.

    The unit disk model of the simulator Cooja, where at-range is one less its success ratio. The topology has to give
    nodes their positions, as random-geometric does.
    """

    kind: Literal["distance-loss"] = "distance-loss"
    range: Positive
    at_range: Fraction = 1.0

    def open(self, place: Place) -> Loss:
        """The loss of one edge; ``ValueError`` where nodes have no positions."""
        if place.distance is None:
            raise ValueError("the nodes of this topology have no positions; take random-geometric, or a loss of p: ...")
        near = place.distance <= self.range
        return Loss(p=min(self.at_range * (place.distance / self.range) ** 2, 1.0) if near else 1.0)

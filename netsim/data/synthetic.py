"""The two synthetic problems of the dSVOR paper, section 5.1: four ranks in the plane, cut by lines or by circles."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from netsim.data.dataset import Dataset, Samples, divide
from nodes.arrays import Floats
from nodes.quantities import Count, NonNegative

RANKS = 4
HALF_SIDES = (2.0, 1.0)
LINES = (-1.0, 0.0, 1.0)
ROTATION = np.pi / 8
RADIUS = 4.0
CIRCLES = (1.0, 2.0, 3.0)


@dataclass(frozen=True, kw_only=True)
class Strips:
    """Uniform on a rectangle of 4 by 2 cut by three parallel lines, then noise of this deviation, then a rotation."""

    kind: Literal["strips"] = "strips"
    train: Count = 1000
    test: Count = 200
    noise: NonNegative = 0.5

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """Fresh samples, X of two columns."""
        points = generator.uniform(-1.0, 1.0, (self.train + self.test, 2)) * HALF_SIDES
        noisy = points + generator.normal(0.0, self.noise, points.shape)
        cosine, sine = np.cos(ROTATION), np.sin(ROTATION)
        rotated = noisy @ np.array([[cosine, sine], [-sine, cosine]])
        return _four_ranks("strips", rotated, points[:, 0], LINES, self.train)


@dataclass(frozen=True, kw_only=True)
class Rings:
    """Uniform on a disc of radius 4 cut by three concentric circles, then noise of this deviation."""

    kind: Literal["rings"] = "rings"
    train: Count = 1000
    test: Count = 200
    noise: NonNegative = 0.2

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """Fresh samples, X of two columns."""
        total = self.train + self.test
        # The square root makes the density uniform over the area, not over the radius.
        radii = RADIUS * np.sqrt(generator.uniform(0.0, 1.0, total))
        angles = generator.uniform(0.0, 2 * np.pi, total)
        points = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
        noisy = points + generator.normal(0.0, self.noise, points.shape)
        return _four_ranks("rings", noisy, radii, CIRCLES, self.train)


def _four_ranks(source: str, X: Floats, place: Floats, cuts: tuple[float, ...], train: int) -> Dataset:
    """Ranks by the place before noise among the cuts; the first ``train`` samples train, the others test."""
    samples = Samples(source, X, np.searchsorted(cuts, place) + 1)
    rows = np.arange(len(X))
    return divide(samples, rows[:train], rows[train:], RANKS)

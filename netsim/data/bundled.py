"""Real data that come with scikit-learn: nothing to fetch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from netsim.data.dataset import Dataset, Samples, divide, draw
from nodes.arrays import Floats, Integers
from nodes.quantities import Count, Fraction


@dataclass(frozen=True, kw_only=True)
class Diabetes:
    """Progression of diabetes in 442 patients from 10 measurements, cut into ranks of equal frequency."""

    kind: Literal["diabetes"] = "diabetes"
    ranks: Count = 5
    test: Fraction = 0.2

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """The patients, with a test set drawn anew."""
        from sklearn.datasets import load_diabetes  # half a second, which other data should not pay

        # In their own units: scikit-learn's scaled columns are made with the statistics of the test set, too.
        X, target = load_diabetes(return_X_y=True, scaled=False)
        samples = Samples("diabetes", X, equal_frequency(target, self.ranks))
        return divide(samples, *draw(samples, self.test, generator), self.ranks)


@dataclass(frozen=True, kw_only=True)
class Digits:
    """1797 handwritten digits of 8 by 8 pixels; the rank is the digit + 1."""

    kind: Literal["digits"] = "digits"
    test: Fraction = 0.2

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """The digits, with a test set drawn anew."""
        from sklearn.datasets import load_digits  # half a second, which other data should not pay

        X, digit = load_digits(return_X_y=True)
        samples = Samples("digits", X, digit + 1)
        return divide(samples, *draw(samples, self.test, generator), 10)


def equal_frequency(target: Floats, ranks: int) -> Integers:
    """Ranks 1..ranks of a target cut at its quantiles; equal targets share a rank, the upper edge belongs to it.

    Raises ``ValueError`` where the target has too few distinct values for so many ranks.
    """
    total, distinct = len(target), len(np.unique(target))
    if ranks <= distinct:
        # Quantiles that are targets themselves: interpolated ones may round to the wrong side of one.
        edges = np.sort(target)[-(-total * np.arange(1, ranks) // ranks) - 1]
        got = np.searchsorted(edges, target, side="left") + 1
        if len(np.unique(got)) == ranks:
            return got.astype(np.int64)
    raise ValueError(
        f"ranks: {ranks} is too many for {total} samples with {distinct} distinct targets: "
        "some ranks would be empty; ask for fewer"
    )

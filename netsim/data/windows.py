"""Windows of a record: where they start, and which of them train or test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from nodes.arrays import Integers
from nodes.pieces import Slot


@dataclass(frozen=True, kw_only=True)
class Shuffled:
    """Windows train or test at random, anew in each repeat. They overlap, so that tests look better than they are."""

    kind: Literal["random"] = "random"

    def deal(self, train: int, test: int, generator: np.random.Generator) -> tuple[Integers, Integers]:
        """Row numbers of those that train and of those that test, of the ``train`` windows before the ``test`` ones."""
        rows = generator.permutation(train + test)
        return np.sort(rows[:train]), np.sort(rows[train:])


@dataclass(frozen=True, kw_only=True)
class Chronological:
    """Windows of the record's first part train, those of the rest test: no sample is in both, in any repeat."""

    kind: Literal["time"] = "time"

    def deal(self, train: int, test: int, generator: np.random.Generator) -> tuple[Integers, Integers]:
        """Row numbers of those that train and of those that test, of the ``train`` windows before the ``test`` ones."""
        rows = np.arange(train + test)
        return rows[:train], rows[train:]


WindowSplit = Annotated[Shuffled | Chronological, Slot("split of windows", default="random")]


def draw_starts(
    samples: int, share: float, length: int, train: int, test: int, generator: np.random.Generator
) -> Integers:
    """First samples of ``train`` windows in the record's first ``share`` and of ``test`` windows in the rest.

    Each of the two is drawn without repeats and ascends; no window lies across the border. ``ValueError`` where a part
    has no room for so many.
    """
    border = int(share * samples)
    return np.concatenate(
        [
            _starts(0, border, length, train, f"the first {share:.0%}", generator),
            _starts(border, samples, length, test, f"the last {1 - share:.0%}", generator),
        ]
    )


def _starts(begin: int, end: int, length: int, count: int, part: str, generator: np.random.Generator) -> Integers:
    places = max(end - begin - length + 1, 0)
    if places < count:
        raise ValueError(
            f"{part} of a record, {end - begin} samples, has {places} places for windows of {length} samples, which is "
            f"fewer than the {count} wanted; take fewer or shorter ones, or another share"
        )
    return begin + np.sort(generator.choice(places, count, replace=False)).astype(np.int64)

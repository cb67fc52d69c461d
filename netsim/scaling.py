"""How inputs are scaled before a node sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nodes.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class Scaler:
    """Scaled inputs (X - mean) / std, column by column."""

    mean: Floats
    std: Floats

    def __call__(self, X: Floats) -> Floats:
        """The inputs X (samples, columns) scaled."""
        return (X - self.mean) / self.std


@dataclass(frozen=True, kw_only=True)
class ZScore:
    """Mean 0 and deviation 1 in every column, by the statistics of the whole training set or of each node's own part.

    A column that does not vary is only centred.
    """

    kind: Literal["z-score"] = "z-score"
    from_: Literal["training-set", "node"] = "training-set"

    def fit(self, X_train: Floats, parts: list[Integers]) -> list[Scaler]:
        """One scaler for each node, whose samples are the rows in its part."""
        if self.from_ == "training-set":
            return [_z_score(X_train)] * len(parts)
        return [_z_score(X_train[part]) for part in parts]


@dataclass(frozen=True, kw_only=True)
class Unscaled:
    """Inputs as they are."""

    kind: Literal["none"] = "none"

    def fit(self, X_train: Floats, parts: list[Integers]) -> list[Scaler]:
        """One scaler for each node that changes nothing."""
        columns = X_train.shape[1]
        return [Scaler(np.zeros(columns), np.ones(columns))] * len(parts)


Scaling = ZScore | Unscaled


def _z_score(X: Floats) -> Scaler:
    with np.errstate(over="ignore"):
        std = X.std(axis=0)
    if not np.isfinite(std).all():
        raise ValueError(f"inputs up to {np.abs(X).max():g} have no finite deviation; divide them before")
    # The deviation of a constant column need not be exactly zero: the mean of equal values may be rounded.
    constant = (X.min(axis=0) == X.max(axis=0)) | (std == 0)
    return Scaler(X.mean(axis=0), np.where(constant, 1.0, std))

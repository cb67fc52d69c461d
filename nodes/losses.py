"""Losses of a linear model on features: what a sample costs, and its subgradient.

A model has weights w (D,) and, where the loss wants them, thresholds b (T,); a sample's score is f = w'z(x).
A loss sees scores and thresholds only, so one of your own needs no linear algebra.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

import numpy as np

from nodes.arrays import Floats, Labels
from nodes.pieces import Slot
from nodes.quantities import Written, positive

_PER_SAMPLE = re.compile(r"\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*/\s*N\s*")


def _weight(value: Any) -> float | str:
    if isinstance(value, str):
        match = _PER_SAMPLE.fullmatch(value)
        if match is None or not 0 < float(match[1]) < math.inf:
            raise ValueError(f"{value!r} is not a weight; write a number above 0, or one over the samples like 1000/N")
        return value
    return positive(value)


Weight = Annotated[float | str, Written(_weight)]
"""A positive number, or ``1000/N`` with N the number of training samples of the whole network."""


def weight_for(weight: float | str, samples: int) -> float:
    """A weight as a number, for this many training samples in the network."""
    return float(weight.split("/")[0]) / samples if isinstance(weight, str) else weight


class Loss(Protocol):
    """A scenario's choice of loss; frozen.

    One whose slopes are bounded may say so by ``steepest``, as the built-in hinges do.
    """

    @property
    def reduce(self) -> Literal["sum", "mean"]:
        """Whether a node's objective has the sum or the mean over its samples."""
        ...

    def factor(self, samples: int) -> float:
        """What the summed (or mean) loss is multiplied by, for N samples in the network."""
        ...

    def thresholds(self, ranks: int) -> int:
        """T, the number of parameters beside the weights, for labels 1..ranks, or for numbers where ``ranks`` is 0.

        ``ValueError`` if such labels are not for this loss.
        """
        ...

    def targets(self, labels: Labels, ranks: int) -> Floats:
        """What the loss compares scores with: one row a sample, made once from the labels (n,)."""
        ...

    def values(self, scores: Floats, thresholds: Floats, targets: Floats) -> Floats:
        """The loss of each sample (n,)."""
        ...

    def slopes(self, scores: Floats, thresholds: Floats, targets: Floats) -> tuple[Floats, Floats]:
        """A subgradient of the summed loss: by each sample's score (n,) and by each threshold (T,)."""
        ...

    def metrics(self, scores: Floats, thresholds: Floats, labels: Labels) -> dict[str, float]:
        """How good the predictions are on samples with these labels; of ``accuracy`` more is better, of others less."""
        ...


@dataclass(frozen=True, kw_only=True)
class OrdinalHinge:
    """The hinge loss of ordinal regression with implicit constraints (SVORIM; dSVOR paper eq. 7, 12, 15 and 16).

    Threshold b_q wants every sample of rank <= q below b_q - 1 and every other one above b_q + 1; each of the
    ranks - 1 thresholds is paid for by all samples.
    """

    kind: Literal["ordinal-hinge"] = "ordinal-hinge"
    C: Weight = "1000/N"
    reduce: Literal["sum", "mean"] = "sum"

    def factor(self, samples: int) -> float:
        """C as a number."""
        return weight_for(self.C, samples)

    def thresholds(self, ranks: int) -> int:
        """One between each two neighbouring ranks."""
        if ranks < 2:
            raise ValueError("the ordinal hinge loss is for ranks, and these labels are numbers; take loss: squared")
        return ranks - 1

    def targets(self, labels: Labels, ranks: int) -> Floats:
        """Signs (n, ranks - 1): +1 where the score should be above the threshold, -1 where below."""
        # One threshold after the other in memory, so that the loops below run along the samples.
        return np.asfortranarray(np.where(labels[:, None] > np.arange(1, ranks), 1.0, -1.0))

    def values(self, scores: Floats, thresholds: Floats, targets: Floats) -> Floats:
        """The sum of a sample's hinges over the thresholds."""
        margins = (scores - thresholds[:, None]) * targets.T
        hinges: Floats = np.add.reduce(np.maximum(1.0 - margins, 0.0), 0)
        return hinges

    def slopes(self, scores: Floats, thresholds: Floats, targets: Floats) -> tuple[Floats, Floats]:
        """Minus (plus) the sign of each violated margin, by score (by threshold)."""
        signs = targets.T
        margins = scores - thresholds[:, None]
        margins *= signs
        violated = (margins < 1.0) * signs
        return -np.add.reduce(violated, 0), np.add.reduce(violated, 1)

    def steepest(self, targets: Floats) -> tuple[Floats, Floats]:
        """The largest slope by each sample's score (n,), and of one sample by each threshold (T,)."""
        above = (targets > 0).sum(axis=1)
        return np.maximum(above, targets.shape[1] - above).astype(np.float64), np.ones(targets.shape[1])

    def metrics(self, scores: Floats, thresholds: Floats, labels: Labels) -> dict[str, float]:
        """Accuracy, and mean absolute error in ranks (dSVOR paper eq. 25)."""
        missed = np.abs(1 + (scores[:, None] > thresholds).sum(axis=1) - labels)
        return {"accuracy": float((missed == 0).mean()), "mae": float(missed.mean())}


@dataclass(frozen=True, kw_only=True)
class Hinge:
    """The hinge loss max(0, 1 - y f) of two classes, without a threshold: rank 1 is y = -1, rank 2 is y = +1."""

    kind: Literal["hinge"] = "hinge"
    reduce: Literal["sum", "mean"] = "mean"

    def factor(self, samples: int) -> float:
        """One."""
        return 1.0

    def thresholds(self, ranks: int) -> int:
        """None."""
        _require_two(ranks)
        return 0

    def targets(self, labels: Labels, ranks: int) -> Floats:
        """Signs (n,)."""
        return signs(labels)

    def values(self, scores: Floats, thresholds: Floats, targets: Floats) -> Floats:
        """The hinge of each sample."""
        hinges: Floats = np.maximum(1.0 - scores * targets, 0.0)
        return hinges

    def slopes(self, scores: Floats, thresholds: Floats, targets: Floats) -> tuple[Floats, Floats]:
        """Minus the sign of each violated margin."""
        return -targets * (scores * targets < 1.0), thresholds

    def steepest(self, targets: Floats) -> tuple[Floats, Floats]:
        """One by each sample's score (n,)."""
        return np.ones(len(targets)), np.zeros(0)

    def metrics(self, scores: Floats, thresholds: Floats, labels: Labels) -> dict[str, float]:
        """Accuracy, and the share of errors."""
        return _sign_metrics(scores, labels)


@dataclass(frozen=True, kw_only=True)
class Squared:
    """Half the squared error (y - f)^2 / 2.

    y is the label as a number; or, with ``labels: signs``, -1 and +1 for the ranks 1 and 2, and f is right where its
    sign is.
    """

    kind: Literal["squared"] = "squared"
    labels: Literal["numbers", "signs"] = "numbers"
    reduce: Literal["sum", "mean"] = "mean"

    def factor(self, samples: int) -> float:
        """One."""
        return 1.0

    def thresholds(self, ranks: int) -> int:
        """None."""
        if self.labels == "signs":
            _require_two(ranks)
        return 0

    def targets(self, labels: Labels, ranks: int) -> Floats:
        """The labels as numbers (n,)."""
        return signs(labels) if self.labels == "signs" else labels.astype(np.float64)

    def values(self, scores: Floats, thresholds: Floats, targets: Floats) -> Floats:
        """Half the squared error of each sample."""
        return 0.5 * (scores - targets) ** 2

    def slopes(self, scores: Floats, thresholds: Floats, targets: Floats) -> tuple[Floats, Floats]:
        """The error, f - y."""
        return scores - targets, thresholds

    def metrics(self, scores: Floats, thresholds: Floats, labels: Labels) -> dict[str, float]:
        """Mean squared and mean absolute error; of signs, accuracy and share of errors before them."""
        signed = self.labels == "signs"
        errors = scores - (signs(labels) if signed else labels)
        found = _sign_metrics(scores, labels) if signed else {}
        return {**found, "mse": float((errors**2).mean()), "mae": float(np.abs(errors).mean())}


def signs(labels: Labels) -> Floats:
    """-1 for rank 1 and +1 for rank 2, as numbers (n,)."""
    return np.where(labels == 2, 1.0, -1.0)


def _require_two(ranks: int) -> None:
    if ranks != 2:
        found = f"{ranks} ranks" if ranks else "numbers"
        raise ValueError(f"this loss is for two classes, and these labels are {found}; take another loss or other data")


def _sign_metrics(scores: Floats, labels: Labels) -> dict[str, float]:
    # A score of zero says nothing, and counts as the first class.
    wrong = float(((scores > 0) != (labels == 2)).mean())
    return {"accuracy": 1 - wrong, "error": wrong}


Losses = Annotated[OrdinalHinge | Hinge | Squared, Slot("loss")]

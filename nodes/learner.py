"""What a node learns from its own data: its objective J_m, and the steps that lower it."""

from __future__ import annotations

import numpy as np

from nodes.arrays import Floats, Integers
from nodes.batches import Batches
from nodes.losses import Loss
from nodes.penalties import Penalty
from nodes.steps import Step


class Learner:
    """The objective J_m(theta) of one node: its part of the penalty plus the loss on its samples.

    theta (P,) is the weights (D,) followed by the thresholds. The loss is weighted by ``factor`` and summed over the
    node's samples or averaged, as the loss says; a batch stands for all samples.
    """

    def __init__(
        self,
        features: Floats,
        targets: Floats,
        loss: Loss,
        factor: float,
        penalty: Penalty,
        part: float,
        step: Step,
        batches: Batches,
    ) -> None:
        self._features, self._targets, self._size = features, targets, features.shape[1]
        self._loss, self._factor = loss, factor
        self._penalty, self._part = penalty, part
        self._step, self._batches = step, batches

    def gradient(self, theta: Floats, k: int) -> Floats:
        """A subgradient of J_m at theta on the batch of adaptation k (dSVOR paper eq. 15 and 16); a fresh array."""
        rows = self._batches.rows(k)
        features, targets = self._features, self._targets
        if rows is not None:
            features, targets = features[rows], targets[rows]
        size = self._size
        weights = theta[:size]
        by_score, by_threshold = self._loss.slopes(features.dot(weights), theta[size:], targets)
        gradient = np.empty_like(theta)
        by_score.dot(features, out=gradient[:size])
        gradient[size:] = by_threshold
        gradient *= self._scale(rows)
        self._penalty.add_gradient(weights, self._part, gradient[:size])
        return gradient

    def _scale(self, rows: Integers | None) -> float:
        drawn = self._batches.samples if rows is None else len(rows)
        return self._factor / drawn if self._loss.reduce == "mean" else self._factor * self._batches.samples / drawn

    def descend(self, point: Floats, gradient: Floats, k: int) -> Floats:
        """point - eta_k gradient, then the penalty's proximal step; uses up ``gradient``."""
        eta = self._step.size(k)
        gradient *= -eta
        gradient += point
        self._penalty.shrink(gradient[: self._size], eta * self._part)
        return gradient

"""What a node learns from its own data: its objective J_m, and the steps that lower it."""

from __future__ import annotations

import numpy as np

from nodes.arrays import Floats
from nodes.batches import Batches
from nodes.ledger import Ledger
from nodes.losses import Loss
from nodes.penalties import Penalty
from nodes.steps import Step


class Learner:
    """The objective J_m(theta) of one node: its part of the penalty plus the loss on its samples.

    theta (P,) is the weights (D,) followed by the thresholds. The loss is weighted by ``factor`` and summed over the
    node's samples or averaged, as the loss says; a batch stands for all samples. A ``ledger`` is told of each gradient.
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
        ledger: Ledger | None = None,
    ) -> None:
        self._features, self._targets, self._size = features, targets, features.shape[1]
        self._loss, self._penalty, self._part = loss, penalty, part
        self._step, self._batches, self._ledger = step, batches, ledger
        # A batch's summed slopes, over its size, stand for the mean over the samples, or times their number the sum.
        self._scale = factor if loss.reduce == "mean" else factor * batches.samples

    def gradient(self, theta: Floats, k: int) -> Floats:
        """A subgradient of J_m at theta on the batch of adaptation k (dSVOR paper eq. 15 and 16); a fresh array."""
        rows, size = self._batches.rows(k), self._size
        features, targets = self._features, self._targets
        if rows is not None:
            features, targets = features[rows], targets[rows]
        weights = theta[:size]
        scores, thresholds = features.dot(weights), theta[size:]
        by_score, by_threshold = self._loss.slopes(scores, thresholds, targets)
        gradient = np.empty(len(theta))
        by_weight = gradient[:size]
        by_score.dot(features, out=by_weight)
        gradient[size:] = by_threshold
        gradient *= self._scale / len(features)
        self._penalty.add_gradient(weights, self._part, by_weight)
        if self._ledger is not None:
            losses = self._loss.values(scores, thresholds, targets)
            paid = self._scale * float(losses.mean()) + self._part * self._penalty.value(weights)
            self._ledger.enter(paid, gradient, self._step.size(k))
        return gradient

    def descend(self, point: Floats, gradient: Floats, k: int) -> Floats:
        """point - eta_k gradient, then the penalty's proximal step; uses up ``gradient``."""
        eta = self._step.size(k)
        gradient *= -eta
        gradient += point
        self._penalty.shrink(gradient[: self._size], eta * self._part)
        return gradient

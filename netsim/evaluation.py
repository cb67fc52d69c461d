"""How good the parameters of all nodes are: accuracy, objective, consensus, zeros."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from netsim.world import World
from nodes.arrays import Floats
from nodes.wire import NonFiniteError

SMALL = 1e-2
"""Weights below this size are reported as small."""
LARGER_IS_BETTER = frozenset({"accuracy"})
"""Metrics whose worst node is the one with the smallest value."""
RESERVED = frozenset({"round", "time", "objective", "consensus", "zeros", "theory", "frames", "bytes"})
"""What a recorded round holds besides metrics."""
HUGE = 1e50
"""Parameters beyond this are those of a run that diverges, not of a metric with a mistake."""
CHUNK_ROWS = 4096
KEPT_BYTES = 64_000_000
"""Training features up to this size are kept between evaluations; larger ones are made anew, in chunks."""


class Evaluation:
    """Evaluates stacks of parameters (M, P), one row a node, in one world.

    A node's metrics are those of its own model on the common test set, scaled as the node scales. The objective is
    the network's: the sum of all nodes' objectives, each on its own training samples as it scales them.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._features = world.task.open_features()
        self._size = world.task.feature_count

    def row(self, stack: Floats, nodes: Sequence[int] | None = None) -> dict[str, Any]:
        """All quantities of one recorded round, in the words of a results file.

        ``nodes`` says whose parameters these are, where they are not all nodes'.

        Raises ``NonFiniteError`` where the parameters are too large for them.
        """
        weights = stack[:, : self._size]
        distances = np.linalg.norm(stack - stack.mean(axis=0), axis=1)
        objective, consensus = float(self.objectives(stack).mean()), float(np.sqrt((distances**2).mean()))
        if not (math.isfinite(objective) and math.isfinite(consensus)):
            raise NonFiniteError("the objective or the consensus distance is not finite; take a smaller step")
        return {
            **self.metrics(stack, nodes),
            "objective": objective,
            "consensus": consensus,
            "zeros": {"exact": float((weights == 0).mean()), "small": float((np.abs(weights) < SMALL).mean())},
        }

    def metrics(self, stack: Floats, nodes: Sequence[int] | None = None) -> dict[str, dict[str, float]]:
        """The loss's metrics on the test set: mean and standard deviation over nodes, and the worst node."""
        loss, labels = self._world.task.loss, self._world.dataset.y_test
        found: dict[str, list[float]] = {}
        for theta, node in zip(stack, nodes or range(len(stack)), strict=True):
            scores = self._test_features[node] @ theta[: self._size]
            for name, value in loss.metrics(scores, theta[self._size :], labels).items():
                if name in RESERVED:
                    raise ValueError(
                        f"metric {name} of {type(loss).__name__} needs another name; results have that one"
                    )
                if not math.isfinite(value):
                    if np.abs(stack).max() > HUGE:
                        raise NonFiniteError(f"metric {name} is not finite; take a smaller step")
                    raise ValueError(f"metric {name} of {type(loss).__name__} is {value}; it must be a finite number")
                found.setdefault(name, []).append(value)
        if not np.isfinite([np.std(values) for values in found.values()]).all():
            raise NonFiniteError("the spread of a metric over nodes is not finite; take a smaller step")
        return {
            name: {
                "mean": float(np.mean(values)),
                "std": float(np.std(values)),
                "worst": min(values) if name in LARGER_IS_BETTER else max(values),
            }
            for name, values in found.items()
        }

    def objectives(self, stack: Floats) -> Floats:
        """J of each node's parameters (M,)."""
        task = self._world.task
        losses = np.zeros(len(stack))
        for features, targets, counts in self._training():
            scores = features @ stack[:, : self._size].T
            for m, theta in enumerate(stack):
                losses[m] += task.loss.values(scores[:, m], theta[self._size :], targets).dot(counts)
        penalties = np.array([task.penalty.value(theta[: self._size]) for theta in stack])
        return task.loss.factor(task.samples) * losses + task.penalties * penalties

    def distance(self, stack: Floats, theta: Floats) -> float:
        """Mean over nodes and test samples of the squared difference between nodes' scores and those of ``theta``."""
        size = self._size
        differences = [
            features @ (own[:size] - theta[:size]) for features, own in zip(self._test_features, stack, strict=True)
        ]
        return float(np.mean(np.square(differences)))

    @cached_property
    def _test_features(self) -> list[Floats]:
        """Each node's features of the test set; nodes that scale alike share one array."""
        X = self._world.dataset.X_test
        made = {id(scaler): scaler for scaler in self._world.scalers}
        by_scaler = {name: self._features(scaler(X)) for name, scaler in made.items()}
        return [by_scaler[id(scaler)] for scaler in self._world.scalers]

    def _training(self) -> Iterator[tuple[Floats, Floats, Floats]]:
        """Features, targets, and how much each sample's loss counts in the sum of all nodes' objectives."""
        samples, targets, counts = self._samples, self._targets, self._counts
        if len(samples) * self._size * 8 <= KEPT_BYTES:
            yield self._kept, targets, counts
            return
        for start in range(0, len(samples), CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            yield self._features(samples[rows]), targets[rows], counts[rows]

    @cached_property
    def _samples(self) -> Floats:
        return np.concatenate([share.samples for share in self._world.shares])

    @cached_property
    def _targets(self) -> Floats:
        labels = np.concatenate([share.labels for share in self._world.shares])
        return self._world.task.loss.targets(labels, self._world.task.ranks)

    @cached_property
    def _counts(self) -> Floats:
        return self._world.counts[np.concatenate(self._world.parts)]

    @cached_property
    def _kept(self) -> Floats:
        return self._features(self._samples)

"""The node: what it is given, and the coroutine that it is."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from nodes.arrays import Floats, Labels
from nodes.batches import Batches
from nodes.diffusion import Diffusion
from nodes.draws import generator
from nodes.exchange import Exchange
from nodes.features import FeatureMap
from nodes.learner import Learner
from nodes.ledger import MEASURES, Ledger
from nodes.losses import Loss
from nodes.messages import Full
from nodes.penalties import Penalty
from nodes.port import Port, Schedule, Tell
from nodes.steps import Step, step_for
from nodes.weights import Weights
from nodes.wire import Message, NonFiniteError


@dataclass(frozen=True, kw_only=True)
class Task:
    """What all nodes of a run are to learn, and how; the same for each of them."""

    features: FeatureMap
    loss: Loss
    penalty: Penalty
    algorithm: Diffusion
    messages: Full
    weights: Weights
    nodes: int
    samples: int
    """N, the training samples of the whole network."""
    inputs: int
    """K, the inputs of a sample."""
    ranks: int
    """Q, or 0 where labels are numbers."""
    feature_key: int
    """Gives the draws of the feature map, so that all nodes open the same one."""
    measured: bool = False
    """Whether nodes keep a ledger, and tell its sums after their parameters."""

    @property
    def feature_count(self) -> int:
        """D."""
        return self.features.size_for(self.inputs)

    @property
    def parameters(self) -> int:
        """P: weights and thresholds."""
        return self.feature_count + self.loss.thresholds(self.ranks)

    @property
    def told(self) -> int:
        """How many numbers a node tells for evaluation: its parameters, and what it measures."""
        return self.parameters + (len(MEASURES) if self.measured else 0)

    @property
    def step(self) -> Step:
        """The step sizes of every node; ``ValueError`` where they do not go with the penalty."""
        curvature = getattr(self.penalty, "curvature", 0.0)
        return step_for(self.algorithm.step, curvature * self.penalty.at_node(self.nodes))

    @property
    def penalties(self) -> float:
        """How many times the whole penalty stands in the sum of all nodes' objectives."""
        return self.nodes * self.penalty.at_node(self.nodes)

    def open_features(self) -> Callable[[Floats], Floats]:
        """The feature map, the same at every node."""
        return self.features.open(self.inputs, generator(self.feature_key))


@dataclass(frozen=True)
class Share:
    """What one node owns: its number, its samples (n, K) with labels (n,), and the key of its own draws."""

    node: int
    samples: Floats = field(repr=False)
    labels: Labels = field(repr=False)
    key: int


def open_learner(task: Task, share: Share, ledger: Ledger | None = None) -> Learner:
    """The objective of the node with this share."""
    return Learner(
        features=task.open_features()(share.samples),
        targets=task.loss.targets(share.labels, task.ranks),
        loss=task.loss,
        factor=task.loss.factor(task.samples),
        penalty=task.penalty,
        part=task.penalty.at_node(task.nodes),
        step=task.step,
        batches=Batches(len(share.labels), task.algorithm.batch_size, share.key),
        ledger=ledger,
    )


def told(error: Exception) -> str:
    """An unexpected error in one line, with the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


class NodeError(RuntimeError):
    """A node failed in a round, for a reason; ``diverged`` if its numbers stopped being finite."""

    def __init__(self, node: int, round: int, reason: str, diverged: bool = False) -> None:
        super().__init__(f"node {node} failed in round {round}: {reason}")
        self.node, self.round, self.reason, self.diverged = node, round, reason, diverged


def _failure(node: int, round: int, cause: Exception) -> NodeError:
    return NodeError(node, round, told(cause), isinstance(cause, NonFiniteError))


async def run(
    task: Task, share: Share, port: Port, schedule: Schedule, tell: Tell, decode: Callable[[bytes], Message]
) -> None:
    """A node's life: start from zero, take part in every round, tell its parameters after those that are recorded.

    What goes wrong in a round is raised as ``NodeError``, what ``tell`` raises as it is.
    """
    algorithm = task.algorithm
    try:
        coder = task.messages.open(share.node, tuple(port.neighbours), decode)
        exchange = Exchange(share.node, port, schedule, coder, task.weights, algorithm.on_silence, algorithm.late)
        ledger = Ledger() if task.measured else None
        learner = open_learner(task, share, ledger)
    except Exception as cause:
        raise _failure(share.node, 0, cause) from cause
    one_round, average = algorithm.round, algorithm.open_average()
    recorded = schedule.recorded
    theta: Floats = np.zeros(task.parameters)
    tell(0, _told(theta, ledger))
    for k in range(schedule.rounds):
        try:
            theta = await one_round(theta, k, learner, exchange)
        except Exception as cause:
            raise _failure(share.node, k, cause) from cause
        model = average(theta)
        if k + 1 in recorded:
            tell(k + 1, _told(model, ledger))


def _told(model: Floats, ledger: Ledger | None) -> Floats:
    return model if ledger is None else np.concatenate([model, ledger.sums])

"""What one place that owned all data would reach: the exact optimum, with the exact kernel or the run's features."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from netsim.baselines.kernels import kernel_features
from netsim.baselines.optima import (
    MOST_SAMPLES,
    AbsentError,
    Optimum,
    absent_where_it_fails,
    elastic_net,
    feature_optimum_of,
    optimum,
    owned_samples,
    require_ordinal,
)
from netsim.baselines.svorim import feature_optimum, kernel_optimum
from netsim.evaluation import SMALL
from netsim.world import World
from nodes.arrays import Floats, Integers
from nodes.features import Linear
from nodes.losses import OrdinalHinge

Row = dict[str, Any]
Features = Callable[[Floats], Floats]


def centralised(world: World) -> tuple[Row, Row]:
    """The optimum with the exact kernel and all of the penalty as a ridge: a row, and what ends its record.

    For ordinal regression this is cSVOR (dSVOR paper eq. 1). ``AbsentError`` says why there is none.
    """
    task = world.task
    if not hasattr(task.features, "gram"):
        raise AbsentError(f"{type(task.features).__name__} has no gram, the kernel that its features stand for")
    if type(task.loss) is OrdinalHinge:
        return _ordinal(world), {}
    if task.samples > MOST_SAMPLES:
        raise AbsentError(f"{task.samples} training samples are more than the {MOST_SAMPLES} of a kernel's matrix")
    if elastic_net(world).strength == 0:
        raise AbsentError("with the exact kernel and no penalty the optimum would repeat every label")
    data = world.dataset
    train = world.pooled(data.X_train)
    with absent_where_it_fails():
        features = kernel_features(task.features.gram, train)
    found = optimum(world, features(train), data.y_train, world.counts)
    return _row(world, features, found, train), {}


def _ordinal(world: World) -> Row:
    require_ordinal(world)
    task, data = world.task, world.dataset
    train, test = world.pooled(data.X_train), world.pooled(data.X_test)
    ranks_of: Integers = data.y_train.astype(np.int64)
    strength = getattr(task.penalty, "strength", 1.0)
    if strength == 0:
        raise AbsentError("the optimum of the ordinal hinge loss is known with a penalty only")
    weight = task.loss.factor(task.samples) / strength
    with absent_where_it_fails():
        # The features of the linear kernel are the inputs, and few: the solver is slow on its matrix and fast on them.
        if type(task.features) is Linear:
            linear = feature_optimum(train, ranks_of, data.ranks, weight, alpha=0.0)
            scores, thresholds, objective = test @ linear.weights, linear.thresholds, linear.objective
        else:
            other = kernel_optimum(task.features.gram(train, train), ranks_of, data.ranks, weight)
            scores = task.features.gram(test, train) @ other.coefficients
            thresholds, objective = other.thresholds, other.objective
    return {**_metrics(world, scores, thresholds), "objective": strength * objective}


def centralised_features(world: World) -> tuple[Row, Row]:
    """The optimum of the run's own objective, on its own features and penalty: a row, and what ends its record."""
    found = feature_optimum_of(world)
    row = _row(world, world.task.open_features(), found, owned_samples(world))
    zeros = {"exact": float((found.weights == 0).mean()), "small": float((abs(found.weights) < SMALL).mean())}
    return {**row, "zeros": zeros}, {"final": [found.parameters.tolist()]}


def _row(world: World, features: Features, found: Optimum, train: Floats) -> Row:
    """The metrics on the test set, and the network's objective, of an optimum on these features."""
    task, data = world.task, world.dataset
    scores = features(train) @ found.weights
    losses = task.loss.values(scores, found.thresholds, task.loss.targets(data.y_train, task.ranks))
    penalty = task.penalties * task.penalty.value(found.weights)
    objective = task.loss.factor(task.samples) * float(losses @ world.counts) + penalty
    predicted = features(world.pooled(data.X_test)) @ found.weights
    if not math.isfinite(objective):
        raise AbsentError("the objective of the optimum is not finite; rescale inputs and labels")
    return {**_metrics(world, predicted, found.thresholds), "objective": objective}


def _metrics(world: World, scores: Floats, thresholds: Floats) -> Row:
    found = world.task.loss.metrics(scores, thresholds, world.dataset.y_test)
    return {name: {"mean": value} for name, value in found.items()}

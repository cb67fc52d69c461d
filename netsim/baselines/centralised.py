"""What one place that owned all data would reach: the exact optimum, with the exact kernel or the run's features."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from netsim.baselines.svorim import feature_optimum, kernel_optimum
from netsim.evaluation import SMALL
from netsim.world import World
from nodes.arrays import Floats
from nodes.features import Linear
from nodes.losses import OrdinalHinge
from nodes.penalties import ElasticNet

MOST_SAMPLES = 5000
"""Training samples up to which the quadratic programs are solved."""


class AbsentError(ValueError):
    """There is no such baseline for this run; the message says why."""


def centralised(world: World) -> dict[str, Any]:
    """Support vector ordinal regression on all training samples with the exact kernel (cSVOR, dSVOR paper eq. 1)."""
    loss = _ordinal(world)
    task, data = world.task, world.dataset
    train, test = world.pooled(data.X_train), world.pooled(data.X_test)
    weight = loss.factor(task.samples)
    with _absent_where_it_fails():
        # The features of the linear kernel are the inputs, and few: the solver is slow on its matrix and fast on them.
        if type(task.features) is Linear:
            linear = feature_optimum(train, data.y_train, data.ranks, weight, alpha=0.0)
            scores, thresholds, objective = test @ linear.weights, linear.thresholds, linear.objective
        elif not hasattr(task.features, "gram"):
            raise AbsentError(f"{type(task.features).__name__} has no gram, the kernel that its features stand for")
        else:
            other = kernel_optimum(task.features.gram(train, train), data.y_train, data.ranks, weight)
            scores = task.features.gram(test, train) @ other.coefficients
            thresholds, objective = other.thresholds, other.objective
    return {**_metrics(world, scores, thresholds), "objective": objective}


def centralised_features(world: World) -> dict[str, Any]:
    """The exact optimum of the run's own objective, on its own features and penalty."""
    loss = _ordinal(world)
    task, data = world.task, world.dataset
    if type(task.penalty) is not ElasticNet:
        raise AbsentError(f"the optimum is known for the elastic net only, not for {type(task.penalty).__name__}")
    features = task.open_features()
    with _absent_where_it_fails():
        optimum = feature_optimum(
            features(world.pooled(data.X_train)),
            data.y_train,
            data.ranks,
            loss.factor(task.samples),
            task.penalty.alpha,
            task.penalties,
        )
    weights = optimum.weights
    scores = features(world.pooled(data.X_test)) @ weights
    zeros = {"exact": float((weights == 0).mean()), "small": float((abs(weights) < SMALL).mean())}
    return {**_metrics(world, scores, optimum.thresholds), "objective": optimum.objective, "zeros": zeros}


@contextmanager
def _absent_where_it_fails() -> Iterator[None]:
    try:
        yield
    except RuntimeError as failure:
        raise AbsentError(str(failure)) from failure


def _ordinal(world: World) -> OrdinalHinge:
    loss, samples = world.task.loss, world.task.samples
    # A class of the user's own that is derived from the built-in one may be any other loss.
    if type(loss) is not OrdinalHinge or loss.reduce != "sum":
        raise AbsentError("the optimum is known for the summed ordinal hinge loss only")
    if samples > MOST_SAMPLES:
        raise AbsentError(f"{samples} training samples are more than the {MOST_SAMPLES} that can be solved exactly")
    return loss


def _metrics(world: World, scores: Floats, thresholds: Floats) -> dict[str, Any]:
    found = world.task.loss.metrics(scores, thresholds, world.dataset.y_test)
    return {name: {"mean": value} for name, value in found.items()}

"""The exact optimum of a loss with a penalty on given features, whichever loss it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from netsim.baselines.linear import hinge_optimum, squared_optimum
from netsim.baselines.svorim import feature_optimum
from netsim.world import World
from nodes.arrays import Floats, Integers, Labels
from nodes.losses import Hinge, OrdinalHinge, Squared
from nodes.penalties import ElasticNet

MOST_SAMPLES = 5000
"""Training samples up to which quadratic programs are solved and kernel matrices made."""
MOST_ENTRIES = 100_000_000
"""Entries of a feature matrix up to which optima on features are looked for."""


class AbsentError(ValueError):
    """There is no such optimum for this run; the message says why."""


@dataclass(frozen=True)
class Optimum:
    """The weights (D,) and thresholds (T,) that minimise the network's objective."""

    weights: Floats
    thresholds: Floats

    @property
    def parameters(self) -> Floats:
        """Both, as nodes have them (P,)."""
        return np.concatenate([self.weights, self.thresholds])


def optimum(world: World, features: Floats, labels: Labels, counts: Floats) -> Optimum:
    """What minimises factor * sum_i counts_i loss_i + the penalty, on ``features`` (N, D).

    ``AbsentError`` where the loss or the penalty has no exact optimum here, or the problem is too large.
    """
    task, loss = world.task, world.task.loss
    solvers = {Hinge: hinge_optimum, Squared: squared_optimum}
    # A class of the user's own that is derived from a built-in one may be any other loss.
    if type(loss) not in (OrdinalHinge, *solvers):
        raise AbsentError(f"the optimum is not known for the loss {type(loss).__name__}")
    penalty = elastic_net(world)
    if type(loss) is OrdinalHinge:
        require_ordinal(world)
        if penalty.strength == 0:
            raise AbsentError("the optimum of the ordinal hinge loss is known with a penalty only")
        ranks_of: Integers = labels.astype(np.int64)
        with absent_where_it_fails():
            weight, scale = loss.factor(task.samples), task.penalties * penalty.strength
            found = feature_optimum(features, ranks_of, task.ranks, weight, penalty.alpha, scale)
        return Optimum(found.weights, found.thresholds)
    if penalty.alpha > 0 and penalty.strength > 0:
        raise AbsentError("the optimum of this loss is known for alpha: 0 only")
    ridge = task.penalties * penalty.curvature
    if type(loss) is Hinge and ridge == 0:
        raise AbsentError("the optimum of the hinge loss is known with a penalty only; give it a strength")
    if features.size > MOST_ENTRIES:
        raise AbsentError(f"{len(features)} samples of {features.shape[1]} features are too many to solve exactly")
    with absent_where_it_fails():
        weights = solvers[type(loss)](features, loss.targets(labels, task.ranks), counts, ridge)
    return Optimum(weights, np.zeros(0))


def feature_optimum_of(world: World) -> Optimum:
    """The optimum of the network's objective on the run's own features, each sample scaled as its node does."""
    return optimum(world, world.task.open_features()(owned_samples(world)), world.dataset.y_train, world.counts)


def owned_samples(world: World) -> Floats:
    """All training samples (N, K), each scaled as its node does."""
    samples = np.empty((world.task.samples, world.task.inputs))
    for rows, share in zip(world.parts, world.shares, strict=True):
        samples[rows] = share.samples
    return samples


def elastic_net(world: World) -> ElasticNet:
    """The penalty, if it is one whose optimum is known."""
    if type(world.task.penalty) is not ElasticNet:
        raise AbsentError(f"the optimum is known for the elastic net only, not for {type(world.task.penalty).__name__}")
    return world.task.penalty


def require_ordinal(world: World) -> None:
    """That quadratic programs of the ordinal hinge loss can be solved for this world."""
    if world.task.loss.reduce != "sum":
        raise AbsentError("the optimum is known for the summed ordinal hinge loss only")
    if world.task.samples > MOST_SAMPLES:
        raise AbsentError(
            f"{world.task.samples} training samples are more than the {MOST_SAMPLES} that can be solved exactly"
        )


@contextmanager
def absent_where_it_fails() -> Iterator[None]:
    """A solver that fails makes the optimum absent, with the solver's words."""
    try:
        yield
    except AbsentError:
        raise
    except (RuntimeError, MemoryError, ValueError, OverflowError) as failure:
        raise AbsentError(f"the solver says: {failure}") from failure

"""Descent on one machine that owns all data: the path that a network would follow if all nodes agreed at all times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from netsim.world import World
from nodes.arrays import Floats
from nodes.node import open_learner


def single_machine(world: World) -> Iterator[tuple[int, Floats]]:
    """(completed rounds, parameters (P,)) after every recorded round, from the start on.

    theta_{k+1} = theta_k - eta_k times the mean over nodes of their subgradients at theta_k, which is what every order
    comes to on a complete graph whose nodes weigh all alike (the single machine of the paper on decentralised gradient
    descent with random features, section 4, where all nodes have equally many samples).
    """
    task = world.task
    learners = [open_learner(task, share) for share in world.shares]
    average = task.algorithm.open_average()
    theta: Floats = np.zeros(task.parameters)
    yield 0, theta
    for k in range(world.rounds):
        gradient = np.mean([learner.gradient(theta, k) for learner in learners], axis=0)
        theta = learners[0].descend(theta, gradient, k)
        model = average(theta)
        if k + 1 in world.recorded:
            yield k + 1, model.copy()

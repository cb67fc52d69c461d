"""The floor: the same rounds for all nodes at once in numpy, without messages.

theta_{k+1} = C theta_k - eta_k grad J(theta_k), order ``consensus``, with the features of all nodes stacked as
(M, n, D): one product with C (sparse for many nodes), one batched product for the scores, one for the gradients.
"""

from __future__ import annotations

import time

import numpy as np

from netsim.mixing import combination_matrix
from netsim.world import World
from nodes.arrays import Floats
from nodes.losses import OrdinalHinge
from nodes.penalties import ElasticNet

DENSE_UP_TO = 200
"""Nodes up to which C is a dense array."""


def run_floor(world: World) -> tuple[float, Floats]:
    """CPU seconds of all rounds, and the parameters (M, P) after them."""
    task = world.task
    assert isinstance(task.penalty, ElasticNet)
    matrix = combination_matrix(task.weights, world.neighbours)
    combination = matrix.toarray() if task.nodes <= DENSE_UP_TO else matrix
    feature_map = task.open_features()
    features = np.stack([feature_map(share.samples) for share in world.shares])
    targets = np.stack([task.loss.targets(share.labels, task.ranks) for share in world.shares])
    ordinal = isinstance(task.loss, OrdinalHinge)
    factor = task.loss.factor(task.samples) / (1 if task.loss.reduce == "sum" else features.shape[1])
    ridge = task.penalty.at_node(task.nodes) * (1 - task.penalty.alpha)
    size = task.feature_count
    theta = np.zeros((task.nodes, task.parameters))
    start = time.process_time()
    for k in range(world.rounds):
        weights = theta[:, :size]
        scores = np.matmul(features, weights[:, :, None])[:, :, 0]
        gradient = np.empty_like(theta)
        if ordinal:
            margins = targets * (scores[:, :, None] - theta[:, None, size:])
            violated = (margins < 1.0) * targets
            slopes = -violated.sum(axis=2)
            gradient[:, size:] = violated.sum(axis=1)
        else:
            slopes = scores - targets
        gradient[:, :size] = np.matmul(slopes[:, None, :], features)[:, 0, :]
        gradient *= factor
        gradient[:, :size] += ridge * weights
        theta = combination @ theta - task.step.size(k) * gradient
    return time.process_time() - start, theta

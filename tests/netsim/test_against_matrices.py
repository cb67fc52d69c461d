"""The simulator against an independent implementation: all nodes at once as matrices, without any message."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.data import Rings
from netsim.links import Loss
from netsim.scenario.schema import Model, Network, Scenario
from netsim.topology import Complete, ErdosRenyi, Ring, Star
from netsim.traffic import Traffic
from netsim.transports.inprocess import InProcess
from netsim.world import World, build
from nodes.arrays import Floats
from nodes.diffusion import ORDERS, Diffusion
from nodes.features import Fourier, Linear
from nodes.losses import OrdinalHinge, Squared
from nodes.penalties import ElasticNet

ROUNDS = 12


class Parameters:
    """An observer that keeps every node's parameters after every round."""

    def __init__(self, world: World) -> None:
        self.stacks = np.full((world.rounds + 1, world.task.nodes, world.task.parameters), np.nan)

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """Keep them."""
        self.stacks[completed, node] = estimate


def simulate(world: World) -> Floats:
    """The stacks (rounds + 1, M, P) of a run in process."""
    observer = Parameters(world)
    InProcess().run(world, observer)
    return observer.stacks


def matrices(world: World, heard: Floats) -> Floats:
    """The same by formulas. ``heard[k, m, n]`` is 1 where node m hears node n in round k; lost weights stay at m."""
    task = world.task
    penalty, loss, order = task.penalty, task.loss, task.algorithm.order
    degree = np.array([len(world.neighbours[m]) for m in range(task.nodes)])
    weights = np.zeros((task.nodes, task.nodes))
    for m in range(task.nodes):
        for n in world.neighbours[m]:
            weights[m, n] = 1 / (1 + max(degree[m], degree[n]))
    features = [task.open_features()(share.samples) for share in world.shares]
    labels = [share.labels for share in world.shares]
    size = features[0].shape[1]
    share_of_penalty = 1 / task.nodes if penalty.share == "network" else 1.0
    stacks = [np.zeros((task.nodes, task.parameters))]

    def gradient(theta: Floats) -> Floats:
        out = np.zeros_like(theta)
        for m, (z, y) in enumerate(zip(features, labels, strict=True)):
            w, b = theta[m, :size], theta[m, size:]
            for row, label in zip(z, y, strict=True):
                if isinstance(loss, Squared):
                    out[m, :size] += (w @ row - label) * row / len(y)
                    continue
                for q in range(1, task.ranks):
                    sign = 1.0 if label > q else -1.0
                    if sign * (w @ row - b[q - 1]) < 1:
                        out[m, :size] -= 1000 / task.samples * sign * row
                        out[m, size + q - 1] += 1000 / task.samples * sign
            out[m, :size] += share_of_penalty * (1 - penalty.alpha) * w
            if penalty.zeros == "subgradient":
                out[m, :size] += share_of_penalty * penalty.alpha * np.sign(w)
        return out

    def stepped(point: Floats, slope: Floats, eta: float) -> Floats:
        out = point - eta * slope
        if penalty.zeros == "proximal":
            reach = eta * share_of_penalty * penalty.alpha
            w = out[:, :size]
            out[:, :size] = np.sign(w) * np.maximum(np.abs(w) - reach, 0)
        return out

    for k in range(world.rounds):
        theta, eta = stacks[-1], 0.1 / (1 + 0.01 * k)
        off = weights * heard[k]
        combination = off + np.diag(1 - off.sum(axis=1))
        if order == "consensus":
            stacks.append(stepped(combination @ theta, gradient(theta), eta))
        elif order == "combine-then-adapt":
            psi = combination @ theta
            stacks.append(stepped(psi, gradient(psi), eta))
        else:
            stacks.append(combination @ stepped(theta, gradient(theta), eta))
    return np.array(stacks)


def scenario(**changes: object) -> Scenario:
    """A small world; ``changes`` replaces parts of it."""
    parts: dict[str, object] = {
        "name": "small",
        "rounds": ROUNDS,
        "data": Rings(train=24, test=6),
        "network": Network(topology=ErdosRenyi(nodes=5, p=0.6)),
        "model": Model(features=Fourier(size=7), loss=OrdinalHinge(), penalty=ElasticNet(alpha=0.5)),
    }
    return Scenario(**{**parts, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("order", ORDERS)
@settings(deadline=None, derandomize=True, max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    topology=st.sampled_from([Ring(nodes=4), Star(nodes=5), Complete(nodes=1), ErdosRenyi(nodes=6, p=0.5)]),
    loss=st.sampled_from([OrdinalHinge(), Squared()]),
    features=st.sampled_from([Fourier(size=5), Linear()]),
    alpha=st.sampled_from([0.0, 0.3, 1.0]),
    zeros=st.sampled_from(["proximal", "subgradient"]),
    share=st.sampled_from(["network", "node"]),
)
def test_runs_without_loss_equal_the_formulas(order, seed, topology, loss, features, alpha, zeros, share):
    """On small random worlds all parameters of all rounds agree with the matrix form to 1e-12."""
    penalty = ElasticNet(alpha=alpha, zeros=zeros, share=share)
    world = build(
        scenario(
            seed=seed,
            network=Network(topology=topology),
            model=Model(features=features, loss=loss, penalty=penalty),
            algorithm=Diffusion(order=order),
        ),
        0,
        Path(),
    )
    heard = np.ones((ROUNDS, world.task.nodes, world.task.nodes))
    np.testing.assert_allclose(simulate(world), matrices(world, heard), rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@settings(deadline=None, derandomize=True, max_examples=15)
@given(seed=st.integers(0, 10**6), p=st.floats(0.05, 0.95))
def test_runs_with_loss_equal_the_formulas_for_the_same_lost_frames(order, seed, p):
    """With the frames that the links lose left out, and their weight on the listener, the same holds."""
    network = Network(topology=ErdosRenyi(nodes=5, p=0.6), links={"loss": Loss(p=p)})
    world = build(scenario(seed=seed, network=network, algorithm=Diffusion(order=order)), 0, Path())
    heard = np.zeros((ROUNDS, 5, 5))
    for m, neighbours in world.neighbours.items():
        for n in neighbours:
            channel = world.part().channel(n, m)
            heard[:, m, n] = [channel.fate(k, 0) >= 0 for k in range(ROUNDS)]
    assert 0 < heard.sum() < ROUNDS * 2 * world.graph.number_of_edges() + 1
    np.testing.assert_allclose(simulate(world), matrices(world, heard), rtol=0, atol=1e-12)

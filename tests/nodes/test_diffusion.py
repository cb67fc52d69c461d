from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from nodes.arrays import Floats
from nodes.batches import Batches
from nodes.diffusion import Algorithms, Diffusion
from nodes.exchange import Exchange
from nodes.learner import Learner
from nodes.losses import Squared
from nodes.messages import Full
from nodes.penalties import ElasticNet
from nodes.steps import Diminishing
from nodes.weights import Metropolis
from nodes.wire import unpack

C = np.array([[2, 1, 0], [1, 1, 1], [0, 1, 2]]) / 3
ALPHA, PART = 0.5, 1 / 3
draws = np.random.default_rng(8)
X, Y = draws.normal(size=(3, 5, 4)), draws.integers(1, 4, (3, 5)).astype(float)
START = draws.normal(size=(3, 4))


def gradients(Theta: Floats) -> Floats:
    """All nodes' gradients of mean squared loss and ridge, at one row each."""
    errors = np.einsum("mnd,md->mn", X, Theta) - Y
    found: Floats = np.einsum("mnd,mn->md", X, errors) / 5 + PART * (1 - ALPHA) * Theta
    return found


def proximal(Theta: Floats, eta: float) -> Floats:
    """Soft thresholding of all nodes' weights."""
    found: Floats = np.sign(Theta) * np.maximum(np.abs(Theta) - eta * PART * ALPHA, 0)
    return found


def consensus(Theta: Floats, eta: float) -> Floats:
    """The dSVOR paper's eq. 20."""
    return proximal(C @ Theta - eta * gradients(Theta), eta)


def combine_then_adapt(Theta: Floats, eta: float) -> Floats:
    """Both at the combination."""
    Psi = C @ Theta
    return proximal(Psi - eta * gradients(Psi), eta)


def adapt_then_combine(Theta: Floats, eta: float) -> Floats:
    """The adapted parameters are what travels."""
    return C @ proximal(Theta - eta * gradients(Theta), eta)


@pytest.mark.parametrize(
    ("order", "formula"),
    [
        ("consensus", consensus),
        ("combine-then-adapt", combine_then_adapt),
        ("adapt-then-combine", adapt_then_combine),
    ],
)
def test_orders_are_their_formulas(
    virtually: Any, open_ports: Any, order: Any, formula: Callable[[Floats, float], Floats]
) -> None:
    """Three rounds of three nodes that only talk in frames equal the same rounds of all nodes at once."""
    algorithm = Diffusion(order=order, step=Diminishing(first=0.2, decay=1.0))

    async def script() -> Floats:
        net = open_ports(nx.path_graph(3), own_slots=True)

        async def live(m: int) -> Floats:
            port = net.ports[m]
            coder = Full().open(m, tuple(port.neighbours), unpack)
            exchange = Exchange(m, port, net.each[m], coder, Metropolis(), "self", "combine")
            penalty = ElasticNet(alpha=ALPHA)
            learner = Learner(X[m], Y[m], Squared(), 1.0, penalty, PART, algorithm.step, Batches(5, None, 0))
            theta: Floats = START[m].copy()
            for k in range(3):
                theta = await algorithm.round(theta, k, learner, exchange)
            return theta

        final: Floats = np.stack(await asyncio.gather(*map(live, range(3))))
        return final

    expected = START
    for k in range(3):
        expected = formula(expected, 0.2 / (1 + k))
    np.testing.assert_allclose(virtually(script()), expected, rtol=0, atol=1e-14)


def test_orders_differ() -> None:
    """The three formulas are told apart by these data, so that the test above is one of each."""
    after = [formula(START, 0.2) for formula in (consensus, combine_then_adapt, adapt_then_combine)]
    assert min(np.abs(after[i] - after[j]).max() for i, j in ((0, 1), (0, 2), (1, 2))) > 1e-2


def test_batches_are_all_or_a_number() -> None:
    """``batch: all`` is no size; anything but it and counts is refused with the remedy."""
    reader = TypeAdapter[Any](Algorithms)
    assert reader.validate_python({"batch": "all"}).batch_size is None
    assert reader.validate_python({"batch": 5}).batch_size == 5
    for wrong in (0, -1, 2.5, "some", True):
        with pytest.raises(ValidationError, match="is not a batch; write all, or a whole number of 1 or more"):
            reader.validate_python({"batch": wrong})


def test_unknown_policies_are_refused() -> None:
    """Orders and policies are closed lists."""
    reader = TypeAdapter[Any](Algorithms)
    for key in ("order", "on_silence", "late"):
        with pytest.raises(ValidationError, match=key):
            reader.validate_python({key: "never"})

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.arrays import Floats
from nodes.penalties import ElasticNet

some_weights = st.lists(st.floats(-3, 3), min_size=1, max_size=6).map(np.array)


def shrunk(penalty: ElasticNet, weights: Floats, amount: float) -> Floats:
    """The proximal step on a copy."""
    moved = weights.copy()
    penalty.shrink(moved, amount)
    return moved


def gradient(penalty: ElasticNet, weights: Floats, part: float) -> Floats:
    """The penalty's gradient alone."""
    found = np.zeros(len(weights))
    penalty.add_gradient(weights, part, found)
    return found


@settings(deadline=None, derandomize=True, max_examples=200)
@given(weights=some_weights, amount=st.floats(0, 2), alpha=st.floats(0, 1), data=st.data())
def test_the_proximal_step_minimises_its_problem(weights: Floats, amount: float, alpha: float, data: Any) -> None:
    """No other u has a smaller ||u - w||^2 / 2 + amount * alpha * ||u||_1."""

    def cost(u: Floats) -> float:
        return float(((u - weights) ** 2).sum() / 2 + amount * alpha * np.abs(u).sum())

    best = shrunk(ElasticNet(alpha=alpha), weights, amount)
    move = np.array(data.draw(st.lists(st.floats(-1, 1), min_size=len(weights), max_size=len(weights))))
    for size in (1.0, 1e-2, 1e-4):
        assert cost(best) <= cost(best + size * move) + 1e-12


def test_the_proximal_step_by_hand() -> None:
    """Each weight moves towards zero by amount * alpha = 0.5 and stops there, at an exact zero."""
    found = shrunk(ElasticNet(alpha=0.25), np.array([2.0, -0.75, 0.5, -0.5, 0.25, 0.0]), 2.0)
    assert found.tolist() == [1.5, -0.25, 0.0, 0.0, 0.0, 0.0]


def test_subgradients_never_give_zeros() -> None:
    """With ``zeros: subgradient`` there is no proximal step, and the sign joins the gradient."""
    penalty = ElasticNet(alpha=0.9, zeros="subgradient")
    weights = np.array([2.0, -0.5, 0.0])
    assert shrunk(penalty, weights, 5.0).tolist() == weights.tolist()
    np.testing.assert_allclose(gradient(penalty, weights, 2.0), [0.4 + 1.8, -0.1 - 1.8, 0.0], rtol=1e-13)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_proximal_mode_leaves_only_the_ridge_in_the_gradient(alpha: float) -> None:
    """part * (1 - alpha) * w, added to what is there already."""
    weights, found = np.array([2.0, -0.5]), np.array([10.0, 20.0])
    ElasticNet(alpha=alpha).add_gradient(weights, 0.5, found)
    np.testing.assert_allclose(found, np.array([10.0, 20.0]) + 0.5 * (1 - alpha) * weights, rtol=1e-14)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(weights=some_weights, others=st.lists(st.floats(-3, 3), min_size=6, max_size=6), alpha=st.floats(0, 1))
def test_the_whole_gradient_is_a_subgradient_of_the_value(weights: Floats, others: list[float], alpha: float) -> None:
    """value(u) >= value(w) + g'(u - w), where zeros come from subgradients."""
    penalty = ElasticNet(alpha=alpha, zeros="subgradient")
    other = np.array(others[: len(weights)])
    tangent = penalty.value(weights) + gradient(penalty, weights, 1.0) @ (other - weights)
    assert penalty.value(other) >= tangent - 1e-12


def test_value_by_hand() -> None:
    """(1 - alpha)/2 ||w||^2 + alpha ||w||_1, whatever the mode."""
    for zeros in ("proximal", "subgradient"):
        assert ElasticNet(alpha=0.25, zeros=zeros).value(np.array([3.0, -4.0])) == 0.375 * 25 + 0.25 * 7


def test_the_part_of_one_node() -> None:
    """A shared penalty is divided by the nodes, so that their parts make up one; otherwise each has it whole."""
    assert ElasticNet().at_node(8) == 0.125
    assert ElasticNet(share="node").at_node(8) == 1.0


@pytest.mark.parametrize("zeros", ["proximal", "subgradient"])
def test_strength_multiplies_all_of_it(zeros: Any) -> None:
    """Value, gradient and reach of the proximal step grow by the strength; the curvature is strength * (1 - alpha)."""
    weights = np.array([3.0, -4.0, 0.5])
    one, ten = ElasticNet(alpha=0.25, zeros=zeros), ElasticNet(alpha=0.25, zeros=zeros, strength=10.0)
    assert ten.value(weights) == pytest.approx(10 * one.value(weights), rel=1e-14)
    np.testing.assert_allclose(gradient(ten, weights, 0.5), gradient(one, weights, 5.0), rtol=1e-14)
    np.testing.assert_allclose(shrunk(ten, weights, 0.1), shrunk(one, weights, 1.0), rtol=1e-14)
    assert (one.curvature, ten.curvature) == (0.75, 7.5)


def test_no_strength_is_no_penalty() -> None:
    """Nothing is added and nothing shrinks."""
    penalty, weights = ElasticNet(alpha=0.5, strength=0.0), np.array([1.0, -2.0])
    assert penalty.value(weights) == 0
    assert gradient(penalty, weights, 1.0).tolist() == [0, 0]
    assert shrunk(penalty, weights, 9.0).tolist() == [1.0, -2.0]

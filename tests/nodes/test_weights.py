from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.arrays import Floats
from nodes.weights import Metropolis


def matrix(graph: nx.Graph, lazy: bool) -> Floats:
    """C, put together from the rows that the nodes compute."""
    C = np.zeros((len(graph), len(graph)))
    for node in graph:
        around = {other: graph.degree[other] for other in graph[node]}
        C[node, sorted((node, *around))] = Metropolis(lazy=lazy).row(node, around)
    return C


@settings(deadline=None, derandomize=True, max_examples=100)
@given(nodes=st.integers(1, 15), p=st.floats(0, 1), seed=st.integers(0, 10**6), lazy=st.booleans())
def test_the_matrix_is_symmetric_and_doubly_stochastic(nodes: int, p: float, seed: int, lazy: bool) -> None:
    """On any graph, connected or not: non-negative, symmetric, rows and columns sum to one, no entry off the edges."""
    graph = nx.gnp_random_graph(nodes, p, seed=seed)
    C = matrix(graph, lazy)
    assert (C >= 0).all()
    assert (C == C.T).all()
    np.testing.assert_allclose(C.sum(axis=0), 1, rtol=0, atol=1e-15 * nodes)
    off = ~np.eye(nodes, dtype=bool)
    assert ((C != 0) == (nx.to_numpy_array(graph) != 0))[off].all()


@pytest.mark.parametrize(
    ("lazy", "path", "star"),
    [
        (True, [[2, 1, 0], [1, 1, 1], [0, 1, 2]], [[1, 1, 1, 1], [1, 3, 0, 0], [1, 0, 3, 0], [1, 0, 0, 3]]),
        (False, [[1, 1, 0], [1, 0, 1], [0, 1, 1]], [[0, 1, 1, 1], [1, 2, 0, 0], [1, 0, 2, 0], [1, 0, 0, 2]]),
    ],
)
def test_a_path_and_a_star_by_hand(lazy: bool, path: list[list[int]], star: list[list[int]]) -> None:
    """1 / (1 + max(d_m, d_n)), or without laziness 1 / max(d_m, d_n), and the rest on oneself."""
    np.testing.assert_allclose(matrix(nx.path_graph(3), lazy), np.array(path) / (3 if lazy else 2), atol=1e-15)
    np.testing.assert_allclose(matrix(nx.star_graph(3), lazy), np.array(star) / (4 if lazy else 3), atol=1e-15)


@pytest.mark.parametrize("lazy", [True, False])
def test_one_node_keeps_everything(lazy: bool) -> None:
    """Without neighbours the row is [1]."""
    assert Metropolis(lazy=lazy).row(0, {}).tolist() == [1.0]


def test_the_order_of_the_row_is_that_of_node_ids() -> None:
    """Oneself in one's own place among the neighbours, in whatever order these are given."""
    row = Metropolis(lazy=False).row(5, {9: 4, 2: 2})
    assert row.tolist() == [0.5, 0.25, 0.25]

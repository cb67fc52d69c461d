from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim import mixing
from netsim.mixing import combination_matrix, reaches_consensus, spectral_radius
from netsim.topology import Torus, degrees
from nodes.arrays import Floats
from nodes.weights import Metropolis


def radius(graph: nx.Graph, lazy: bool = True) -> float | None:
    """The spectral radius as netsim computes it."""
    return spectral_radius(combination_matrix(Metropolis(lazy=lazy), degrees(graph)))


def mixes(graph: nx.Graph, lazy: bool = False) -> bool:
    """Whether netsim says that the nodes reach consensus."""
    return reaches_consensus(combination_matrix(Metropolis(lazy=lazy), degrees(graph)), graph)


def dense(graph: nx.Graph, lazy: bool) -> Floats:
    """C from its formula, entry by entry."""
    C = np.zeros((len(graph), len(graph)))
    for m, n in graph.edges:
        C[m, n] = C[n, m] = 1 / (lazy + max(graph.degree[m], graph.degree[n]))
    found: Floats = C + np.diag(1 - C.sum(axis=1))
    return found


@settings(deadline=None, derandomize=True, max_examples=60)
@given(nodes=st.integers(2, 14), p=st.floats(0.1, 1), seed=st.integers(0, 10**6), lazy=st.booleans())
def test_the_radius_is_that_of_the_dense_matrix(nodes: int, p: float, seed: int, lazy: bool) -> None:
    """C and rho(C - 11'/M) equal a direct computation, and agree with the verdict on consensus."""
    graph = nx.compose(nx.gnp_random_graph(nodes, p, seed=seed), nx.path_graph(nodes))
    C = dense(graph, lazy)
    np.testing.assert_allclose(combination_matrix(Metropolis(lazy=lazy), degrees(graph)).toarray(), C, atol=1e-15)
    expected = np.abs(np.linalg.eigvals(C - np.full_like(C, 1 / nodes))).max()
    assert radius(graph, lazy) == pytest.approx(expected, abs=1e-10)
    assert mixes(graph, lazy) == (expected < 1 - 1e-9)


BIPARTITE = {
    "two nodes": nx.path_graph(2),
    "even ring": nx.cycle_graph(20),
    "K_3,3": nx.complete_bipartite_graph(3, 3),
    "K_7,7": nx.complete_bipartite_graph(7, 7),
    "even torus": Torus(rows=4, columns=6).build(np.random.default_rng(0), Path()),
    "cube": nx.convert_node_labels_to_integers(nx.hypercube_graph(3)),
}
OTHERS = {
    "odd ring": nx.cycle_graph(21),
    "star": nx.star_graph(9),
    "path": nx.path_graph(3),
    "K_20": nx.complete_graph(20),
    "K_2,3": nx.complete_bipartite_graph(2, 3),
    "odd torus": Torus(rows=3, columns=5).build(np.random.default_rng(0), Path()),
    "triangle": nx.complete_graph(3),
}


@pytest.mark.parametrize("graph", BIPARTITE.values(), ids=BIPARTITE)
def test_regular_bipartite_graphs_never_reach_consensus_without_laziness(graph: nx.Graph) -> None:
    """Their radius is 1; with lazy weights it is below."""
    assert not mixes(graph)
    assert radius(graph, lazy=False) == pytest.approx(1, abs=1e-12)
    assert mixes(graph, lazy=True)
    assert radius(graph, lazy=True) < 1 - 1e-3  # type: ignore[operator]


@pytest.mark.parametrize("graph", OTHERS.values(), ids=OTHERS)
def test_other_graphs_do(graph: nx.Graph) -> None:
    """Odd cycles, or nodes that keep weight for themselves, are enough."""
    assert mixes(graph)
    assert radius(graph, lazy=False) < 1 - 1e-3  # type: ignore[operator]


def test_known_radii() -> None:
    """A lazy ring of M has (1 + 2 cos(2 pi/M)) / 3, a complete graph 0, a path of two 0."""
    assert radius(nx.cycle_graph(12)) == pytest.approx((1 + 2 * np.cos(2 * np.pi / 12)) / 3, rel=1e-12)
    assert radius(nx.complete_graph(8)) == pytest.approx(0, abs=1e-12)
    assert radius(nx.path_graph(2)) == pytest.approx(0, abs=1e-12)
    assert radius(nx.complete_graph(20), lazy=False) == pytest.approx(1 / 19, rel=1e-9)


def test_one_node_is_in_consensus() -> None:
    """Its radius is 0, with either weights."""
    for lazy in (True, False):
        assert radius(nx.empty_graph(1), lazy) == 0
        assert mixes(nx.empty_graph(1), lazy)


def test_nodes_without_edges_never_agree() -> None:
    """The radius of an empty graph of several nodes is 1."""
    assert radius(nx.empty_graph(3)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize(
    "graph",
    [
        nx.random_regular_graph(4, 60, seed=1),
        nx.star_graph(40),
        nx.cycle_graph(30),
        nx.barabasi_albert_graph(80, 2, seed=2),
    ],
    ids=["regular", "star", "even ring", "scale-free"],
)
def test_the_sparse_way_agrees_with_the_dense_one(monkeypatch: pytest.MonkeyPatch, graph: nx.Graph, lazy: bool) -> None:
    """Above the size for which all eigenvalues are computed the largest is found alone, to 1e-5."""
    wanted = radius(graph, lazy)
    monkeypatch.setattr(mixing, "LARGEST_DENSE", 10)
    assert radius(graph, lazy) == pytest.approx(wanted, abs=1e-5)


def test_large_graphs() -> None:
    """3000 nodes take the sparse way: a random 8-regular graph lies near the bound 2 sqrt(7)/9 + 1/9 for large M."""
    assert radius(nx.random_regular_graph(8, 3000, seed=3)) == pytest.approx((1 + 2 * np.sqrt(7)) / 9, abs=0.02)

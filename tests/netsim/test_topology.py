"""Graphs: connected, numbered in order, without self-loops, of the size asked for."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, get_args

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.mixing import combination_matrix, spectral_radius
from netsim.topology import (
    Complete,
    Edges,
    ErdosRenyi,
    Expander,
    Grid,
    PathGraph,
    RandomGeometric,
    RandomRegular,
    Ring,
    SmallWorld,
    Star,
    Topology,
    Torus,
    degrees,
)
from nodes.weights import Metropolis

HERE = Path(".")
LAWS = settings(deadline=None, derandomize=True, max_examples=60)
sizes = st.integers(1, 40)


def build(topology: Any, seed: int = 0, folder: Path = HERE) -> nx.Graph:
    """The graph that a piece gives with this seed."""
    return topology.build(np.random.default_rng(seed), folder)


def pairs(graph: nx.Graph) -> list[tuple[int, int]]:
    """The edges, lower number first, in order."""
    return sorted((min(edge), max(edge)) for edge in graph.edges)


@st.composite
def topologies(draw: st.DrawFn) -> Any:
    """Any piece that has a number of nodes, with parameters that can be met."""
    nodes = draw(sizes)
    kind = draw(st.sampled_from([name for name in get_args(Topology) if name is not Edges]))
    if kind in (Grid, Torus):
        return kind(rows=draw(st.integers(1, 7)), columns=draw(st.integers(1, 7)))
    if kind is Expander:
        return Expander(side=draw(st.integers(1, 7)))
    if kind is ErdosRenyi:
        return ErdosRenyi(nodes=nodes, p=draw(st.floats(0.3, 1.0)))
    if kind is RandomGeometric:
        return RandomGeometric(nodes=nodes, radius=draw(st.floats(0.6, 2.0)))
    if kind is RandomRegular:
        options = [degree for degree in range(2, nodes) if degree * nodes % 2 == 0]
        return RandomRegular(nodes=nodes, degree=draw(st.sampled_from(options))) if options else Complete(nodes=nodes)
    if kind is SmallWorld:
        nodes = max(nodes, 5)
        return SmallWorld(nodes=nodes, neighbours=4, rewire=draw(st.floats(0, 1)))
    return kind(nodes=nodes)


@LAWS
@given(topologies(), st.integers(0, 2**32))
def test_graph_is_connected_and_numbered_in_order(topology: Any, seed: int) -> None:
    """Every graph is connected, has the promised nodes in order, neighbours in order, and no self-loop."""
    graph = build(topology, seed)
    assert list(graph) == list(range(topology.nodes))
    assert nx.is_connected(graph)
    assert nx.number_of_selfloops(graph) == 0
    assert all(list(graph[node]) == sorted(graph[node]) for node in graph)


@LAWS
@given(topologies(), st.integers(0, 2**32))
def test_same_seed_gives_the_same_graph(topology: Any, seed: int) -> None:
    """A graph is a function of its parameters and the generator's seed."""
    first, second = build(topology, seed), build(topology, seed)
    assert list(first.edges) == list(second.edges)
    assert dict(first.nodes(data=True)) == dict(second.nodes(data=True))


@pytest.mark.parametrize(
    "topology",
    [
        Ring(nodes=1),
        PathGraph(nodes=1),
        Star(nodes=1),
        Complete(nodes=1),
        Grid(rows=1, columns=1),
        Torus(rows=1, columns=1),
        Expander(side=1),
        ErdosRenyi(nodes=1, p=0.0),
        RandomGeometric(nodes=1, radius=0.1),
        RandomRegular(nodes=1, degree=4),
        SmallWorld(nodes=1, neighbours=4, rewire=0.1),
    ],
)
def test_one_node_has_no_edges(topology: Any) -> None:
    """A network of one node is node 0 alone, whatever its parameters."""
    graph = build(topology)
    assert list(graph) == [0]
    assert pairs(graph) == []


@pytest.mark.parametrize(
    ("topology", "edges"),
    [
        (Ring(nodes=2), [(0, 1)]),
        (Ring(nodes=4), [(0, 1), (0, 3), (1, 2), (2, 3)]),
        (PathGraph(nodes=4), [(0, 1), (1, 2), (2, 3)]),
        (Star(nodes=4), [(0, 1), (0, 2), (0, 3)]),
        (Complete(nodes=3), [(0, 1), (0, 2), (1, 2)]),
        (Grid(rows=2, columns=3), [(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5)]),
        (Torus(rows=1, columns=2), [(0, 1)]),
        (Torus(rows=1, columns=3), [(0, 1), (0, 2), (1, 2)]),
        (Torus(rows=2, columns=2), [(0, 1), (0, 2), (1, 3), (2, 3)]),
    ],
)
def test_fixed_graphs_have_these_edges(topology: Any, edges: list[tuple[int, int]]) -> None:
    """Graphs without chance are known edge by edge, also where a ring or torus is too small to be one."""
    assert pairs(build(topology)) == edges


def test_every_node_of_a_torus_has_four_neighbours() -> None:
    """From three rows and columns on a torus is 4-regular."""
    graph = build(Torus(rows=3, columns=5))
    assert {degree for _, degree in graph.degree} == {4}


@LAWS
@given(st.integers(2, 30), st.data())
def test_random_regular_graph_is_regular(nodes: int, data: st.DataObject) -> None:
    """Each node has the degree asked for, sparse or dense."""
    options = [degree for degree in range(1 if nodes == 2 else 2, nodes) if degree * nodes % 2 == 0]
    degree = data.draw(st.sampled_from(options))
    graph = build(RandomRegular(nodes=nodes, degree=degree), data.draw(st.integers(0, 99)))
    assert {got for _, got in graph.degree} == {degree}


def test_erdos_renyi_joins_pairs_with_probability_p() -> None:
    """The share of joined pairs is p, within five standard deviations."""
    graph = build(ErdosRenyi(nodes=400, p=0.1))
    possible = 400 * 399 / 2
    assert abs(graph.number_of_edges() / possible - 0.1) < 5 * np.sqrt(0.1 * 0.9 / possible)


def test_random_geometric_joins_exactly_within_radius() -> None:
    """Two nodes are neighbours if and only if their places, which the graph keeps, are within the radius."""
    graph = build(RandomGeometric(nodes=60, radius=0.3))
    places = np.array([graph.nodes[node]["pos"] for node in graph])
    assert places.min() >= 0
    assert places.max() <= 1
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert pairs(graph) == [(m, n) for m in range(60) for n in range(m + 1, 60) if distances[m, n] <= 0.3]


def test_small_world_without_rewiring_is_a_ring_lattice() -> None:
    """Rewiring none of the edges leaves the nearest neighbours on both sides; rewiring keeps the number of edges."""
    lattice = build(SmallWorld(nodes=10, neighbours=4, rewire=0.0))
    assert pairs(lattice) == sorted(
        (min(n, (n + step) % 10), max(n, (n + step) % 10)) for n in range(10) for step in (1, 2)
    )
    rewired = build(SmallWorld(nodes=10, neighbours=4, rewire=1.0))
    assert rewired.number_of_edges() == 20
    assert pairs(rewired) != pairs(lattice)


def test_random_graph_is_redrawn_until_connected() -> None:
    """A graph whose first draws fall apart comes out connected, because it is drawn again."""
    sparse = ErdosRenyi(nodes=20, p=0.1)
    first_draws = [nx.is_connected(nx.fast_gnp_random_graph(20, 0.1, seed=np.random.default_rng(s))) for s in range(5)]
    assert not all(first_draws)
    assert all(nx.is_connected(build(sparse, seed)) for seed in range(5))


@pytest.mark.parametrize(
    ("topology", "remedy"),
    [
        (ErdosRenyi(nodes=20, p=0.01), "raise p: 0.01 well above 0.15"),
        (RandomGeometric(nodes=20, radius=0.05), "raise radius: 0.05 well above 0.22"),
    ],
)
def test_unconnected_after_a_thousand_draws_is_an_error(topology: Any, remedy: str) -> None:
    """A random graph that is never connected ends with an error that tells which parameter to raise."""
    with pytest.raises(ValueError, match=f"none of 1000 random graphs was connected; {remedy}"):
        build(topology)


@pytest.mark.parametrize(
    ("kind", "parameters", "complaint"),
    [
        (ErdosRenyi, {"nodes": 2, "p": 0.0}, "p: 0 leaves about 2 of 2 nodes without a neighbour"),
        (
            ErdosRenyi,
            {"nodes": 2000, "p": 0.001},
            "p: 0.001 leaves about 271 of 2000 nodes .*raise it well above 0.0038",
        ),
        (RandomGeometric, {"nodes": 1000, "radius": 0.01}, "radius: 0.01 leaves about 731 of 1000 nodes"),
        (RandomRegular, {"nodes": 4, "degree": 4}, "degree: 4 is not below nodes: 4"),
        (RandomRegular, {"nodes": 5, "degree": 3}, "degree: 3 and nodes: 5 are both odd"),
        (RandomRegular, {"nodes": 4, "degree": 1}, "degree: 1 joins 4 nodes in pairs"),
        (SmallWorld, {"nodes": 9, "neighbours": 3, "rewire": 0.1}, "neighbours: 3 is odd"),
        (SmallWorld, {"nodes": 4, "neighbours": 4, "rewire": 0.1}, "neighbours: 4 is not below nodes: 4"),
    ],
)
def test_impossible_parameters_are_refused_at_once(kind: Any, parameters: dict[str, Any], complaint: str) -> None:
    """What no draw could meet is refused when the piece is made, before anything is drawn."""
    with pytest.raises(ValueError, match=complaint):
        kind(**parameters)


def test_huge_radius_joins_all() -> None:
    """A radius beyond the square makes the graph complete."""
    assert build(RandomGeometric(nodes=5, radius=1e200)).number_of_edges() == 10


def test_ten_thousand_nodes_are_built_quickly() -> None:
    """A random 4-regular graph of 10 000 nodes takes seconds, not minutes."""
    start = time.process_time()
    graph = build(RandomRegular(nodes=10_000, degree=4))
    assert graph.number_of_edges() == 20_000
    assert time.process_time() - start < 10


def test_degrees_lists_neighbours_in_order() -> None:
    """Each node gets its neighbours, in order of number, with the degree of each."""
    graph = nx.Graph([(2, 1), (2, 0), (3, 2), (1, 0)])
    got = degrees(graph)
    assert got == {0: {1: 2, 2: 3}, 1: {0: 2, 2: 3}, 2: {0: 2, 1: 2, 3: 1}, 3: {2: 3}}
    assert [list(neighbours) for neighbours in got.values()] == [[1, 2], [0, 2], [0, 1, 3], [2]]
    assert degrees(build(Complete(nodes=1))) == {0: {}}


def test_edge_file_is_read_from_the_scenario_folder(tmp_path: Path) -> None:
    """Blanks, tabs and commas separate; comments and blank lines are skipped; both directions are one edge."""
    (tmp_path / "mesh.txt").write_text("# a mesh\n0 1\n2,1  # a comma\n\n 3 ,\t2\n1\t0\n")
    graph = build(Edges(path="mesh.txt"), folder=tmp_path)
    assert list(graph) == [0, 1, 2, 3]
    assert pairs(graph) == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "mesh.txt has no edges"),
        ("# nothing\n", "mesh.txt has no edges"),
        ("0 1\n1 x\n", "mesh.txt, line 2, is '1 x'; an edge is two node numbers"),
        ("0 1 2\n", "line 1, is '0 1 2'"),
        ("0 -1\n", "line 1, is '0 -1'"),
        ("0 1.0\n", "line 1, is '0 1.0'"),
        ("0 1\n3 3\n", "line 2, joins node 3 with itself"),
        ("0 1\n1 3\n", "has a node 3 and no node 2; number the nodes from 0 without gaps"),
        ("1 2\n", "has a node 1 and no node 0"),
        ("0 999999999\n", "has a node 999999999 and no node 1"),
        ("0 1\n2 3\n", "node 2 of mesh.txt has no way to node 0"),
        ("0 1\n" + "9" * 5000 + " 1\n", "line 2, is '9999"),
    ],
)
def test_wrong_edge_file_is_one_clear_error(tmp_path: Path, content: str, complaint: str) -> None:
    """Each mistake in an edge list is named with its line or its node."""
    (tmp_path / "mesh.txt").write_text(content)
    with pytest.raises(ValueError, match=complaint):
        build(Edges(path="mesh.txt"), folder=tmp_path)


def test_missing_edge_file_names_both_places(tmp_path: Path) -> None:
    """An edge list that is nowhere is an error that tells where it was looked for."""
    with pytest.raises(ValueError, match=f"no file 'mesh.txt' in the scenario's folder {tmp_path} or in {Path.cwd()}"):
        build(Edges(path="mesh.txt"), folder=tmp_path)


@pytest.mark.parametrize(("side", "edges", "radius"), [(5, 70, 0.7139), (7, 154, 0.7675), (10, 340, 0.7521)])
def test_expanders_mix_as_fast_whatever_their_size(side: int, edges: int, radius: float) -> None:
    """Of 25, 49 and 100 nodes the spectral radius is about .75, with degrees of 4 to 8."""
    graph = build(Expander(side=side))
    assert graph.number_of_edges() == edges
    assert {4, 8} <= set(dict(graph.degree).values()) <= set(range(4, 9))
    found = spectral_radius(combination_matrix(Metropolis(), degrees(graph)))
    assert found == pytest.approx(radius, abs=1e-4)

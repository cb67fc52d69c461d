"""How samples go to nodes: a partition, whatever the piece, and the sizes and ranks that each promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.split import ByLabel, Dirichlet, Random, Unequal
from nodes.arrays import Integers

LAWS = settings(deadline=None, derandomize=True, max_examples=100)
PIECES = [Random(), ByLabel(), Dirichlet(), Unequal()]
splits = st.one_of(
    st.just(Random()),
    st.just(ByLabel()),
    st.floats(1e-12, 1e6).map(lambda value: Dirichlet(concentration=value)),
    st.floats(1e-6, 1e4).map(lambda value: Unequal(spread=value)),
)
ranks = st.lists(st.integers(1, 5), min_size=1, max_size=60).map(lambda got: np.array(got, dtype=np.int64))


def assign(split: Any, y: Integers, nodes: int, seed: int = 0) -> list[Integers]:
    """The parts that a piece gives with this seed."""
    return split.assign(y, nodes, np.random.default_rng(seed))


@LAWS
@given(splits, ranks, st.data(), st.integers(0, 2**32))
def test_parts_are_a_partition(split: Any, y: Integers, data: st.DataObject, seed: int) -> None:
    """Every sample goes to exactly one node, every node has at least one, and parts are ascending int64."""
    nodes = data.draw(st.integers(1, len(y)))
    parts = assign(split, y, nodes, seed)
    assert len(parts) == nodes
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(y)))
    for part in parts:
        assert len(part) >= 1
        assert part.dtype == np.int64
        assert (np.diff(part) > 0).all()


@pytest.mark.parametrize("split", PIECES)
def test_same_seed_gives_the_same_parts(split: Any) -> None:
    """Parts are a function of the seed, and another seed gives others."""
    y = np.repeat([1, 2, 3, 4], 25)
    first, again, other = (assign(split, y, 7, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("split", PIECES)
def test_labels_are_left_alone(split: Any) -> None:
    """Splitting does not write into the labels."""
    y = np.array([3, 1, 2, 1, 3, 2])
    assign(split, y, 6)
    assert y.tolist() == [3, 1, 2, 1, 3, 2]


@pytest.mark.parametrize("split", PIECES)
@pytest.mark.parametrize("samples", [0, 4])
def test_fewer_samples_than_nodes_is_an_error(split: Any, samples: int) -> None:
    """A node without data cannot be, so too few samples are refused with both numbers."""
    with pytest.raises(ValueError, match=f"{samples} training samples are too few for 5 nodes"):
        assign(split, np.ones(samples, dtype=np.int64), 5)


@LAWS
@given(st.sampled_from([Random(), ByLabel()]), ranks, st.data())
def test_equal_sizes_differ_by_at_most_one(split: Any, y: Integers, data: st.DataObject) -> None:
    """``random`` and ``by-label`` give sizes that differ by at most one."""
    sizes = [len(part) for part in assign(split, y, data.draw(st.integers(1, len(y))))]
    assert max(sizes) - min(sizes) <= 1


def test_random_mixes_the_ranks() -> None:
    """With 250 samples of each rank every one of four nodes sees each rank about equally often."""
    y = np.repeat([1, 2, 3, 4], 250)
    counts = np.array([np.bincount(y[part], minlength=5)[1:] for part in assign(Random(), y, 4)])
    assert (counts.sum(axis=1) == 250).all()
    assert counts.min() > 40
    assert counts.max() < 85


@LAWS
@given(ranks, st.data())
def test_by_label_cuts_the_sorted_ranks_in_runs(y: Integers, data: st.DataObject) -> None:
    """Node after node the ranks never go down, so that ranks at two nodes overlap at their edges only."""
    parts = assign(ByLabel(), y, data.draw(st.integers(1, len(y))))
    assert np.concatenate([np.sort(y[part]) for part in parts]).tolist() == np.sort(y).tolist()


def test_by_label_gives_each_node_one_rank_where_they_fit() -> None:
    """Four equal ranks on eight nodes: each node sees one rank only."""
    y = np.tile([1, 2, 3, 4], 50)
    assert [np.unique(y[part]).tolist() for part in assign(ByLabel(), y, 8)] == [[r] for r in (1, 1, 2, 2, 3, 3, 4, 4)]


def test_dirichlet_concentrates_when_small_and_evens_out_when_large() -> None:
    """A tiny concentration leaves nearly all of a rank with one node; a large one gives each node its share."""
    y = np.repeat([1, 2, 3], 400)

    def largest_share(concentration: float) -> float:
        parts = assign(Dirichlet(concentration=concentration), y, 10)
        return float(np.mean([max((y[part] == rank).sum() for part in parts) / 400 for rank in (1, 2, 3)]))

    assert largest_share(1e-3) > 0.97
    assert 0.1 <= largest_share(1e5) < 0.105


def test_dirichlet_shares_have_the_variance_of_the_distribution() -> None:
    """Shares of one rank among M nodes have mean 1/M and variance (1/M)(1-1/M)/(M concentration + 1)."""
    y = np.concatenate([np.full(1000, 1), np.full(1000, 2)])
    shares = np.array(
        [[(y[part] == 1).mean() * len(part) / 1000 for part in assign(Dirichlet(concentration=2.0), y, 5, seed)]
         for seed in range(400)]
    )  # fmt: skip
    assert shares.mean() == pytest.approx(0.2)
    assert shares.var() == pytest.approx(0.2 * 0.8 / 11, rel=0.1)


def test_unequal_sizes_are_log_normal() -> None:
    """The logarithms of the sizes have the deviation asked for, and the ranks are mixed all the same."""
    y = np.tile([1, 2], 500_000)
    parts = assign(Unequal(spread=1.0), y, 500)
    sizes = np.array([len(part) for part in parts])
    assert np.log(sizes).std() == pytest.approx(1.0, rel=0.1)
    assert (y[parts[int(sizes.argmax())]] == 1).mean() == pytest.approx(0.5, abs=0.03)


def test_node_without_samples_takes_one_from_the_largest() -> None:
    """When one node draws everything, the others end with one sample each and it keeps the rest."""
    sizes = sorted(len(part) for part in assign(Unequal(spread=1e4), np.ones(100, dtype=np.int64), 20))
    assert sizes == [1] * 19 + [81]

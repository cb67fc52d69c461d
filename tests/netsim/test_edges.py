from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.chance import key
from netsim.edges import GONE, Channel, Outgoing, Standing
from netsim.links import LOST, Delay, Link, Loss, Override, Place, Window
from netsim.parts import EdgeLinks
from nodes.arrays import Floats, Integers
from nodes.draws import generator

JITTER, HALF = Delay(time=500, jitter=400), Loss(p=0.5)
BOTH = [Standing("a", key(0, "link a"), JITTER), Standing("b", key(0, "link b"), HALF)]


def channel(elements: Sequence[Standing] = BOTH, source: int = 2, target: int = 3, period: int = 100) -> Channel:
    """A fresh channel."""
    return Channel(elements, Place(source, target), period)


def by_definition(slot: int, n: int, source: int = 2, target: int = 3) -> int:
    """The fate of one frame under ``BOTH``, each draw made alone from the counter (slot, n, edge)."""
    delay, loss = (generator(key, slot, n, source << 32 | target).random() for _, key, *_ in BOTH)
    return GONE if loss < 0.5 else round(500 + (2 * delay - 1) * 400)


def lost(channel: Channel, slots: int = 400) -> list[bool]:
    """Which of the first slots' frames are lost."""
    return [channel.fate(slot, 0) == GONE for slot in range(slots)]


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 700), st.sampled_from([0, 0, 0, 1, 2])), min_size=1, max_size=30))
def test_fates_are_a_pure_function_of_the_frame(asked: list[tuple[int, int]]) -> None:
    """In whatever order and however often slots are asked for, a fate is that of its own draws."""
    one = channel()
    assert [one.fate(slot, n) for slot, n in asked] == [by_definition(slot, n) for slot, n in asked]


def test_fates_in_sequence_are_the_same() -> None:
    """A thousand slots in a row, over all sizes of blocks, equal their definition slot by slot."""
    one = channel()
    assert [one.fate(slot, 0) for slot in range(1000)] == [by_definition(slot, 0) for slot in range(1000)]


def test_each_edge_and_direction_has_its_own_draws() -> None:
    """Fates differ between edges, between directions, and between frames of one slot."""
    edges = [(0, 1), (1, 0), (0, 2), (2, 1), (256, 1)]
    streams = [tuple(channel(BOTH, *edge).fate(slot, 0) for slot in range(50)) for edge in edges]
    streams += [tuple(channel(BOTH, 0, 1).fate(slot, n) for slot in range(50)) for n in (1, 2)]
    assert len(set(streams)) == 7


def test_an_added_element_changes_no_other_draws() -> None:
    """Frames lost with a delay on the edge are those lost without, and the delays of the others stay."""
    alone, delayed = channel(BOTH[1:]), channel(BOTH[:1])
    for slot in range(100):
        fate = channel().fate(slot, 0)
        assert (fate == GONE) == (alone.fate(slot, 0) == GONE)
        if fate != GONE:
            assert fate == delayed.fate(slot, 0)


def test_delays_add_up_and_any_loss_loses() -> None:
    """The order of elements does not matter."""
    fixed = [Standing("first", 1, Delay(time=30)), Standing("second", 2, Delay(time=12))]
    assert channel(fixed).fate(0, 0) == 42
    mixed = [Standing("third", 7, Loss(p=0.4)), *fixed, Standing("fourth", 8, Loss(p=0.4))]
    first, second, both = lost(channel(mixed[:1])), lost(channel(mixed[3:])), lost(channel(mixed))
    assert both == [a or b for a, b in zip(first, second, strict=True)]
    assert lost(channel(mixed[::-1])) == both
    assert {channel(mixed).fate(slot, 0) for slot in range(400)} == {GONE, 42}


def test_loss_is_as_frequent_as_asked() -> None:
    """Over 20 000 slots, and over the second frames of 5000, within four deviations."""
    one = channel([Standing("loss", 5, Loss(p=0.2))])
    first = sum(one.fate(slot, 0) == GONE for slot in range(20_000))
    second = sum(one.fate(slot, 1) == GONE for slot in range(5_000))
    assert abs(first - 4_000) < 4 * math.sqrt(20_000 * 0.16)
    assert abs(second - 1_000) < 4 * math.sqrt(5_000 * 0.16)


def test_fates_on_an_edge_without_elements() -> None:
    """Frames arrive at once."""
    assert channel([]).fate(17, 3) == 0


@dataclass(frozen=True)
class Outage:
    """Loses what is sent from ``start`` up to ``end``, and delays the rest by its own time of sending."""

    start: int
    end: int

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """By the time of sending alone."""
        return np.where((self.start <= times) & (times < self.end), LOST, times.astype(float))


def test_elements_see_when_a_slot_starts() -> None:
    """Slot k starts at phase + k * period, also for later frames of the slot."""
    one = Channel([Standing("outage", 0, Outage(207, 1007))], Place(0, 1), period=100, phase=7)
    assert [one.fate(slot, 0) for slot in (0, 1, 2, 9, 10, 500)] == [7, 107, GONE, GONE, 1007, 50_007]
    assert [one.fate(slot, 1) for slot in (1, 2)] == [107, GONE]


def test_an_edge_counts_what_it_carries() -> None:
    """Frames, bytes, positions, values and losses; frames of one slot are numbered from zero in each slot."""
    edge = Outgoing(channel())
    slots = [0, 0, 0, 4, 5, 5]
    carried = []
    for slot in slots:
        edge.count(10, 3, 5)
        carried.append(edge.carry(slot, b"ten bytes."))
    assert all(content == b"ten bytes." for copies in carried for _, content in copies)
    fates = [copies[0][0] if copies else GONE for copies in carried]
    assert fates == [by_definition(slot, n) for slot, n in zip(slots, [0, 1, 2, 0, 0, 1], strict=True)]
    assert (edge.sent, edge.sent_bytes, edge.positions, edge.values) == (6, 60, 18, 30)
    assert edge.lost == fates.count(GONE)
    assert 0 < edge.lost < 6


def links_of(*overrides: Override, seed: int = 0, **links: Link) -> EdgeLinks:
    """The links of a ring."""
    return EdgeLinks(links, overrides, seed)


def test_all_edges_have_the_networks_elements() -> None:
    """Each under a key of its name and the seed, equal on all edges."""
    links = links_of(delay=JITTER, loss=HALF)
    assert (
        links.on(0, 1)
        == links.on(3, 2)
        == (Standing("delay", key(0, "link delay"), JITTER), Standing("loss", key(0, "link loss"), HALF))
    )
    assert links_of(loss=HALF, seed=1).on(0, 1) == (Standing("loss", key(1, "link loss"), HALF),)


def test_overrides_change_single_directed_edges() -> None:
    """An element of the same name is replaced under its key, another one added; other edges stay as they are."""
    worse, extra = Loss(p=0.9), Delay(time=1)
    links = links_of(
        Override(edges=((0, 1),), links={"loss": worse}),
        Override(edges=((0, 1), (1, 2)), links={"extra": extra}),
        delay=JITTER,
        loss=HALF,
    )
    common = (Standing("delay", key(0, "link delay"), JITTER), Standing("loss", key(0, "link loss"), HALF))
    added = Standing("extra", key(0, "link extra"), extra)
    assert links.on(0, 1) == (common[0], Standing("loss", key(0, "link loss"), worse), added)
    assert links.on(1, 2) == (*common, added)
    assert links.on(1, 0) == links.on(2, 3) == common


def test_an_overridden_loss_meets_the_same_draws() -> None:
    """An edge that is made worse loses what it lost before, and more."""
    links = links_of(Override(edges=((0, 1),), links={"loss": Loss(p=0.8)}), loss=HALF)
    before = lost(links_of(loss=HALF).channel(0, 1, 100))
    after = lost(links.channel(0, 1, 100))
    assert all(b for a, b in zip(before, after, strict=True) if a)
    assert sum(after) == pytest.approx(320, abs=35)


def test_the_last_override_of_an_edge_holds() -> None:
    """Overrides apply in the order in which they are written."""
    links = links_of(*(Override(edges=((0, 1),), links={"loss": Loss(p=p)}) for p in (0.1, 0.2)), loss=HALF)
    assert links.on(0, 1) == (Standing("loss", key(0, "link loss"), Loss(p=0.2)),)


def test_overrides_by_the_ends_of_edges() -> None:
    """All edges from a node, to a node, or from one to another; an override that names none is refused."""
    worse = {"loss": Loss(p=0.9)}
    links = [links_of(Override(links=worse, **ends), loss=HALF) for ends in ({"from_": (1,)}, {"to": (2, 3)})]
    links.append(links_of(Override(links=worse, from_=(1,), to=(2,)), loss=HALF))
    changed = [[edge for edge in ((1, 0), (1, 2), (0, 2), (2, 1)) if each.on(*edge)[0].link != HALF] for each in links]
    assert changed == [[(1, 0), (1, 2)], [(1, 2), (0, 2)], [(1, 2)]]
    with pytest.raises(ValueError, match="it names no edges"):
        Override(links=worse)


def test_elements_act_within_their_window() -> None:
    """From begin up to end, on what is sent then; the draws of other frames stay, and frames are counted within it."""
    always, within = (Standing("loss", 5, HALF, window) for window in (None, Window(begin=1000, end=2000)))
    first, second = (channel([each]) for each in (always, within))
    everywhere, there = lost(first), lost(second)
    assert there == [each and 10 <= slot < 20 for slot, each in enumerate(everywhere)]
    assert [(each.frames, each.acted) for each in second.acted()] == [(10, sum(there))]
    with pytest.raises(ValueError, match="end: 5us is not after begin: 5us"):
        Window(begin=5000, end=5000)

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.edges import Standing
from netsim.links import Delay, Loss
from nodes.arrays import Floats
from nodes.exchange import Exchange
from nodes.messages import Full
from nodes.weights import Metropolis
from nodes.wire import Frame, pack, unpack

PATH = nx.path_graph(3)
LOST = math.inf
Sums = dict[int, list[Floats]]


def value(node: int, k: int) -> float:
    """What a node says in round k."""
    return 10.0 * node + k + 1


@pytest.fixture(scope="session")
def combine(virtually: Any, open_ports: Any) -> Callable[..., tuple[Sums, Any]]:
    """What each node combines in each round, if it says ``value``, and the network it did it on."""

    def run(
        delays: Mapping[tuple[int, int], Mapping[int, float]] | None = None,
        rounds: int = 1,
        on_silence: str = "self",
        late: str = "combine",
        graph: nx.Graph = PATH,
        says: Callable[[int, int], float] = value,
        elements: Any = (),
        before: Callable[[Any], None] = lambda net: None,
    ) -> tuple[Sums, Any]:
        async def script() -> tuple[Sums, Any]:
            net = open_ports(graph, delays or {}, elements, own_slots=True)
            before(net)
            sums: Sums = {node: [] for node in net.ports}

            async def live(node: int, port: Any) -> None:
                coder = Full().open(node, tuple(port.neighbours), unpack)
                exchange = Exchange(node, port, net.each[node], coder, Metropolis(), on_silence, late)  # type: ignore[arg-type]
                for k in range(rounds):
                    sums[node].append(await exchange.combine(np.array([says(node, k), -says(node, k)]), k))

            async with asyncio.TaskGroup() as group:
                for node, port in net.ports.items():
                    group.create_task(live(node, port))
            return sums, net

        result: tuple[Sums, Any] = virtually(script())
        return result

    return run


def at_0(sums: Sums) -> list[float]:
    """The first entry of what node 0 of the path combined in each round; it weighs itself by 2/3."""
    return [float(combined[0]) for combined in sums[0]]


def mix(own: float, theirs: float) -> float:
    """Node 0's combination of its own and node 1's value."""
    return 2 / 3 * own + 1 / 3 * theirs


def test_all_that_is_heard_is_weighed(combine: Any) -> None:
    """On a quiet network each node has its row of C times what all said, whatever the length of the vector."""
    sums, _ = combine(rounds=2)
    C = np.array([[2, 1, 0], [1, 1, 1], [0, 1, 2]]) / 3
    for k in range(2):
        said = np.array([[value(m, k), -value(m, k)] for m in range(3)])
        np.testing.assert_allclose([sums[m][k] for m in range(3)], C @ said, rtol=1e-15)


def test_silence_leaves_the_weight_with_oneself(combine: Any) -> None:
    """An unheard neighbour counts as if it had said what the node itself says, also after it was heard."""
    sums, _ = combine({(1, 0): {1: LOST}}, rounds=3)
    assert at_0(sums) == pytest.approx([mix(1, 11), 2, mix(3, 13)], rel=1e-15)


def test_hold_takes_the_last_value_heard(combine: Any) -> None:
    """A neighbour's last value stands in for it as long as it is silent; before the first one, one's own does."""
    sums, _ = combine({(1, 0): {0: LOST, 2: LOST, 3: LOST}}, rounds=5, on_silence="hold")
    assert at_0(sums) == pytest.approx([1, mix(2, 12), mix(3, 12), mix(4, 12), mix(5, 15)], rel=1e-15)


def test_hold_is_for_each_neighbour_alone(combine: Any) -> None:
    """The silence of one neighbour changes nothing of the other's part."""
    sums, _ = combine({(0, 1): {1: LOST}}, rounds=2, on_silence="hold")
    assert sums[1][1][0] == pytest.approx((value(0, 0) + value(1, 1) + value(2, 1)) / 3, rel=1e-15)


def test_late_frames_are_combined(combine: Any) -> None:
    """Where nothing newer is there, a frame of an earlier round takes its sender's place; only once without hold."""
    delays = {(1, 0): {0: 150, 1: LOST, 2: LOST}}
    sums, net = combine(delays, rounds=3)
    assert at_0(sums) == pytest.approx([1, mix(2, 11), 3], rel=1e-15)
    assert net.edges[1, 0].late == 1


def test_late_frames_are_held(combine: Any) -> None:
    """A late frame is the last value heard, so that ``hold`` keeps using it."""
    sums, _ = combine({(1, 0): {0: 150, 1: LOST, 2: LOST}}, rounds=3, on_silence="hold")
    assert at_0(sums) == pytest.approx([1, mix(2, 11), mix(3, 11)], rel=1e-15)


@pytest.mark.parametrize("on_silence", ["self", "hold"])
def test_late_frames_are_discarded(combine: Any, on_silence: str) -> None:
    """Refused late frames are neither combined nor held, yet counted as delivered and late."""
    sums, net = combine({(1, 0): {0: 150, 1: LOST, 2: LOST}}, 3, on_silence, late="discard")
    assert at_0(sums) == pytest.approx([1, 2, 3], rel=1e-15)
    assert (net.edges[1, 0].delivered, net.edges[1, 0].late) == (1, 1)


def test_discarding_does_not_touch_frames_in_time(combine: Any) -> None:
    """A frame that is due exactly at the end of its slot is combined."""
    sums, _ = combine({(1, 0): {0: 100}}, late="discard")
    assert at_0(sums) == pytest.approx([mix(1, 11)], rel=1e-15)


@pytest.mark.parametrize(
    "bad",
    [Frame(b"junk", 0, 0), Frame(b"", 0, 0), pack(0, 2, 0, [np.zeros(2)])],
    ids=["not a frame", "empty", "another source"],
)
def test_unreadable_frames_are_refused(combine: Any, bad: Frame) -> None:
    """A frame that cannot be read, or names another source, is counted, and its sender as good as silent."""
    sums, net = combine({(1, 0): {0: LOST}}, before=lambda net: net.inboxes[0].append((1, 0, 50, 1, 0, 100, bad.data)))
    assert at_0(sums) == pytest.approx([1], rel=1e-15)
    assert net.edges[1, 0].refused == 1
    assert net.edges[2, 1].refused == 0


def test_one_node_combines_with_itself(combine: Any) -> None:
    """Without neighbours nothing is sent and the vector stays as it is."""
    sums, net = combine(graph=nx.empty_graph(1), rounds=2)
    assert at_0(sums) == [1, 2]
    assert net.edges == {}


def test_the_combination_is_a_fresh_array(combine: Any) -> None:
    """A node may write into what it combined, although frames are decoded to read-only arrays."""
    sums, _ = combine()
    assert all(combined.flags.writeable for node in sums.values() for combined in node)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(
    key=st.integers(0, 1000),
    p=st.floats(0, 1),
    time=st.integers(0, 300),
    on_silence=st.sampled_from(["self", "hold"]),
    late=st.sampled_from(["combine", "discard"]),
)
def test_weights_in_use_always_sum_to_one(
    combine: Any, key: int, p: float, time: int, on_silence: str, late: str
) -> None:
    """Whatever is lost or late: what all agree on stays, and no combination leaves the range of what was said."""
    faults = {
        "elements": [Standing("delay", key, Delay(time=time, jitter=time)), Standing("loss", key + 1, Loss(p=p))],
        "graph": nx.wheel_graph(6),
    }
    sums, _ = combine(None, 8, on_silence, late, says=lambda node, k: 7.0, **faults)
    np.testing.assert_allclose([row for node in sums.values() for row in node], [[7.0, -7.0]] * 48, rtol=1e-14)
    sums, _ = combine(None, 8, on_silence, late, says=lambda node, k: float(node), **faults)
    mixed = np.array([row[0] for node in sums.values() for row in node])
    assert 0 <= mixed.min() <= mixed.max() <= 5

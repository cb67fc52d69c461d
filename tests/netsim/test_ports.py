from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.edges import Channel, Standing
from netsim.links import Delay, Loss, Place
from netsim.traffic import of_node, total
from nodes.wire import Frame

PAIR = nx.path_graph(2)


def frame(data: bytes) -> Frame:
    """A frame of these bytes, two of which are counted as positions and three as values."""
    return Frame(data, 2, 3)


@pytest.fixture
def heard_by_1(virtually: Any, open_ports: Any) -> Callable[..., tuple[list[list[bytes]], Any]]:
    """Node 0 sends its slot's number at the start of each slot; gives what node 1 drains at the end of each."""

    def run(timetable: dict[int, float], slots: int) -> tuple[list[list[bytes]], Any]:
        async def script() -> tuple[list[list[bytes]], Any]:
            net = open_ports(PAIR, {(0, 1): timetable})
            heard = []
            for k in range(slots):
                net.ports[0].send(frame(b"%d" % k), [1])
                await net.slots.slot_end(k)
                heard.append([data for _, data in net.ports[1].drain()])
            return heard, net.edges[0, 1]

        result: tuple[list[list[bytes]], Any] = virtually(script())
        return result

    return run


def test_a_frame_due_at_the_slots_end_is_in_time(heard_by_1: Any) -> None:
    """A delay of exactly one slot is still in time; one nanosecond more is late, and delivered one slot later."""
    heard, edge = heard_by_1({0: 100, 1: 101, 2: math.inf}, 3)
    assert heard == [[b"0"], [], [b"1"]]
    assert (edge.sent, edge.delivered, edge.late, edge.lost, edge.stale) == (3, 2, 1, 1, 0)


def test_without_delay_frames_arrive_in_their_own_slot(heard_by_1: Any) -> None:
    """Each slot's frame is drained at its end, and none is late."""
    heard, edge = heard_by_1({}, 3)
    assert heard == [[b"0"], [b"1"], [b"2"]]
    assert (edge.delivered, edge.late, edge.stale) == (3, 0, 0)


def test_a_frame_sent_at_the_instant_of_a_drain_is_not_seen(virtually: Any, open_ports: Any) -> None:
    """Without any delay it waits for the next drain, whoever acts first within the instant."""

    async def script() -> None:
        net = open_ports(PAIR)
        await net.slots.slot_end(0)
        net.ports[0].send(frame(b"x"), [1])
        assert net.ports[1].drain() == []
        net.slots.now = 101
        assert net.ports[1].drain() == [(0, b"x")]
        assert net.edges[0, 1].late == 0

    virtually(script())


def test_a_delay_of_several_slots(heard_by_1: Any) -> None:
    """A frame under way for 3.5 slots is heard at the end of the fourth, where nothing newer is there."""
    heard, edge = heard_by_1({0: 350, 1: math.inf, 2: math.inf, 3: math.inf, 4: math.inf}, 5)
    assert heard == [[], [], [], [b"0"], []]
    assert (edge.delivered, edge.late, edge.stale) == (1, 1, 0)


def test_of_two_slots_frames_only_the_newer_is_heard(heard_by_1: Any) -> None:
    """What arrives together with something newer counts as delivered, late and stale."""
    heard, edge = heard_by_1({0: 150}, 2)
    assert heard == [[], [b"1"]]
    assert (edge.delivered, edge.late, edge.stale, edge.delivered_bytes) == (2, 1, 1, 2)


def test_what_is_older_than_the_last_heard_is_stale(heard_by_1: Any) -> None:
    """A frame overtaken by one that was heard in an earlier slot is counted and dropped."""
    heard, edge = heard_by_1({0: 250, 2: math.inf}, 3)
    assert heard == [[], [b"1"], []]
    assert (edge.delivered, edge.late, edge.stale, edge.lost) == (2, 1, 1, 1)


def test_a_repeated_frame_is_stale(virtually: Any, open_ports: Any) -> None:
    """A frame that the network doubles is heard once, whether the copy comes at once or in a later slot."""

    async def script() -> None:
        net = open_ports(PAIR)
        net.ports[0].send(frame(b"x"), [1])
        copy = net.inboxes[1][0]
        net.inboxes[1].append(copy)
        await net.slots.slot_end(0)
        assert net.ports[1].drain() == [(0, b"x")]
        net.inboxes[1].append(copy)
        await net.slots.slot_end(1)
        assert net.ports[1].drain() == []
        assert (net.edges[0, 1].delivered, net.edges[0, 1].stale) == (3, 2)

    virtually(script())


def test_frames_are_drained_in_order_of_sender(virtually: Any, open_ports: Any) -> None:
    """Neither the order of sending nor that of arrival matters, and the data are never compared."""

    async def script() -> list[tuple[int, bytes]]:
        net = open_ports(nx.star_graph(3), {(1, 0): {0: 90}, (2, 0): {0: 50}})
        for sender, data in ((3, b"a"), (1, b"c"), (2, b"b")):
            net.ports[sender].send(frame(data), [0])
        await net.slots.slot_end(0)
        drained: list[tuple[int, bytes]] = net.ports[0].drain()
        return drained

    assert virtually(script()) == [(1, b"c"), (2, b"b"), (3, b"a")]


def test_all_frames_of_the_newest_slot_are_heard(virtually: Any, open_ports: Any) -> None:
    """Several frames of one slot come in order of arrival; together they replace all of the slot before."""

    async def script() -> None:
        net = open_ports(PAIR, {(0, 1): {0: 150}})
        for data in (b"a", b"b"):
            net.ports[0].send(frame(data), [1])
        await net.slots.slot_end(0)
        for data in (b"c", b"d", b"e"):
            net.ports[0].send(frame(data), [1])
        assert net.ports[1].drain() == []
        await net.slots.slot_end(1)
        assert net.ports[1].drain() == [(0, b"c"), (0, b"d"), (0, b"e")]
        assert (net.edges[0, 1].delivered, net.edges[0, 1].stale, net.edges[0, 1].late) == (5, 2, 2)

    virtually(script())


def test_frames_of_one_slot_may_overtake_each_other(virtually: Any, open_ports: Any) -> None:
    """Of one slot all frames are of the newest round: none of them is stale, in whatever order they arrive."""
    jittered = [[Standing("delay", key, Delay(time=50, jitter=50))] for key in range(20)]
    fates = [[Channel(elements, Place(0, 1), 100).fate(0, n) for n in (0, 1)] for elements in jittered]
    overtaking = next(elements for elements, (first, second) in zip(jittered, fates, strict=True) if second < first)

    async def script() -> None:
        net = open_ports(PAIR, {}, overtaking)
        for data in (b"a", b"b"):
            net.ports[0].send(frame(data), [1])
        await net.slots.slot_end(0)
        assert net.ports[1].drain() == [(0, b"b"), (0, b"a")]
        assert net.edges[0, 1].stale == 0

    virtually(script())


def test_a_broadcast_is_counted_on_each_edge(virtually: Any, open_ports: Any) -> None:
    """Every copy counts its bytes, positions and values where it is sent, and its bytes where it is delivered."""

    async def script() -> None:
        net = open_ports(nx.star_graph(2), {(0, 2): {0: math.inf}})
        net.ports[0].send(frame(b"12345678"), [1, 2])
        await net.slots.slot_end(0)
        for node in (1, 2):
            net.ports[node].drain()
        sent = of_node([net.edges[0, 1], net.edges[0, 2]], [net.edges[1, 0], net.edges[2, 0]])
        assert (sent.sent, sent.lost, sent.delivered) == (2, 1, 0)
        assert sent.bytes() == {"sent": 16, "delivered": 0, "header": 6, "positions": 4, "values": 6}
        assert of_node([net.edges[1, 0]], [net.edges[0, 1]]).bytes()["delivered"] == 8
        assert of_node([net.edges[2, 0]], [net.edges[0, 2]]).delivered == 0

    virtually(script())


def test_refused_frames_are_counted_for_their_sender(virtually: Any, open_ports: Any) -> None:
    """A refusal shows on the edge that the frame came along, beside its delivery."""

    async def script() -> None:
        net = open_ports(nx.path_graph(3))
        net.ports[2].send(frame(b"?"), [1])
        await net.slots.slot_end(0)
        ((sender, _),) = net.ports[1].drain()
        net.ports[1].refuse(sender)
        assert [net.edges[pair].refused for pair in ((0, 1), (1, 2), (2, 1))] == [0, 0, 1]
        assert net.edges[2, 1].delivered == 1

    virtually(script())


@settings(deadline=None, derandomize=True, max_examples=40)
@given(key=st.integers(0, 1000), p=st.floats(0, 1), time=st.integers(0, 400), data=st.data())
def test_every_frame_is_delivered_lost_or_in_flight(
    virtually: Any, open_ports: Any, key: int, p: float, time: int, data: st.DataObject
) -> None:
    """Whatever links do: sent = delivered + lost + still in an inbox, and late and stale are parts of delivered."""
    jitter = data.draw(st.integers(0, time))
    elements = [Standing("delay", key, Delay(time=time, jitter=jitter)), Standing("loss", key + 1, Loss(p=p))]

    async def script() -> None:
        net = open_ports(nx.cycle_graph(4), {}, elements)
        for k in range(12):
            for node, port in net.ports.items():
                port.send(frame(b"%d" % node), list(port.neighbours))
            await net.slots.slot_end(k)
            for port in net.ports.values():
                heard = [sender for sender, _ in port.drain()]
                assert heard == sorted(set(heard))
        counts = total(net.edges.values())
        assert counts.sent == 12 * 8
        assert counts.in_flight == sum(map(len, net.inboxes.values()))
        assert max(counts.late, counts.stale) <= counts.delivered

    virtually(script())

"""What several tests share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import networkx as nx
import numpy as np
import pytest

from netsim.edges import Channel, Incoming, Outgoing, Standing
from netsim.links import Place
from netsim.pacing import SlotClock, Slots
from netsim.ports import Inbox, NodePort
from netsim.topology import degrees
from netsim.traffic import Traffic
from netsim.virtual import VirtualLoop
from nodes.arrays import Floats, Integers

T = TypeVar("T")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; the test is skipped where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"needs the real data sets in {folder}, which are not part of the project")
    return folder


@pytest.fixture(scope="session")
def virtually() -> Callable[[Coroutine[Any, Any, T]], T]:
    """Runs a coroutine to its end on a virtual loop of its own."""

    def run(coroutine: Coroutine[Any, Any, T]) -> T:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            return runner.run(coroutine)

    return run


@dataclass(frozen=True)
class Timetable:
    """A link element that delays the frames of a slot of 100 ns by what is written for it; others arrive at once."""

    by_slot: Mapping[int, float]

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """One delay for each time."""
        return np.array([self.by_slot.get(int(time) // 100, 0.0) for time in times])


class OpenPorts(NamedTuple):
    """The ports of all nodes of a graph, with slots of 100 ns: the same object for all, or one ``each``."""

    slots: Slots
    each: dict[int, Slots]
    ports: dict[int, NodePort]
    inboxes: dict[int, Inbox]
    outgoing: dict[tuple[int, int], Outgoing]
    incoming: dict[tuple[int, int], Incoming]

    @property
    def edges(self) -> dict[tuple[int, int], Traffic]:
        """What was counted on each directed edge so far."""
        return {edge: end.traffic + self.incoming[edge].traffic for edge, end in self.outgoing.items()}


@pytest.fixture(scope="session")
def open_ports() -> Callable[..., OpenPorts]:
    """Opens the ports of a graph on the running loop.

    ``delays`` is the timetable of each directed edge that has one; otherwise ``elements`` are those of all edges.
    """

    def opened(
        graph: nx.Graph,
        delays: Mapping[tuple[int, int], Mapping[int, float]] = MappingProxyType({}),
        elements: Sequence[Standing] = (),
        own_slots: bool = False,
    ) -> OpenPorts:
        clock = SlotClock(asyncio.get_running_loop())
        slots = Slots(clock, 100, 1000, frozenset())
        around = degrees(graph)
        each = {m: Slots(clock, 100, 1000, frozenset()) if own_slots else slots for m in around}
        outgoing = {}
        for m, n in nx.DiGraph(graph).edges:
            own = [Standing("timetable", 0, Timetable(delays[m, n]))] if (m, n) in delays else elements
            outgoing[m, n] = Outgoing(Channel(own, Place(m, n), slots.period))
        incoming = {edge: Incoming() for edge in outgoing}
        inboxes: dict[int, Inbox] = {node: [] for node in around}
        ports = {
            m: NodePort(
                m,
                others,
                each[m],
                {n: (outgoing[m, n], inboxes[n].append) for n in others},
                {n: incoming[n, m] for n in others},
                inboxes[m],
            )
            for m, others in around.items()
        }
        return OpenPorts(slots, each, ports, inboxes, outgoing, incoming)

    return opened

"""Proving grounds: small worlds, and pieces for them, in which what must come of every frame is known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from netsim.links import LOST
from netsim.scenario.own import Own
from netsim.scenario.resolve import resolve
from netsim.scenario.schema import Scenario
from netsim.scenario.validate import validate
from netsim.units import Duration, Period, written
from netsim.world import World, build
from nodes.arrays import Floats, Integers
from nodes.diffusion import Diffusion, Round
from nodes.exchange import Exchange
from nodes.learner import Learner
from nodes.messages import Coder, Full
from nodes.quantities import Count, Index
from nodes.wire import Decoder, Frame, Message, pack


def small(slot: int, rounds: int, topology: Mapping[str, Any], **changes: Any) -> World:
    """A small world; ``changes`` are keys of its scenario, and those of its network."""
    network = {name: changes.pop(name) for name in ("links", "overrides") if name in changes}
    # A folder in which no module's name leads to a file, so that the pieces below come from this very module.
    own, folder = Own(Path(__file__).parent), Path(__file__).parent
    given: dict[str, Any] = {
        "name": "conformance",
        "seed": 3,
        "rounds": rounds,
        "slot": written(slot),
        "record": {"every": 1},
        "data": {"kind": "rings", "train": 60, "test": 10},
        "network": {"topology": topology, **network},
        "model": {"features": {"kind": "fourier", "size": 12}, "loss": "ordinal-hinge", "penalty": {"alpha": 0.9}},
        **changes,
    }
    scenario = validate(given, own)
    assert isinstance(scenario, Scenario), scenario
    return build(scenario, 0, folder, resolve(scenario, own))


def listening(
    slot: int, messages: Mapping[str, Any] | None = None, links: Mapping[str, Any] | None = None, rounds: int = 15
) -> World:
    """Nodes that learn nothing and tell what they hear."""
    return small(
        slot,
        rounds,
        {"kind": "erdos-renyi", "nodes": 5, "p": 0.7},
        algorithm={"kind": kind_of(Listening)},
        messages=messages or {"kind": kind_of(Marks)},
        links=links or {},
    )


def delayed(slot: int, on_silence: str) -> World:
    """Frames in time to the nanosecond and late by one, that overtake others and are overtaken, or lost.

    The run ends right at its time limit, which is in time too.
    """
    delays = (0, slot, slot + 1, slot * 5 // 2, None, slot // 2, slot * 3, 0)
    timetable = {
        "kind": kind_of(Timetable),
        "slot": written(slot),
        "delays": [None if delay is None else written(delay) for delay in delays],
    }
    world = small(
        slot,
        20,
        {"kind": "complete", "nodes": 4},
        algorithm={"kind": kind_of(Listening), "on-silence": on_silence},
        messages={"kind": kind_of(Marks)},
        links=_faults(slot),
        overrides=[{"edges": [[0, 1], [0, 3], [2, 0]], "links": {"delay": timetable, "loss": lossy(0)}}],
    )
    return replace(world, limit=world.period * world.rounds)


def learning(slot: int) -> World:
    """Nodes that learn from batches, over links that delay and lose."""
    return small(
        slot,
        15,
        {"kind": "erdos-renyi", "nodes": 5, "p": 0.7},
        algorithm={"order": "consensus", "on-silence": "hold", "batch": 4},
        links=_faults(slot),
    )


def line(slot: int, deaf: int, changed: int, factor: float) -> World:
    """A line of nodes of which one hears nothing, and the samples of another are multiplied by a factor."""
    silent = [{"edges": [[other, deaf] for other in range(6)], "links": {"loss": lossy(1)}}]
    world = small(slot, 4, {"kind": "path", "nodes": 6}, overrides=silent, links={"loss": lossy(0)})
    shares = [
        replace(share, samples=share.samples * factor) if share.node == changed else share for share in world.shares
    ]
    return replace(world, shares=tuple(shares))


def wild(slot: int) -> World:
    """Steps so long that parameters soon leave the range of their numbers."""
    wild = {"order": "adapt-then-combine", "step": {"first": 1e60, "decay": 0}}
    return small(slot, 15, {"kind": "ring", "nodes": 5}, algorithm=wild)


def coder_of(world: World, node: int) -> Coder:
    """A node's coder, which its messages open."""
    decode = Decoder(1, world.task.parameters).__getitem__
    return world.task.messages.open(node, tuple(world.neighbours[node]), decode)


def _faults(slot: int) -> dict[str, Any]:
    half = written(slot * 3 // 2)
    return {"delay": {"kind": "delay", "time": half, "jitter": half}, "loss": lossy(0.2)}


def lossy(p: float) -> dict[str, Any]:
    """A link element that loses so many frames."""
    return {"kind": "loss", "p": p}


def kind_of(piece: type) -> str:
    """How a scenario names one of the pieces below."""
    return f"{piece.__module__}:{piece.__name__}"


# -- pieces of these worlds ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Listening(Diffusion):
    """Combines what is heard, with nothing of its own, and learns nothing."""

    @property
    def round(self) -> Round:
        """A node's parameters are what it has heard in this round."""
        return _listen


async def _listen(theta: Floats, k: int, learner: Learner, exchange: Exchange) -> Floats:
    return await exchange.combine(np.zeros(len(theta)), k)


@dataclass(frozen=True, kw_only=True)
class Marks(Full):
    """Frames that tell who sent them in which slot; in slot k without those to neighbours n, (n + k) % pause = 0."""

    pause: Count | None = None

    def speaks(self, slot: int, to: int) -> bool:
        """Whether a frame is sent to this neighbour in this slot."""
        return self.pause is None or (to + slot) % self.pause != 0

    def open(self, node: int, neighbours: Sequence[int], decode: Callable[[bytes], Message]) -> Coder:
        """What its frames say does not depend on the node's parameters."""

        def frames(vector: Floats, k: int) -> list[tuple[Frame, Sequence[int]]]:
            return [(marked(node, k, len(vector)), [other for other in neighbours if self.speaks(k, other)])]

        return _Scripted(frames, super().open(node, neighbours, decode))


@dataclass(frozen=True, kw_only=True)
class Garbled(Full):
    """Marks, with garbage before them or in their place."""

    def open(self, node: int, neighbours: Sequence[int], decode: Callable[[bytes], Message]) -> Coder:
        """Everything goes to all neighbours."""
        return _Scripted(
            lambda vector, k: [(frame, neighbours) for frame, _ in garbled(node, k, len(vector))],
            super().open(node, neighbours, decode),
        )


@dataclass(frozen=True, kw_only=True)
class Failing(Full):
    """Fails ``at`` the first given round of a given node, each ``[node, round]``."""

    at: tuple[tuple[Index, Index], ...]

    def open(self, node: int, neighbours: Sequence[int], decode: Callable[[bytes], Message]) -> Coder:
        """Whole vectors up to then."""
        whole = super().open(node, neighbours, decode)

        def frames(vector: Floats, k: int) -> list[tuple[Frame, Sequence[int]]]:
            if (node, k) in self.at:
                raise LookupError("as planned")
            return whole.encode(vector, k)

        return _Scripted(frames, whole)


@dataclass(frozen=True)
class _Scripted:
    """A coder that sends what a function says, and reads as another does."""

    encode: Callable[[Floats, int], list[tuple[Frame, Sequence[int]]]]
    reader: Coder

    def decode(self, sender: int, data: bytes) -> tuple[int, Floats]:
        """(round, vector)."""
        return self.reader.decode(sender, data)


@dataclass(frozen=True, kw_only=True)
class Timetable:
    """Delays of the frames of one slot after another, again and again; without one the frame is lost."""

    slot: Period
    delays_: tuple[Duration | None, ...]

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """Nothing is drawn."""
        table = np.array([LOST if delay is None else delay for delay in self.delays_])
        return table[times // self.slot % len(table)]


def mark(node: int, slot: int, size: int) -> Floats:
    """What a node says in a slot; zeros for slot -1, in which it says nothing."""
    mark = np.zeros(size)
    mark[node] = slot + 1
    return mark


def marked(node: int, slot: int, size: int) -> Frame:
    """The frame that holds a mark."""
    return pack(0, node, slot, (mark(node, slot, size),))


def garbled(node: int, slot: int, size: int) -> list[tuple[Frame, bool]]:
    """The frames of a slot, each with whether it can be read."""
    good = marked(node, slot, size)
    garbage = [
        b"",
        b"\xc1" * 40,
        good.data[:-1],
        good.data + b"\0",
        marked(node + 1, slot, size).data,
        marked(node, slot, size + 1).data,
    ]
    bad = Frame(garbage[slot // 2 % len(garbage)], 0, 0)
    return [[(bad, False)], [(bad, False), (good, True)], [(good, True)]][slot % 3]

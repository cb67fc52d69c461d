"""The laws that every transport keeps, and a function that runs any transport through them.

A test of a transport of one's own is one line, ``check_transport(Mine)``. What must come of each frame is worked out
here from the draws of its edge, so that no transport is the measure of another.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple

import networkx as nx
import numpy as np

from netsim.edges import GONE
from netsim.traffic import Traffic, of_node
from netsim.transports.base import DivergedError, Outcome
from netsim.transports.inprocess import InProcess
from netsim.transports.proving import (
    Failing,
    Garbled,
    Marks,
    coder_of,
    delayed,
    garbled,
    kind_of,
    learning,
    line,
    listening,
    lossy,
    mark,
    marked,
    wild,
)
from netsim.transports.trials import (
    SETTLE,
    SLOTS,
    Make,
    Notes,
    Run,
    alone,
    end_of,
    opened,
    played,
    require,
)
from netsim.virtual import TimeLimitError
from netsim.world import World
from nodes.node import NodeError
from nodes.wire import Frame

Edge = tuple[int, int]


def check_transport(make: Make) -> None:
    """Run a transport, which ``make`` makes anew for each run, through all laws.

    ``AssertionError`` with a sentence that names the broken law and says what was found; ``OverrunError`` where the
    machine is too busy to judge a transport on real time.
    """
    for law in LAWS:
        law(make)


# -- laws ------------------------------------------------------------------------------------------------------------


def delivers(make: Make) -> None:
    """On perfect links each frame is heard at the end of its slot, by all its receivers and by nobody else."""
    run = played("delivers", make, lambda slot: listening(slot, messages={"kind": kind_of(Marks), "pause": 3}))
    _check_marks("delivers", run)


def counts(make: Make) -> None:
    """Each directed edge counts what its draws and the frames' bytes say, and nodes tell sums that grow to its totals.

    Sent is delivered, lost and in flight; bytes are header, positions and values; frames that are lost are the very
    ones whose draws say so.
    """
    run = played("counts", make, learning)
    world, told = run.world, run.told
    for source, target in run.outcome.edges:
        coder = coder_of(world, source)
        frames = {k: coder.encode(told[source, k][0], k)[0][0] for k in range(world.rounds)}
        _check_edge("counts", run, (source, target), _ledger(world, (source, target), frames).traffic)
    for node in world.neighbours:
        sums = [told[node, k][1] for k in range(world.rounds + 1)]
        grows = all(before <= now for one, two in pairwise(sums) for before, now in zip(one, two, strict=True))
        require("counts", sums[0] == Traffic() and grows, f"the traffic that node {node} tells does not grow from 0")
        edges = run.outcome.edges.items()
        totals = of_node((t for (m, _), t in edges if m == node), (t for (_, n), t in edges if n == node))
        totals = totals._replace(waiting=0)  # what lies in an inbox is counted when all is over
        require("counts", sums[-1] == totals, f"node {node} tells at the end {sums[-1]}, and its edges have {totals}")


def orders(make: Make) -> None:
    """Of each sender the newest slot that is due counts, and what comes late or after something newer is counted.

    A frame that is due exactly at the end of a slot is in time, one that is sent at that instant is not seen. Where
    nothing new is heard, ``on-silence`` says what is combined.
    """
    for on_silence in ("self", "hold"):
        _check_marks("orders", played("orders", make, partial(delayed, on_silence=on_silence)))


def isolates(make: Make) -> None:
    """What a node learns depends on its own data and on what it could have heard by then, and on nothing else.

    A change to the data of one node travels one edge a round, and no bit of what others learn changes before; a node
    on whose incoming links everything is lost learns exactly as alone.
    """
    deaf, changed = 0, 5
    plans = (partial(line, deaf=deaf, changed=changed, factor=factor) for factor in (1.0, 2.0))
    first, second = (played("isolates", make, plan) for plan in plans)
    world = first.world
    for node in world.neighbours:
        far = nx.shortest_path_length(world.graph, node, changed)
        for k in range(1, world.rounds + 1):
            same = np.array_equal(first.told[node, k][0], second.told[node, k][0])
            reached = far < k and node != deaf
            words = ("does not change", "could hear of") if reached else ("changes", "cannot have heard of")
            require(
                "isolates",
                same != reached,
                f"what node {node} has learned in {k} rounds {words[0]} with the data of node {changed}, {far} edges "
                f"away, which it {words[1]}",
            )
    for k, estimate in alone(world, deaf).items():
        same = np.array_equal(first.told[deaf, k][0], estimate)
        require("isolates", same, f"node {deaf} hears nothing, and has not learned as if alone after {k} rounds")


def refuses(make: Make) -> None:
    """Frames that cannot be read are counted as refused on their edge and combined by nobody, and the run goes on."""
    run = played("refuses", make, lambda slot: listening(slot, {"kind": kind_of(Garbled)}, {"loss": lossy(0.3)}))
    world = run.world
    heard: dict[Edge, list[int]] = {}
    for source, target in run.outcome.edges:
        channel, traffic = world.part().channel(source, target), Traffic()
        heard[source, target] = [-1] * world.rounds
        for k in range(world.rounds):
            for n, (frame, readable) in enumerate(garbled(source, k, world.task.parameters)):
                arrives = channel.fate(k, n) != GONE
                traffic += _sent(frame) + (_delivered(frame) if arrives else Traffic(lost=1))
                traffic += Traffic(refused=arrives and not readable)
                if arrives and readable:
                    heard[source, target][k] = k
        _check_edge("refuses", run, (source, target), traffic)
    _check_heard("refuses", run, heard)


def fails(make: Make) -> None:
    """A run that cannot go on ends, and says why.

    An exception in a node is a ``NodeError`` with node and round, of the first that fails; numbers that are finite no
    more, or an observer that has seen enough, end the run as diverged in that round; the world's limit is a
    ``TimeLimitError``, and what else an observer raises goes through.
    """
    world = listening(SLOTS[0], {"kind": kind_of(Failing), "at": [[0, 5], [4, 3], [2, 3]]})
    end = end_of(make, world, Notes())
    named = isinstance(end, NodeError) and (end.node, end.round) == (2, 3) and "as planned" in end.reason
    require("fails", named, f"node 2 fails in round 3 with an exception, and the run ends with {end!r}")

    diverging = wild(SLOTS[0])
    wanted = InProcess().run(diverging, Notes()).diverged
    end = end_of(make, diverging, Notes())
    diverged = isinstance(end, Outcome) and end.diverged == wanted is not None
    require("fails", diverged, f"numbers are finite no more in round {wanted}, and the run ends with {end!r}")

    world = listening(SLOTS[0])
    end = end_of(make, world, Notes({4: DivergedError(4)}))
    diverged = isinstance(end, Outcome) and end.diverged == 4
    require("fails", diverged, f"the observer finds that the run diverged in round 4, and it ends with {end!r}")

    reason = ConnectionError("as planned")
    end = end_of(make, world, Notes({4: reason}))
    require("fails", end is reason, f"the observer raises {reason!r}, and the run ends with {end!r}")

    end = end_of(make, replace(world, limit=world.period * 5 // 2), Notes())
    require("fails", isinstance(end, TimeLimitError), f"time is limited to 2.5 slots, and the run ends with {end!r}")


def repeats(make: Make) -> None:
    """A second run gives the same bits as the first, and both those of a run in process on virtual time."""
    first = played("repeats", make, learning)
    runs = {
        "a second run": played("repeats", make, learning),
        "a run in process": played("repeats", InProcess, lambda _: learning(first.world.period)),
    }
    for name, run in runs.items():
        for (node, k), (estimate, traffic) in first.told.items():
            theirs, counted = run.told[node, k]
            same = estimate.tobytes() == theirs.tobytes()
            require("repeats", same, f"node {node} has learned other bits after {k} rounds than in {name}")
            same = _plain(traffic) == _plain(counted)
            require("repeats", same, f"node {node} tells {traffic} after {k} rounds, and {counted} in {name}")
        for edge in run.outcome.edges:
            _check_edge("repeats", first, edge, _plain(run.outcome.edges[edge]))


def closes(make: Make) -> None:
    """After a run no thread, child process, open file or event loop is left of it, however it ended.

    What a first run leaves for all later ones, like a server of processes, is not judged.
    """
    good = listening(SLOTS[0], rounds=3)
    # In long slots, so that on a real clock the others wait when one has failed.
    bad = listening(SLOTS[-1], {"kind": kind_of(Failing), "at": [[2, 1]]}, rounds=3)
    end_of(make, good, Notes())
    before = opened()
    for world, how in ((good, "ended well"), (bad, "failed")):
        end = end_of(make, world, Notes())
        last = time.monotonic() + SETTLE
        while (left := opened() - before) and time.monotonic() < last:
            time.sleep(0.01)
        require("closes", not left, f"after a run that {how} with {type(end).__name__} there is left {sorted(left)}")


LAWS: Final = (delivers, counts, orders, isolates, refuses, fails, repeats, closes)


# -- what must come of frames ----------------------------------------------------------------------------------------


class Ledger(NamedTuple):
    """What must come of the frames of one edge, by the draws of its links."""

    traffic: Traffic
    newest: list[int]
    """The newest slot of which a frame was heard by the end of each slot; -1 for none."""


def _ledger(world: World, edge: Edge, frames: Mapping[int, Frame]) -> Ledger:
    """By slots in which one frame is sent."""
    period, channel = world.period, world.part().channel(*edge)
    due = {k: k * period + fate for k in frames if (fate := channel.fate(k, 0)) != GONE}
    # A frame is taken at the first end of a slot at which it is due, and not before the end of its own.
    taken = {k: max(k, -(-when // period) - 1) for k, when in due.items()}
    here = {k: end for k, end in taken.items() if end < world.rounds}
    traffic = Traffic(
        lost=len(frames) - len(due),
        waiting=len(due) - len(here),
        late=sum(due[k] > (k + 1) * period for k in here),
        stale=sum(any(other > k and here[other] <= end for other in here) for k, end in here.items()),
    )
    traffic = sum((_sent(frame) for frame in frames.values()), traffic)
    traffic = sum((_delivered(frames[k]) for k in here), traffic)
    newest = [max((k for k, end in here.items() if end <= j), default=-1) for j in range(world.rounds)]
    return Ledger(traffic, newest)


def _sent(frame: Frame) -> Traffic:
    return Traffic(sent=1, sent_bytes=len(frame.data), positions=frame.positions, values=frame.values)


def _delivered(frame: Frame) -> Traffic:
    return Traffic(delivered=1, delivered_bytes=len(frame.data))


def _plain(traffic: Traffic) -> Traffic:
    """Without what a transport puts around frames."""
    return traffic._replace(envelope=0, zmtp=0)


def _check_edge(law: str, run: Run, edge: Edge, wanted: Traffic) -> None:
    found = _plain(run.outcome.edges[edge])
    wrong = [f"{a} {name} instead of {b}" for name, a, b in zip(found._fields, found, wanted, strict=True) if a != b]
    require(law, not wrong, f"the edge from node {edge[0]} to {edge[1]} counts {', '.join(wrong)}")


def _check_marks(law: str, run: Run) -> None:
    """That marks were heard and counted as their fates say."""
    world, messages = run.world, run.world.task.messages
    heard = {}
    for source, target in run.outcome.edges:
        slots = (k for k in range(world.rounds) if messages.speaks(k, target))  # type: ignore[attr-defined]
        frames = {k: marked(source, k, world.task.parameters) for k in slots}
        traffic, newest = _ledger(world, (source, target), frames)
        if world.task.algorithm.on_silence == "self":
            newest = [now if now > before else -1 for before, now in pairwise([-1, *newest])]
        heard[source, target] = newest
        _check_edge(law, run, (source, target), traffic)
    _check_heard(law, run, heard)


def _check_heard(law: str, run: Run, heard: Mapping[Edge, Sequence[int]]) -> None:
    """That nodes have combined marks of these slots, -1 for none, at the end of each slot."""
    world = run.world
    for node, around in world.neighbours.items():
        row, members = world.task.weights.row(node, around), sorted((node, *around))
        for k in range(world.rounds):
            slots = [-1 if other == node else heard[other, node][k] for other in members]
            marks = [mark(other, slot, world.task.parameters) for other, slot in zip(members, slots, strict=True)]
            told = run.told[node, k + 1][0]
            read = (np.rint(told[members] / row) - 1).astype(int).tolist()
            require(
                law,
                np.array_equal(told, row.dot(np.array(marks))),
                f"at the end of slot {k} node {node} combines of nodes {members} what they sent in slots {read} "
                f"instead of {slots}, where -1 is nothing",
            )

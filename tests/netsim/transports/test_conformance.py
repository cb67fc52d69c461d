"""The laws of transports: those of netsim keep them, and each law finds the transport that breaks it."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import pytest

from netsim.links import Delay
from netsim.parts import EdgeLinks
from netsim.processes import end, started
from netsim.traffic import Traffic
from netsim.transports import trials
from netsim.transports.base import DivergedError, Observer, Outcome
from netsim.transports.conformance import check_transport, closes
from netsim.transports.inprocess import InProcess
from netsim.transports.proving import Marks
from netsim.transports.trials import OverrunError
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.world import World
from nodes.arrays import Floats
from nodes.messages import Full
from nodes.node import NodeError


@pytest.mark.parametrize(
    "transport",
    [InProcess(), InProcess(time="real"), ZeroMQ(workers=1), ZeroMQ(workers=3), ZeroMQ(workers=2, time="real")],
    ids=lambda transport: f"{transport.kind} {transport.time} {getattr(transport, 'workers', '')}",
)
def test_the_transports_of_netsim_keep_all_laws(transport):
    """In process and over ZeroMQ, on both clocks, with one worker and with several."""
    try:
        check_transport(lambda: transport)
    except OverrunError as error:
        pytest.skip(str(error))


# -- transports that break a law -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bent:
    """In process, but with one thing bent."""

    world: Callable[[World], World] = lambda world: world
    tell: Callable[..., Any] = lambda tell, *told: tell(*told)
    outcome: Callable[[Outcome], Outcome] = lambda outcome: outcome

    def run(self, world: World, observer: Observer) -> Outcome:
        """Bends what goes in and what comes out."""
        return self.outcome(InProcess().run(self.world(world), Listener(observer, self.tell)))


@dataclass(frozen=True)
class Listener:
    """An observer that passes on what it is told, bent."""

    observer: Observer
    bend: Callable[..., Any]

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """Passes it on, bent."""
        self.bend(self.observer.tell, node, completed, estimate, traffic)

    def lose(self, nodes: Any) -> None:
        """Passes it on."""
        self.observer.lose(nodes)


def linked(**changes: Any) -> Bent:
    """Other links than those of the world."""

    def bend(world: World) -> World:
        links = world.links
        kept = {"common": links.common, "overrides": links.overrides, "seed": links.seed}
        return replace(world, links=EdgeLinks(**{**kept, **{key: bent(links) for key, bent in changes.items()}}))

    return Bent(world=bend)


def tasked(**changes: Callable[[World], Any]) -> Bent:
    """Another task than that of the world."""
    return Bent(
        world=lambda world: replace(
            world, task=replace(world.task, **{key: bent(world) for key, bent in changes.items()})
        )
    )


def counted(name: str, change: Callable[[int], int]) -> Bent:
    """One count changed on each edge."""

    def bend(outcome: Outcome) -> Outcome:
        edges = {edge: t._replace(**{name: change(getattr(t, name))}) for edge, t in outcome.edges.items()}
        return replace(outcome, edges=edges)

    return Bent(outcome=bend)


def swapped(tell: Any, node: int, *told: Any) -> None:
    """Nodes 0 and 1 speak in each other's name."""
    tell(1 - node if node < 2 else node, *told)


def never_the_last(tell: Any, node: int, completed: int, *told: Any) -> None:
    """Nothing is told after round 3."""
    if completed < 4:
        tell(node, completed, *told)


def twice(tell: Any, *told: Any) -> None:
    """All is told twice."""
    tell(*told)
    tell(*told)


def swallowed(tell: Any, *told: Any) -> None:
    """What the observer raises is not heard."""
    try:
        tell(*told)
    except (DivergedError, ConnectionError):
        return


def swallowed_unless_diverged(tell: Any, *told: Any) -> None:
    """Only part of what the observer raises is heard."""
    try:
        tell(*told)
    except ConnectionError:
        return


def without_one_edge(outcome: Outcome) -> Outcome:
    """One edge is forgotten."""
    return replace(outcome, edges=dict(list(outcome.edges.items())[1:]))


def pooled(world: World) -> World:
    """All nodes see a little of everyone's samples."""
    mean = sum(float(share.samples.mean()) for share in world.shares)
    return replace(world, shares=tuple(replace(share, samples=share.samples + mean) for share in world.shares))


def keyed(shift: Callable[[], int]) -> Bent:
    """Other draws of the nodes than those of the world."""

    def bend(world: World) -> World:
        by = shift()
        return replace(world, shares=tuple(replace(share, key=share.key + by) for share in world.shares))

    return Bent(world=bend)


def always_to_all(world: World) -> Full:
    """Nodes leave out nobody."""
    messages = world.task.messages
    return replace(messages, pause=None) if isinstance(messages, Marks) else messages


LATER = {"later": Delay(time=1)}
NOTHING = Traffic()


@pytest.mark.parametrize(
    ("bent", "sentence"),
    [
        (Bent(tell=swapped), "delivers: at the end of slot 0 node 0 combines of nodes"),
        (Bent(tell=never_the_last), "delivers: .node, completed rounds. .* were not told once each"),
        (Bent(tell=twice), "delivers: .node, completed rounds. .* were not told once each"),
        (Bent(outcome=without_one_edge), "delivers: edges .* are in one of the graph and the outcome only"),
        (Bent(outcome=lambda o: replace(o, diverged=3)), "delivers: a run that converges ends as diverged in round 3"),
        (counted("sent", lambda sent: sent + 1), "delivers: the edge from node 0 to 2 counts 11 sent instead of 10"),
        (
            tasked(messages=always_to_all),
            "delivers: the edge from node 0 to 2 counts 15 sent instead of 10, 15 delivered instead of 10",
        ),
        (
            counted("lost", lambda lost: max(lost - 1, 0)),
            "counts: the edge from node . to . counts . lost instead of .",
        ),
        (counted("values", lambda values: values // 2), "delivers: the edge .* values instead of"),
        (linked(seed=lambda links: links.seed + 1), "counts: the edge from node"),
        (linked(common=lambda links: {}), "counts: the edge from node . to . counts .*0 lost instead of"),
        (
            Bent(tell=lambda tell, node, completed, estimate, _: tell(node, completed, estimate, NOTHING)),
            "counts: node 0 tells at the end",
        ),
        (
            Bent(tell=lambda tell, n, k, estimate, t: tell(n, k, estimate, t if k != 4 else NOTHING)),
            "counts: the traffic that node 0 tells does not grow from 0",
        ),
        (linked(common=lambda links: {**links.common, **LATER}), "orders: the edge from node 0 to 1 counts .* late"),
        (
            tasked(algorithm=lambda world: replace(world.task.algorithm, on_silence="self")),
            "orders: at the end of slot .* node 0 combines of nodes",
        ),
        (
            tasked(algorithm=lambda world: replace(world.task.algorithm, late="discard")),
            "orders: at the end of slot .* node 0 combines of nodes",
        ),
        (
            Bent(world=lambda world: replace(world, limit=world.limit and world.limit - 1)),
            "orders: a run that nothing stops ends with TimeLimitError",
        ),
        (Bent(world=pooled), "isolates: what node 0 has learned in 1 rounds changes with the data of node 5, 5 edges"),
        (
            linked(overrides=lambda links: [each for each in links.overrides if "delay" in each.links]),
            "isolates: node 0 hears nothing, and has not learned as if alone after 2 rounds",
        ),
        (counted("refused", lambda refused: 0), "refuses: the edge from node 0 to 2 counts 0 refused instead of"),
        (Bent(world=lambda world: replace(world, limit=world.limit and 10**18)), "fails: time is limited to 2.5 slots"),
        (Bent(tell=swallowed), "fails: the observer finds that the run diverged in round 4"),
        (Bent(tell=swallowed_unless_diverged), "fails: the observer raises ConnectionError"),
        (
            Bent(outcome=lambda o: o if o.diverged is None else replace(o, diverged=o.diverged + 1)),
            "fails: numbers are finite no more in round 5, and the run ends with Outcome.*diverged=6",
        ),
        (
            keyed(iter(range(1000)).__next__),
            "repeats: node . has learned other bits after 1 rounds than in a second run",
        ),
        (keyed(lambda: 1), "repeats: node . has learned other bits after 1 rounds than in a run in process"),
    ],
)
def test_a_bent_transport_is_caught_by_its_law(bent, sentence):
    """The sentence begins with the law, and says what was found."""
    with pytest.raises(AssertionError, match=f"^{sentence}"):
        check_transport(lambda: bent)


def test_a_wrapper_that_bends_nothing_keeps_all_laws():
    """What is caught above is caught for what it bends."""
    check_transport(Bent)


@dataclass(frozen=True)
class Careless:
    """In process; does something of its own about nodes that fail."""

    failed: Callable[[NodeError], Outcome]

    def run(self, world: World, observer: Observer) -> Outcome:
        """Catches errors of nodes."""
        try:
            return InProcess().run(world, observer)
        except NodeError as error:
            return self.failed(error)


def renamed(error: NodeError) -> Outcome:
    """Blames another node."""
    raise NodeError(0, error.round, error.reason)


@pytest.mark.parametrize(
    ("failed", "found"),
    [(lambda _: Outcome({}), "Outcome"), (renamed, "NodeError.'node 0 failed in round 3")],
)
def test_an_error_of_a_node_must_come_out_as_it_is(failed, found):
    """A transport that keeps it to itself, or blames another node, is caught."""
    with pytest.raises(
        AssertionError, match=f"^fails: node 2 fails in round 3 with an exception, .* ends with {found}"
    ):
        check_transport(lambda: Careless(failed))


@pytest.fixture
def leaks() -> Iterator[dict[str, Callable[[], object]]]:
    """Ways to leave something behind, all of it taken away after the test."""
    with ExitStack() as stack:

        def thread() -> None:
            enough = threading.Event()
            left = threading.Thread(target=enough.wait)
            left.start()
            stack.callback(left.join)
            stack.callback(enough.set)

        yield {
            "thread Thread-": thread,
            "process ": lambda: stack.callback(end, started(signal.pause)),
            "file .* .*/dev/null": lambda: stack.callback(os.close, os.open(os.devnull, os.O_RDONLY)),
            "event loop": lambda: stack.callback(asyncio.new_event_loop().close),
        }


@pytest.mark.parametrize("what", ["thread Thread-", "process ", "file .* .*/dev/null", "event loop"])
@pytest.mark.parametrize("how", ["ended well with Outcome", "failed with NodeError"])
def test_what_is_left_behind_is_found(leaks, what, how):
    """A thread, a process, a file or a loop that stays after success, or after failure only, is named."""

    def leave(outcome: Outcome) -> Outcome:
        leaks[what]()
        return outcome

    def leave_and_fail(error: NodeError) -> Outcome:
        leaks[what]()
        raise error

    transport = Bent(outcome=leave) if "well" in how else Careless(leave_and_fail)
    with pytest.raises(AssertionError, match=f"^closes: after a run that {how} there is left .*{what}"):
        closes(lambda: transport)


def test_what_stays_after_the_first_run_for_good_is_no_leak(leaks):
    """A transport may start something once that serves all its runs."""
    once = iter([leaks["thread Thread-"]])
    before = threading.active_count()

    def leave(outcome: Outcome) -> Outcome:
        next(once, lambda: None)()
        return outcome

    closes(lambda: Bent(outcome=leave))
    assert threading.active_count() == before + 1


def test_a_run_that_does_not_end_is_broken_off(monkeypatch):
    """The suite ends where a transport does not, and says so."""
    monkeypatch.setattr(trials, "ENOUGH", 0.2)

    def waits(world: World) -> World:
        threading.Event().wait()
        return world

    with pytest.raises(AssertionError, match=r"^ends: a run that takes a moment has not ended after 0\.2 s"):
        check_transport(lambda: Bent(world=waits))


@pytest.mark.parametrize(("longest", "judged"), [(trials.SLOTS[-2], True), (trials.SLOTS[-1], False)])
def test_frames_that_a_clock_overran_are_tried_again_in_longer_slots(longest, judged):
    """A transport that overruns in short slots is judged in longer ones, and one that always does is not judged."""

    @dataclass(frozen=True)
    class Hasty:
        def run(self, world: World, observer: Observer) -> Outcome:
            return (counted("overrun", lambda _: 1) if world.period <= longest else Bent()).run(world, observer)

    if judged:
        check_transport(Hasty)
    else:
        with pytest.raises(OverrunError, match=r"^delivers: frames were overrun even in slots of 160ms"):
            check_transport(Hasty)

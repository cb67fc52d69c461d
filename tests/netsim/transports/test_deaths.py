"""Workers that die: the others go on from one slot that holds for all, and nobody waits for ever."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from netsim.recorder import Recorder
from netsim.scenario.load import load
from netsim.traffic import Traffic
from netsim.transports.base import Outcome, TransportError
from netsim.transports.inprocess import InProcess
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.units import NANOSECONDS
from netsim.world import World, build
from nodes.arrays import Floats

SCENARIO = """\
name: fragile
rounds: ROUNDS
record: {every: 1}
data: {kind: rings, train: 60, test: 20}
network: {topology: {kind: NETWORK, nodes: 6}}
model: {features: {kind: fourier, size: 8}, loss: LOSS}
"""
MINE = """\
import os
import time
from dataclasses import dataclass
from nodes.losses import Squared


@dataclass(frozen=True, kw_only=True)
class Quits(Squared):
    def slopes(self, scores, thresholds, targets):
        if len(targets) == 10 and targets.sum() == SUM and abs(scores).max() > 0.2:
            ACT
        return super().slopes(scores, thresholds, targets)
"""


def world(folder: Path, rounds: int = 30, network: str = "ring", loss: str = "squared") -> World:
    """Six nodes on perfect links, every round recorded."""
    text = SCENARIO.replace("ROUNDS", str(rounds)).replace("NETWORK", network).replace("LOSS", loss)
    file = folder / "fragile.yaml"
    file.write_text(text)
    loaded = load(str(file))
    return build(loaded.points[0].scenario, 0, folder, loaded.points[0].resolved)


class Watching(Recorder):
    """A recorder that does something to the workers when a round is complete."""

    def __init__(self, world: World, at: int, act: Callable[[], None]) -> None:
        self.rows: list[dict] = []
        super().__init__(world, self.rows.append)
        self._at, self._act = at, act
        self.gone: list[int] = []

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """Act once."""
        super().tell(node, completed, estimate, traffic)
        if len(self.rows) > self._at:
            self._at = 1 << 30
            self._act()

    def lose(self, nodes: Collection[int]) -> None:
        """Note who was lost."""
        super().lose(nodes)
        self.gone += nodes


def signalled(number: int, kind: signal.Signals) -> Callable[[], None]:
    """What sends a signal to the worker of this number: they are started in order."""

    def act() -> None:
        workers = sorted(multiprocessing.active_children(), key=lambda process: int(process.name.split("-")[-1]))
        os.kill(workers[number].pid or 0, kind)

    return act


def lose_one(world: World, transport: ZeroMQ, kind: signal.Signals, number: int = 1) -> tuple[Watching, Outcome]:
    """A run of which a worker is sent a signal once five rounds are recorded."""
    watching = Watching(world, 5, signalled(number, kind))
    return watching, transport.run(world, watching)


def check_agreed(world: World, watching: Watching, outcome: Outcome) -> None:
    """One death; rows before it are those of an undisturbed run; nobody has heard of the dead from its slot on."""
    (death,) = outcome.deaths
    assert watching.gone == list(death.nodes)
    undisturbed: list[dict] = []
    InProcess().run(world, Recorder(world, undisturbed.append))
    together = [row["round"] for row in watching.rows if "in-flight" in row["frames"]]
    assert together[-1] >= 5
    assert [row for row in watching.rows if row["round"] in together] == undisturbed[: len(together)]
    assert [row["round"] for row in watching.rows] == list(range(world.rounds + 1))
    assert watching.rows[-1] != undisturbed[-1]
    heard = [
        edge.delivered
        for (source, target), edge in outcome.edges.items()
        if source in death.nodes and target not in death.nodes
    ]
    # On perfect links each slot's frame is heard, up to the slot from which there is none.
    assert max(heard) == death.slot
    assert min(heard) >= death.slot - 2


def test_the_others_go_on_without_a_worker_that_is_killed(tmp_path):
    """Its nodes fall silent for all from one slot on; the rest finish all rounds, and how it ended is told."""
    fragile = world(tmp_path)
    watching, outcome = lose_one(fragile, ZeroMQ(workers=3), signal.SIGKILL)
    check_agreed(fragile, watching, outcome)
    death = outcome.deaths[0]
    assert (death.worker, death.nodes) == ("worker 1", (2, 3))
    assert death.reason == "its process ended by itself, with signal SIGKILL"
    assert 5 <= death.slot < 30


def test_of_a_complete_graph_all_agree(tmp_path):
    """Where everyone has heard the dead, everyone stops hearing it in the same slot."""
    fragile = world(tmp_path, network="complete")
    watching, outcome = lose_one(fragile, ZeroMQ(workers=6), signal.SIGKILL, number=4)
    check_agreed(fragile, watching, outcome)
    assert outcome.deaths[0].nodes == (4,)


def test_a_worker_that_is_stopped_is_dead_after_some_patience(tmp_path):
    """A stopped process keeps its connections; it is taken for dead when nothing was heard of it, and ended."""
    fragile = world(tmp_path, rounds=200)
    start = time.monotonic()
    watching, outcome = lose_one(fragile, ZeroMQ(workers=3, patience=NANOSECONDS["s"]), signal.SIGSTOP)
    assert 1 <= time.monotonic() - start < 10
    check_agreed(fragile, watching, outcome)
    assert outcome.deaths[0].reason == "nothing was heard of it for 1 s (raise patience for longer rounds)"
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("os._exit(7)", "its process ended by itself, with exit code 7"),
        ("while True: time.sleep(0.01)", "nothing was heard of it for 1 s (raise patience for longer rounds)"),
    ],
)
def test_a_node_that_takes_its_process_along_is_a_death(tmp_path, act, reason):
    """Code of a node that exits, or never returns, costs its worker; the others go on."""
    labels = world(tmp_path).shares[3].labels
    (tmp_path / "mine.py").write_text(MINE.replace("SUM", str(int(labels.sum()))).replace("ACT", act))
    fragile = world(tmp_path, loss="'mine:Quits'")
    watching = Watching(fragile, 1 << 30, lambda: None)
    outcome = ZeroMQ(workers=6, patience=NANOSECONDS["s"]).run(fragile, watching)
    assert len(watching.rows) == 31
    assert 3 in {node for death in outcome.deaths for node in death.nodes}
    assert {death.reason for death in outcome.deaths} == {reason}


def test_two_workers_may_die(tmp_path):
    """One after the other, or both at once."""
    fragile = world(tmp_path, network="complete")

    def act() -> None:
        signalled(0, signal.SIGKILL)()
        signalled(1, signal.SIGKILL)()

    watching = Watching(fragile, 5, act)
    outcome = ZeroMQ(workers=4).run(fragile, watching)
    assert sorted(watching.gone) == sorted(node for death in outcome.deaths for node in death.nodes)
    assert len(outcome.deaths) == 2
    assert len(watching.rows) == 31


def test_death_may_end_the_run(tmp_path):
    """With ``on-death: stop`` nobody goes on, and the error names the worker, its nodes and how it ended."""
    with pytest.raises(TransportError, match=r"worker 1 \(nodes 2-3\) died in slot \d+ or later: .*SIGKILL; the run"):
        lose_one(world(tmp_path, rounds=2000), ZeroMQ(workers=3, on_death="stop"), signal.SIGKILL)
    assert multiprocessing.active_children() == []


def test_without_any_worker_there_is_no_run(tmp_path):
    """When the last one dies the run ends as failed."""
    with pytest.raises(TransportError, match=r"all workers died; the last was worker 0 \(nodes 0-5\)"):
        lose_one(world(tmp_path, rounds=2000), ZeroMQ(workers=1), signal.SIGKILL, number=0)


def test_on_real_time_the_others_go_on_as_well(tmp_path):
    """Nobody waits for a dead worker's frames."""
    fragile = world(tmp_path)
    watching, outcome = lose_one(fragile, ZeroMQ(workers=3, time="real"), signal.SIGKILL)
    assert watching.gone == [2, 3]
    assert [death.nodes for death in outcome.deaths] == [(2, 3)]
    assert len(watching.rows) == 31


def test_a_death_leaves_the_counts_that_are_known(tmp_path):
    """What the dead had counted is gone with them, so nothing is said of frames in flight from then on."""
    fragile = world(tmp_path)
    watching, _ = lose_one(fragile, ZeroMQ(workers=3), signal.SIGKILL)
    sent = [row["frames"]["sent"] for row in watching.rows]
    assert sent == sorted(sent)
    assert "in-flight" not in watching.rows[-1]["frames"]

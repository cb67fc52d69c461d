"""The recorder: gathers what nodes tell after a round, evaluates it once all have, and passes the row on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

from netsim.edges import Acted
from netsim.evaluation import Evaluation
from netsim.theory import Theory
from netsim.traffic import Traffic, of_node, total
from netsim.transports.base import DivergedError
from netsim.world import World
from nodes.arrays import Floats
from nodes.wire import NonFiniteError


class Recorder:
    """Observes one run. ``write`` takes each recorded round's row, in order; ``progress`` the rounds completed."""

    def __init__(
        self, world: World, write: Callable[[dict[str, Any]], None], progress: Callable[[int], None] | None = None
    ) -> None:
        self._world, self._write, self._progress = world, write, progress
        self._evaluation = Evaluation(world)
        self._theory = Theory(world, self._evaluation) if world.record.theory else None
        self._waiting: dict[int, dict[int, tuple[Floats, Traffic]]] = {}
        self._living = set(range(world.task.nodes))
        self.lost: dict[int, Traffic] = {}
        """The nodes that were lost, with the traffic that they had told."""
        self._traffic: Mapping[int, Traffic] = {}
        self.final: Floats = np.zeros((0, 0))
        """The stack (M, P) of the latest recorded round."""
        self.objectives: list[float] = []
        """The network's objective at every recorded round."""

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """Keep what a node tells; evaluate the round when every living node has told."""
        told = self._waiting.setdefault(completed, {})
        told[node] = (estimate.copy(), traffic)
        self._evaluate_if_told(completed)

    def lose(self, nodes: Collection[int]) -> None:
        """Wait for these nodes no longer: from now on the numbers are those of the others."""
        self._living -= set(nodes)
        for node in nodes:
            latest = [told[node][1] for _, told in sorted(self._waiting.items()) if node in told]
            self.lost[node] = latest[-1] if latest else self._traffic.get(node, Traffic())
        for completed in sorted(self._waiting):
            self._evaluate_if_told(completed)

    def _evaluate_if_told(self, completed: int) -> None:
        if self._living <= self._waiting[completed].keys():
            self._evaluate(completed, self._waiting.pop(completed))

    def _evaluate(self, completed: int, told: Mapping[int, tuple[Floats, Traffic]]) -> None:
        nodes = sorted(told)
        numbers = np.array([told[node][0] for node in nodes])
        stack = np.ascontiguousarray(numbers[:, : self._world.task.parameters])
        try:
            evaluated = self._evaluation.row(stack, nodes)
        except NonFiniteError as error:
            raise DivergedError(completed) from error
        self.final = stack
        self.objectives.append(evaluated["objective"])
        self._traffic = {**self.lost, **{node: told[node][1] for node in nodes}}
        traffic = total(self._traffic.values())
        if self._theory is not None and not self.lost:
            sums = numbers[:, stack.shape[1] :]
            evaluated["theory"] = self._theory.row(completed, stack, evaluated["objective"], sums, traffic)
        counts = _counts(traffic, whole=not self.lost)
        self._write({"round": completed, "time": completed * self._world.period / 1e9, **evaluated, **counts})
        if self._progress:
            self._progress(completed)


def digest(stack: Floats) -> str:
    """A fingerprint of parameters, equal only for equal bits."""
    return hashlib.sha256(stack.tobytes()).hexdigest()


def faults(acted: Iterable[Acted]) -> dict[str, Any]:
    """What each link element has done, by its name: on how many frames, of how many, and how many were expected."""
    found: dict[str, dict[str, Any]] = {}
    for name, rate, frames, times in acted:
        counts = found.setdefault(name, {"frames": 0, "acted": 0, "expected": 0.0})
        counts["frames"] += frames
        counts["acted"] += times
        if rate is None:
            counts.pop("expected", None)
        elif "expected" in counts:
            counts["expected"] += rate * frames
    return found


def traffic_by_part(
    edges: Mapping[tuple[int, int], Traffic], nodes: int, lost: Mapping[int, Traffic]
) -> dict[str, Any]:
    """The traffic of each node and of each directed edge, in order of number.

    ``lost`` are nodes that took with them what they had counted, with what they had told of it. Of their edges only
    what the other end has counted is known.
    """
    ordered = sorted(edges.items())
    outgoing: dict[int, list[Traffic]] = {node: [] for node in range(nodes)}
    incoming: dict[int, list[Traffic]] = {node: [] for node in range(nodes)}
    for (source, target), edge in ordered:
        outgoing[source].append(edge)
        incoming[target].append(edge)
    counted = {node: lost.get(node) or of_node(outgoing[node], incoming[node]) for node in range(nodes)}
    return {
        "nodes": [
            {"node": node, "frames": traffic.frames(), "bytes": traffic.bytes()} for node, traffic in counted.items()
        ],
        "edges": [{"edge": [*edge], **_known(_counts(traffic, not lost), edge, lost)} for edge, traffic in ordered],
    }


def _known(counts: dict[str, Any], edge: tuple[int, int], lost: Collection[int]) -> dict[str, Any]:
    """Those counts of an edge that were not lost with one of its ends."""
    unknown: set[str] = set()
    if edge[0] in lost:
        unknown |= {"sent", "lost", "header", "positions", "values", "envelope", "zmtp"}
    if edge[1] in lost:
        unknown |= {"delivered", "late", "stale", "refused", "overrun"}
    return {what: {name: n for name, n in part.items() if name not in unknown} for what, part in counts.items()}


def _counts(traffic: Traffic, whole: bool) -> dict[str, Any]:
    flying = {"in-flight": traffic.in_flight} if whole else {}
    return {"frames": {**traffic.frames(), **flying}, "bytes": traffic.bytes()}

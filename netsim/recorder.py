"""The recorder: gathers what nodes tell after a round, evaluates it once all have, and passes the row on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from netsim.evaluation import Evaluation
from netsim.traffic import Traffic, of_node
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
        self._waiting: dict[int, dict[int, tuple[Floats, Traffic]]] = {}
        self.final: Floats = np.zeros((0, 0))
        """The stack (M, P) of the latest recorded round."""
        self.objectives: list[float] = []
        """The network's objective at every recorded round."""

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """Keep what a node tells; evaluate the round when every node has told."""
        told = self._waiting.setdefault(completed, {})
        told[node] = (estimate.copy(), traffic)
        if len(told) == self._world.task.nodes:
            self._evaluate(completed, self._waiting.pop(completed))

    def _evaluate(self, completed: int, told: Mapping[int, tuple[Floats, Traffic]]) -> None:
        stack = np.array([told[node][0] for node in sorted(told)])
        try:
            evaluated = self._evaluation.row(stack)
        except NonFiniteError as error:
            raise DivergedError(completed) from error
        self.final = stack
        self.objectives.append(evaluated["objective"])
        traffic = sum((told[node][1] for node in told), Traffic())
        self._write({"round": completed, "time": completed * self._world.period / 1e9, **evaluated, **_counts(traffic)})
        if self._progress:
            self._progress(completed)


def digest(stack: Floats) -> str:
    """A fingerprint of parameters, equal only for equal bits."""
    return hashlib.sha256(stack.tobytes()).hexdigest()


def traffic_by_part(edges: Mapping[tuple[int, int], Traffic], nodes: int) -> dict[str, list[dict[str, Any]]]:
    """The traffic of each node and of each directed edge, in order of number."""
    ordered = sorted(edges.items())
    outgoing: dict[int, list[Traffic]] = {node: [] for node in range(nodes)}
    incoming: dict[int, list[Traffic]] = {node: [] for node in range(nodes)}
    for (source, target), edge in ordered:
        outgoing[source].append(edge)
        incoming[target].append(edge)
    return {
        "nodes": [{"node": node, **_node_counts(outgoing[node], incoming[node])} for node in range(nodes)],
        "edges": [{"edge": [source, target], **_counts(edge)} for (source, target), edge in ordered],
    }


def _counts(traffic: Traffic) -> dict[str, Any]:
    return {"frames": {**traffic.frames(), "in-flight": traffic.in_flight}, "bytes": traffic.bytes()}


def _node_counts(outgoing: list[Traffic], incoming: list[Traffic]) -> dict[str, Any]:
    traffic = of_node(outgoing, incoming)
    return {"frames": traffic.frames(), "bytes": traffic.bytes()}

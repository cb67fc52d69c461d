"""Methods: what is run on one world, the network itself or a baseline beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from netsim.baselines.centralised import centralised, centralised_features
from netsim.baselines.descent import single_machine
from netsim.baselines.optima import AbsentError
from netsim.evaluation import Evaluation
from netsim.recorder import Recorder, digest, faults, traffic_by_part
from netsim.traffic import require_balance
from netsim.transports.base import Transport
from netsim.transports.inprocess import InProcess
from netsim.world import World
from nodes.messages import Full
from nodes.wire import NonFiniteError

Row = dict[str, Any]
Write = Callable[[Row], None]
Progress = Callable[[int], None]

_OPTIMA: dict[str, Callable[[World], tuple[Row, Row]]] = {
    "centralised": centralised,
    "centralised-features": centralised_features,
}


def perform(method: str, world: World, transport: Transport, write: Write, progress: Progress | None = None) -> Row:
    """Run one method on a world, write its rows as they come, and give the line that ends its record."""
    if method == "network":
        return _learn(world, transport, write, progress)
    if method == "isolated":
        alone = world.isolated()
        alone = replace(alone, task=replace(alone.task, messages=Full()))
        return _learn(alone, InProcess(), write, progress)
    if method == "single-machine":
        return _descend(world, write, progress)
    try:
        row, end = _OPTIMA[method](world)
    except AbsentError as reason:
        return {"end": "absent", "reason": str(reason)}
    write(row)
    return {"end": "completed", **end}


def _descend(world: World, write: Write, progress: Progress | None) -> Row:
    """One machine that owns all data; its parameters are evaluated as those of a node."""
    evaluation = Evaluation(world)
    objectives = []
    for completed, theta in single_machine(world):
        try:
            row = evaluation.row(theta[None], [0])
        except NonFiniteError:
            return _diverged(completed)
        objectives.append(row["objective"])
        write({"round": completed, "time": completed * world.period / 1e9, **row})
        if progress:
            progress(completed)
    final: Row = {"final": [theta.tolist()]} if world.record.parameters else {}
    return {**_end(objectives), "round": world.rounds, **final}


def _learn(world: World, transport: Transport, write: Write, progress: Progress | None) -> Row:
    recorder = Recorder(world, write, progress)
    outcome = transport.run(world, recorder)
    deaths: Row = {}
    if outcome.deaths:
        deaths = {"reproducible": False, "deaths": [asdict(death) for death in outcome.deaths]}
    if outcome.diverged is not None:
        # Some nodes have gone further than others: the last recorded row tells the traffic.
        return {**_diverged(outcome.diverged), **deaths}
    end = _end(recorder.objectives)
    if outcome.transport:
        end |= {"transport": dict(outcome.transport)}
    if any(edge.overrun for edge in outcome.edges.values()):
        end |= {"reproducible": False}
    if not outcome.deaths and "reproducible" not in end:
        require_balance(outcome.edges)
    if outcome.acted:
        end |= {"faults": faults(outcome.acted)}
    totals = traffic_by_part(outcome.edges, world.task.nodes, recorder.lost)
    final: Row = {"final": recorder.final.tolist()} if world.record.parameters else {}
    return {**end, **deaths, "round": world.rounds, **totals, "parameters": digest(recorder.final), **final}


def _diverged(round: int) -> Row:
    reason = f"the parameters stopped being finite, or outgrew the value type, in round {round}"
    return {"end": "diverged", "round": round, "reason": reason}


def _end(objectives: Sequence[float]) -> Row:
    """How a run with these objectives ended that came to its last round."""
    if _runs_away(objectives):
        reason = f"the objective rose from {objectives[0]:.3g} to {objectives[-1]:.3g}, and was still rising"
        return {"end": "diverged", "reason": reason}
    return {"end": "completed"}


def _runs_away(objectives: Sequence[float]) -> bool:
    """Whether a run diverged though all stayed finite: far above its start, with parameters of zero, and rising."""
    first, middle, last = objectives[0], objectives[len(objectives) // 2], objectives[-1]
    return len(objectives) > 2 and last > 10 * first and last > 1.05 * middle


def relevant(method: str, resolved: Row) -> Row:
    """The part of a resolved scenario that a method's result depends on; points that agree in it share the result."""
    if method == "network":
        return resolved
    kept = {name: value for name, value in resolved.items() if name not in ("messages", "transport", "name", "about")}
    if method == "isolated":
        network = {"topology": resolved["network"]["topology"]}
        silent = {n: value for n, value in resolved["algorithm"].items() if n not in ("on-silence", "late")}
        return {**kept, "network": network, "algorithm": silent}
    if method == "single-machine":
        algorithm = {n: value for n, value in resolved["algorithm"].items() if n not in ("order", "on-silence", "late")}
        return {**kept, "network": {"nodes": resolved["network"]["topology"]}, "algorithm": algorithm}
    model = resolved["model"]
    shared = ["seed", "data-seed", "data", "scaling"]
    if model["loss"].get("reduce") == "mean":
        shared.append("split")  # each sample counts the more, the fewer its node has
    kept = {**{name: kept[name] for name in shared if name in kept}, "nodes": resolved["network"]["topology"]}
    if method == "centralised-features":
        penalty = {name: value for name, value in model["penalty"].items() if name != "zeros"}
        return {**kept, "model": {**model, "penalty": penalty}}
    approximate = ("size", "draw", "form", "steps")
    features = {name: value for name, value in model["features"].items() if name not in approximate}
    idle: tuple[str, ...] = ("zeros",)
    if model["loss"]["kind"] == "ordinal-hinge":
        idle = ("alpha", "zeros", "share")
        del kept["nodes"]
    penalty = {name: value for name, value in model["penalty"].items() if name not in idle}
    return {**kept, "model": {"features": features, "loss": model["loss"], "penalty": penalty}}

"""Methods: what is run on one world, the network itself or a baseline beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from netsim.baselines.centralised import AbsentError, centralised, centralised_features
from netsim.recorder import Recorder, digest, traffic_by_part
from netsim.transports.base import Transport
from netsim.transports.inprocess import InProcess
from netsim.world import World
from nodes.messages import Full

Row = dict[str, Any]
Write = Callable[[Row], None]
Progress = Callable[[int], None]

_OPTIMA: dict[str, Callable[[World], Row]] = {
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
    try:
        write(_OPTIMA[method](world))
    except AbsentError as reason:
        return {"end": "absent", "reason": str(reason)}
    return {"end": "completed"}


def _learn(world: World, transport: Transport, write: Write, progress: Progress | None) -> Row:
    recorder = Recorder(world, write, progress)
    outcome = transport.run(world, recorder)
    deaths: Row = {}
    if outcome.deaths:
        deaths = {"reproducible": False, "deaths": [asdict(death) for death in outcome.deaths]}
    if outcome.diverged is not None:
        reason = f"the parameters stopped being finite, or outgrew the value type, in round {outcome.diverged}"
        # Some nodes have gone further than others: the last recorded row tells the traffic.
        return {"end": "diverged", "round": outcome.diverged, "reason": reason, **deaths}
    end: Row = {"end": "completed"}
    if _runs_away(recorder.objectives):
        first, last = recorder.objectives[0], recorder.objectives[-1]
        end = {"end": "diverged", "reason": f"the objective rose from {first:.3g} to {last:.3g}, and was still rising"}
    if outcome.transport:
        end |= {"transport": dict(outcome.transport)}
    if any(edge.overrun for edge in outcome.edges.values()):
        end |= {"reproducible": False}
    totals = traffic_by_part(outcome.edges, world.task.nodes, recorder.lost)
    return {**end, **deaths, "round": world.rounds, **totals, "parameters": digest(recorder.final)}


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
    shared = ("seed", "data-seed", "data", "scaling", "model")
    kept = {name: value for name, value in kept.items() if name in shared}
    model = resolved["model"]
    if method == "centralised-features":
        penalty = {name: value for name, value in model["penalty"].items() if name != "zeros"}
        return {**kept, "model": {**model, "penalty": penalty}, "nodes": resolved["network"]["topology"]}
    features = {name: value for name, value in model["features"].items() if name != "size"}
    return {**kept, "model": {"features": features, "loss": model["loss"]}}

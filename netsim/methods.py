"""Methods: what is run on one world, the network itself or a baseline beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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

RUNAWAY = 10
"""A run that ends with an objective this many times that of the start has diverged, finite as it may be."""
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
    end: Row = {"end": "completed", "round": world.rounds}
    if outcome.diverged is not None:
        reason = f"the parameters stopped being finite, or outgrew the value type, in round {outcome.diverged}"
        end = {"end": "diverged", "round": outcome.diverged, "reason": reason}
    elif recorder.objectives[-1] > RUNAWAY * recorder.objectives[0]:
        growth = recorder.objectives[-1] / recorder.objectives[0]
        reason = f"the objective ended {growth:.3g} times as high as it was at the start, where all parameters are zero"
        end = {**end, "end": "diverged", "reason": reason}
    parameters = {} if recorder.final is None else {"parameters": digest(recorder.final)}
    return {**end, **traffic_by_part(outcome.edges, world.task.nodes), **parameters}


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

"""Scenarios before they are run: what is wrong with them, what they come to, and what they can name."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence

import numpy as np

from netsim.checks import Finding, check
from netsim.commands.terminal import GOOD, WRONG, err, out
from netsim.jobs import describe
from netsim.scenario.load import Loaded, ScenarioError, builtin, kinds, load, schema
from netsim.theory import consensus_bounds
from netsim.world import World, build


def takes_settings(verb: argparse.ArgumentParser) -> None:
    """Let a verb change the scenario."""
    verb.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="change a key of the scenario")


def checked(reference: str, settings: Sequence[str]) -> tuple[Loaded, list[Finding]] | None:
    """A scenario with the warnings about it, or None if it is wrong; all that there is to say is printed."""
    try:
        loaded = load(reference, settings)
    except ScenarioError as error:
        err.print(str(error), markup=False)
        return None
    findings = check(loaded)
    for finding in findings:
        prefix = "" if finding.error else "warning: "
        err.print(f"{prefix}{loaded.mistake(finding.path, finding.message)}", markup=False)
    return None if any(finding.error for finding in findings) else (loaded, findings)


def validate_arguments(verb: argparse.ArgumentParser) -> None:
    """What can be written after `netsim validate`."""
    verb.add_argument("scenario", nargs="+")
    takes_settings(verb)


def validate(options: argparse.Namespace) -> int:
    """Say what is wrong with scenarios, or what they come to."""
    status = GOOD
    for reference in options.scenario:
        found = checked(reference, options.set)
        if found is None:
            status = WRONG
            continue
        loaded, _ = found
        runs = len(loaded.points) * loaded.repeats
        world = build(loaded.points[0].scenario, 0, loaded.folder)
        points = len(loaded.points)
        first = f", the first of {points} sweep points with" if points > 1 else " of"
        out.print(f"{loaded.name}: good; {runs} run{'s'[: runs > 1]}{first} {_outlook(world)}", markup=False)
    return status


def _outlook(world: World) -> str:
    """What a world comes to before it is run."""
    sizes = describe(world)
    radius = sizes.pop("spectral-radius")
    with np.errstate(all="ignore"):
        bounds = consensus_bounds(world)
    gap = "too small to compute" if radius is None else f"{1 - radius:.4g}"
    told = [f"{value} {name}" for name, value in sizes.items() if name != "slot" and value]
    parts = [", ".join(told), f"spectral gap {gap}"]
    if bounds is not None and math.isfinite(bounds[-1]):
        parts.append(f"consensus distance at most {bounds[-1]:.4g} at the end, if no frame is lost or late")
    return "; ".join(parts)


def list_arguments(verb: argparse.ArgumentParser) -> None:
    """What can be written after `netsim list`."""
    verb.add_argument("what", nargs="?", help="scenarios, topologies, data, links, ..., or schema")


def list_(options: argparse.Namespace) -> int:
    """List what scenarios can name, or print the schema that they follow."""
    if options.what == "schema":
        print(json.dumps(schema(), indent=2))
        return GOOD
    known: dict[str, list[tuple[str, str]]] = {"scenarios": [(name, load(name).about) for name in builtin()], **kinds()}
    if options.what not in (None, *known):
        raise ValueError(f"{options.what!r} cannot be listed; known are {', '.join([*known, 'schema'])}")
    for what, entries in known.items():
        if options.what in (None, what):
            out.print(f"{what}:", markup=False)
            for name, about in entries:
                out.print(f"  {name:<24} {about}", markup=False)
    return GOOD

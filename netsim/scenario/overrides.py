"""Overrides of links: what they leave out is taken from the network's element of the same name."""

from __future__ import annotations

import re
from typing import Any

from netsim.scenario.mistakes import Fault, near, shown
from netsim.scenario.paths import get, join, put

_INHERITED = re.compile(r"network\.overrides\.\d+\.(links\..+)")


def complete(data: dict[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    """The same scenario with every override of a link element whole, and what is wrong with those without a kind."""
    links, overrides = get(data, ("network", "links")), get(data, ("network", "overrides"))
    faults = []
    for number, override in enumerate(overrides if isinstance(overrides, list) else ()):
        elements = get(override, ("links",))
        for name, element in elements.items() if isinstance(elements, dict) else ():
            if not isinstance(element, dict) or element.get("kind"):
                continue
            keys = ("network", "overrides", str(number), "links", name)
            base = links.get(name) if isinstance(links, dict) else None
            base = {"kind": base} if isinstance(base, str) else base
            if isinstance(base, dict):
                data = put(data, keys, {**base, **element})
            elif base is None:
                known = near(name, links, "; give it a kind") if isinstance(links, dict) else "; give it a kind"
                faults.append(Fault(join(*keys), f"network.links has no {shown(name)} to change{known}"))
    return data, faults


def inherited(fault: Fault, data: dict[str, Any]) -> Fault | None:
    """The fault of the network's own element that an override has taken over; ``data`` as it was written."""
    match = _INHERITED.fullmatch(fault.key)
    if match is None or get(data, fault.key.split(".")) is not None:
        return None
    return Fault(f"network.{match[1]}", fault.message)

"""Dotted paths such as ``network.links.loss.p``, which lead through mappings by key and through lists by number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from netsim.scenario.mistakes import shown

DEEPEST = 30
"""How many keys a path may have."""

_SWEEP = "sweep."


def parse(path: str) -> tuple[str, ...]:
    """The keys of a path; what follows ``sweep.`` is one key, since a sweep's keys are paths themselves.

    ``ValueError`` where it is not a path.
    """
    if path.startswith(_SWEEP) and path != _SWEEP:
        return "sweep", path.removeprefix(_SWEEP)
    keys = tuple(path.split("."))
    if "" in keys:
        raise ValueError(f"{shown(path)} is not a path; write keys with dots between them, like model.penalty.alpha")
    if len(keys) > DEEPEST:
        raise ValueError(f"{shown(path)} has {len(keys)} keys; no path in a scenario has more than {DEEPEST}")
    return keys


def join(*keys: str | int) -> str:
    """The path of these keys; an empty one in front is the scenario as a whole."""
    return ".".join(str(key) for key in keys if key != "")


def within(path: str, parent: str) -> bool:
    """Whether a path is the parent's or leads into it."""
    return not parent or path == parent or path.startswith(f"{parent}.")


def child(data: Any, key: str | int) -> Any:
    """What a mapping or list holds under a key or number; ``None`` where there is nothing."""
    if isinstance(data, dict):
        return data.get(str(key))
    if isinstance(data, list) and str(key).isdecimal() and int(key) < len(data):
        return data[int(key)]
    return None


def get(data: Any, keys: Sequence[str]) -> Any:
    """What is at the end of a path; ``None`` where there is nothing."""
    for key in keys:
        data = child(data, key)
    return data


def put(data: Any, keys: Sequence[str], value: Any) -> Any:
    """The same data with the value at the end of the path; nothing is changed in place.

    Mappings are made on the way, and a bare word on the way becomes ``{kind: word}``. ``ValueError`` where the way
    leads into something that has no keys, or past the end of a list.
    """
    if not keys:
        return value
    key, *rest = keys
    if isinstance(data, list):
        at = _number(key, len(data))
        return [*data[:at], put(data[at], rest, value), *data[at + 1 :]]
    if isinstance(data, str):
        data = {"kind": data}
    elif data is None:
        data = {}
    elif not isinstance(data, dict):
        raise ValueError(f"there is no {shown(key)} in {shown(data)}, which has no keys")
    return {**data, key: put(data.get(key), rest, value)}


def _number(key: str, length: int) -> int:
    if re.fullmatch(r"[0-9]{1,9}", key) is None:
        raise ValueError(f"{shown(key)} is not a number, but the items of a list are numbered from 0")
    if int(key) >= length:
        holds = f"its {length} items are numbered from 0" if length else "it is empty"
        raise ValueError(f"there is no item {key} in the list; {holds}")
    return int(key)

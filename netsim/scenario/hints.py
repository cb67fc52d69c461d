"""The type hints of pieces, read as what a scenario may hold where."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from netsim.scenario.mistakes import listed
from nodes.pieces import Slot, kind_of
from nodes.quantities import Written


def key(name: str) -> str:
    """The YAML key of a field: hyphens for underscores, without the underscore at the end of a reserved word."""
    return name.rstrip("_").replace("_", "-")


@cache
def fields(piece: type) -> dict[str, tuple[str, Any]]:
    """key -> (name, hint) of every constructor argument of a dataclass, in order."""
    hints = get_type_hints(piece, include_extras=True)
    return {key(each.name): (each.name, hints[each.name]) for each in dataclasses.fields(piece) if each.init}


class Place(NamedTuple):
    """A hint taken apart: the type without ``None``, and what it is annotated with."""

    type: Any
    slot: Slot | None = None
    written: Written | None = None

    @property
    def pieces(self) -> dict[str, type]:
        """kind -> class of the built-in pieces for a place that holds one."""
        return {kind_of(piece): piece for piece in members(self.type)} if self.slot else {}


def place(hint: Any) -> Place:
    """What a hint says."""
    slot = written = None
    while True:
        kept = [member for member in members(hint) if member is not NoneType]
        if get_origin(hint) is Annotated:
            hint, *marks = get_args(hint)
            slot = next((mark for mark in marks if isinstance(mark, Slot)), slot)
            written = next((mark for mark in marks if isinstance(mark, Written)), written)
        elif len(kept) == 1 and kept[0] is not hint:
            hint = kept[0]
        else:
            return Place(hint, slot, written)


def members(hint: Any) -> tuple[Any, ...]:
    """The members of a union; of another type itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def held(here: Place, value: Any, own: Mapping[str, type]) -> tuple[Any, str]:
    """The type of what a place holds for a value, and its kind if it is a built-in piece, else empty.

    ``own`` are the user's own classes by kind.
    """
    if here.slot is None:
        return here.type, ""
    kind = value.get("kind") or here.slot.default if isinstance(value, dict) else value
    if not isinstance(kind, str):
        return here.type, ""
    return (here.pieces[kind], kind) if kind in here.pieces else (own.get(kind, here.type), "")


def inside(holder: Any, part: str | int) -> Any:
    """The hint of what a type holds under a key or number; ``None`` where it holds nothing there."""
    if dataclasses.is_dataclass(holder) and isinstance(holder, type):
        return fields(holder).get(str(part), (None, None))[1]
    origin, arguments = get_origin(holder), get_args(holder)
    if origin is dict and isinstance(part, str):
        return arguments[1]
    if origin in (list, tuple) and isinstance(part, int):
        return arguments[part] if origin is tuple and Ellipsis not in arguments else arguments[0]
    return None


def wanted(hint: Any) -> str:
    """What may be written at a place, in words."""
    here = place(hint)
    if here.slot is not None:
        return f"one of {listed(list(here.pieces))}"
    if here.written is not None and here.written.write is not None:
        return "a value with its unit"
    return " or ".join(_described(each) for each in members(here.type))


def _described(each: Any) -> str:
    origin, arguments = get_origin(each), get_args(each)
    simple = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    if each in simple:
        return simple[each]
    if origin is Annotated:
        return wanted(each)
    if origin is Literal:
        return f"one of {listed(arguments)}" if len(arguments) > 1 else str(arguments[0])
    if origin is tuple and Ellipsis not in arguments:
        return f"a list of {len(arguments)} values"
    if origin in (list, tuple):
        return "a list"
    if dataclasses.is_dataclass(each) and isinstance(each, type):
        return f"a mapping with the keys {listed(list(fields(each)))}"
    return "a mapping" if origin is dict else "a value of another type"


def choices(hint: Any) -> Iterable[str]:
    """The words that may be written at a place, where these are few."""
    return [word for each in members(place(hint).type) if get_origin(each) is Literal for word in get_args(each)]

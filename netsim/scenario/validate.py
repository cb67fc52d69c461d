"""A mapping of a file as frozen pieces, or everything that is wrong with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from netsim.scenario.hints import choices, fields, held, inside, place, wanted
from netsim.scenario.mistakes import Fault, listed, near, shortened, shown
from netsim.scenario.own import Own, validator
from netsim.scenario.paths import child, join
from netsim.scenario.schema import Scenario

Piece = TypeVar("Piece", bound=Hashable)


def validate(data: Mapping[str, Any], own: Own) -> Scenario | list[Fault]:
    """The scenario that a mapping describes; or its faults, each key of each section at once."""
    return validated(Scenario, data, own)


def validated(piece: type[Piece], data: Mapping[str, Any], own: Own) -> Piece | list[Fault]:
    """The dataclass that a mapping describes by YAML keys; or its faults, each key of each section at once."""
    try:
        found: Piece = validator(piece).validate_python(data, context={"own": own})
    except ValidationError as error:
        faults = (_fault(detail, piece, data, own) for detail in error.errors(include_url=False))
        return list(dict.fromkeys(faults))
    return found


def scenarios() -> TypeAdapter[Any]:
    """The validator of scenarios."""
    return validator(Scenario)


def _fault(detail: ErrorDetails, piece: type, data: Mapping[str, Any], own: Own) -> Fault:
    location = detail["loc"]
    if detail["type"] == "missing" and isinstance(location[-1], int):
        # A list that is too short is wrong itself, and holds nothing to point at.
        location = location[:-1]
    if detail["type"] != "unexpected_keyword_argument" and location[-1:] == ("[key]",):
        # The key before this is wrong itself, whatever it holds.
        location = location[:-1]
    end = _follow(location, piece, data, own)
    return Fault(join(*end.path), _message(detail, end))


class _End(NamedTuple):
    """Where a validator's location leads: the keys, the type that holds the last of them, its hint and its value."""

    path: tuple[str | int, ...]
    holder: Any
    hint: Any
    value: Any
    among: bool
    """Whether the error is about one of several types that the value could be of."""


def _follow(location: tuple[str | int, ...], piece: type, data: Any, own: Own) -> _End:
    """Follow a location, which also names kinds and members of unions, by the types and data it leads through."""
    path: tuple[str | int, ...] = ()
    holder: Any = None
    hint: Any = piece
    value = data
    parts = list(location)
    while parts:
        kind_type, kind = held(place(hint), value, own.classes)
        if kind and parts[0] == kind:
            parts.pop(0)
            if not parts:
                break
        inner = inside(kind_type, parts[0])
        if inner is None and not dataclasses.is_dataclass(kind_type):
            return _End(path, holder, hint, value, True)
        part = parts.pop(0)
        path, holder, hint, value = (*path, part), kind_type, inner, child(value, part)
    return _End(path, holder, hint, value, False)


def _message(detail: ErrorDetails, end: _End) -> str:
    kind = detail["type"]
    if kind in ("value_error", "assertion_error") and not end.among:
        return shortened(str(detail["ctx"]["error"])) or "it is refused without a reason"
    if kind == "unexpected_keyword_argument":
        known = list(fields(end.holder))
        others = f"; known are {listed(known)}" if known else "; there are none but kind"
        return f"is not a key here{near(str(end.path[-1]), known, others)}"
    if kind == "missing" and isinstance(end.path[-1], str):
        return f"missing; add {end.path[-1]}: with {wanted(end.hint)}"
    words = [str(word) for word in choices(end.hint)]
    meant = near(end.value, words) if isinstance(end.value, str) else ""
    return f"{shown(end.value)} is not {wanted(end.hint)}{meant}"


def places() -> Iterator[tuple[str, dict[str, type]]]:
    """(dotted path, kind -> class) of every place that holds a piece, also of those inside pieces."""
    yield from _places("", Scenario)


def _places(path: str, hint: Any) -> Iterator[tuple[str, dict[str, type]]]:
    here = place(hint)
    if here.pieces:
        yield path, here.pieces
    for holder in here.pieces.values() or [here.type]:
        if dataclasses.is_dataclass(holder) and isinstance(holder, type):
            for name, (_, inner) in fields(holder).items():
                yield from _places(join(path, name), inner)
        else:
            items = (inside(holder, "any name"), inside(holder, 0))
            yield from (found for inner in items if inner is not None for found in _places(path, inner))

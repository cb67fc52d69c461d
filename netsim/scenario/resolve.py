"""A scenario as plain data, with everything written out that was left to defaults."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from netsim.scenario.hints import fields, inside, place
from netsim.scenario.own import Own

if TYPE_CHECKING:
    from netsim.scenario.schema import Scenario


def resolve(scenario: Scenario, own: Own) -> dict[str, Any]:
    """The mapping that validates to an equal scenario, without ``sweep`` and ``repeats``.

    ``own`` is what read the scenario's own classes; it knows their kinds.
    """
    written = _piece(scenario, own)
    return {key: value for key, value in written.items() if key not in ("sweep", "repeats")}


def _piece(piece: Any, own: Own) -> dict[str, Any]:
    of_class: type = type(piece)
    kind = own.kind_of(of_class)
    given = {} if kind is None else {"kind": kind}
    for key, (name, hint) in fields(of_class).items():
        if key not in given:
            given[key] = _plain(getattr(piece, name), hint, own)
    return given


def _plain(value: Any, hint: Any, own: Own) -> Any:
    here = place(hint)
    if value is None:
        return None
    if here.written is not None and here.written.write is not None:
        return here.written.write(value)
    if dataclasses.is_dataclass(value):
        return _piece(value, own)
    if isinstance(value, dict):
        return {key: _plain(item, inside(here.type, key), own) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, inside(here.type, number), own) for number, item in enumerate(value)]
    return to_jsonable_python(value)

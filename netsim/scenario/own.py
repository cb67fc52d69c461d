"""Classes of the user's own, named in a scenario as ``module:Class``."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from netsim.scenario.hints import fields, key
from netsim.scenario.mistakes import listed, near, shown
from netsim.scenario.modules import find_module

Piece = TypeVar("Piece", bound=Hashable)
CONFIG = ConfigDict(extra="forbid", alias_generator=key)
"""How every piece is validated: by its YAML keys, and without any others."""


class Own:
    """The own classes of one scenario, whose modules are files in its folder, or else installed.

    Called with a mapping of one's kind and keys it gives the piece, or raises ``ValueError`` (a ``ValidationError``
    for its keys).
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.classes: dict[str, type] = {}
        """The classes used so far, by kind."""
        self.files: dict[Path, None] = {}
        """The files in the folder that they came from."""
        self._adapters: dict[type, TypeAdapter[Any]] = {}
        self._refused: dict[str, str] = {}

    def kind_of(self, piece: type) -> str | None:
        """The kind by which the scenario named a class; ``None`` for one that is not an own class."""
        return next((kind for kind, own in self.classes.items() if own is piece), None)

    def __call__(self, given: Mapping[str, Any]) -> Any:
        """The piece that a mapping describes."""
        kind = given["kind"]
        piece = self._find(kind)
        values = {name: value for name, value in given.items() if name != "kind"}
        try:
            return self._adapters[piece].validate_python(values, context={"own": self})
        except ValidationError:
            raise
        except Exception as error:
            raise ValueError(f"{kind} fails for these values: {type(error).__name__}: {error}") from error

    def _find(self, kind: str) -> type:
        if kind in self._refused:
            raise ValueError(self._refused[kind])
        if kind not in self.classes:
            try:
                piece = self._import(kind)
                self._adapters[piece] = _adapter(kind, piece)
            except ValueError as error:
                # A module that fails is not run again for each point of a sweep.
                self._refused[kind] = str(error)
                raise
            self.classes[kind] = piece
        return self.classes[kind]

    def _import(self, kind: str) -> type:
        module_name, _, name = kind.partition(":")
        if not name.isidentifier() or not all(part.isidentifier() for part in module_name.split(".")):
            raise ValueError(
                f"{shown(kind)} does not name a class; write module:Class, like fade:Fade for Fade in fade.py"
            )
        module, files = find_module(module_name, self._folder)
        self.files |= dict.fromkeys(files)
        piece = getattr(module, name, None)
        if piece is None:
            made_here = [word for word, each in vars(module).items() if dataclasses.is_dataclass(each)]
            others = f"; its dataclasses are {listed(made_here)}" if made_here else ""
            raise ValueError(f"{module_name} has no class {name}{near(name, made_here, others)}")
        if not isinstance(piece, type) or not dataclasses.is_dataclass(piece) or not _frozen(piece):
            raise ValueError(
                f"{kind} is not a frozen dataclass; put @dataclass(frozen=True, kw_only=True) above the class"
            )
        return piece


def _frozen(piece: Any) -> bool:
    return bool(piece.__dataclass_params__.frozen)


def _adapter(kind: str, piece: Any) -> TypeAdapter[Any]:
    try:
        fields(piece)
        return adapter(piece)
    except (PydanticUserError, NameError, TypeError) as error:
        reason = str(error).splitlines()[0].split(". ")[0]
        raise ValueError(f"{kind} has a field whose type cannot be read from a scenario: {reason}") from error


def adapter(piece: Any) -> TypeAdapter[Any]:
    """The validator of a dataclass by YAML keys."""
    # Only a type that is not itself a dataclass takes a configuration from here, which those inside it then share.
    return TypeAdapter(piece | None, config=CONFIG)


@cache
def validator(piece: Any) -> TypeAdapter[Any]:
    """The same, made once."""
    return adapter(piece)


def rebuilt(piece: type[Piece], data: Mapping[str, Any], own: Own) -> Piece:
    """The dataclass of which ``data`` is the resolved form; ``ValueError`` with all that cannot be made here."""
    try:
        made: Piece = validator(piece).validate_python(data, context={"own": own})
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_url=False))
        raise ValueError("; ".join(fault.replace("Value error, ", "") for fault in faults)) from None
    return made

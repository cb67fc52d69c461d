"""Pieces: the frozen dataclasses that a scenario can name by their ``kind``.

A place for a piece is an annotated union, ``Annotated[Linear | Fourier, Slot("feature map")]``. The annotation is inert
in Python; the scenario reader applies it at the edge: a bare word stands for ``{kind: word}``, and
``kind: module:Class`` names a class of the user's own.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args


def kind_of(piece: type) -> str:
    """The word by which a scenario names this class of pieces."""
    kind = piece.__dataclass_fields__["kind"].default  # type: ignore[attr-defined]
    return str(kind)


@dataclass(frozen=True)
class Slot:
    """A place in a scenario that holds one piece.

    ``what`` is the place's name in messages; ``default`` the kind meant by a mapping without one.
    """

    what: str
    default: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> dict[str, Any]:
        # The validator's protocol for annotations; its schemas are plain dictionaries, so nothing is imported here.
        classes = {kind_of(piece): piece for piece in get_args(source) or (source,)}
        choices = {kind: handler.generate_schema(piece) for kind, piece in classes.items()}
        union = {"type": "tagged-union", "choices": choices, "discriminator": "kind"}

        def choose(value: Any, validate: Any, info: Any) -> Any:
            if any(type(value) is piece for piece in classes.values()):
                return value
            given = self._mapping(value, classes)
            if ":" in given["kind"]:
                return info.context["own"](given)
            return validate(given)

        return {"type": "function-wrap", "function": {"type": "with-info", "function": choose}, "schema": union}

    def _mapping(self, value: Any, kinds: Mapping[str, type]) -> dict[str, Any]:
        known = ", ".join(kinds)
        if isinstance(value, str):
            value = {"kind": value}
        if not isinstance(value, Mapping):
            raise ValueError(f"{value!r} is not a {self.what}; write one of {known}, or a mapping with its kind")
        given = dict(value)
        if not given.get("kind") and self.default:
            given["kind"] = self.default
        kind = given.get("kind")
        if not isinstance(kind, str):
            raise ValueError(f"the kind of {self.what} is missing; add kind: with one of {known}")
        if kind not in kinds and ":" not in kind:
            near = difflib.get_close_matches(kind, kinds, 1)
            hint = f"did you mean {near[0]}?" if near else f"known are {known}, or module:Class of your own"
            raise ValueError(f"{kind!r} is not a kind of {self.what}; {hint}")
        return given

"""What a scenario can hold, for people and for editors: the kinds of pieces, and the JSON schema."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from netsim.scenario.validate import places, scenarios

PLACES = {
    "topologies": "network.topology",
    "data": "data",
    "splits": "split",
    "scalings": "scaling",
    "window splits": "data.split",
    "weights": "network.weights",
    "links": "network.links",
    "features": "model.features",
    "losses": "model.loss",
    "penalties": "model.penalty",
    "algorithms": "algorithm",
    "steps": "algorithm.step",
    "coders": "messages",
    "transports": "transport",
}
"""What the places of pieces are called, and the path of one of each."""


def kinds() -> dict[str, list[tuple[str, str]]]:
    """place -> the kinds of pieces that it can hold, each with the first line of its description."""
    found = dict(places())
    return {
        name: [(kind, inspect.getdoc(piece).splitlines()[0]) for kind, piece in found[path].items()]  # type: ignore[union-attr]
        for name, path in PLACES.items()
    }


def schema() -> dict[str, Any]:
    """The JSON schema of a scenario; it refuses no valid one, and leaves ranges and units to ``load``."""
    return scenarios().json_schema(schema_generator=_Schema)


class _Schema(GenerateJsonSchema):
    """Adds how values may be written otherwise: a quantity as text, a piece as a word or as a class of one's own."""

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        return {"anyOf": [super().function_before_schema(schema), {"type": "string"}]}

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        own = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string", "pattern": ":"}}}
        return {"anyOf": [super().tagged_union_schema(schema), {"type": "string"}, own]}

"""What can be listed of scenarios."""

from __future__ import annotations

import json

from netsim.scenario.catalogue import PLACES
from netsim.scenario.load import kinds, schema
from netsim.scenario.validate import places


def test_every_place_lists_its_kinds_with_a_description() -> None:
    """All places of pieces are listed under some name, and all kinds have a first line."""
    listed = kinds()
    assert {path for path, _ in places()} - set(PLACES.values()) == {"network.overrides.links"}
    assert dict(listed["links"])["loss"] == "Each frame is lost with probability ``p``, whatever became of others."
    assert {"ring", "path", "erdos-renyi", "edges"} <= dict(listed["topologies"]).keys()
    assert all(line and line == line.strip() for pieces in listed.values() for _, line in pieces)


def test_schema_knows_yaml_keys_and_how_values_may_be_written() -> None:
    """Keys are hyphenated, unknown ones refused, and a piece may be a word or a class of one's own."""
    found = schema()
    json.dumps(found)
    scenario = found["$defs"]["Scenario"]
    assert {"data-seed", "network-seed", "sweep"} <= scenario["properties"].keys()
    assert scenario["additionalProperties"] is False
    assert set(scenario["required"]) == {"name", "data", "network", "model"}
    assert {"type": "string"} in scenario["properties"]["slot"]["anyOf"]
    assert {"type": "string"} in scenario["properties"]["data"]["anyOf"]
    assert found["$defs"]["ZScore"]["properties"]["from"]["enum"] == ["training-set", "node"]

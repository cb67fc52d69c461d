"""Resolved scenarios: everything written out, and the same scenario when read again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.scenario.hints import fields, place
from netsim.scenario.load import Loaded, builtin, from_resolved, load, yaml_text
from netsim.scenario.paths import put
from netsim.scenario.validate import places
from nodes.pieces import kind_of

SMALL: dict[str, Any] = {
    "name": "small",
    "rounds": 5,
    "data": "rings",
    "network": {"topology": {"kind": "ring", "nodes": 4}},
    "model": {"features": "linear", "loss": "ordinal-hinge"},
}
REQUIRED: dict[Any, Any] = {
    int: 4,
    float: 0.5,
    str: "x",
    "degree": 2,
    "neighbours": 2,
    "radius": 1.5,
    "p": 0.9,
    "length": 5.0,
    "range": 2.0,
    "times": ["5ms"],
    "rate": "250kbit/s",
}
"""A value for each required key or, where any will do, of its type."""

PIECES = [(path, piece) for path, pieces in places() for piece in pieces.values()]


def reread(loaded: Loaded) -> Loaded:
    """What the resolved scenario loads as, from a file of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.yaml"
        file.write_text(yaml_text(loaded.resolved), encoding="utf-8")
        return load(str(file))


def given_for(piece: type) -> dict[str, Any]:
    """A mapping with the keys alone that a piece must be given."""
    given: dict[str, Any] = {"kind": kind_of(piece)}
    for key, (name, hint) in fields(piece).items():
        here = place(hint)
        if piece.__dataclass_fields__[name].default_factory is piece.__dataclass_fields__[name].default:  # type: ignore[attr-defined]
            timed = "5ms" if here.written and here.written.write else REQUIRED.get(here.type)
            given[key] = REQUIRED.get(key, timed)
    return given


@pytest.mark.parametrize(("path", "piece"), PIECES, ids=[f"{path}={kind_of(piece)}" for path, piece in PIECES])
def test_defaults_of_every_piece_are_written_so_that_they_read_back(path: str, piece: type, tmp_path: Path) -> None:
    """A scenario with the piece resolves to plain data, with all its keys, that validate to an equal scenario."""
    at = [*path.split("."), "one"] if path.endswith("links") else path.split(".")
    if "overrides" in at:
        at.insert(at.index("overrides") + 1, "0")
    holder = {"data": {"kind": "bearings", "path": "x"}} if path == "data.split" else {}
    data = put(
        {**SMALL, **holder, "network": {**SMALL["network"], "overrides": [{"edges": [[0, 1]]}]}}, at, given_for(piece)
    )
    if "overrides" not in at:
        data["network"]["overrides"] = []
    file = tmp_path / "x.yaml"
    file.write_text(yaml_text(data))
    (point,) = (loaded := load(str(file))).points
    assert from_resolved(point.resolved, tmp_path) == point.scenario
    assert reread(loaded).points[0].resolved == point.resolved
    resolved: Any = point.resolved
    for key in at:
        resolved = resolved[int(key) if isinstance(resolved, list) else key]
    assert list(resolved) == list(fields(piece))


TIMES = st.integers(0, 10**12).flatmap(lambda n: st.sampled_from([f"{n}ns", f"{n}us", f"{n / 1000}ms", f"{n / 7}s"]))


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    time=TIMES,
    slot=TIMES.filter(lambda time: not time.startswith(("0n", "0u", "0."))),
    alpha=st.floats(0, 1) | st.integers(0, 100).map("{}%".format),
    weight=st.floats(1e-9, 1e9) | st.floats(1e-3, 1e6).map("{}/N".format),
    batch=st.integers(1, 10**6) | st.just("all"),
    about=st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    every=st.none() | st.integers(1, 1000),
)
def test_values_however_written_are_resolved_without_loss(
    time: str, slot: str, alpha: Any, weight: Any, batch: Any, about: str, every: int | None
) -> None:
    """Times, shares, weights and texts come back as the same values, by mapping and by YAML text."""
    data = {
        **SMALL,
        "about": about,
        "slot": slot,
        "record": {"every": every},
        "network": {"topology": {"kind": "ring", "nodes": 4}, "links": {"d": {"kind": "delay", "time": time}}},
        "model": {
            "features": "linear",
            "loss": {"kind": "ordinal-hinge", "C": weight},
            "penalty": {"kind": "elastic-net", "alpha": alpha},
        },
        "algorithm": {"batch": batch},
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.yaml"
        file.write_text(yaml_text(data), encoding="utf-8")
        loaded = load(str(file))
    (point,) = loaded.points
    assert point.scenario.about == about
    assert from_resolved(point.resolved, Path.cwd()) == point.scenario
    assert reread(loaded).points[0].scenario == point.scenario


def test_resolved_built_in_scenarios_load_as_the_same_points() -> None:
    """Sweep and repeats are part of what is resolved, and every point comes out the same."""
    for name in builtin():
        loaded = load(name)
        again = reread(loaded)
        assert [point.settings for point in again.points] == [point.settings for point in loaded.points]
        assert [point.resolved for point in again.points] == [point.resolved for point in loaded.points]
        assert again.repeats == loaded.repeats
        assert again.base == loaded.base


def test_sweeps_that_complete_a_scenario_load_as_the_same_points(tmp_path: Path) -> None:
    """Where there is no scenario without the sweep, what is resolved still loads as the same points."""
    file = tmp_path / "x.yaml"
    short = {key: value for key, value in SMALL.items() if key != "rounds"}
    file.write_text(yaml_text({**short, "sweep": [{"rounds": 5}, {"passes": 2}]}))
    loaded = load(str(file))
    assert [(p.scenario.rounds, p.scenario.passes) for p in reread(loaded).points] == [(5, None), (None, 2)]

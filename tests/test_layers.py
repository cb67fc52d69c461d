"""Who may import whom, read off the source files."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [file for package in ("nodes", "netsim") for file in sorted((ROOT / package).rglob("*.py"))]


def imported(file: Path, *, running: bool = False) -> set[str]:
    """The modules that a file imports; with ``running`` without those for type checkers only."""
    found: set[str] = set()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if running and id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def users(library: str) -> set[str]:
    """The files that import a library, as paths from the root."""
    return {
        file.relative_to(ROOT).as_posix()
        for file in FILES
        if any(name == library or name.startswith(f"{library}.") for name in imported(file))
    }


def test_nodes_know_nothing_of_the_simulator_around_them():
    """Nodes import numpy, msgpack and the standard library, feature maps two libraries more, and nothing of netsim."""
    allowed = {"nodes", "numpy", "msgpack"} | sys.stdlib_module_names
    more = {"kernels.py": {"scipy"}, "frequencies.py": {"scipy"}, "additive.py": {"sklearn"}}
    for file in (ROOT / "nodes").rglob("*.py"):
        assert {name.split(".")[0] for name in imported(file)} <= allowed | more.get(file.name, set()), file


@pytest.mark.parametrize(
    ("library", "where"),
    [
        ("pydantic", "netsim/scenario/"),
        ("ruamel", "netsim/scenario/"),
        ("matplotlib", "netsim/figures/"),
        ("highspy", "netsim/baselines/highs.py"),
        ("clarabel", "netsim/baselines/interior.py"),
        ("sklearn", ("netsim/data/", "netsim/baselines/linear.py", "nodes/additive.py")),
        ("PyEMD", "netsim/data/vibration.py"),
        ("platformdirs", "netsim/data/cache.py"),
        ("argparse", ("netsim/cli.py", "netsim/commands/")),
        ("zmq", "netsim/transports/zeromq/"),
        ("netsim.cli", "netsim/__main__.py"),
    ],
)
def test_a_library_stays_in_its_room(library, where):
    """Each of these is imported in one place only; the command line in none."""
    assert all(file.startswith(where) for file in users(library)), users(library)


def test_only_the_world_begins_random_streams():
    """Keys of random streams are made for a world and its edges alone; generators in it, on edges and in nodes.

    But for the windows of bearings, whose features take hours and are kept: they do not depend on a run's seed.
    """
    cached = {"netsim/data/bearings.py"}
    assert users("netsim.chance") == {"netsim/world.py", "netsim/parts.py"} | cached
    assert {file for file in users("nodes.draws") if file.startswith("netsim/")} == {
        "netsim/world.py",
        "netsim/links/element.py",
        "netsim/data/vibration.py",
    } | cached


def test_reports_read_files_only():
    """What makes tables and figures imports nothing that runs."""
    reports = [ROOT / "netsim" / f"{name}.py" for name in ("results", "compare", "faults", "pivot", "tables")]
    allowed = {"netsim.results", "netsim.compare", "netsim.faults", "netsim.pivot", "netsim.tables"}
    for file in [*reports, *(ROOT / "netsim" / "figures").glob("*.py")]:
        ours = {module for module in imported(file) if module.startswith(("netsim", "nodes"))}
        assert all(module in allowed or module.startswith("netsim.figures.") for module in ours), file


def test_imports_at_run_time_form_no_circle():
    """Data flow one way: there is an order in which every module comes after all that it imports."""
    names = {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in FILES}
    waiting = {
        name: {other for other in imported(file, running=True) if other in names and other != name}
        for name, file in names.items()
    }
    while waiting:
        free = {name for name, others in waiting.items() if not others & waiting.keys()}
        assert free, f"these import each other: {sorted(waiting)}"
        waiting = {name: others for name, others in waiting.items() if name not in free}

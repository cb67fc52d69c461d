"""Classes of the user's own, in files beside the scenario."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from netsim.scenario.load import ScenarioError, from_resolved, load, yaml_text

Write = Callable[..., str]

FADE = """\
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from fade_helper import DEPTH
from netsim.units import Duration
from nodes.quantities import Fraction
from nodes.steps import Diminishing, Steps


@dataclass(frozen=True, kw_only=True)
class Fade:
    \"\"\"A link that fades.\"\"\"

    p: Fraction
    every_other: Duration = 1_000_000
    depth: int = DEPTH
    step: Steps = field(default_factory=Diminishing)

    def __post_init__(self):
        if self.p == 0.5:
            raise ValueError("p: 0.5 is a coin; take another one")
        1 / (self.p - 0.25)

    def delays(self, times, chance):
        return np.zeros(len(times))


@dataclass
class Thawed:
    p: float = 0


@dataclass(frozen=True)
class Odd:
    array: np.ndarray = None


def function():
    pass
"""


@pytest.fixture
def fade(tmp_path: Path) -> Path:
    """A folder with fade.py, and a module that it imports."""
    (tmp_path / "fade.py").write_text(FADE)
    (tmp_path / "fade_helper.py").write_text("DEPTH = 7\n")
    return tmp_path


def messages(path: str, *settings: str) -> dict[str, str]:
    """key -> message of what loading finds."""
    with pytest.raises(ScenarioError) as caught:
        load(path, settings)
    return {mistake.key: mistake.message for mistake in caught.value.mistakes}


def test_a_class_beside_the_scenario_is_a_piece_like_any_other(write: Write, fade: Path) -> None:
    """Its keys are hyphenated, its quantities and pieces are read, and its files are known."""
    path = write()
    (point,) = (loaded := load(path, ["network.links.f={kind: 'fade:Fade', p: 30%, every-other: 2ms}"])).points
    element = point.scenario.network.links["f"]
    assert (type(element).__name__, element.p, element.every_other, element.depth) == ("Fade", 0.3, 2_000_000, 7)
    assert set(loaded.own_files) == {fade / "fade.py", fade / "fade_helper.py"}
    assert point.resolved["network"]["links"]["f"] == {
        "kind": "fade:Fade",
        "p": 0.3,
        "every-other": "2ms",
        "depth": 7,
        "step": {"kind": "diminishing", "first": 0.1, "decay": 0.01},
    }
    assert from_resolved(point.resolved, fade) == point.scenario
    assert load(write(text=yaml_text(loaded.resolved))).points[0].scenario == point.scenario


@pytest.mark.parametrize(
    ("given", "key", "message"),
    [
        ("{kind: 'fade:Fade', p: 130%}", ".p", "130% is not between 0 and 1 (0% and 100%)"),
        ("fade:Fade", ".p", "missing; add p: with a number"),
        ("{kind: 'fade:Fade', p: 0, dept: 3}", ".dept", "is not a key here; did you mean depth?"),
        ("{kind: 'fade:Fade', p: 0, depth: x}", ".depth", "'x' is not a whole number"),
        ("{kind: 'fade:Fade', p: 0, step: {fist: 3}}", ".step.fist", "is not a key here; did you mean first?"),
        ("{kind: 'fade:Fade', p: 0.5}", "", "p: 0.5 is a coin; take another one"),
        ("{kind: 'fade:Fade', p: 25%}", "", "fade:Fade fails for these values: ZeroDivisionError: "),
        ("fade:Fad", "", "fade has no class Fad; did you mean Fade?"),
        ("fade:Thawed", "", "fade:Thawed is not a frozen dataclass; put @dataclass(frozen=True, kw_only=True) above"),
        ("fade:function", "", "fade:function is not a frozen dataclass"),
        ("fade:Odd", "", "fade:Odd has a field whose type cannot be read from a scenario"),
        ("'fade:'", "", "'fade:' does not name a class; write module:Class"),
        ("'../fade:Fade'", "", "'../fade:Fade' does not name a class"),
        ("nowhere.at_all:Fade", "", "there is no file at_all.py in "),
        ("broken:Fade", "", "broken.py cannot be imported: line 2: NameError: name 'undefined' is not defined"),
        ("syntax:Fade", "", "syntax.py cannot be imported: line 1: invalid syntax"),
        ("lacking:Fade", "", "lacking.py cannot be imported: line 1: ModuleNotFoundError: No module named 'no_such'"),
        ("leaving:Fade", "", "leaving.py cannot be imported: line 1: SystemExit: 3"),
    ],
)
def test_what_is_wrong_with_an_own_class_is_told_at_its_place(
    write: Write, fade: Path, given: str, key: str, message: str
) -> None:
    """Keys like those of built-in pieces; the class and its module at the piece."""
    (fade / "broken.py").write_text("x = 1\nundefined\n")
    (fade / "syntax.py").write_text("x = = 1\n")
    (fade / "lacking.py").write_text("import no_such\n")
    (fade / "leaving.py").write_text("raise SystemExit(3)\n")
    found = messages(write(), f"network.links.f={given}")
    assert list(found) == [f"network.links.f{key}"]
    assert found[f"network.links.f{key}"].startswith(message)


def test_files_of_one_name_in_two_folders_are_two_modules(tmp_path: Path, write: Write) -> None:
    """Also a file that changes between two loads is read anew; modules beside it do not collide either."""
    text = Path(write()).read_text()
    setting = ["network.links.f=twin:Twin"]
    got = []
    for folder, default in (("a", 1), ("b", 2), ("a", 3)):
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        (place / "s.yaml").write_text(text)
        (place / f"twin_{default}.py").write_text("")
        (place / "twin_helper.py").write_text(f"FOLDER = {folder!r}\n")
        (place / "twin.py").write_text(
            "from dataclasses import dataclass\nfrom twin_helper import FOLDER\n\n"
            f"@dataclass(frozen=True)\nclass Twin:\n    x: int = {default}\n    folder: str = FOLDER\n"
        )
        got.append(load(str(place / "s.yaml"), setting).points[0].scenario.network.links["f"])
    assert [(each.x, each.folder) for each in got] == [(1, "a"), (2, "b"), (3, "a")]


def test_importing_leaves_no_trace_on_the_path(write: Write, fade: Path) -> None:
    """The folder is searched while its module is imported only, and plain names stay free."""
    before = list(sys.path)
    load(write(), ["network.links.f={kind: 'fade:Fade', p: 0}"])
    assert sys.path == before
    assert not {"fade", "fade_helper"} & set(sys.modules)


def test_an_installed_module_is_found_too(write: Write) -> None:
    """What is not a file in the folder is imported as ever, here a piece of netsim itself."""
    loaded = load(write(), ["network.links.f={kind: 'netsim.links:Loss', p: 0.2}"])
    assert loaded.points[0].resolved["network"]["links"]["f"]["p"] == 0.2
    assert loaded.own_files == ()


def test_a_module_that_fails_is_run_once_for_a_whole_sweep(write: Write, tmp_path: Path) -> None:
    """Twenty points name it, and its one failure is told once."""
    (tmp_path / "counting.py").write_text(
        "from pathlib import Path\n"
        "with (Path(__file__).parent / 'count').open('a') as file:\n"
        "    file.write('x')\n"
        "1 / 0\n"
    )
    found = messages(write(f"sweep: {{seed: {list(range(20))}}}\n"), "network.links.f=counting:X")
    assert found == {"network.links.f": "counting.py cannot be imported: line 4: ZeroDivisionError: division by zero"}
    assert (tmp_path / "count").read_text() == "x"

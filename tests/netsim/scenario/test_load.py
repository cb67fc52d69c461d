"""Loading: files and built-in scenarios, settings, sweeps, overrides, and where mistakes are."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from netsim.links import Delay, Loss
from netsim.scenario.load import Mistake, ScenarioError, builtin, load
from nodes.features import Fourier

Write = Callable[..., str]


def mistakes_of(path: str, *settings: str) -> list[Mistake]:
    """What loading a scenario finds."""
    with pytest.raises(ScenarioError) as caught:
        load(path, settings)
    return list(caught.value.mistakes)


def told(path: str, *settings: str) -> list[str]:
    """The same as text, without the folder of the file."""
    return [str(each).replace(f"{os.path.dirname(path)}/", "") for each in mistakes_of(path, *settings)]


def test_a_scenario_without_sweep_is_one_point(write: Write, tmp_path: Path) -> None:
    """The point has no settings; files are looked up beside the scenario."""
    loaded = load(write("repeats: 3\n"))
    (point,) = loaded.points
    assert (loaded.name, loaded.repeats, loaded.folder, point.settings) == ("small", 3, tmp_path, {})
    assert point.scenario.network.links == {"delay": Delay(time=5_000_000, jitter=1_000_000), "loss": Loss(p=0.1)}
    assert point.resolved == loaded.base
    assert point.resolved["slot"] == "20ms"
    assert json.loads(json.dumps(point.resolved)) == point.resolved


def test_every_built_in_scenario_loads() -> None:
    """They are found by name in the package, and their names are those in the files."""
    assert "rings" in builtin()
    for name in builtin():
        loaded = load(name)
        assert loaded.name == name.rpartition("/")[2]
        assert loaded.folder == Path.cwd()


def test_unknown_names_list_near_ones(tmp_path: Path) -> None:
    """A name that is neither a file nor a built-in one is told with what may have been meant."""
    (mistake,) = mistakes_of("rinks")
    assert (mistake.where, mistake.key) == ("rinks", "")
    assert mistake.message.startswith("there is no such file, and no built-in scenario; did you mean rings")
    assert "built-in ones are" in mistakes_of("zzzz")[0].message
    assert mistakes_of(str(tmp_path)) == [Mistake(str(tmp_path), "", "this is a directory; name a scenario file in it")]


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (b"", ":1:1", "the scenario is empty"),
        (b"# only\n", ":1:1", "the scenario is empty"),
        (b"\n- a\n", ":2:1", '["a"] is not a mapping; write keys with their values'),
        (b"name: \xff", ":1:7", "byte 0xff is not UTF-8 text"),
        (b"a: [1", ":1:4", "the list begun here is not closed"),
        (b"a: " + b"x" * 600_000, "", "the file is larger than 500000 bytes"),
    ],
)
def test_a_file_that_is_no_scenario_is_one_mistake(tmp_path: Path, content: bytes, place: str, message: str) -> None:
    """Nothing can be read from it, so that one mistake is all there is to say."""
    file = tmp_path / "x.yaml"
    file.write_bytes(content)
    (mistake,) = mistakes_of(str(file))
    assert mistake.where == f"{file}{place}"
    assert mistake.message.startswith(message)


def test_flaws_of_the_text_come_with_all_other_mistakes(write: Write) -> None:
    """A doubled key does not hide what else is wrong."""
    assert told(write("rounds: 6\nseed: -1\n")) == [
        "small.yaml:13:1: rounds: the key occurs twice; remove one of the two",
        "small.yaml:14:1: seed: -1 is not a whole number of 0 or more",
    ]


def test_settings_are_yaml_and_apply_in_order(write: Write) -> None:
    """A later setting wins; a bare word that is descended into keeps its kind; links are made on the way."""
    settings = ["seed=1", "seed=2", "model.features=fourier", "model.features.size=7", "network.links.more.kind=loss"]
    (point,) = load(write(), [*settings, "network.links.more.p=1e-3", " slot = 3ms"]).points
    assert point.scenario.seed == 2
    assert point.scenario.model.features == Fourier(size=7)
    assert point.scenario.network.links["more"] == Loss(p=0.001)
    assert point.scenario.slot == 3_000_000


@pytest.mark.parametrize(
    ("setting", "key", "message"),
    [
        ("seed", "", "this sets nothing; write PATH=VALUE, like model.penalty.alpha=0.5"),
        ("=3", "", "'' is not a path"),
        ("a..b=3", "a..b", "'a..b' is not a path"),
        ("seed=[1", "seed", "'[1' cannot be read: the list begun here is not closed"),
        ("seed.x=1", "seed.x", "there is no 'x' in 0, which has no keys"),
        ("network.overrides.1.links=1", "network.overrides.1.links", "there is no item 1 in the list; its 1 items"),
    ],
)
def test_settings_that_cannot_be_applied(write: Write, setting: str, key: str, message: str) -> None:
    """Each is a mistake at the setting itself."""
    path = write("seed: 0\n")
    given = [setting] if "overrides" not in setting else ["network.overrides=[{edges: [[0, 1]], links: {}}]", setting]
    (mistake,) = mistakes_of(path, *given)
    assert (mistake.where, mistake.key) == (f"--set {setting}", key)
    assert mistake.message.startswith(message)


def test_a_product_varies_its_last_path_fastest(write: Write) -> None:
    """Points come in the order written, with values as written."""
    loaded = load(write("sweep: {model.penalty.alpha: [0, 0.9], network.links.loss.p: [0, 30%]}\n"))
    assert [tuple(point.settings.values()) for point in loaded.points] == [(0, 0), (0, "30%"), (0.9, 0), (0.9, "30%")]
    assert list(loaded.points[0].settings) == ["model.penalty.alpha", "network.links.loss.p"]
    assert loaded.points[3].scenario.network.links["loss"] == Loss(p=0.3)
    assert loaded.points[3].resolved["model"]["penalty"]["alpha"] == 0.9
    assert loaded.base["network"]["links"]["loss"]["p"] == 0.1


def test_a_list_of_mappings_is_those_points(write: Write) -> None:
    """What a point leaves out is as without the sweep."""
    path = write("sweep: [{seed: 4}, {passes: 2, rounds: null}, {}]\n")
    assert [(p.scenario.seed, p.scenario.rounds) for p in load(path).points] == [(4, 5), (0, None), (0, 5)]


def test_a_sweep_may_give_what_must_be_given(write: Write) -> None:
    """Without the sweep nothing says how long to run; all that is resolved is then the first point."""
    loaded = load(write("sweep: {rounds: [3, 4]}\n", text=Path(write()).read_text().replace("rounds: 5\n", "")))
    assert [point.scenario.rounds for point in loaded.points] == [3, 4]
    assert loaded.base["rounds"] == 3
    assert "rounds" not in loaded.resolved


def test_settings_change_and_switch_off_a_sweep(write: Write) -> None:
    """All that follows ``sweep.`` is the path that is swept; ``sweep={}`` leaves one point."""
    path = write("sweep: {seed: [1, 2], model.penalty.alpha: [0, 1]}\n")
    assert [p.settings for p in load(path, ["sweep={}"]).points] == [{}]
    assert len(load(path, ["sweep.model.penalty.alpha=[0, 0.1, 1]"]).points) == 6
    assert len(load(path, ["sweep.network.links.loss.p=[0, 1]"]).points) == 8


@pytest.mark.parametrize(
    ("sweep", "mistakes"),
    [
        ("{seed: []}", ["13:9: sweep.seed: the list of values is empty; write one or more, or remove the path"]),
        ("{seed: 3}", ["13:9: sweep.seed: 3 is not a list of values; put it in brackets"]),
        ("{seed: [1, 1]}", ["13:19: sweep.seed.1: 1 occurs twice in the sweep; remove one of the two"]),
        ("[3]", ["13:9: sweep.0: 3 is not a point; write a mapping of paths to values"]),
        (
            "{a..b: [1]}",
            ["13:9: sweep.a..b: 'a..b' is not a path; write keys with dots between them, like model.penalty.alpha"],
        ),
        ("{name: [a]}", ["13:9: sweep.name: name cannot be swept over: it names the whole scenario"]),
        ("{sweep.x: [a]}", ["13:9: sweep.sweep.x: sweep cannot be swept over: it is the sweep itself"]),
        (
            "[{repeats: 2}]",
            [
                "13:10: sweep.0.repeats: repeats cannot be swept over: all points are repeated equally "
                "often, so that they can be compared"
            ],
        ),
        (
            "{model.loss.C: [1], model.loss: [squared]}",
            ["13:28: sweep.model.loss: it would replace model.loss.C, which is inside it; write it before that"],
        ),
        (
            "{network.links.lss.p: [1]}",
            [
                "13:31: network.links.lss: the kind of link element is missing; add kind: with one of delay, "
                "delay-table, reorder, loss, gilbert-elliott, burst-loss, distance-loss, duplicate, corrupt, rate"
            ],
        ),
        ("{modl.x: [1, 2]}", ["13:18: modl: is not a key here; did you mean model?"]),
        ("{model.penalty.alfa: [1, 2]}", ["13:30: model.penalty.alfa: is not a key here; did you mean alpha?"]),
        (
            "{network.links.loss.p: [0, 2, 3]}",
            [
                "13:35: network.links.loss.p: 2 is not between 0 and 1 (0% and 100%)",
                "13:38: network.links.loss.p: 3 is not between 0 and 1 (0% and 100%)",
            ],
        ),
    ],
)
def test_mistakes_of_sweeps_are_told_where_the_sweep_is_written(write: Write, sweep: str, mistakes: list[str]) -> None:
    """Each once, however many points have it; values of a path at the value."""
    assert told(write(f"sweep: {sweep}\n")) == [f"small.yaml:{mistake}" for mistake in mistakes]


def test_an_endless_product_is_refused_without_being_made(write: Write) -> None:
    """Ten paths of ten values are 10^10 points."""
    axes = ", ".join(f"network.links.l{axis}.p: [{', '.join(map(str, range(10)))}]" for axis in range(10))
    (mistake,) = mistakes_of(write(f"sweep: {{{axes}}}\n"))
    assert mistake.message == "it has 10000000000 points; at most 10000 can be run"


def test_a_wrong_combination_names_its_point(write: Write) -> None:
    """What only some points have, and no swept key itself, is told with the values of the first such point."""
    path = write("sweep: {network.links.delay.jitter: [1ms, 9ms], seed: [1, 2]}\n")
    (mistake,) = told(path)
    assert mistake.startswith("small.yaml:7:5: network.links.delay: jitter 9ms is longer than time 5ms")
    assert mistake.endswith("(at network.links.delay.jitter='9ms', seed=1)")


def test_an_override_without_kind_changes_single_parameters(write: Write) -> None:
    """It keeps kind and other parameters of the network's element, as settings and sweep have left it."""
    more = "sweep: {network.links.delay.time: [2ms, 3ms]}\n"
    overrides = (
        "network.overrides=[{edges: [[0, 1]], links: {loss: {p: 30%}, delay: {jitter: 2ms}, new: {kind: loss, p: 1}}}]"
    )
    first, second = load(write(more), [overrides]).points
    (override,) = first.scenario.network.overrides
    assert override.edges == ((0, 1),)
    assert override.links == {
        "loss": Loss(p=0.3),
        "delay": Delay(time=2_000_000, jitter=2_000_000),
        "new": Loss(p=1),
    }
    assert second.scenario.network.overrides[0].links["delay"] == Delay(time=3_000_000, jitter=2_000_000)


def test_mistakes_of_overrides(write: Write) -> None:
    """A name that the network has not is told; what is wrong with the network's element is told there alone."""
    path = write("sweep: {}\n")
    overrides = "network.overrides=[{edges: [], links: {los: {p: 0}, loss: {}, delay: {p: 0}}}]"
    assert [str(each) for each in mistakes_of(path, overrides, "network.links.loss.p=7")] == [
        f"--set {overrides}: network.overrides.0.links.los: network.links has no 'los' to change; did you mean loss?",
        "--set network.links.loss.p=7: network.links.loss.p: 7 is not between 0 and 1 (0% and 100%)",
        f"--set {overrides}: network.overrides.0.links.delay.p: is not a key here; known are kind, time, jitter, "
        "distribution",
    ]


def test_later_findings_are_located(write: Write) -> None:
    """A path is where it is in the file, at the setting or sweep that set it, or at the nearest parent in the file."""
    path = write("sweep: {network.topology.nodes: [4, 6]}\n")
    loaded = load(path, ["network.links.loss.p=0", "network.weights.kind=metropolis"])

    def where(key: str) -> str:
        mistake = loaded.mistake(key, "is wrong")
        assert (mistake.key, mistake.message) == (key, "is wrong")
        return mistake.where.removeprefix(f"{path}:")

    assert where("network.links.delay.time") == "7:26"
    assert where("network.links.loss.p") == "--set network.links.loss.p=0"
    assert where("network.links.loss") == "8:5"
    assert where("network.weights.lazy") == "--set network.weights.kind=metropolis"
    assert where("algorithm.step.first") == "1:1"
    assert where("model.penalty.alpha") == "12:3"
    assert where("network.topology.nodes") == "13:34"
    assert loaded.mistake("network.topology.nodes", "", loaded.points[1]).where == f"{path}:13:37"


def test_two_hundred_points_load_in_a_second(write: Write) -> None:
    """A sweep costs little for each of its points."""
    path = write(f"sweep: {{seed: {list(range(20))}, network.links.loss.p: {[n / 10 for n in range(10)]}}}\n")
    began = time.process_time()
    assert len(load(path).points) == 200
    assert time.process_time() - began < 1


def test_a_setting_that_the_sweep_makes_idle_is_told(write: Write) -> None:
    """What a file's sweep sets at every point cannot be set beside it, but together with another sweep it can."""
    path = write("sweep: {network.links.loss.p: [0, 0.5]}\n")
    (message,) = told(path, "network.links.loss.p=0.3")
    assert message.startswith("--set network.links.loss.p=0.3: network.links.loss.p: the sweep sets network.links.")
    assert len(load(path, ["network.links.loss.p=0.3", "sweep={}"]).points) == 1

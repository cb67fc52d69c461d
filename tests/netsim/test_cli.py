"""The command line, as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from netsim.cli import main
from netsim.scenario.load import builtin

TINY = """\
name: tiny
about: A few rounds of a few nodes.
rounds: 10
data: {kind: rings, train: 40, test: 10}
network: {topology: {kind: ring, nodes: 5}}
model: {features: {kind: fourier, size: 8}, loss: ordinal-hinge}
"""

SHORT = ["--set", "rounds=4", "--set", "repeats=1", "--quiet", "--jobs", "2"]


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small scenario file in a folder of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "tiny.yaml"
    file.write_text(TINY)
    return file


def started(*arguments: str, **settings: object) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-c", "import sys; from netsim.cli import main; sys.exit(main())", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment}
    return subprocess.Popen(command, **{**pipes, **settings})  # type: ignore[call-overload,no-any-return]


def group_ends(group: int, seconds: float = 20) -> bool:
    """Whether the last process of a group goes within some time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        os.sched_yield()
    return False


def run_folder(out: Path = Path("runs")) -> Path:
    """The one run directory."""
    (folder,) = out.iterdir()
    return folder


def test_run_prints_the_table_and_leaves_the_run_directory(tiny, capsys):
    """Exit status 0, a line for the network, and the files of DESIGN section 9."""
    assert main(["run", "tiny.yaml", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "A few rounds of a few nodes." in printed
    assert "network" in printed
    assert "\x1b" not in printed
    files = {path.relative_to(run_folder()).as_posix() for path in run_folder().rglob("*") if path.is_file()}
    assert files == {"scenario.yaml", "summary.json", "results/all/0.jsonl"}
    lines = [json.loads(line) for line in (run_folder() / "results/all/0.jsonl").read_text().splitlines()]
    assert lines[0]["method"] == "network"
    assert [line["round"] for line in lines[1:-1]] == list(range(11))
    assert lines[-1]["end"] == "completed"
    assert len(lines[-1]["nodes"]) == 5
    assert len(lines[-1]["edges"]) == 10


def test_a_second_run_finds_everything_and_fresh_starts_over(tiny, capsys):
    """The same scenario resumes; ``--fresh`` does all again, to the same bytes."""
    main(["run", "tiny.yaml", "--jobs", "1"])
    file = run_folder() / "results/all/0.jsonl"
    first, made = file.read_bytes(), file.stat().st_mtime_ns
    capsys.readouterr()
    main(["run", "tiny.yaml", "--jobs", "1"])
    assert "0 run now, 1 found" in capsys.readouterr().out
    assert file.stat().st_mtime_ns == made
    main(["run", "tiny.yaml", "--jobs", "1", "--fresh"])
    assert file.stat().st_mtime_ns > made
    assert file.read_bytes() == first


def test_the_resolved_scenario_runs_to_the_same_directory(tiny):
    """``scenario.yaml`` in a run directory is itself a scenario, and means the same run."""
    main(["run", "tiny.yaml", "--quiet", "--jobs", "1"])
    assert main(["run", str(run_folder() / "scenario.yaml"), "--quiet", "--jobs", "1"]) == 0
    run_folder()


def test_other_settings_never_mix(tiny):
    """Another value, a changed data file or a changed class of one's own goes to another run directory."""
    Path("data.csv").write_text("x,label\n" + "".join(f"{i},{1 + i // 10}\n" for i in range(20)))
    csv = ["run", "tiny.yaml", "--quiet", "--jobs", "1", "--set", "data={kind: csv, path: data.csv, label: label}"]
    main(["run", "tiny.yaml", "--quiet", "--jobs", "1", "--set", "rounds=5"])
    main(["run", "tiny.yaml", "--quiet", "--jobs", "1", "--set", "rounds=6"])
    main(csv)
    Path("data.csv").write_text("x,label\n" + "".join(f"{-i},{1 + i // 10}\n" for i in range(20)))
    main(csv)
    assert len(list(Path("runs").iterdir())) == 4


def test_json_has_an_object_for_every_point_and_method(tiny, capsys):
    """``compare --json`` prints what DESIGN section 9 asks, as numbers."""
    sweep = "sweep={messages.values: [float64, float32]}"
    main(
        [
            "run",
            "tiny.yaml",
            "--quiet",
            "--set",
            sweep,
            "--set",
            "baselines=[isolated, centralised]",
            "--set",
            "repeats=2",
        ]
    )
    capsys.readouterr()
    assert main(["compare", str(run_folder()), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["point"]["messages.values"], row["method"]) for row in rows] == [
        (values, method) for values in ("float32", "float64") for method in ("network", "isolated", "centralised")
    ]
    network = rows[0]
    assert network["repeats"] == 2
    assert set(network["accuracy"]) == {"mean", "std", "worst"}
    assert network["frames"]["sent"] == 100
    assert network["bytes"]["sent"] == sum(network["bytes"][part] for part in ("header", "positions", "values"))
    assert rows[3]["bytes"]["values"] == pytest.approx(2 * network["bytes"]["values"], rel=0.05)
    assert "bytes" not in rows[2]


def test_compare_pivots_writes_csv_and_passes_over_other_folders(tiny, capsys):
    """``--by`` makes columns of a path's values, ``--csv`` a file; a folder that is no run is a warning."""
    main(["run", "tiny.yaml", "--quiet", "--set", "sweep={seed: [0, 1]}"])
    capsys.readouterr()
    Path("empty").mkdir()
    assert main(["compare", str(run_folder()), "empty", "--by", "seed", "--metric", "mae", "--csv", "rows.csv"]) == 0
    captured = capsys.readouterr()
    assert "seed=0" in captured.out.replace(" ", "") or "0" in captured.out
    assert "warning: empty is not a run directory" in captured.err
    assert len(Path("rows.csv").read_text().splitlines()) == 3
    assert main(["compare", str(run_folder()), "--by", "sed"]) == 2
    assert main(["compare", "empty"]) == 2


def test_plot_draws_a_file(tiny):
    """A PNG for each pair of axes; another suffix is refused."""
    main(["run", "tiny.yaml", "--quiet"])
    for x in ("bytes", "round", "time"):
        assert main(["plot", str(run_folder()), "--x", x, "--y", "mae", "-o", f"{x}.png"]) == 0
        assert Path(f"{x}.png").read_bytes().startswith(b"\x89PNG")
    assert main(["plot", str(run_folder()), "-o", "figure.txt"]) == 2


def test_plot_draws_last_numbers_over_a_sweep_path(tiny, capsys):
    """A path by its last segment, two metrics, a scale; an unknown x lists what there is."""
    sweep = "sweep={model.features.size: [8, 16]}"
    main(["run", "tiny.yaml", "--quiet", "--jobs", "1", "--set", sweep, "--set", "baselines=[centralised-features]"])
    chosen = ["plot", str(run_folder()), "--x", "size", "--y", "objective,gap", "--scale", "log"]
    assert main([*chosen, "-o", "size.svg"]) == 0
    assert "model.features.size" in Path("size.svg").read_text()
    capsys.readouterr()
    assert main(["plot", str(run_folder()), "--x", "miles"]) == 2
    assert "choose bytes, round, time, model.features.size" in capsys.readouterr().err


def test_plot_draws_final_parameters(tiny, capsys):
    """Those that the record holds because the scenario asks for it; without, the way to have them is told."""
    assert main(["run", "tiny.yaml", "--quiet", "--jobs", "1"]) == 0
    assert main(["plot", str(run_folder()), "--y", "parameters"]) == 2
    assert "record: {parameters: true}" in capsys.readouterr().err
    asked = ["--set", "record.parameters=true", "--set", "baselines=[centralised-features, isolated]"]
    assert main(["run", "tiny.yaml", "--quiet", "--jobs", "1", "--out", "more", *asked]) == 0
    assert main(["plot", str(run_folder(Path("more"))), "--y", "parameters", "-o", "parameters.png"]) == 0
    assert Path("parameters.png").read_bytes().startswith(b"\x89PNG")


def test_all_mistakes_of_all_scenarios_are_told_and_nothing_starts(tiny, capsys):
    """Field errors, and what shows only when parts meet, of two files at once; exit status 2; no run directory."""
    Path("wrong.yaml").write_text(TINY.replace("rounds: 10", "ronds: 10").replace("nodes: 5", "nodes: 0"))
    Path("misfit.yaml").write_text(
        TINY.replace("kind: ring, nodes: 5", "kind: ring, nodes: 50").replace("test: 10", "test: 10, noise: -1")
    )
    Path("few.yaml").write_text(TINY.replace("nodes: 5", "nodes: 50"))
    assert main(["run", "wrong.yaml", "misfit.yaml", "few.yaml", "tiny.yaml"]) == 2
    told = capsys.readouterr().err
    assert "wrong.yaml:3:1: ronds" in told
    assert "wrong.yaml:5:34: network.topology.nodes" in told
    assert "misfit.yaml:4:" in told
    assert "few.yaml:" in told
    assert "40 " in told
    assert not Path("runs").exists()


def test_an_even_ring_with_eager_weights_is_refused_and_can_be_forced(tiny, capsys):
    """rho = 1 is an error that names the graph and the remedy; ``require-mixing: false`` runs it with a warning."""
    ring = ["--set", "network.topology.nodes=6", "--set", "network.weights.lazy=false", "--quiet", "--jobs", "1"]
    assert main(["run", "tiny.yaml", *ring]) == 2
    told = capsys.readouterr().err
    assert "ring graph of 6 nodes" in told
    assert "require-mixing: false" in told
    assert main(["run", "tiny.yaml", *ring, "--set", "network.require-mixing=false"]) == 0
    assert "warning" in capsys.readouterr().err


def test_a_mean_delay_longer_than_the_slot_is_a_warning(tiny, capsys):
    """The run goes on, and says that most frames are late."""
    links = "network.links={slow: {kind: delay, time: 30ms}}"
    assert main(["run", "tiny.yaml", "--quiet", "--jobs", "1", "--set", links]) == 0
    assert "longer than a slot of 20ms" in capsys.readouterr().err


def test_a_diverged_run_is_shown_and_the_sweep_goes_on(tiny, capsys):
    """Exit status 1, the other point's numbers in the table, and the reason in the notes."""
    sweep = "sweep={algorithm.step.first: [0.1, 1.0e+300]}"
    assert main(["run", "tiny.yaml", "--jobs", "1", "--set", sweep]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "diverged" in printed
    assert main(["run", "tiny.yaml", "--jobs", "1", "--quiet", "--set", sweep]) == 1


def test_a_diverged_run_is_told_where_no_table_is(tiny, capsys):
    """With ``--quiet`` a line on standard error says which and why; a good run afterwards is good again."""
    wild = ["--set", "sweep={algorithm.step.first: [1.0e+300]}"]
    assert main(["run", "tiny.yaml", "--jobs", "1", "--quiet", *wild]) == 1
    assert "diverged: network" in capsys.readouterr().err
    assert main(["run", "tiny.yaml", "--jobs", "1", "--quiet"]) == 0


@pytest.mark.parametrize("damage", ["", "garbage", "half", "hole"])
def test_a_damaged_result_is_done_again(tiny, capsys, damage):
    """An empty, garbled or shortened file, or one with lines missing, is no result: the next run writes it anew."""
    main(["run", "tiny.yaml", "--quiet", "--jobs", "1"])
    file = run_folder() / "results/all/0.jsonl"
    whole = file.read_text()
    lines = whole.splitlines(keepends=True)
    file.write_text({"half": whole[: len(whole) // 2], "hole": "".join(lines[:3] + lines[6:])}.get(damage, damage))
    capsys.readouterr()
    assert main(["run", "tiny.yaml", "--jobs", "1"]) == 0
    assert "1 run now, 0 found" in capsys.readouterr().out
    assert file.read_text() == whole


def test_the_table_shows_what_the_scenario_asks_for(tiny, capsys):
    """Repeats and points of earlier runs in the same directory stay there, but are not in the table."""
    sweep = ["--set", "sweep={algorithm.step.first: [0.1, 0.2]}", "--set", "repeats=3"]
    main(["run", "tiny.yaml", "--jobs", "1", "--quiet", *sweep])
    main(["run", "tiny.yaml", "--jobs", "1", "--json", "--set", "repeats=2"])
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["point"], row["repeats"]) == ({}, 2)


def test_points_of_a_list_show_the_value_that_they_have(tiny, capsys):
    """Where a point of a listed sweep does not set a path, its row has the scenario's own value of it."""
    sweep = "sweep=[{messages.values: float16}, {rounds: 5}]"
    main(["run", "tiny.yaml", "--jobs", "1", "--json", "--set", sweep])
    points = [row["point"] for row in json.loads(capsys.readouterr().out)]
    assert {"messages.values": "float16", "rounds": 10} in points
    assert {"messages.values": "float64", "rounds": 5} in points


def test_changed_files_of_any_sweep_point_make_another_run(tiny):
    """A file that only one point of the sweep names is part of the run's fingerprint."""
    for name in ("a", "b"):
        Path(f"{name}.csv").write_text("x,label\n" + "".join(f"{i},{1 + i // 10}\n" for i in range(20)))
    sweep = ["--set", "data={kind: csv, path: a.csv, label: label}", "--set", "sweep={data.path: [a.csv, b.csv]}"]
    main(["run", "tiny.yaml", "--quiet", "--jobs", "1", *sweep])
    Path("b.csv").write_text(Path("b.csv").read_text().replace("19,2", "19,1"))
    main(["run", "tiny.yaml", "--quiet", "--jobs", "1", *sweep])
    assert len(list(Path("runs").iterdir())) == 2


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("limit=100ms", "limit: 100ms is less than the 200ms that all rounds take"),
        ("model.features.size=1048577", "more than the 1048576 numbers of a frame"),
        ("network.overrides=[{edges: [[0, 9]], links: {x: {kind: loss, p: 1}}}]", "above the last one, 4"),
        ("network.overrides=[{edges: [[2, 2]], links: {x: {kind: loss, p: 1}}}]", "is no edge"),
        ("data.train=3", "too few for 5 nodes"),
    ],
)
def test_what_shows_when_parts_meet_is_a_mistake(tiny, capsys, setting, told):
    """Such a scenario is refused with status 2 before anything starts."""
    assert main(["run", "tiny.yaml", "--set", setting]) == 2
    assert told in capsys.readouterr().err
    assert not Path("runs").exists()


def test_line_numbers_are_not_taken_for_pictures(tiny, capsys):
    """A mistake in line 100 is told as such: colons around numbers and words mean nothing."""
    Path("long.yaml").write_text("#\n" * 99 + "ronds: 10\n" + TINY)
    assert main(["validate", "long.yaml"]) == 2
    assert "long.yaml:100:1: ronds" in capsys.readouterr().err


OWN = """\
from dataclasses import dataclass
from nodes.losses import OrdinalHinge

@dataclass(frozen=True, kw_only=True)
class Mine(OrdinalHinge):
    fail: bool = True
    def slopes(self, scores, thresholds, targets):
        if self.fail and thresholds.max() > 0.05:
            raise ArithmeticError("out of luck")
        return super().slopes(scores, thresholds, targets)
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_failing_node_is_told_and_other_points_are_kept(tiny, capsys, jobs):
    """An exception in a user's own class names node, round, cause and line; the other point is complete."""
    Path("mine.py").write_text(OWN)
    sweep = "sweep={model.loss.fail: [true, false]}"
    arguments = ["run", "tiny.yaml", "--jobs", jobs, "--set", "model.loss={kind: mine:Mine}", "--set", sweep]
    assert main(arguments) == 1
    told = capsys.readouterr().err
    assert "fail=True" in told
    assert "ArithmeticError: out of luck (mine.py, line 9)" in told
    assert len(list(run_folder().rglob("*.jsonl"))) == 1


def test_an_unwritable_folder_is_told(tiny, capsys):
    """A file where the run directory should be is one line of error, not a trace."""
    Path("runs").write_text("in the way")
    assert main(["run", "tiny.yaml", "--quiet"]) == 1
    assert "runs" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which only Linux has")
def test_a_full_disk_is_told_and_nothing_before_is_lost(tiny, capsys):
    """The repeat that could not be written is named with the cause; the one before is still there."""
    main(["run", "tiny.yaml", "--quiet", "--jobs", "1"])
    (run_folder() / f"results/all/1.jsonl.{os.getpid()}.part").symlink_to("/dev/full")
    assert main(["run", "tiny.yaml", "--quiet", "--jobs", "1", "--set", "repeats=2"]) == 1
    told = capsys.readouterr().err
    assert "No space left on device" in told
    assert "repeat 1" in told
    assert (run_folder() / "results/all/0.jsonl").exists()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_leaves_a_readable_run_that_can_go_on(tiny, jobs):
    """Ctrl-C ends with status 130 and no process left; complete repeats are kept, and the same command resumes."""
    arguments = ["run", "tiny.yaml", "--jobs", jobs, "--set", "repeats=200", "--set", "rounds=300"]
    process = started(*arguments, start_new_session=True)
    deadline = time.monotonic() + 60
    while len(list(Path("runs").rglob("*.jsonl"))) < 2 and time.monotonic() < deadline:
        os.sched_yield()
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in told
    assert "Traceback" not in told
    done = len(list(Path("runs").rglob("*.jsonl")))
    assert 2 <= done < 200
    assert group_ends(process.pid)
    assert main(["compare", str(run_folder())]) == 0
    assert main([*arguments[:2], "--quiet", "--set", f"repeats={done}", "--set", "rounds=300"]) == 0


def test_list_names_what_a_scenario_can_hold(capsys):
    """Every kind of piece with a line about it, the built-in scenarios, and the schema as JSON."""
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    for word in ("rings", "erdos-renyi", "ordinal-hinge", "metropolis", "fourier", "elastic-net", "diffusion", "delay"):
        assert f"  {word} " in printed
    assert main(["list", "schema"]) == 0
    assert "network" in json.loads(capsys.readouterr().out)["$defs"]["Scenario"]["properties"]
    assert main(["list", "nonsense"]) == 2


def test_validate_says_what_a_scenario_comes_to(tiny, capsys):
    """Sizes and spectral gap of a good one, mistakes of a bad one, status 2 if any is bad."""
    assert main(["validate", "tiny.yaml"]) == 0
    assert "1 run of 5 nodes, 5 edges, 40 training" in capsys.readouterr().out
    assert main(["validate", "tiny.yaml", "nowhere.yaml"]) == 2
    assert "nowhere.yaml" in capsys.readouterr().err


def test_validate_tells_of_inputs_that_features_are_not_for(tiny, capsys):
    """Scaled inputs below zero are an error of additive-chi2 before anything runs, with the remedy."""
    setting = "model.features={kind: additive-chi2}"
    assert main(["validate", "tiny.yaml", "--set", setting]) == 2
    told = capsys.readouterr().err
    assert "these features are for inputs of 0 or more, and the smallest is -" in told
    assert "take scaling: none" in told


@pytest.mark.parametrize("name", sorted(name for name in builtin() if "/" not in name and name != "bearings"))
def test_every_built_in_scenario_runs(name, tmp_path, monkeypatch, capsys):
    """Cut to four rounds and one repeat, each gives rows with numbers for all its methods, none failed."""
    monkeypatch.chdir(tmp_path)
    assert main(["run", name, *SHORT]) == 0
    capsys.readouterr()
    main(["compare", str(run_folder()), "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert all(row["accuracy"]["mean"] > 0 for row in rows)
    assert {row["method"] for row in rows} > {"network"}


def test_bearings_run_from_their_file(shared_data, tmp_path, monkeypatch):
    """The scenario that reads a file by its path, on real data."""
    monkeypatch.chdir(tmp_path)
    path = shared_data / "bearings" / "IR_load0.npz"
    assert main(["run", "bearings", *SHORT, "--set", f"data.path={path}"]) == 0


@pytest.mark.parametrize("name", ["dsvor-rings", "descent"])
def test_scenarios_of_papers_run_by_their_name(name, tmp_path, monkeypatch, capsys):
    """Cut to four rounds at one point, with regression among them."""
    monkeypatch.chdir(tmp_path)
    assert main(["run", f"papers/{name}", *SHORT, "--set", "sweep={}", "--set", "data.train=200"]) == 0
    capsys.readouterr()
    main(["compare", str(run_folder()), "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert all(row["mae"]["mean"] > 0 and row["objective"]["mean"] > 0 for row in rows)
    assert {row["method"] for row in rows} > {"network"}

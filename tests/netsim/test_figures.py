from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import pytest

from netsim.figures import plot
from netsim.figures.curves import curve
from netsim.figures.settings import Places
from netsim.figures.style import is_logarithmic
from netsim.results import Record, Run, open_run

ALPHA, LOSS = "model.penalty.alpha", "network.links.loss.p"


def learning(point: Mapping[str, Any], method: str = "network", repeat: int = 0, every: int = 10) -> Record:
    """A record that looks like learning: accuracy grows to 0.9, bytes with the rounds; isolated nodes send none."""
    best = (0.9 if method == "network" else 0.7) + 0.01 * repeat
    rows = tuple(
        {
            "round": k,
            "time": 0.02 * k,
            "accuracy": {"mean": best - 0.7 * math.exp(-k / 50), "std": 0.01, "worst": best - 0.75},
            "bytes": {"sent": 1000 * k if method == "network" else 0},
        }
        for k in range(0, 201, every)
    )
    return Record("rings", point, method, repeat, repeat, {}, {}, rows, {"end": "completed"})


def level(point: Mapping[str, Any], accuracy: float, objective: float = 1.0) -> Record:
    """A centralised baseline: one row without rounds."""
    rows = ({"accuracy": {"mean": accuracy, "worst": accuracy}, "objective": objective},)
    return Record("rings", point, "centralised", 0, 0, {}, {}, rows, {"end": "completed"})


def run(alphas: tuple[float, ...] = (0, 0.9), losses: tuple[float, ...] = (0, 0.3)) -> Run:
    """A run over alpha x loss with two repeats and two baselines, none of which depends on the loss."""
    records: list[Record] = []
    for point in [{ALPHA: alpha, LOSS: loss} for alpha in alphas for loss in losses]:
        records += [learning(point, method, repeat) for method in ("network", "isolated") for repeat in range(2)]
        records.append(level(point, 0.95, objective=1 + point[ALPHA]))
    return Run("rings", Path("rings-1a"), tuple(records))


def texts(figure: Path) -> str:
    """Everything that is written in an SVG figure: matplotlib leaves each text as a comment beside its outlines."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    tree = ElementTree.parse(figure, parser)
    return "\n".join(str(node.text).strip() for node in tree.iter() if node.tag is ElementTree.Comment)


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_the_same_runs_give_the_same_bytes(tmp_path: Path, suffix: str, start: bytes) -> None:
    """The suffix makes the format, and a figure drawn twice is the same file to the bit."""
    first = plot([run()], "bytes", "accuracy", tmp_path / f"first{suffix}")
    second = plot([run()], "bytes", "accuracy", tmp_path / f"second{suffix}")
    assert first == tmp_path / f"first{suffix}"
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().startswith(start)
    assert not any(date in first.read_bytes() for date in (b"CreationDate", b"dc:date"))


def test_settings_of_the_process_neither_enter_nor_change(tmp_path: Path) -> None:
    """A reader's own settings leave the figure as it is, and are there afterwards."""
    plain = plot([run()], "round", "accuracy", tmp_path / "plain.svg").read_bytes()
    with matplotlib.rc_context({"font.size": 30.0, "axes.facecolor": "red"}):
        assert plot([run()], "round", "accuracy", tmp_path / "large.svg").read_bytes() == plain
        assert matplotlib.rcParams["font.size"] == 30.0


def test_a_figure_says_what_it_shows(tmp_path: Path) -> None:
    """Title, axes with units, one entry for each point and for each baseline that is a line of its own."""
    written = texts(plot([run()], "bytes", "accuracy", tmp_path / "figure.svg")).splitlines()
    assert {"rings", "bytes sent over the network", "accuracy (mean over nodes)", "100 kB"} <= set(written)
    assert [text for text in written if "=" in text or text in ("isolated", "centralised")] == [
        "alpha = 0, p = 0",
        "alpha = 0, p = 0.3",
        "alpha = 0.9, p = 0",
        "alpha = 0.9, p = 0.3",
        "isolated",
        "centralised",
    ]


def test_paths_with_one_value_stay_out_of_the_legend(tmp_path: Path) -> None:
    """Only what tells the lines apart is named; a single line of a run is called network."""
    one = texts(plot([run((0,), (0, 0.3))], "time", "accuracy", tmp_path / "one.svg")).splitlines()
    assert "p = 0.3" in one
    assert "simulated time (s)" in one
    assert "network" in texts(plot([run((0,), (0,))], "round", "accuracy", tmp_path / "none.svg")).splitlines()


def test_a_diverged_line_is_named_and_leaves_the_others_readable(tmp_path: Path) -> None:
    """What diverged is drawn with its mark, and the axis stays that of what completed."""
    rows = tuple({"round": k, "accuracy": {"mean": 10.0**k, "worst": 0.0}} for k in range(0, 201, 10))
    broken = Record("rings", {LOSS: 1}, "network", 0, 0, {}, {}, rows, {"end": "diverged", "reason": "overflow"})
    both = Run("rings", Path("rings-1a"), (learning({LOSS: 0}), broken))
    written = texts(plot([both], "round", "accuracy", tmp_path / "figure.svg")).splitlines()
    assert "p = 1, diverged" in written
    assert {"0.2", "0.9"} <= set(written)


def test_repeats_meet_at_their_common_rounds() -> None:
    """Repeats that recorded every 20 and every 50 rounds give a curve at 0, 100 and 200: mean and deviation there."""
    found = curve([learning({}, every=20), learning({}, repeat=1, every=50)], "bytes.sent", "accuracy")
    assert found.x == (0, 100_000, 200_000)
    assert found.means == pytest.approx([0.905 - 0.7 * math.exp(-k / 50) for k in (0, 100, 200)])
    assert found.stds == pytest.approx([0.01 / 2**0.5] * 3)


def test_one_repeat_has_no_band() -> None:
    """There is no deviation over one repeat."""
    assert curve([learning({})], "round", "accuracy").stds == ()


def test_what_cannot_be_drawn_is_refused_with_what_can(tmp_path: Path) -> None:
    """A wrong x, metric or suffix names the right ones, and no file is left."""
    with pytest.raises(ValueError, match="'miles' is not something to draw over; choose bytes, round, time, model"):
        plot([run()], "miles", "accuracy", tmp_path / "figure.svg")
    with pytest.raises(ValueError, match="method 'oracle' is not in these results; they have network, isolated, cent"):
        plot([run()], "bytes", "accuracy", tmp_path / "figure.svg", methods=["oracle"])
    with pytest.raises(ValueError, match=r"'speed' is not in these results; they have accuracy, accuracy\.worst"):
        plot([run()], "bytes", "speed", tmp_path / "figure.svg")
    with pytest.raises(ValueError, match=r"figure\.gif does not end in a format for figures; use \.svg, \.png, \.pdf"):
        plot([run()], "bytes", "accuracy", tmp_path / "figure.gif")
    assert list(tmp_path.iterdir()) == []


def entries(figure: Path) -> list[str]:
    """The words of the legend."""
    marks = ("=", "isolated", "centralised", "network", "single-machine", "bound of", "diverged")
    return [text for text in texts(figure).splitlines() if any(mark in text for mark in marks)]


@pytest.mark.parametrize("x", [ALPHA, "alpha"])
def test_last_numbers_over_a_sweep_path(tmp_path: Path, x: str) -> None:
    """A line for each other point, a level for a baseline without a part in the path; ticks at the path's values."""
    figure = plot([run()], x, "accuracy", tmp_path / "figure.svg")
    assert entries(figure) == ["p = 0", "p = 0.3", "isolated", "centralised"]
    assert {ALPHA, "0", "0.9", "accuracy (mean over nodes)"} <= set(texts(figure).splitlines())
    again = plot([run()], x, "accuracy", tmp_path / "again.svg")
    assert figure.read_bytes() == again.read_bytes()


def test_a_path_over_which_nothing_is_known_is_refused(tmp_path: Path) -> None:
    """A metric that has no last number is an error that lists those which do."""
    with pytest.raises(ValueError, match="'gap' is not in these results; they have accuracy"):
        plot([run()], ALPHA, "gap", tmp_path / "figure.svg")


def test_where_all_repeats_diverged_there_is_no_point_but_a_word(tmp_path: Path) -> None:
    """The legend says at which values; the axis does not grow to what diverged."""
    wild = Record("rings", {LOSS: 1}, "network", 0, 0, {}, {}, ({"round": 1, "accuracy": 1e9},), {"end": "diverged"})
    figure = plot([Run("rings", Path("a"), (learning({LOSS: 0}), wild))], LOSS, "accuracy", tmp_path / "figure.svg")
    assert "network, diverged at 1" in entries(figure)
    assert not any("1e" in text or "10^" in text for text in texts(figure).splitlines())


def test_values_stand_at_their_size_or_at_even_distances() -> None:
    """Numbers at themselves; as soon as one is no number, all in their order."""
    numbers, words = Places((0, 0.5, 2)), Places((1, "auto", {"kind": "ring"}))
    assert [numbers.of(value) for value in numbers.values] == [0, 0.5, 2]
    assert [words.of(value) for value in words.values] == [0, 1, 2]


def test_topologies_are_categories(tmp_path: Path) -> None:
    """Sweep values that are mappings are ticks in words."""
    path = "network.topology"
    records = [learning({path: {"kind": kind, "nodes": 9}}) for kind in ("ring", "torus")]
    figure = plot([Run("rings", Path("a"), tuple(records))], path, "accuracy", tmp_path / "figure.svg")
    assert {"ring nodes=9", "torus nodes=9"} <= set(texts(figure).splitlines())


def test_methods_and_title_can_be_chosen(tmp_path: Path) -> None:
    """Only the methods asked for are drawn, under the title given."""
    figure = plot([run((0,), (0,))], "round", "accuracy", tmp_path / "f.svg", title="Figure 5", methods=["network"])
    assert entries(figure) == ["network"]
    written = texts(figure).splitlines()
    assert "Figure 5" in written
    assert "rings" not in written


def test_a_bound_is_drawn_beside_what_it_bounds(tmp_path: Path) -> None:
    """Two metrics share the axis, named by the measured one; numbers over decades, nought at the start, have powers."""
    rows = tuple(
        {"round": k, "consensus": min(k, 1) * 0.5**k, "theory": {"consensus-bound": min(k, 1) * 2.0}} for k in range(20)
    )
    found = Run("rings", Path("a"), (Record("rings", {}, "network", 0, 0, {}, {}, rows, {"end": "completed"}),))
    names = "consensus, theory.consensus-bound"
    figure = plot([found], "round", names, tmp_path / "figure.svg")
    written = texts(figure).splitlines()
    assert written.count("distance to consensus") == 2
    assert written.count("bound of the distance to consensus") == 1
    assert any("10^{-4}" in text for text in written)
    linear = texts(plot([found], "round", names, tmp_path / "linear.svg", scale="linear"))
    assert "10^" not in linear


def test_the_axis_is_logarithmic_where_positive_numbers_span_much() -> None:
    """More than a factor 100, all positive; or as asked, unless there is nothing positive."""
    assert is_logarithmic(None, [1.0, 101.0])
    assert not is_logarithmic(None, [1.0, 100.0])
    assert not is_logarithmic(None, [0.0, 1.0, 1000.0])
    assert not is_logarithmic("linear", [1.0, 1000.0])
    assert is_logarithmic("log", [0.0, 1.0])
    with pytest.raises(ValueError, match="needs positive numbers"):
        is_logarithmic("log", [0.0, -1.0])


def parameters(folder: Path, size: int, methods: tuple[str, ...], points: int = 1) -> Run:
    """A run directory whose records hold the final parameters of three nodes, or of the optimum."""
    (folder / "scenario.yaml").parent.mkdir()
    (folder / "scenario.yaml").write_text("name: strips\n")
    for point in range(points):
        for method in methods:
            nodes = 1 if method == "centralised-features" else 3
            final = [[number + node / 10 for number in range(size)] for node in range(nodes)]
            header = {"format": 1, "name": "strips", "method": method, "repeat": 0, "seed": 0, "point": {"seed": point}}
            lines = [header, {"round": 1, "accuracy": {"mean": 0.5}}, {"end": "completed", "final": final, "rows": 1}]
            file = folder / "results" / str(point) / f"0.{method}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return open_run(folder)


ALL = ("network", "isolated", "centralised-features")


def test_few_final_parameters_have_a_column_each(tmp_path: Path) -> None:
    """Network, isolated nodes and the optimum, a tick for each parameter, and the title says which repeat it is."""
    figure = plot([parameters(tmp_path / "a", 5, ALL)], "round", "parameters", tmp_path / "figure.svg")
    written = texts(figure).splitlines()
    assert {"network, every node", "isolated, every node", "centralised-features"} <= set(written)
    assert "strips, final parameters of the first repeat" in written
    assert [text for text in written if "theta" in text] == [rf"$\theta_{{{number}}}$" for number in range(1, 6)]


def test_many_final_parameters_are_over_those_of_the_optimum(tmp_path: Path) -> None:
    """More than eight make a scatter, with the line on which nodes agree with the optimum; the same bytes twice."""
    found = parameters(tmp_path / "a", 400, ALL)
    figure = plot([found], "round", "parameters", tmp_path / "figure.svg")
    assert {"value in centralised-features", "as the optimum"} <= set(texts(figure).splitlines())
    assert figure.read_bytes() == plot([found], "round", "parameters", tmp_path / "again.svg").read_bytes()


def test_points_have_a_panel_each(tmp_path: Path) -> None:
    """Up to six, named by their point; more are refused."""
    figure = plot([parameters(tmp_path / "a", 3, ALL, points=4)], "round", "parameters", tmp_path / "figure.svg")
    assert [text for text in texts(figure).splitlines() if "seed" in text] == [f"seed = {at}" for at in range(4)]
    with pytest.raises(ValueError, match="at 7 sweep points, and at most 6 fit a figure"):
        plot([parameters(tmp_path / "b", 3, ALL, points=7)], "round", "parameters", tmp_path / "seven.svg")


def test_final_parameters_that_cannot_be_drawn_are_refused(tmp_path: Path) -> None:
    """Records without them, and many without an optimum, are errors that name the remedy; no file is left."""
    with pytest.raises(ValueError, match=r"run again with record: \{parameters: true\}"):
        plot([run()], "round", "parameters", tmp_path / "figure.svg")
    with pytest.raises(ValueError, match="add centralised-features to the baselines"):
        plot([parameters(tmp_path / "a", 9, ("network",))], "round", "parameters", tmp_path / "figure.svg")
    assert not (tmp_path / "figure.svg").exists()

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import pytest

from netsim.figures import curve, plot
from netsim.results import Record, Run

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
    with pytest.raises(ValueError, match="'miles' is not something to draw over; choose bytes, round, time"):
        plot([run()], "miles", "accuracy", tmp_path / "figure.svg")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"'speed' is not in these results; they have accuracy, accuracy\.worst"):
        plot([run()], "bytes", "speed", tmp_path / "figure.svg")
    with pytest.raises(ValueError, match=r"figure\.gif does not end in a format for figures; use \.svg, \.png, \.pdf"):
        plot([run()], "bytes", "accuracy", tmp_path / "figure.gif")
    assert list(tmp_path.iterdir()) == []

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from netsim.compare import Row, Statistic
from netsim.pivot import pivot
from netsim.tables import csv_text, json_text, pivot_table, size, terminal, text_of

ALPHA, LOSS = "model.penalty.alpha", "network.links.loss.p"
QUALITY = {
    "accuracy": Statistic(0.87612, 0.02149),
    "accuracy.worst": Statistic(0.85, 0.03),
    "mae": Statistic(0.2311, 0.01),
    "objective": Statistic(14.00544, 0.5),
    "zeros": Statistic(0.72, 0.0),
}
TRAFFIC = {
    "consensus": Statistic(0.0116, 0.001),
    "frames.sent": Statistic(38000, 0.0),
    "frames.lost": Statistic(11400, 0.0),
    "bytes.sent": Statistic(12_345_678, 0.0),
}


def row(point: Mapping[str, Any], method: str = "network", repeats: int = 3, **more: Any) -> Row:
    """A row with everything that its method has."""
    return Row(point, method, repeats, QUALITY | (TRAFFIC if method == "network" else {}), **more)


def rows() -> list[Row]:
    """Two points, the network and two baselines."""
    points = [{ALPHA: 0.9, LOSS: loss} for loss in (0, 0.3)]
    methods = ("network", "centralised-features", "centralised")
    return [row(point, method) for point in points for method in methods]


def shown(table: Table, width: int) -> list[str]:
    """The lines of a table on a terminal of this width, without the blanks at their ends."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]


def words(*lines: str) -> str:
    """The words of some lines, one blank between them."""
    return " ".join(" ".join(lines).split())


def test_a_table_without_limit_has_every_column() -> None:
    """Every number of a row is there, rounded for reading, and the unit of bytes is said in the header."""
    first, second, _, network, *_ = text_of(terminal(rows())).splitlines()
    assert first.split() == ["frames", "bytes"]
    assert words(second) == "alpha p method accuracy worst MAE objective consensus zeros sent lost % sent (SI)"
    assert words(network) == "0.9 0 network 0.876 ± 0.021 0.850 0.231 ± 0.010 14.01 0.01160 0.720 38,000 30.0 12.3 MB"


def test_equal_baselines_are_one_line_with_dashes() -> None:
    """Baselines that depend on neither swept path appear once, last, with a dash in the path's column."""
    lines = [line.split()[:3] for line in text_of(terminal(rows())).splitlines()[3:]]
    assert lines == [
        ["0.9", "0", "network"],
        ["0.9", "0.3", "network"],
        ["–", "–", "centralised-features"],
        ["–", "–", "centralised"],
    ]


@pytest.mark.parametrize("width", range(50, 140))
def test_a_table_fits_its_terminal_and_cuts_nothing(width: int) -> None:
    """At every width the lines are those of the table itself: none too long, none wrapped, no cell shortened."""
    lines = shown(terminal(rows(), width), width)
    heading = 2 if "bytes" in lines[0] else 1
    assert len(lines) == heading + 1 + 4
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    assert lines == text_of(terminal(rows(), width)).splitlines()


def test_narrow_terminals_keep_what_matters_most() -> None:
    """At 80 columns accuracy with its deviation, the worst node, MAE, zeros and bytes remain; at 50 the accuracy."""
    assert words(shown(terminal(rows(), 80), 80)[1]) == "alpha p method accuracy worst MAE zeros sent (SI)"
    assert words(shown(terminal(rows(), 80), 80)[3]) == "0.9 0 network 0.876 ± 0.021 0.850 0.231 0.720 12.3 MB"
    assert words(shown(terminal(rows(), 50), 50)[2]) == "0.9 0 network 0.876"


def test_a_gap_has_a_column_that_goes_first() -> None:
    """J - J* is shown where it is known and there is room; one column less, and it is gone while all others stay."""
    found = [replace(row({}), values={**row({}).values, "gap": Statistic(0.125, 0.01)}), row({}, "centralised")]
    whole = text_of(terminal(found)).splitlines()
    assert words(whole[1]) == "method accuracy worst MAE objective J - J* consensus zeros sent lost % sent (SI)"
    assert "0.1250" in whole[3]
    width = max(map(len, whole))
    assert words(shown(terminal(found, width), width)[1]) == words(whole[1])
    assert words(shown(terminal(found, width - 1), width - 1)[1]) == words(whole[1]).replace(" J - J*", "")


def test_columns_that_no_row_has_are_left_out() -> None:
    """A loss without accuracy shows its own metric first, with the deviation and the worst node."""
    lines = text_of(terminal([Row({}, "network", 2, {"mse": Statistic(1234.5, 0.25), "mse.worst": Statistic(2000.0)})]))
    assert [line.split() for line in lines.splitlines()[::2]] == [
        ["method", "mse", "worst"],
        ["network", "1234", "±", "0", "2000"],
    ]


def test_repeats_are_shown_where_they_differ() -> None:
    """Rows over different numbers of repeats say so, others do not."""
    same, other = row({LOSS: 0}), row({LOSS: 1}, repeats=2)
    assert "repeats" not in text_of(terminal([same]))
    lines = text_of(terminal([same, other])).splitlines()
    assert lines[1].endswith("repeats")
    assert [line.split()[-1] for line in lines[3:]] == ["3", "2"]


def test_what_diverged_or_is_absent_is_told_below() -> None:
    """A star marks a row with diverged repeats; the notes say where and how many, and why a baseline is absent."""
    absent = Row({}, "centralised", 0, {}, reason="6000 samples are more than 5000")
    lines = text_of(terminal([row({LOSS: 0.1}, diverged=1), row({LOSS: 0.2}, diverged=3), absent, absent])).splitlines()
    assert [line.split()[1:3] for line in lines[3:5]] == [["network", "*"]] * 2
    assert lines[5:] == [
        f"* diverged: 1 of 3 repeats of network at {LOSS} = 0.1; left out of the numbers",
        f"* diverged: 3 of 3 repeats of network at {LOSS} = 0.2; their last recorded round is shown",
        "centralised is absent: 6000 samples are more than 5000",
    ]


def test_numbers_of_any_size_stay_readable() -> None:
    """A column that spans many magnitudes is written in three digits each, so that none becomes nought or a mile."""
    found = [Row({LOSS: at}, "network", 1, {"objective": Statistic(x)}) for at, x in enumerate((1e-9, 1.0, 3e200))]
    assert [line.split()[-1] for line in text_of(terminal(found)).splitlines()[2:]] == ["1e-09", "1", "3e+200"]


def test_markup_in_a_value_is_text() -> None:
    """A sweep value in brackets is shown as it is."""
    assert "[bold]x" in text_of(terminal([row({LOSS: "[bold]x"})]))


def test_piped_text_has_no_colours() -> None:
    """No escape code, and no blank at the end of a line."""
    text = text_of(terminal(rows()))
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (9_995, "10.0 kB"),
        (99_949, "99.9 kB"),
        (99_950, "100 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (12_345_678, "12.3 MB"),
        (5e18, "5000 PB"),
    ],
)
def test_sizes_have_three_digits(count: float, text: str) -> None:
    """Bytes are written in three digits and the SI unit, right at the edges of rounding too."""
    assert size(count) == text


def test_a_pivot_shows_one_metric_along_one_path() -> None:
    """A column for each value, mean and deviation in it; on a narrow terminal the means alone."""
    found = pivot(rows(), "p")
    lines = text_of(pivot_table(found)).splitlines()
    assert lines[0].split() == ["alpha", "method", "p", "0", "p", "0.3"]
    assert words(lines[2]) == "0.9 network 0.876 ± 0.021 0.876 ± 0.021"
    assert lines[-1] == f"accuracy by {LOSS}"
    assert shown(pivot_table(found, 46), 46)[2].split() == ["0.9", "network", "0.876", "0.876"]
    assert text_of(pivot_table(pivot(rows(), "p", "bytes"))).splitlines()[2].count("12.3 MB") == 2


def test_a_pivot_marks_what_diverged() -> None:
    """A line with a diverged cell has a star, explained below."""
    lines = text_of(pivot_table(pivot([row({LOSS: 0}), row({LOSS: 1}, diverged=1)], "p"))).splitlines()
    assert lines[2].startswith("network *")
    told = words(*lines[4:])
    assert told == f"* diverged: 1 of 3 repeats of network at {LOSS} = 1; left out of the numbers"


def test_json_has_one_object_for_each_row() -> None:
    """The JSON text is the list of the rows' objects, none folded."""
    assert json.loads(json_text(rows())) == [row.as_json() for row in rows()]
    assert json.loads(json_text([])) == []


def test_csv_has_one_line_for_each_row() -> None:
    """Sweep paths in full, then the numbers of the JSON by dotted names; what does not apply is empty."""
    lines = list(csv.DictReader(io.StringIO(csv_text([*rows(), row({ALPHA: 1}, run="rings-1a")]))))
    assert len(lines) == 7
    assert list(lines[0])[:6] == ["run", ALPHA, LOSS, "method", "repeats", "accuracy.mean"]
    assert (lines[0][LOSS], lines[0]["accuracy.std"], lines[0]["bytes.sent"]) == ("0", "0.02149", "12345678")
    assert (lines[1]["bytes.sent"], lines[6][LOSS], lines[6]["run"]) == ("", "", "rings-1a")

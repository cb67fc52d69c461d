from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.compare import (
    NOWHERE,
    Row,
    Statistic,
    flatten,
    fold,
    metric_named,
    metrics,
    names_of,
    path_named,
    rows,
    spelled,
)
from netsim.pivot import pivot
from netsim.results import Record, Run

ALPHA, LOSS = "model.penalty.alpha", "network.links.loss.p"


def record(
    accuracy: float,
    point: Mapping[str, Any] | None = None,
    method: str = "network",
    repeat: int = 0,
    ending: str = "completed",
    **last: Any,
) -> Record:
    """A record whose last round has this accuracy, a worst node 0.1 below, and ``last``."""
    end = {"end": ending} | ({} if ending == "completed" else {"reason": f"why {ending}"})
    quality = {"accuracy": {"mean": accuracy, "std": 0.5, "worst": accuracy - 0.1}}
    recorded = ({"round": 0, "accuracy": {"mean": 0.0, "std": 0.0, "worst": 0.0}}, {"round": 10, **quality, **last})
    return Record("rings", point or {}, method, repeat, repeat, {}, {}, () if ending == "absent" else recorded, end)


def run(*records: Record, folder: str = "rings-1a") -> Run:
    """A run of these records."""
    return Run("rings", Path(folder), records)


def test_means_and_deviations_are_over_repeats() -> None:
    """Mean of the last rounds' means, deviation over n - 1, mean of the worst nodes; totals are averaged."""
    traffic = [{"frames": {"sent": 10, "lost": lost}, "bytes": {"sent": 100 * lost}} for lost in (1, 3)]
    zeros = [{"zeros": {"exact": exact, "small": 0.75}} for exact in (0.25, 0.75)]
    (row,) = rows([run(record(0.6, **traffic[0], **zeros[0]), record(0.8, repeat=1, **traffic[1], **zeros[1]))])
    assert row.as_json() == {
        "point": {},
        "method": "network",
        "repeats": 2,
        "accuracy": {"mean": pytest.approx(0.7), "std": pytest.approx(0.1 * 2**0.5), "worst": pytest.approx(0.6)},
        "frames": {"sent": 10, "lost": 2},
        "bytes": {"sent": 200},
        "zeros": {"mean": 0.5, "std": pytest.approx(0.5 / 2**0.5), "small": 0.75},
    }


def test_one_repeat_has_no_deviation() -> None:
    """With one repeat there is a mean and no std."""
    (row,) = rows([run(record(0.6, objective=2.5))])
    assert row.as_json()["objective"] == {"mean": 2.5}
    assert set(row.as_json()["accuracy"]) == {"mean", "worst"}


def test_equal_repeats_have_exactly_their_value() -> None:
    """No rounding creeps into the mean of equal numbers, and their deviation is nought."""
    (row,) = rows([run(*(record(0.1, repeat=repeat) for repeat in range(3)))])
    assert row.values["accuracy"] == Statistic(0.1, 0.0)


def test_diverged_repeats_stay_out_of_the_means() -> None:
    """Where some completed, they alone make the numbers, and the row says how many diverged."""
    (row,) = rows([run(record(0.6), record(0.1, repeat=1, ending="diverged"))])
    assert row.as_json()["accuracy"]["mean"] == 0.6
    assert (row.repeats, row.diverged, row.reason) == (2, 1, "why diverged")


def test_where_all_diverged_the_last_round_is_shown() -> None:
    """A row of diverged repeats has the last recorded numbers and says that all diverged."""
    (row,) = rows([run(record(0.2, ending="diverged"), record(0.4, repeat=1, ending="diverged"))])
    assert row.values["accuracy"].mean == pytest.approx(0.3)
    assert row.as_json()["diverged"] == 2


def test_an_absent_baseline_keeps_its_reason() -> None:
    """No repeats, no numbers, and why."""
    (row,) = rows([run(record(0, method="centralised", ending="absent"))])
    assert row.as_json() == {"point": {}, "method": "centralised", "repeats": 0, "reason": "why absent"}


def test_rows_are_in_the_order_of_values_and_methods() -> None:
    """Points by value (0.9 before 10, 5ms before 20ms), and at each the network before its baselines."""
    points: list[dict[str, Any]] = [{"a": 10, "t": "5ms"}, {"a": 0.9, "t": "20ms"}, {"a": 0.9, "t": "5ms"}]
    methods = ("centralised", "isolated", "network", "centralised-features", "single-machine")
    found = rows([run(*(record(0.5, point, method) for point in points for method in methods))])
    assert [row.method for row in found[:5]] == [
        "network",
        "isolated",
        "single-machine",
        "centralised-features",
        "centralised",
    ]
    assert [tuple(row.point.values()) for row in found[::5]] == [(0.9, "5ms"), (0.9, "20ms"), (10, "5ms")]


def test_several_runs_are_told_apart_by_their_folders() -> None:
    """With one run no row names it; with two, each does."""
    one, two = run(record(0.5)), run(record(0.6), folder="out/rings-2b")
    assert [row.run for row in rows([one])] == [None]
    assert [row.as_json()["run"] for row in rows([two, one])] == ["rings-2b", "rings-1a"]


def test_gaps_are_paired_by_point_and_repeat() -> None:
    """J - J* is taken within each repeat at each point, for what learns, over the repeats whose optimum is known."""
    least = {(0, 0): 1.0, (0, 1): 5.0, (1, 0): 2.0}
    records = [record(0.9, {ALPHA: a}, "centralised-features", r, objective=j) for (a, r), j in least.items()]
    for method, above in (("network", 1.0), ("isolated", 3.0), ("single-machine", 0.5), ("centralised", -1.0)):
        for (a, r), j in least.items():
            records.append(record(0.8, {ALPHA: a}, method, r, objective=j + above * (r + 1)))
    records.append(record(0.8, {ALPHA: 1}, repeat=1, objective=100.0))
    found = {(row.point[ALPHA], row.method): row.values.get("gap") for row in rows([run(*records)])}
    assert found[0, "network"] == Statistic(1.5, pytest.approx(0.5**0.5))
    assert found[0, "isolated"] == Statistic(4.5, pytest.approx(3 * 0.5**0.5))
    assert found[0, "single-machine"] == Statistic(0.75, pytest.approx(0.5 * 0.5**0.5))
    assert found[1, "network"] == Statistic(1.0)
    assert found[0, "centralised"] is None
    assert found[0, "centralised-features"] is None


def test_no_gap_without_an_optimum() -> None:
    """An absent optimum, or one of another point, leaves no gap."""
    absent = record(0, method="centralised-features", ending="absent")
    other = record(0.9, {ALPHA: 1}, "centralised-features", objective=1.0)
    found = rows([run(record(0.5, objective=2.0), absent, other)])
    assert all("gap" not in row.values for row in found)


def test_what_is_not_finite_is_absent() -> None:
    """Infinite and unreadable numbers do not reach a row, whatever wrote them."""
    (row,) = rows([run(record(0.5, objective="NaN", consensus=float("inf"), mse={"mean": None, "worst": 3.0}))])
    assert metrics([row]) == ["accuracy", "accuracy.worst", "mse.worst"]


def test_a_round_is_flat_numbers() -> None:
    """Names of a round: the mean under the metric's name, parts behind a dot, neither round nor time nor spread."""
    recorded = {"round": 1, "time": 0.1, "mse": {"mean": 2.0, "std": 1.0, "worst": 4.0}, "zeros": {"exact": 0.5}}
    assert dict(flatten(recorded)) == {"mse": 2.0, "mse.worst": 4.0, "zeros": 0.5}


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
@settings(deadline=None, derandomize=True)
def test_any_finite_numbers_give_json(numbers: list[float]) -> None:
    """However large the numbers, a row is JSON without NaN and its mean lies among them."""
    (row,) = rows([run(*(record(0.5, repeat=at, objective=number) for at, number in enumerate(numbers)))])
    read = json.loads(json.dumps(row.as_json(), allow_nan=False))
    assert min(numbers) <= read["objective"]["mean"] <= max(numbers)
    if len(numbers) > 1 and max(map(abs, numbers)) < 1e100:
        assert read["objective"]["std"] == statistics.stdev(numbers)


def product(method: str, value: Any) -> list[Record]:
    """Records of a method over alpha x loss, with the accuracy that ``value`` gives."""
    points = [{ALPHA: alpha, LOSS: loss} for alpha in (0, 0.9) for loss in (0, 0.3)]
    return [record(value(point), point, method) for point in points]


def test_baselines_lose_the_paths_that_do_not_matter() -> None:
    """Equal baselines fold over what changes nothing for them: all paths, one path, or none; the network never."""
    records = product("network", lambda point: 0.5)
    records += product("centralised", lambda point: 0.9)
    records += product("isolated", lambda point: 0.8 - point[ALPHA] / 10)
    folded = fold(rows([run(*records)]))
    shown = [(row.method, dict(row.point)) for row in folded]
    assert [method for method, _ in shown] == ["network"] * 4 + ["isolated"] * 2 + ["centralised"]
    assert [point for _, point in shown[4:]] == [{ALPHA: 0}, {ALPHA: 0.9}, {}]


def test_one_equal_pair_does_not_hide_a_path_that_matters() -> None:
    """Where alpha changes the result at one of its values only, no row pretends that it never does."""
    records = [record(0.9 if alpha < 1 else 0.4, {ALPHA: alpha}, "isolated") for alpha in (0, 0.5, 1)]
    assert [dict(row.point) for row in fold(rows([run(*records)]))] == [{ALPHA: 0}, {ALPHA: 0.5}, {ALPHA: 1}]


def test_paths_that_move_together_are_kept_when_they_matter() -> None:
    """In a list of points neither of two paths can be told to be idle, so both stay."""
    records = [record(value, {ALPHA: value, LOSS: value}, "isolated") for value in (0.1, 0.2)]
    found = rows([run(*records)])
    assert fold(found) == found


def test_a_pivot_has_a_column_for_each_value() -> None:
    """A line for each other value and method; the path may be given by its last segment."""
    records = product("network", lambda point: point[ALPHA] - point[LOSS])
    records += product("centralised", lambda point: 0.95)
    found = pivot(rows([run(*records)]), "p", "accuracy")
    assert (found.by, found.metric, found.columns) == (LOSS, "accuracy", ("0", "0.3"))
    assert found == pivot(rows([run(*records)]), LOSS)
    table = {
        (line.method, line.point.get(ALPHA)): [cell and cell.values["accuracy"].mean for cell in line.cells]
        for line in found.lines
    }
    assert table == {
        ("network", 0): [0, -0.3],
        ("network", 0.9): [0.9, pytest.approx(0.6)],
        ("centralised", None): [0.95, 0.95],
    }


def test_a_pivot_leaves_gaps_and_tells_of_rows_without_the_path() -> None:
    """A missing combination is an empty cell; rows of a run that did not sweep the path have a column of their own."""
    first = run(record(0.5, {ALPHA: 0, LOSS: 0}), record(0.6, {ALPHA: 1, LOSS: 0.3}))
    second = run(record(0.7), folder="rings-2b")
    found = pivot(rows([first, second]), ALPHA)
    assert found.columns == ("0", "1", NOWHERE)
    assert [[cell is not None for cell in line.cells] for line in found.lines] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]


def test_unknown_names_list_what_there_is() -> None:
    """A wrong path and a wrong metric are errors that name the right ones."""
    found = rows([run(record(0.5, {LOSS: 0.1}, bytes={"sent": 1}))])
    with pytest.raises(ValueError, match=r"'alpha' is not a sweep path.*they have network\.links\.loss\.p"):
        pivot(found, "alpha")
    with pytest.raises(ValueError, match=r"'speed' is not.*they have accuracy, accuracy\.worst, bytes\.sent"):
        pivot(found, LOSS, "speed")


def test_a_path_is_known_by_itself_or_by_its_end() -> None:
    """A last segment names a path that alone has it."""
    paths = [ALPHA, LOSS, "network.topology.p"]
    assert [path_named(name, paths) for name in (ALPHA, "alpha", "p", "beta")] == [ALPHA, ALPHA, None, None]


def test_short_names_of_metrics() -> None:
    """bytes and frames mean those sent."""
    known = ["bytes.sent", "frames.sent", "bytes.values"]
    assert [metric_named(name, known) for name in ("bytes", "frames", "bytes.values")] == known


def test_paths_are_named_by_their_ends_where_these_differ() -> None:
    """The last segment names a path, unless another path has it too."""
    assert names_of([ALPHA, LOSS, "network.topology.p"]) == {
        ALPHA: "alpha",
        LOSS: LOSS,
        "network.topology.p": "network.topology.p",
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.3, "0.3"),
        (1e-05, "1e-05"),
        (0.1234567, "0.1234567"),
        (2000, "2000"),
        (True, "true"),
        (None, "null"),
        ("hold", "hold"),
        ({"kind": "ring"}, "ring"),
        ({"kind": "grid", "rows": 4, "wrap": False}, "grid rows=4 wrap=false"),
        ([0, 1], "[0, 1]"),
    ],
)
def test_values_are_spelled_as_a_scenario_writes_them(value: Any, text: str) -> None:
    """Sweep values are short, and no number loses digits."""
    assert spelled(value) == text


def test_a_row_without_paths_keeps_its_numbers() -> None:
    """Leaving a path out of a point changes nothing else."""
    row = Row({ALPHA: 0, LOSS: 1}, "network", 1, {"objective": Statistic(2.0)})
    assert row.without([LOSS]) == Row({ALPHA: 0}, "network", 1, {"objective": Statistic(2.0)})

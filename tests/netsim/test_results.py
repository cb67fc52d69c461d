from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from netsim.results import NewerFormatError, NotARunError, natural, open_run


def lines(method: str = "network", repeat: int = 0, **header: Any) -> list[dict[str, Any]]:
    """A finished results file, line by line."""
    first = {"format": 1, "netsim": "0.1.0", "name": "rings", "point": {"network.links.loss.p": 0.1}, "method": method}
    return [
        {
            **first,
            "repeat": repeat,
            "seed": 7 + repeat,
            "versions": {"python": "3.11.7"},
            "world": {"nodes": 20},
            **header,
        },
        {"round": 0, "accuracy": {"mean": 0.25, "std": 0.0, "worst": 0.25}},
        {"round": 10, "accuracy": {"mean": 0.75, "std": 0.1, "worst": 0.5}, "of-a-later-version": [1]},
        {"end": "completed", "round": 10},
    ]


def write(folder: Path, name: str, content: list[dict[str, Any]] | str) -> Path:
    """Put a results file into a run directory, which is made where there is none."""
    file = folder / "results" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    (folder / "scenario.yaml").write_text("name: rings\n")
    text = content if isinstance(content, str) else "".join(json.dumps(line) + "\n" for line in content)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_finished_file_becomes_a_record(tmp_path: Path) -> None:
    """Header, rounds and end come back as they were written, unknown keys and all."""
    write(tmp_path, "p=0.1/0.jsonl", lines(later="key"))
    run = open_run(tmp_path)
    (record,) = run.records
    assert (run.name, run.folder, run.warnings) == ("rings", tmp_path, ())
    assert (record.name, record.method, record.repeat, record.seed) == ("rings", "network", 0, 7)
    assert record.point == {"network.links.loss.p": 0.1}
    assert record.world == {"nodes": 20}
    assert [row["round"] for row in record.rows] == [0, 10]
    assert record.ending == "completed"
    assert record.end["round"] == 10


def test_records_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """Repeat 10 follows repeat 9, not repeat 1."""
    for repeat in (10, 9, 1):
        write(tmp_path, f"p=0.1/{repeat}.jsonl", lines(repeat=repeat))
    assert [record.repeat for record in open_run(tmp_path).records] == [1, 9, 10]


def test_unfinished_files_are_ignored(tmp_path: Path) -> None:
    """A .part file is neither a record nor worth a warning."""
    write(tmp_path, "p=0.1/0.jsonl", lines())
    write(tmp_path, "p=0.1/1.jsonl.part", '{"format": 1')
    write(tmp_path, "p=0.1/2.part", '{"format": 1')
    run = open_run(tmp_path)
    assert len(run.records) == 1
    assert run.warnings == ()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty"),
        (lines()[:-1], "cut short"),
        ("\n".join(map(json.dumps, lines()))[:-5], "line 4 is not JSON"),
        ("[1, 2]\n", "line 1 is not a JSON object"),
        (lines(point=3), "no 'point' of type dict"),
        (lines(seed="first"), "no 'seed' of type int"),
        (lines()[1:], "no 'format' of type int"),
        ([lines()[0], lines()[-1]], "no recorded round"),
        ([*lines()[:-1], {"end": "tired"}], "does not say completed, diverged or absent"),
    ],
)
def test_a_damaged_file_is_left_out_and_named(tmp_path: Path, content: list[dict[str, Any]] | str, told: str) -> None:
    """Damage costs the one file: the warning has its name and what is wrong, the others are read."""
    write(tmp_path, "p=0.1/0.jsonl", lines())
    damaged = write(tmp_path, "p=0.1/1.jsonl", content)
    run = open_run(tmp_path)
    assert [record.repeat for record in run.records] == [0]
    (warning,) = run.warnings
    assert str(damaged) in warning
    assert told in warning


def test_bytes_that_are_no_text_are_damage(tmp_path: Path) -> None:
    """A file that is not UTF-8 is left out like any damaged one."""
    write(tmp_path, "p=0.1/1.jsonl", "").write_bytes(b"\xff\xfe\x00")
    run = open_run(tmp_path)
    assert run.records == ()
    assert "1.jsonl is left out" in run.warnings[0]


def test_a_newer_format_is_refused_with_the_remedy(tmp_path: Path) -> None:
    """A file of a later version is not guessed at: the error names the file, both formats and the version to use."""
    file = write(tmp_path, "p=0.1/0.jsonl", lines(format=2, netsim="0.9.0"))
    with pytest.raises(NewerFormatError, match=r"format 2, written by netsim 0\.9\.0.*up to 1.*install") as caught:
        open_run(tmp_path)
    assert str(file) in str(caught.value)


def test_an_absent_baseline_is_a_record_without_rounds(tmp_path: Path) -> None:
    """A baseline that could not be computed is read, with its reason."""
    end = {"end": "absent", "reason": "6000 samples are more than 5000"}
    write(tmp_path, "p=0.1/0.centralised.jsonl", [lines("centralised")[0], end])
    (record,) = open_run(tmp_path).records
    assert (record.method, record.rows, record.ending) == ("centralised", (), "absent")
    assert record.end["reason"] == "6000 samples are more than 5000"


def test_numbers_that_are_no_json_are_read_as_text(tmp_path: Path) -> None:
    """NaN and Infinity, which some writers emit, are never numbers here."""
    content = lines()
    content[2]["objective"] = float("nan")
    content[2]["consensus"] = float("inf")
    write(tmp_path, "p=0.1/0.jsonl", content)
    row = open_run(tmp_path).records[0].rows[1]
    assert (row["objective"], row["consensus"]) == ("NaN", "Infinity")


def test_other_folders_are_no_runs(tmp_path: Path) -> None:
    """A missing folder, an empty one and one without a scenario are refused, each with what it lacks."""
    with pytest.raises(NotARunError, match=r"there is no folder .*nowhere"):
        open_run(tmp_path / "nowhere")
    with pytest.raises(NotARunError, match=r"there is no folder .*results"):
        open_run(tmp_path)
    (tmp_path / "results").mkdir()
    with pytest.raises(NotARunError, match=r"holds no scenario\.yaml"):
        open_run(tmp_path)


def test_a_run_without_finished_files_is_named_after_its_folder(tmp_path: Path) -> None:
    """An interrupted run is readable before anything in it is complete."""
    folder = tmp_path / "rings-1a2b"
    write(folder, "p=0.1/0.jsonl.part", "")
    run = open_run(folder)
    assert (run.name, run.records) == ("rings-1a2b", ())


def test_natural_order_is_by_value() -> None:
    """Numbers inside texts sort by value, the rest by letters."""
    texts = ["10%", "9%", "0.5%", "ring", "20ms", "erdos-renyi", "grid10", "grid9"]
    in_order = ["0.5%", "9%", "10%", "20ms", "erdos-renyi", "grid9", "grid10", "ring"]
    assert sorted(texts, key=natural) == in_order

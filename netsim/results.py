"""Run directories, as a report reads them: files in, records out, nothing run."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

FORMAT = 1
"""The newest format of a results file that can be read here."""
T = TypeVar("T")
ENDINGS = ("completed", "diverged", "absent")


class NotARunError(ValueError):
    """A folder is not a run directory."""


class NewerFormatError(ValueError):
    """A results file is of a format that this version does not know."""


@dataclass(frozen=True)
class Record:
    """One finished results file: what was run, what was recorded round by round, and how it ended."""

    name: str
    point: Mapping[str, Any]
    method: str
    repeat: int
    seed: int
    versions: Mapping[str, str]
    world: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]
    end: Mapping[str, Any]

    @property
    def ending(self) -> str:
        """How it ended: completed, diverged or absent."""
        return str(self.end["end"])


@dataclass(frozen=True)
class Run:
    """A run directory: the scenario's name, the finished records, and what had to be left out and why."""

    name: str
    folder: Path
    records: tuple[Record, ...]
    warnings: tuple[str, ...] = ()


def open_run(folder: Path, files: Collection[Path] | None = None) -> Run:
    """Read a run directory, or these files of it; unfinished ones are ignored, damaged ones left out with a warning.

    Raises NotARunError where ``folder`` is no run directory, NewerFormatError where a later version wrote it.
    """
    results = folder / "results"
    for needed in (folder, results):
        if not needed.is_dir():
            raise NotARunError(f"{folder} is not a run directory: there is no folder {needed}")
    if not (folder / "scenario.yaml").is_file():
        raise NotARunError(f"{folder} is not a run directory: it holds no scenario.yaml")
    records, warnings = [], []
    for file in sorted(results.glob("*/*.jsonl"), key=lambda file: natural(file.relative_to(results).as_posix())):
        if files is not None and file not in files:
            continue
        try:
            records.append(_record(file))
        except NewerFormatError:
            raise
        except (OSError, ValueError) as error:
            warnings.append(f"{file} is left out: {error}")
    name = records[0].name if records else folder.resolve().name
    return Run(name, folder, tuple(records), tuple(warnings))


def is_whole(file: Path) -> bool:
    """Whether a results file is there and undamaged."""
    try:
        _record(file)
    except (OSError, ValueError):
        return False
    return True


def natural(text: str) -> tuple[tuple[float, str], ...]:
    """A key that sorts numbers inside a text by value: ``0.5%`` before ``10%``, ``9.jsonl`` before ``10.jsonl``."""
    parts = re.split(r"(\d+(?:\.\d+)?)", text)
    return tuple((float(part), "") if odd % 2 else (-1.0, part) for odd, part in enumerate(parts))


def _record(file: Path) -> Record:
    lines = [_entry(number, line) for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1)]
    if not lines:
        raise ValueError("it is empty")
    header, *rows = lines
    written = _field(header, "format", int)
    if written > FORMAT:
        raise NewerFormatError(
            f"{file} is of format {written}, written by netsim {header.get('netsim', 'of a later version')}; "
            f"this version reads formats up to {FORMAT}: install that one to read it"
        )
    if not rows or rows[-1].get("end") not in ENDINGS:
        raise ValueError(f"it is cut short: its last line does not say {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
    end = rows.pop()
    if end["end"] == "completed" and not rows:
        raise ValueError("it holds no recorded round")
    if end.get("rows", len(rows)) != len(rows):
        raise ValueError(f"it holds {len(rows)} rows of the {end['rows']} that were written")
    return Record(
        name=_field(header, "name", str),
        point=_field(header, "point", dict),
        method=_field(header, "method", str),
        repeat=_field(header, "repeat", int),
        seed=_field(header, "seed", int),
        versions=header.get("versions", {}),
        world=header.get("world", {}),
        rows=tuple(rows),
        end=end,
    )


def _entry(number: int, line: str) -> dict[str, Any]:
    try:
        # NaN and infinity are no JSON: as texts they are no numbers, and no mean takes them in
        entry = json.loads(line, parse_constant=str)
    except ValueError as error:
        raise ValueError(f"line {number} is not JSON ({error})") from error
    if not isinstance(entry, dict):
        raise ValueError(f"line {number} is not a JSON object")
    return entry


def _field(header: Mapping[str, Any], key: str, kind: type[T]) -> T:
    value = header.get(key)
    if not isinstance(value, kind):
        raise ValueError(f"its first line has no {key!r} of type {kind.__name__}")
    return value

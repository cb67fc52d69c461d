"""Scenarios as they are given: the file or built-in that a reference names, with settings applied."""

from __future__ import annotations

import difflib
import importlib.resources
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from netsim.scenario.files import Kind, content_of, flaws_of, text_of
from netsim.scenario.mistakes import Mistake, ScenarioError, shown
from netsim.scenario.paths import join, parse, put
from netsim.scenario.places import Places, setting
from netsim.scenario.source import read
from netsim.scenario.syntax import UnreadableError

_SUFFIX = ".yaml"
_KIND = Kind("scenario", "the scenario", "name", "put data in files of its own")


@dataclass(frozen=True)
class Given:
    """A scenario before it is validated, and what is already known to be wrong with it."""

    folder: Path
    """Where the files that it names are looked up."""
    data: dict[str, Any]
    places: Places
    mistakes: tuple[Mistake, ...]


def builtin() -> dict[str, Traversable]:
    """The scenarios that come with netsim, by name, in order of name."""
    return dict(sorted(_yaml_files(importlib.resources.files("scenarios"), "")))


def _yaml_files(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _yaml_files(each, f"{prefix}{each.name}/")
        elif each.name.endswith(_SUFFIX):
            yield prefix + each.name.removesuffix(_SUFFIX), each


def read_scenario(reference: str, settings: Sequence[str]) -> Given:
    """The scenario of a file, or of a built-in one's name, with ``PATH=VALUE`` settings applied in order.

    ``ScenarioError`` where nothing can be read.
    """
    name, folder, content = _content(reference)
    text = text_of(name, content, _KIND)
    data, mistakes = text.data, flaws_of(name, text)
    applied: list[tuple[str, str]] = []
    for each in settings:
        path, _, value = (part.strip() for part in each.partition("="))
        try:
            data = put(data, _keys(each), _value(value))
            applied.append((join(*parse(path)), each))
        except ValueError as error:
            mistakes.append(Mistake(setting(each), path if "=" in each else "", str(error)))
    return Given(folder, data, Places(name, text.positions, tuple(applied)), tuple(mistakes))


def _content(reference: str) -> tuple[str, Path, bytes]:
    """The name of the file in messages, the folder of what it names, and its bytes."""
    known = {} if os.path.isfile(reference) else builtin()
    if reference in known:
        return f"{reference}{_SUFFIX}", Path.cwd(), known[reference].read_bytes()
    if not os.path.exists(reference):
        close = difflib.get_close_matches(reference, known, 3)
        remedy = f"did you mean {' or '.join(close)}?" if close else f"built-in ones are {', '.join(known)}"
        raise ScenarioError([Mistake(reference, "", f"there is no such file, and no built-in scenario; {remedy}")])
    return reference, Path(reference).resolve().parent, content_of(reference, _KIND)


def _keys(text: str) -> Sequence[str]:
    path, equals, _ = text.partition("=")
    if not equals:
        raise ValueError("this sets nothing; write PATH=VALUE, like model.penalty.alpha=0.5")
    return parse(path.strip())


def _value(text: str) -> Any:
    try:
        content = read(text)
    except UnreadableError as error:
        raise ValueError(f"{shown(text)} cannot be read: {error}") from None
    if content.flaws:
        raise ValueError(content.flaws[0].message)
    return content.data

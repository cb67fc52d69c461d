"""YAML text as plain data, with the line and column of every key and list item.

YAML 1.2, so that ``1e-3`` is a number and ``on`` a word. Plain data are mappings with text keys, lists, text, finite
numbers, ``true``, ``false`` and ``null``; anchors and merge keys stand for what they name.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.reader import ReaderError

from netsim.scenario.mistakes import shown
from netsim.scenario.paths import join
from netsim.scenario.syntax import Flaw, UnreadableError, of_marked, of_reader

DEEPEST = 40
"""How many lists and mappings may stand within each other."""
MOST_VALUES = 100_000
"""How many values a text may hold, each as often as anchors repeat it."""
LARGEST = 2**63
"""Whole numbers stay below."""

_YAML = "tag:yaml.org,2002:"
_PLAIN = {_YAML + name for name in ("int", "float", "bool", "null")}
_TEXT = {_YAML + name for name in ("str", "timestamp")}
_COLLECTIONS = {None, "!", _YAML + "map", _YAML + "seq"}
_MERGE = _YAML + "merge"


@dataclass(frozen=True)
class Text:
    """What a YAML text says: the data, the (line, column) of each dotted path, and what is wrong all the same."""

    data: Any
    positions: Mapping[str, tuple[int, int]]
    flaws: tuple[Flaw, ...]


def read(text: str) -> Text:
    """The data of a YAML text; ``UnreadableError`` with the one flaw that made the rest of it unreadable."""
    try:
        reader = _Reader(text)
        data = reader.document()
    except MarkedYAMLError as error:
        raise UnreadableError(of_marked(error)) from error
    except ReaderError as error:
        raise UnreadableError(of_reader(error, text)) from error
    except (YAMLError, ValueError, NotImplementedError) as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(Flaw(1, 1, "", f"this is not YAML: {error}")) from error
    return Text(data, reader.positions, tuple(reader.flaws))


def write(data: Mapping[str, Any]) -> str:
    """Plain data as YAML text from which ``read`` gives the same."""
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.width = 100
    # Equal lists are written out each time, not as anchors.
    yaml.representer.ignore_aliases = lambda _: True
    stream = io.StringIO()
    yaml.dump(dict(data), stream)
    return stream.getvalue()


@dataclass
class _Reader:
    text: str
    positions: dict[str, tuple[int, int]] = field(default_factory=dict)
    flaws: list[Flaw] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._yaml = YAML(typ="safe", pure=True)
        self._events: Iterator[Any] = iter(self._yaml.parse(self.text))
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._values = 0

    def document(self) -> Any:
        """The value of the only document; ``None`` for a text without any."""
        next(self._events)
        start = next(self._events)
        if isinstance(start, StreamEndEvent):
            return None
        if isinstance(start, DocumentStartEvent) and start.version not in (None, (1, 2)):
            raise self._stop(start, "", "the YAML of a scenario is of version 1.2; remove the %YAML line")
        root = next(self._events)
        self._mark("", root)
        value = self._value(root, "", 0)
        next(self._events)
        after = next(self._events)
        if not isinstance(after, StreamEndEvent):
            raise self._stop(after, "", "a second document begins here; a scenario is one, so remove the ---")
        return value

    def _value(self, event: Any, path: str, depth: int) -> Any:
        before = self._values
        self._count(event, path, 1)
        if depth > DEEPEST:
            raise self._stop(event, path, f"more than {DEEPEST} lists and mappings stand within each other here")
        if isinstance(event, AliasEvent):
            return self._alias(event, path)
        if isinstance(event, ScalarEvent):
            value = self._scalar(event, path)
        else:
            if event.tag not in _COLLECTIONS:
                self._flaw(event, path, f"the tag {event.tag} is not allowed; write plain lists and mappings")
            value = (self._list if isinstance(event, SequenceStartEvent) else self._mapping)(path, depth + 1)
        if event.anchor:
            self._anchors[event.anchor] = value, self._values - before
        return value

    def _alias(self, event: Any, path: str) -> Any:
        if event.anchor not in self._anchors:
            raise self._stop(
                event, path, f"*{event.anchor} stands for nothing; put &{event.anchor} at a value above it"
            )
        value, values = self._anchors[event.anchor]
        self._count(event, path, values)
        return value

    def _list(self, path: str, depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            at = join(path, len(items))
            self._mark(at, event)
            items.append(self._value(event, at, depth))
        return items

    def _mapping(self, path: str, depth: int) -> dict[str, Any]:
        given: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            if self._tag(event) == _MERGE:
                merged |= self._merged(next(self._events), path, depth)
                continue
            key = self._value(event, path, depth)
            at = join(path, key) if isinstance(key, str) else path
            if not isinstance(key, str):
                self._flaw(event, path, f"the key {shown(key)} is not text; put it in quotes")
            elif key in given:
                self._flaw(event, at, "the key occurs twice; remove one of the two")
            else:
                self._mark(at, event)
            value = self._value(next(self._events), at, depth)
            if isinstance(key, str):
                given.setdefault(key, value)
        return {**merged, **given}

    def _merged(self, event: Any, path: str, depth: int) -> dict[str, Any]:
        value = self._value(event, path, depth)
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in parts):
            self._flaw(event, path, f"<< merges mappings, not {shown(value)}; write the name of one, like <<: *common")
            return {}
        # Of several mappings the first one that has a key gives its value.
        return {key: value for part in reversed(parts) for key, value in part.items()}

    def _scalar(self, event: Any, path: str) -> Any:
        tag, text = self._tag(event), event.value
        if tag in _PLAIN:
            return self._plain(event, path, ScalarNode(tag, text))
        if tag not in _TEXT:
            self._flaw(event, path, f"the tag {tag.replace(_YAML, '!!')} is not allowed; write plain text or a number")
        elif any("\ud800" <= character <= "\udfff" for character in text):
            self._flaw(event, path, f"{text!a} is not text, since half a surrogate pair is no character")
            return ""
        return str(text)

    def _plain(self, event: Any, path: str, node: ScalarNode) -> Any:
        try:
            value = self._yaml.constructor.construct_object(node)
        except (ValueError, KeyError, IndexError, OverflowError):
            self._flaw(event, path, f"{shown(event.value)} is not written as its tag says; remove the tag")
            return 0
        if isinstance(value, float) and not math.isfinite(value):
            self._flaw(event, path, f"{shown(event.value)} is not a finite number")
            return 0
        if isinstance(value, int) and abs(value) >= LARGEST:
            self._flaw(event, path, f"{shown(event.value)} is too large; whole numbers stay below 2^63")
            return 0
        return value

    def _tag(self, event: Any) -> str:
        if not isinstance(event, ScalarEvent):
            return ""
        if event.tag not in (None, "!"):
            return str(event.tag)
        return str(self._yaml.resolver.resolve(ScalarNode, event.value, event.implicit))

    def _count(self, event: Any, path: str, values: int) -> None:
        self._values += values
        if self._values > MOST_VALUES:
            raise self._stop(
                event, path, f"the text holds more than {MOST_VALUES} values; put data in files of its own"
            )

    def _mark(self, path: str, event: Any) -> None:
        self.positions[path] = _place(event)

    def _flaw(self, event: Any, path: str, message: str) -> None:
        self.flaws.append(Flaw(*_place(event), path, message))

    def _stop(self, event: Any, path: str, message: str) -> UnreadableError:
        return UnreadableError(Flaw(*_place(event), path, message))


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1

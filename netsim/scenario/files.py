"""Files of YAML as their text says it: opened within bounds, read, and found to be a mapping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netsim.scenario.mistakes import Mistake, ScenarioError, shown
from netsim.scenario.places import position
from netsim.scenario.source import Text, read
from netsim.scenario.syntax import Flaw, UnreadableError, decoded

LARGEST_FILE = 500_000
"""Bytes of the largest file."""


@dataclass(frozen=True)
class Kind:
    """A kind of file, in the words of messages about one that cannot be read."""

    word: str
    """As in ``a scenario file``."""
    subject: str
    """As in ``the scenario is empty``."""
    first: str
    """The key that it begins with."""
    large: str
    """What to do about one that is too large."""
    explain: Callable[[Flaw, bytes], str] = lambda flaw, content: flaw.message
    """The message of a flaw, given all of the file."""


def content_of(file: str, kind: Kind) -> bytes:
    """The bytes of a file; ``ScenarioError`` where they cannot be had, ``FileNotFoundError`` where there is none."""
    try:
        with open(file, "rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise
    except IsADirectoryError:
        message = f"this is a directory; name a {kind.word} file in it"
    except OSError as error:
        message = f"the file cannot be read: {error.strerror}"
    else:
        if len(content) <= LARGEST_FILE:
            return content
        message = f"the file is larger than {LARGEST_FILE} bytes; {kind.large}"
    raise ScenarioError([Mistake(file, "", message)])


def text_of(name: str, content: bytes, kind: Kind) -> Text:
    """What a file of this name in messages says, a mapping; ``ScenarioError`` where nothing can be read."""
    try:
        text = read(decoded(content))
    except UnreadableError as error:
        flaw = error.flaw
        place = position(name, flaw.line, flaw.column)
        raise ScenarioError([Mistake(place, flaw.key, kind.explain(flaw, content))]) from None
    if isinstance(text.data, dict):
        return text
    fault = f"{kind.subject} is empty" if text.data is None else f"{shown(text.data)} is not a mapping"
    message = f"{fault}; write keys with their values, beginning with {kind.first}:"
    raise ScenarioError([Mistake(position(name, *text.positions.get("", (1, 1))), "", message)])


def flaws_of(name: str, text: Text) -> list[Mistake]:
    """The flaws of a text that could be read all the same, located in the file of this name."""
    return [Mistake(position(name, flaw.line, flaw.column), flaw.key, flaw.message) for flaw in text.flaws]

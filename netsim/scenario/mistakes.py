"""Mistakes in a scenario: where each one is, and what would be right."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

LONGEST = 60
"""How many characters of an offending value a message shows."""


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong, in one sentence.

    ``where`` is a place in a file (``rings.yaml:12:9``, line and column from 1) or a setting of the command line;
    ``key`` the dotted path of what is wrong, empty for the whole scenario.
    """

    where: str
    key: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.key, self.message) if part)


class ScenarioError(ValueError):
    """A scenario that cannot be used, with everything that is wrong with it; a line for each as text."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(map(str, self.mistakes)))


class Fault(NamedTuple):
    """A mistake that is not located yet: the dotted path of the key, and the message."""

    key: str
    message: str


def near(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The end of a message about an unknown word: the known one that was probably meant, or else something other."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]}?" if close else otherwise


def listed(words: Sequence[object]) -> str:
    """Words with commas between them; of many the first ones."""
    more = f" and {len(words) - 30} more" if len(words) > 30 else ""
    return ", ".join(map(str, words[:30])) + more


def shown(value: Any) -> str:
    """A value as a message shows it: as it is written in YAML, cut where it is long."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return shortened(text, LONGEST)


def shortened(text: str, longest: int = 500) -> str:
    """A text without its end where it is long."""
    return text if len(text) <= longest else f"{text[:longest]}..."

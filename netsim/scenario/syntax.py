"""What is wrong with a text that is not YAML, in words for whoever wrote it."""

from __future__ import annotations

from dataclasses import dataclass

from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.reader import ReaderError

_UNCLOSED = {
    "while parsing a flow sequence": "the list begun here is not closed; put commas between its items and a ] after",
    "while parsing a flow mapping": "the mapping begun here is not closed; put commas between its keys and a } after",
    "while scanning a quoted scalar": "the text begun here is not closed; add the quote at its end",
}
_PROBLEMS = {
    "found character '\\t'": "a tab cannot stand here; indent with spaces",
    "mapping values are not allowed": "a colon cannot stand here; align the keys, or put text with a colon in quotes",
    "could not find expected ':'": "a key without a colon and value; write key: value",
    "expected <block end>": "this does not line up with what is above it; give the keys of a mapping the same indent",
}


@dataclass(frozen=True)
class Flaw:
    """Something wrong in a text: line and column from 1, the dotted path that it belongs to, and one sentence."""

    line: int
    column: int
    key: str
    message: str


class UnreadableError(ValueError):
    """A text that cannot be read on from its flaw."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.message)
        self.flaw = flaw


def of_marked(error: MarkedYAMLError) -> Flaw:
    """The flaw that the YAML reader found at some place."""
    problem, context = str(error.problem or ""), str(error.context or "")
    mark = error.problem_mark or error.context_mark
    message = next((words for start, words in _PROBLEMS.items() if problem.startswith(start)), None)
    if message is None and context in _UNCLOSED:
        message, mark = _UNCLOSED[context], error.context_mark or mark
    if message is None and problem.endswith("cannot start any token"):
        character = problem.removeprefix("found character ").split(" that ")[0]
        message = f"a value cannot begin with {character}; put it in quotes"
    if message is None:
        message = f"this is not YAML: {' '.join((problem + ' ' + context).split())}"
    return Flaw(mark.line + 1 if mark else 1, mark.column + 1 if mark else 1, "", message)


def of_reader(error: ReaderError, text: str) -> Flaw:
    """The flaw of a character that YAML does not allow."""
    before = text[: error.position]
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return Flaw(line, column, "", f"the character {text[error.position]!a} is not allowed in YAML; remove it")


def decoded(content: bytes) -> str:
    """The text of UTF-8 bytes; ``UnreadableError`` where they are something else."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        message = f"byte 0x{content[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        raise UnreadableError(Flaw(before.count(b"\n") + 1, column, "", message)) from error

"""Where each key of a scenario was given: in a file, or by a setting of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from netsim.scenario.mistakes import Mistake, shortened
from netsim.scenario.paths import within


@dataclass(frozen=True)
class Places:
    """The places of all keys: positions (line, column) in the file ``name``, and the settings as (path, text)."""

    name: str
    positions: Mapping[str, tuple[int, int]]
    settings: tuple[tuple[str, str], ...] = ()

    def mistake(self, key: str, message: str, origins: Mapping[str, str]) -> Mistake:
        """A mistake about a key; ``origins`` says which paths a sweep has set, and from where in the sweep."""
        return Mistake(self._of(key, origins), key, message)

    def _of(self, key: str, origins: Mapping[str, str]) -> str:
        for path, origin in reversed(list(origins.items())):
            if within(key, path):
                return self._of(origin, {})
        for path, text in reversed(self.settings):
            if within(key, path):
                return setting(text)
        while key and key not in self.positions:
            # A mapping that is not in the file may have been made on the way to what a setting or a sweep sets.
            for path, origin in origins.items():
                if within(path, key):
                    return self._of(origin, {})
            for path, text in self.settings:
                if within(path, key):
                    return setting(text)
            key = key.rpartition(".")[0]
        return position(self.name, *self.positions.get(key, (1, 1)))


def position(name: str, line: int, column: int) -> str:
    """A place in a file, as editors and terminals understand it."""
    return f"{name}:{line}:{column}"


def setting(text: str) -> str:
    """A setting of the command line as a place."""
    return f"--set {shortened(text, 100)}"

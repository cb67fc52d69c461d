"""Scenario files for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SMALL = """\
name: small
rounds: 5
data: rings
network:
  topology: {kind: ring, nodes: 4}
  links:
    delay: {kind: delay, time: 5ms, jitter: 1ms}
    loss: {kind: loss, p: 10%}
model:
  features: linear
  loss: ordinal-hinge
  penalty: elastic-net
"""

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a small scenario with further lines, or another text, as small.yaml, and gives its path."""

    def to_file(more: str = "", text: str = SMALL) -> str:
        file = tmp_path / "small.yaml"
        file.write_text(text + more, encoding="utf-8")
        return str(file)

    return to_file

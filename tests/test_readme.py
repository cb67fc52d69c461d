"""The README, executed: its commands work, its example runs, its pieces of one's own are used."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from netsim.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    return [content for name, content in found if name == language]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the example scenario and the classes of one's own."""
    monkeypatch.chdir(tmp_path)
    scenario, hosts, own = blocks("yaml")
    (tmp_path / "hosts.yaml").write_text(hosts)
    (tmp_path / "sensors.yaml").write_text(scenario)
    (tmp_path / "mine.py").write_text(blocks("python")[0])
    (tmp_path / "own.yaml").write_text(f"name: own\nrounds: 20\ndata: {{kind: rings, train: 60, test: 20}}\n{own}")
    return tmp_path


def test_the_commands_of_the_readme_work(folder):
    """Each `netsim` command in order, runs cut to a few rounds, ends with status 0."""
    commands = [
        line.partition("#")[0] for block in blocks("") for line in block.splitlines() if line.startswith("netsim ")
    ]
    assert len(commands) >= 6
    for command in commands:
        arguments = shlex.split(command)[1:]
        if "sensors-*" in command:
            (run,) = folder.glob("runs/sensors-*")
            arguments = [str(run) if "*" in argument else argument for argument in arguments]
        if arguments[0] == "run":
            shutil.rmtree(folder / "runs", ignore_errors=True)
            cut = ["--set", "rounds=5", "--set", "repeats=2", "--set", "data.train=60", "--jobs", "1", "--quiet"]
            arguments += cut
        assert main(arguments) == 0, command
    assert (folder / "sensors.png").read_bytes().startswith(b"\x89PNG")


def test_a_loss_and_a_link_of_ones_own_do_what_they_say(folder, capsys):
    """The example's classes run; the link loses frames, and a mistake in its keys is reported like any other."""
    assert main(["run", "own.yaml", "--jobs", "1"]) == 0
    assert "lost" in capsys.readouterr().out
    assert main(["run", "own.yaml", "--set", "network.links.tide.worst=180%", "--set", "model.loss.limit=-1"]) == 2
    told = capsys.readouterr().err
    assert "network.links.tide.worst" in told
    assert "model.loss.limit" in told


def test_files_that_the_readme_names_are_there():
    """Every relative link leads to a file or folder."""
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (Path(__file__).parents[1] / target).exists()] == []

"""Runs over ZeroMQ from the command line: several machines, exit statuses, and what is left when all is over."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from netsim.cli import main

SCENARIO = """\
name: tiny
repeats: 2
rounds: ROUNDS
data: {kind: rings, train: 60, test: 20}
network:
  topology: {kind: erdos-renyi, nodes: 6, p: 0.5}
  links: {delay: {kind: delay, time: 15ms, jitter: 10ms}, loss: {kind: loss, p: 20%}}
model: {features: {kind: fourier, size: 12}, loss: ordinal-hinge}
"""
COMMAND = "import sys; from netsim.cli import main; sys.exit(main())"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario with faults and two repeats."""
    file = tmp_path / "tiny.yaml"
    file.write_text(SCENARIO.replace("ROUNDS", "20"))
    return file


class Sessions:
    """Commands in sessions of their own, so that all their processes can be found."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start netsim with these arguments."""
        paths = os.pathsep.join([str(Path.cwd()), *sys.path])
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments],
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": paths, "TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._started.append(process)
        return process

    def processes(self, of: subprocess.Popen[str]) -> list[int]:
        """The processes of a command's session that live."""
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue  # it has just ended
            if int(session) == of.pid and state != "Z":
                found.append(int(stat.parent.name))
        return found

    def over(self, command: subprocess.Popen[str]) -> bool:
        """Whether none of a command's processes lives."""
        return not self.processes(command)

    def close(self) -> None:
        """End what a failed test left."""
        for process in self._started:
            for number in self.processes(process):
                os.kill(number, signal.SIGKILL)
            process.communicate()


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    """Starts commands in sessions of their own."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc to count the processes of a session")
    started = Sessions(tmp_path)
    yield started
    started.close()


def records(out: Path) -> list[list[dict[str, Any]]]:
    """What the results files below a folder say, without what the transport counted of its own."""
    found = []
    for file in sorted(out.rglob("*.jsonl")):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        lines[-1].pop("transport", None)
        found.append(lines)
    return found


def test_the_records_are_those_of_one_process(scenario, tmp_path):
    """Line by line, for every repeat, also where several runs go side by side; bundles are told apart."""
    for name, options in {
        "one": [],
        "many": ["--transport", "zeromq", "--jobs", "1"],
        "beside": ["--transport", "zeromq", "--set", "transport.workers=2", "--jobs", "2"],
    }.items():
        assert main(["run", str(scenario), "--out", str(tmp_path / name), "--quiet", *options]) == 0
    one = records(tmp_path / "one")
    assert len(one) == 2
    assert one == records(tmp_path / "many") == records(tmp_path / "beside")
    (file,) = (tmp_path / "many").rglob("0.jsonl")
    counted = json.loads(file.read_text().splitlines()[-1])["transport"]
    assert counted["workers"] == 6
    assert counted["bundle-bytes"] > counted["bundles"] > 0


def long(scenario: Path) -> None:
    """Make it last for minutes."""
    scenario.write_text(SCENARIO.replace("ROUNDS", "100000").replace("repeats: 2", "repeats: 1"))


def started(command: subprocess.Popen[str]) -> None:
    """Wait until a verbose command says that workers have started."""
    assert command.stderr is not None
    while "workers started" not in (line := command.stderr.readline()):
        assert line, "the command has ended"


@pytest.mark.parametrize(
    ("number", "status", "jobs"),
    [
        (signal.SIGINT, 130, 1),
        (signal.SIGINT, 130, 2),
        (signal.SIGTERM, 128 + signal.SIGTERM, 2),
        (signal.SIGKILL, -signal.SIGKILL, 2),
    ],
)
def test_a_command_that_is_ended_leaves_no_process(scenario, sessions, until, number, status, jobs):
    """An interrupt from the keyboard, a request to end and a kill: workers go with the one that they work for."""
    long(scenario)
    scenario.write_text(scenario.read_text().replace("repeats: 1", f"repeats: {jobs}"))
    command = sessions.start("run", "tiny.yaml", "--transport", "zeromq", "--jobs", str(jobs))
    # The command itself, the server that forks, the tracker of its resources, and six workers.
    until(lambda: len(sessions.processes(command)) >= 9, seconds=20)
    if number == signal.SIGINT:
        os.killpg(command.pid, number)
    else:
        command.send_signal(number)
    command.communicate(timeout=20)
    assert command.returncode == status
    until(partial(sessions.over, command), seconds=10)
    if number != signal.SIGKILL:
        assert not [file for file in sessions.temporary.rglob("*") if file.is_socket()]


def test_nothing_is_left_after_success_and_failure(scenario, sessions, until, tmp_path):
    """No process and no socket file."""
    (tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass\nfrom nodes.losses import Squared\n\n\n"
        "@dataclass(frozen=True, kw_only=True)\nclass Bad(Squared):\n"
        "    def slopes(self, *_):\n        raise KeyError(5)\n"
    )
    told = ""
    for settings, status in ((), 0), (("--set", "model.loss=mine:Bad"), 1):
        command = sessions.start("run", "tiny.yaml", "--transport", "zeromq", *settings)
        _, told = command.communicate(timeout=60)
        assert command.returncode == status, told
        until(partial(sessions.over, command))
        assert not [file for file in sessions.temporary.rglob("*") if file.is_socket()]
    assert "failed: network repeat 0: node 0 failed in round 0: KeyError: 5 (mine.py, line 8)" in told


def test_a_death_is_told_and_ends_with_status_1(scenario, sessions, tmp_path):
    """The table names the worker with its nodes; results are kept, and marked as not reproducible."""
    scenario.write_text(SCENARIO.replace("ROUNDS", "3000").replace("repeats: 2", "repeats: 1"))
    command = sessions.start("--verbose", "run", "tiny.yaml", "--transport", "zeromq", "--out", "runs")
    started(command)
    os.kill(sorted(sessions.processes(command))[-4], signal.SIGKILL)
    told, _ = command.communicate(timeout=60)
    assert command.returncode == 1
    words = r"not reproducible: network, repeat 0: worker (\d) \(node (\d)\) died, and nothing was heard of it from"
    match = re.search(words, " ".join(told.split()))
    assert match, told
    assert match[1] == match[2]
    ((_, *rows, end),) = records(tmp_path / "runs")
    assert end["reproducible"] is False
    assert end["deaths"][0]["nodes"] == [int(match[2])]
    assert end["deaths"][0]["reason"] == "its process ended by itself, with signal SIGKILL"
    assert rows[-1]["round"] == 3000
    again = sessions.start("run", "tiny.yaml", "--transport", "zeromq", "--out", "runs", "--quiet")
    _, errors = again.communicate(timeout=60)
    assert (again.returncode, errors.count("not reproducible")) == (1, 1)


def test_patience_and_what_a_death_means_are_settings(scenario, sessions, until):
    """A stopped worker is missed after the time given; with ``--on-death stop`` the run fails, and says so."""
    long(scenario)
    options = ["--transport", "zeromq", "--patience", "1s", "--on-death", "stop"]
    command = sessions.start("--verbose", "run", "tiny.yaml", *options)
    started(command)
    os.kill(sorted(sessions.processes(command))[-5], signal.SIGSTOP)
    _, errors = command.communicate(timeout=30)
    assert command.returncode == 1
    assert "nothing was heard of it for 1 s (raise patience for longer rounds); the run was stopped" in errors
    until(partial(sessions.over, command))


# -- several machines, which are addresses of this one ---------------------------------------------------------------


def free_port(address: str) -> int:
    """A port that nobody has."""
    with socket.create_server((address, 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def hosts(tmp_path: Path) -> Callable[..., Path]:
    """Writes a hosts file of two hosts, with three workers."""

    def write(keys: bool, wait: str = "20s") -> Path:
        port = free_port("127.0.0.2")
        text = f"coordinator: 127.0.0.2:{port}\nwait: {wait}\n" + "keys: keys\n" * keys
        text += "hosts:\n  lab-a: {address: 127.0.0.3, workers: 2}\n  lab-b: {address: 127.0.0.4}\n"
        file = tmp_path / "hosts.yaml"
        file.write_text(text)
        return file

    return write


def printed(command: subprocess.Popen[str]) -> dict[str, list[str]]:
    """The command that a run has printed for each of the two hosts, from ``worker`` on."""
    found = {}
    assert command.stderr is not None
    for _ in range(2):
        line = command.stderr.readline()
        assert line.startswith("on lab-"), line
        found[line.split()[1]] = line.split("netsim ")[1].split()
    return found


@pytest.mark.parametrize("keys", [False, True])
def test_workers_of_several_hosts_give_the_same_records(scenario, sessions, hosts, until, tmp_path, keys):
    """A command for each host is printed, and its workers serve all runs; with keys everything is encrypted."""
    hosts(keys)
    if keys:
        assert sessions.start("keys", "hosts.yaml").wait(20) == 0
    assert main(["run", str(scenario), "--out", str(tmp_path / "one"), "--quiet"]) == 0
    command = sessions.start("run", "tiny.yaml", "--hosts", "hosts.yaml", "--out", "hosted", "--quiet")
    workers = [sessions.start(*each) for each in printed(command).values()]
    _, errors = command.communicate(timeout=60)
    assert (command.returncode, errors) == (0, "")
    assert [worker.wait(20) for worker in workers] == [0, 0]
    assert records(tmp_path / "hosted") == records(tmp_path / "one")
    until(lambda: all(map(sessions.over, workers)))


def test_a_host_that_does_not_come_is_named(scenario, sessions, hosts, until):
    """After the time to wait the run ends, with the workers that are missing."""
    hosts(keys=False, wait="4s")
    command = sessions.start("run", "tiny.yaml", "--hosts", "hosts.yaml", "--quiet")
    worker = sessions.start(*printed(command)["lab-a"])
    _, errors = command.communicate(timeout=30)
    assert command.returncode == 1
    assert "not there after 4 s: worker 2 on lab-b (nodes 4-5) did not come; the run was not started" in errors
    assert worker.wait(20) in (0, 1)
    until(partial(sessions.over, worker))


def test_who_has_the_wrong_token_or_the_wrong_keys_does_not_take_part(scenario, sessions, hosts, tmp_path):
    """Strangers in a host's place are neither told anything nor waited for; they end by themselves."""
    hosts(keys=True, wait="4s")
    assert sessions.start("keys", "hosts.yaml").wait(20) == 0
    command = sessions.start("run", "tiny.yaml", "--hosts", "hosts.yaml", "--out", "hosted", "--quiet")
    workers = printed(command)
    strangers = [sessions.start("worker", "hosts.yaml", "lab-a", "--token", "0" * 24)]
    # The right token with the key of another host.
    os.rename(tmp_path / "keys", tmp_path / "right")
    (tmp_path / "keys").mkdir()
    for name, source in {"coordinator": "coordinator", "lab-a": "lab-b"}.items():
        for end in ("key", "key_secret"):
            (tmp_path / "keys" / f"{name}.{end}").write_bytes((tmp_path / "right" / f"{source}.{end}").read_bytes())
    (tmp_path / "keys" / "lab-b.key").write_bytes((tmp_path / "right" / "lab-a.key").read_bytes())
    strangers.append(sessions.start(*workers["lab-a"]))
    _, errors = command.communicate(timeout=30)
    assert "worker 0 on lab-a (nodes 0-1), worker 1 on lab-a (nodes 2-3), worker 2 on lab-b" in errors
    assert [stranger.wait(20) for stranger in strangers] == [1, 1]
    assert records(tmp_path / "hosted") == []


def test_beyond_loopback_keys_are_compulsory(scenario, tmp_path, capsys):
    """A hosts file with an address that others can reach is refused with the remedy, and nothing is bound."""
    file = tmp_path / "hosts.yaml"
    file.write_text("coordinator: 192.0.2.1:5555\nhosts: {lab-a: {address: 192.0.2.7}}\n")
    assert main(["run", str(scenario), "--hosts", str(file)]) == 2
    told = capsys.readouterr().err
    assert "192.0.2.1 is beyond loopback and would be open to strangers; add keys: keys and make them with" in told
    assert "192.0.2.7 is beyond loopback" in told


def test_a_host_that_vanishes_and_returns_is_refused(scenario, sessions, hosts, tmp_path):
    """A stopped host is taken for dead; when it goes on it is told to go, and changes nothing."""
    scenario.write_text(SCENARIO.replace("ROUNDS", "2000").replace("repeats: 2", "repeats: 1"))
    hosts(keys=False)
    options = ["--hosts", "hosts.yaml", "--patience", "1s", "--out", "hosted"]
    command = sessions.start("--verbose", "run", "tiny.yaml", *options)
    commands = printed(command)
    good, bad = (sessions.start(*commands[name]) for name in ("lab-a", "lab-b"))
    started(command)
    worker = max(sessions.processes(bad))
    os.kill(worker, signal.SIGSTOP)
    told, _ = command.communicate(timeout=60)
    assert command.returncode == 1
    assert "worker 2 on lab-b (nodes 4-5) died, and nothing was heard of it from slot" in " ".join(told.split())
    os.kill(worker, signal.SIGCONT)
    assert bad.wait(20) in (0, 1)
    assert good.wait(20) == 0
    ((_, *rows, end),) = records(tmp_path / "hosted")
    assert rows[-1]["round"] == 2000
    assert [death["nodes"] for death in end["deaths"]] == [[4, 5]]

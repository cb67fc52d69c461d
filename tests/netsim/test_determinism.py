"""Same seed, same numbers: whatever the hash seed, the order of repeats, the number of jobs, or other runs before."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from netsim.cli import main

SCENARIO = """\
name: tiny
repeats: 2
rounds: 15
data: {kind: rings, train: 60, test: 20}
network:
  topology: {kind: erdos-renyi, nodes: 6, p: 0.5}
  links: {delay: {kind: delay, time: 15ms, jitter: 10ms}, loss: {kind: loss, p: 20%}}
model:
  features: {kind: fourier, size: 12}
  loss: ordinal-hinge
  penalty: {alpha: 0.9}
algorithm: {batch: 4}
baselines: [centralised, centralised-features, isolated]
sweep: {network.links.loss.p: [0, 0.3], algorithm.order: [consensus, combine-then-adapt, adapt-then-combine]}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario with faults, batches, a sweep, baselines and repeats."""
    file = tmp_path / "tiny.yaml"
    file.write_text(SCENARIO)
    return file


def digests(out: Path) -> dict[str, str]:
    """A digest of every results file below a folder of runs."""
    found = {
        file.relative_to(out).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(out.rglob("*.jsonl"))
    }
    assert len(found) == 2 * 6 * 4
    return found


def test_hash_seeds_do_not_show(scenario, tmp_path):
    """All results files of a scenario are equal, byte for byte, under three hash seeds."""
    seen = []
    for hash_seed in ("0", "1", "2"):
        out = tmp_path / hash_seed
        command = "import sys; from netsim.cli import main; sys.exit(main())"
        subprocess.run(
            [sys.executable, "-c", command, "run", scenario, "--out", out, "--jobs", "1", "--quiet"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
        )
        seen.append(digests(out))
    assert seen[0] == seen[1] == seen[2]


def test_jobs_and_what_ran_before_do_not_show(scenario, tmp_path):
    """One process or two, repeats one by one in another order, and a resumed run give the same files."""
    assert main(["run", str(scenario), "--out", str(tmp_path / "one"), "--jobs", "1", "--quiet"]) == 0
    assert main(["run", str(scenario), "--out", str(tmp_path / "two"), "--jobs", "2", "--quiet"]) == 0
    later = ["run", str(scenario), "--out", str(tmp_path / "resumed"), "--jobs", "1", "--quiet"]
    assert main([*later, "--set", "repeats=1"]) == 0
    for file in (tmp_path / "resumed").rglob("consensus*/0.jsonl"):
        file.unlink()
    assert main(later) == 0
    one = digests(tmp_path / "one")
    assert one == digests(tmp_path / "two") == digests(tmp_path / "resumed")


def test_seeds_show(scenario, tmp_path):
    """Seed 0 is a seed: it differs from seed 1, whose repeat 0 is repeat 1 of seed 0."""
    for seed in ("0", "1"):
        arguments = ["run", str(scenario), "--out", str(tmp_path / seed), "--quiet", "--jobs", "1"]
        assert main([*arguments, "--set", f"seed={seed}", "--set", "sweep={}", "--set", "baselines=[]"]) == 0

    def rows(seed: str, repeat: int) -> list[str]:
        (file,) = (tmp_path / seed).rglob(f"{repeat}.jsonl")
        return file.read_text().splitlines()[1:]

    assert rows("0", 1) == rows("1", 0)
    assert rows("0", 0) != rows("0", 1)

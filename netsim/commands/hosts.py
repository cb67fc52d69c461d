"""What runs on several machines need."""

from __future__ import annotations

import argparse
import re
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from netsim.commands.terminal import FAILED, GOOD, err, out
from netsim.processes import end, started, uninterrupted
from netsim.scenario.hosts import read_hosts
from netsim.scenario.mistakes import shown
from netsim.transports.zeromq.hosts import posts
from netsim.transports.zeromq.keys import COORDINATOR, write_keys
from netsim.transports.zeromq.worker import serve
from netsim.units import written


def worker_arguments(verb: argparse.ArgumentParser) -> None:
    """What can be written after `netsim worker`."""
    verb.add_argument("hosts", metavar="FILE", help="the hosts file")
    verb.add_argument("host", metavar="HOST", help="this machine's name in it")
    verb.add_argument("--token", type=_token, required=True, help="as netsim run --hosts has printed it")


def worker(options: argparse.Namespace) -> int:
    """Run the workers of one host for a `netsim run --hosts` elsewhere."""
    hosts = read_hosts(Path(options.hosts))
    chosen = posts(hosts, options.host, options.token, Path.cwd())
    many = "1 worker" if len(chosen) == 1 else f"{len(chosen)} workers"
    call = f"for the coordinator at {hosts.coordinator}, who has {written(hosts.wait)} to call"
    err.print(f"{many} of {options.host} {call}", markup=False)
    processes: list[ForkServerProcess] = []
    try:
        with uninterrupted():
            processes += [started(serve, post) for post in chosen]
        for process in processes:
            process.join()
    finally:
        for process in processes:
            end(process)
    if not any(process.exitcode for process in processes):
        err.print("the coordinator has said goodbye", markup=False)
        return GOOD
    err.print(
        f"workers of {options.host} did not find the coordinator at {hosts.coordinator} or lost it: it is not there, "
        "ended early, or does not know their token or keys",
        markup=False,
    )
    return FAILED


def keys_arguments(verb: argparse.ArgumentParser) -> None:
    """What can be written after `netsim keys`."""
    verb.add_argument("hosts", metavar="FILE", help="the hosts file")


def keys(options: argparse.Namespace) -> int:
    """Make the keys that a hosts file needs: copy to each host its own NAME.key_secret and coordinator.key."""
    hosts = read_hosts(Path(options.hosts))
    if hosts.keys_folder is None:
        raise ValueError(f"{options.hosts} names no folder for keys; add keys: keys")
    files = write_keys(hosts.keys_folder, [COORDINATOR, *hosts.hosts])
    for file in files:
        out.print(f"{file}", markup=False)
    if not files:
        out.print(f"all keys are in {hosts.keys_folder} already", markup=False)
    return GOOD


def _token(text: str) -> str:
    if re.fullmatch("[0-9a-f]{24}", text) is None:
        raise argparse.ArgumentTypeError(
            f"{shown(text)} is not a token; copy it from what netsim run --hosts has printed"
        )
    return text

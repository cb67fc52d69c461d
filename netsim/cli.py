"""The command line: run, compare, plot, validate, list, and what runs on several machines need."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from rich.console import Console
from rich.table import Table

import netsim
from netsim.checks import Finding, check
from netsim.compare import rows
from netsim.jobs import describe
from netsim.options import Command, parser_of
from netsim.pivot import pivot
from netsim.processes import end, started, uninterrupted
from netsim.progress import Bar
from netsim.results import NotARunError, Run, open_run
from netsim.runs import Summary, execute, plan, prepare
from netsim.scenario.hosts import read_hosts
from netsim.scenario.load import Loaded, ScenarioError, builtin, kinds, load, schema
from netsim.tables import csv_text, json_text, pivot_table, terminal, text_of
from netsim.theory import consensus_bounds
from netsim.transports.zeromq.crew import Crew
from netsim.transports.zeromq.hosts import host_crew, posts
from netsim.transports.zeromq.keys import COORDINATOR, write_keys
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.transports.zeromq.worker import serve
from netsim.units import written
from netsim.world import World, build

GOOD, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130

out = Console(highlight=False, emoji=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, or 1 where a run failed or diverged, or 2 where the request is wrong."""
    options = parser_of(
        {
            "run": run,
            "compare": compare,
            "plot": plot,
            "validate": validate,
            "worker": worker,
            "keys": keys,
            "list": list_,
        }
    ).parse_args(arguments)
    if options.verbose:
        logging.basicConfig(format="%(name)s: %(message)s")
        logging.getLogger(netsim.__name__).setLevel(logging.DEBUG)
    command: Command = options.command
    try:
        with _orderly():
            return command(options)
    except ValueError as error:
        err.print(str(error), markup=False)
        return WRONG
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        err.print(f"{error.filename or ''}: {error.strerror or error}".removeprefix(": "), markup=False)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def run(options: argparse.Namespace) -> int:
    """Run scenarios, and print what came out."""
    checked = [_checked(reference, [*_transport(options), *options.set]) for reference in options.scenario]
    good = [each for each in checked if each is not None]
    if len(good) < len(checked):
        return WRONG
    with ExitStack() as stack:
        crew = _crew(options, [loaded for loaded, _ in good], stack)
        return max([_run(loaded, findings, options, crew) for loaded, findings in good])


def _transport(options: argparse.Namespace) -> list[str]:
    """What the command line says of the transport, as settings."""
    # Of a transport over ZeroMQ what the scenario says of it stays.
    kind = options.transport or ("zeromq" if options.hosts else None)
    settings = [f"transport{'.kind' if kind == 'zeromq' else ''}={kind}"] if kind else []
    settings += [f"transport.time={options.time}"] if options.time else []
    settings += [f"transport.patience={options.patience}"] if options.patience else []
    return settings + ([f"transport.on-death={options.on_death}"] if options.on_death else [])


def _crew(options: argparse.Namespace, scenarios: Sequence[Loaded], stack: ExitStack) -> Callable[[], Crew] | None:
    """The workers on other machines, if there are to be any: how to start them is printed when they are needed."""
    if options.hosts is None:
        return None
    file = Path(options.hosts)
    hosts = read_hosts(file)
    for transport in (point.scenario.transport for loaded in scenarios for point in loaded.points):
        if not isinstance(transport, ZeroMQ) or transport.workers is not None:
            raise ValueError(
                "with --hosts all runs are over ZeroMQ, and the hosts file says how many workers there are; "
                "leave out other transports and transport.workers, or --hosts"
            )

    def instruct(words: str) -> None:
        err.print(words, markup=False)

    def tell(words: str) -> None:
        if not options.quiet:
            instruct(words)

    return cache(lambda: stack.enter_context(host_crew(hosts, file, instruct, tell)))


def _checked(reference: str, settings: Sequence[str]) -> tuple[Loaded, list[Finding]] | None:
    """A scenario with the warnings about it, or None if it is wrong; all that there is to say is printed."""
    try:
        loaded = load(reference, settings)
    except ScenarioError as error:
        err.print(str(error), markup=False)
        return None
    findings = check(loaded)
    for finding in findings:
        prefix = "" if finding.error else "warning: "
        err.print(f"{prefix}{loaded.mistake(finding.path, finding.message)}", markup=False)
    return None if any(finding.error for finding in findings) else (loaded, findings)


def _run(
    loaded: Loaded,
    findings: list[Finding],
    options: argparse.Namespace,
    crew: Callable[[], Crew] | None,
) -> int:
    folder = prepare(loaded, Path(options.out), options.fresh)
    jobs = plan(loaded, folder)
    summary = Summary(folder)
    try:
        with Bar(err, loaded.name, options.quiet) as bar:
            execute(jobs, summary, bar, options.jobs, crew)
    except KeyboardInterrupt:
        err.print(f"interrupted; complete results are kept in {folder}, and the same command goes on from there")
        raise
    finally:
        found = open_run(folder, [target for job in jobs for target, _ in job.targets])
        table = rows([found])
        diverged = [f"{row.method} {dict(row.point)}: {row.reason}" for row in table if row.diverged]
        doubts = [f"{row.method} {dict(row.point)}: {doubt}" for row in table for doubt in row.doubts]
        try:
            warnings = [*(f"{path}: {message}" for path, message, _ in findings), *doubts]
            summary.write(loaded, diverged, warnings)
        except OSError as error:
            err.print(f"warning: cannot write {folder / 'summary.json'}: {error.strerror}", markup=False)
    if options.json:
        print(json_text(table))
    elif not options.quiet:
        out.print(f"{loaded.name}: {loaded.about}" if loaded.about else loaded.name, markup=False)
        if table:
            _show(lambda width: terminal(table, width))
        out.print(f"{len(summary.results)} run now, {summary.found} found complete; all in {folder}", markup=False)
    told = [*(f"diverged: {line}" for line in diverged), *(f"not reproducible: {line}" for line in doubts)]
    told = told if options.json or options.quiet else []
    for line in [*(f"failed: {line}" for line in summary.failed), *told, *found.warnings]:
        err.print(line, markup=False)
    died = any(row.deaths for row in table)
    return FAILED if summary.failed or diverged or died else GOOD


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


def compare(options: argparse.Namespace) -> int:
    """Print the table of run directories, or write it as text for programs."""
    table = rows(_opened(options.run))
    if not table:
        err.print("there are no complete results yet", markup=False)
        return GOOD
    if options.csv:
        Path(options.csv).write_text(csv_text(table), encoding="utf-8")
    if options.json:
        print(json_text(table))
    elif options.by:
        chosen = pivot(table, options.by, options.metric)
        _show(lambda width: pivot_table(chosen, width))
    elif not options.csv:
        _show(lambda width: terminal(table, width))
    return GOOD


def plot(options: argparse.Namespace) -> int:
    """Draw metrics of run directories over bytes, rounds, time or a sweep path's values, or final parameters."""
    from netsim.figures import plot as draw  # matplotlib takes half a second to import

    runs = _opened(options.run)
    output = Path(options.output or f"{runs[0].name}-{options.y}-{options.x}.png")
    out.print(str(draw(runs, options.x, options.y, output, scale=options.scale)), markup=False)
    return GOOD


def validate(options: argparse.Namespace) -> int:
    """Say what is wrong with scenarios, or what they come to."""
    status = GOOD
    for reference in options.scenario:
        checked = _checked(reference, options.set)
        if checked is None:
            status = WRONG
            continue
        loaded, _ = checked
        runs = len(loaded.points) * loaded.repeats
        world = build(loaded.points[0].scenario, 0, loaded.folder)
        out.print(f"{loaded.name}: good; {runs} run{'s'[: runs > 1]} of {_outlook(world)}", markup=False)
    return status


def _outlook(world: World) -> str:
    """What a world comes to before it is run."""
    sizes = describe(world)
    radius, bounds = sizes.pop("spectral-radius"), consensus_bounds(world)
    gap = "too small to compute" if radius is None else f"{1 - radius:.4g}"
    told = [f"{value} {name}" for name, value in sizes.items() if name != "slot" and value]
    parts = [", ".join(told), f"spectral gap {gap}"]
    if bounds is not None:
        parts.append(f"consensus distance at most {bounds[-1]:.4g} at the end, if no frame is lost or late")
    return "; ".join(parts)


def list_(options: argparse.Namespace) -> int:
    """List what scenarios can name, or print the schema that they follow."""
    if options.what == "schema":
        print(json.dumps(schema(), indent=2))
        return GOOD
    known: dict[str, list[tuple[str, str]]] = {"scenarios": [(name, load(name).about) for name in builtin()], **kinds()}
    if options.what not in (None, *known):
        raise ValueError(f"{options.what!r} cannot be listed; known are {', '.join([*known, 'schema'])}")
    for what, entries in known.items():
        if options.what in (None, what):
            out.print(f"{what}:", markup=False)
            for name, about in entries:
                out.print(f"  {name:<24} {about}", markup=False)
    return GOOD


def _opened(folders: Sequence[str]) -> list[Run]:
    """Those of the folders that are run directories; a warning for each other one, an error if there is none."""
    runs = []
    for folder in folders:
        try:
            runs.append(open_run(Path(folder)))
        except NotARunError as error:
            err.print(f"warning: {error}; left out", markup=False)
    for warning in (warning for run in runs for warning in run.warnings):
        err.print(f"warning: {warning}", markup=False)
    if not runs:
        raise ValueError("none of these is a run directory; name one that netsim run made, like runs/rings-1a2b3c4d")
    return runs


def _show(table: Callable[[int | None], Table]) -> None:
    """Print a table, fitted to the screen if there is one."""
    if out.is_terminal:
        Console(highlight=False, emoji=False).print(table(out.width))
    else:
        print(text_of(table(None)))


@contextmanager
def _orderly() -> Iterator[None]:
    """Ends by itself on what would end it without a word, so that nothing stays behind."""

    def leave(number: int, frame: object) -> None:
        sys.exit(128 + number)

    asked = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]
    for number in asked:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in asked:
            signal.signal(number, signal.SIG_DFL)

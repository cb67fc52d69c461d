"""Running scenarios."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from netsim.checks import Finding
from netsim.commands.scenarios import checked, takes_settings
from netsim.commands.terminal import FAILED, GOOD, WRONG, err, out, show, show_faults
from netsim.compare import rows
from netsim.faults import idle
from netsim.processes import processors
from netsim.progress import Bar
from netsim.results import open_run
from netsim.runs import Summary, execute, plan, prepare
from netsim.scenario.hosts import read_hosts
from netsim.scenario.load import Loaded
from netsim.tables import json_text, terminal
from netsim.transports.zeromq.crew import Crew
from netsim.transports.zeromq.hosts import host_crew
from netsim.transports.zeromq.transport import ZeroMQ


def run_arguments(verb: argparse.ArgumentParser) -> None:
    """What can be written after `netsim run`."""
    verb.add_argument("scenario", nargs="+", help="a YAML file, or the name of a built-in scenario")
    takes_settings(verb)
    verb.add_argument("--transport", help="how frames are carried: in-process or zeromq")
    verb.add_argument("--time", choices=["virtual", "real"], help="the clock that the run goes by")
    verb.add_argument("--patience", metavar="TIME", help="zeromq: what is not heard for so long is dead, like 60s")
    verb.add_argument("--on-death", choices=["continue", "stop"], help="zeromq: what the others do when a worker dies")
    verb.add_argument("--hosts", metavar="FILE", help="zeromq: run the workers on the machines of this file")
    verb.add_argument("--jobs", type=jobs, default=processors(), metavar="N", help="processes at a time")
    verb.add_argument("--out", default="runs", metavar="DIR", help="where run directories go")
    verb.add_argument("--fresh", action="store_true", help="start over instead of resuming")
    verb.add_argument(
        "--strict", action="store_true", help="a fault that should have happened and never did is an error"
    )
    verb.add_argument("--quiet", action="store_true", help="print errors and warnings only")
    verb.add_argument("--json", action="store_true", help="print the results as JSON")


def run(options: argparse.Namespace) -> int:
    """Run scenarios, and print what came out."""
    found = [checked(reference, [*_transport(options), *options.set]) for reference in options.scenario]
    good = [each for each in found if each is not None]
    if len(good) < len(found):
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
        idle_ones = [f"{row.method} {dict(row.point)}: {words}" for row in table for words in idle(row.faults)]
        try:
            warnings = [*(f"{path}: {message}" for path, message, _ in findings), *doubts, *idle_ones]
            summary.write(loaded, diverged, warnings)
        except OSError as error:
            err.print(f"warning: cannot write {folder / 'summary.json'}: {error.strerror}", markup=False)
    if options.json:
        print(json_text(table))
    elif not options.quiet:
        out.print(f"{loaded.name}: {loaded.about}" if loaded.about else loaded.name, markup=False)
        if table:
            show(lambda width: terminal(table, width))
            show_faults(table)
        out.print(f"{len(summary.results)} run now, {summary.found} found complete; all in {folder}", markup=False)
    told = [*(f"diverged: {line}" for line in diverged), *(f"not reproducible: {line}" for line in doubts)]
    told = told if options.json or options.quiet else []
    told += [f"{'' if options.strict else 'warning: '}{line}" for line in idle_ones]
    for line in [*(f"failed: {line}" for line in summary.failed), *told, *found.warnings]:
        err.print(line, markup=False)
    died = any(row.deaths for row in table)
    return FAILED if summary.failed or diverged or died or (options.strict and idle_ones) else GOOD


def jobs(text: str) -> int:
    """A number of processes, as it is written."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes; give 1 or more")
    return int(text)

"""The command line: run, compare, plot, validate, list."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog
from rich.console import Console

from netsim import __version__
from netsim.checks import Finding, check
from netsim.compare import pivot, rows
from netsim.jobs import describe
from netsim.progress import Bar
from netsim.results import NotARunError, Run, open_run
from netsim.runs import Summary, execute, plan, prepare
from netsim.scenario.load import Loaded, ScenarioError, builtin, kinds, load, schema
from netsim.tables import csv_text, json_text, pivot_table, terminal
from netsim.world import build

GOOD, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, or 1 where a run failed or diverged, or 2 where the request is wrong."""
    options = _parser().parse_args(arguments)
    level = logging.DEBUG if options.verbose else logging.WARNING
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except (ScenarioError, NotARunError, ValueError) as error:
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
    settings = list(options.set)
    if options.transport:
        settings.insert(0, f"transport={options.transport}")
    if options.time:
        settings.append(f"transport.time={options.time}")
    all_loaded = [_checked(reference, settings, options.quiet) for reference in options.scenario]
    return max(_run_one(loaded, warnings, options) for loaded, warnings in all_loaded)


def _run_one(loaded: Loaded, warnings: list[str], options: argparse.Namespace) -> int:
    folder = prepare(loaded, Path(options.out), options.fresh)
    jobs = plan(loaded, folder)
    summary = Summary(folder)
    try:
        with Bar(err, loaded.name, options.quiet) as bar:
            execute(jobs, summary, bar, options.jobs)
    except KeyboardInterrupt:
        err.print(f"interrupted; what was complete is in {folder}, and the same command goes on from there")
        return INTERRUPTED
    finally:
        summary.write(loaded, warnings)
    found = open_run(folder)
    table = rows([found])
    if options.json:
        out.print(json_text(table), markup=False)
    elif not options.quiet:
        out.print(terminal(table, out.width))
        out.print(f"{len(summary.results)} run, {summary.found} found; results in {folder}", markup=False)
    for line in [*summary.failed, *found.warnings]:
        err.print(f"failed: {line}", markup=False)
    diverged = any(row.get("diverged") for row in table)
    return FAILED if summary.failed or diverged else GOOD

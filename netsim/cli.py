"""The command line."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import netsim
from netsim.commands.hosts import keys, keys_arguments, worker, worker_arguments
from netsim.commands.results import compare, compare_arguments, plot, plot_arguments
from netsim.commands.run import run, run_arguments
from netsim.commands.scenarios import list_, list_arguments, validate, validate_arguments
from netsim.commands.terminal import FAILED, INTERRUPTED, WRONG, err

Command = Callable[[argparse.Namespace], int]
"""What a verb does, given its options; the exit status. Its docstring is its help."""

VERBS: dict[str, tuple[Command, Callable[[argparse.ArgumentParser], None]]] = {
    "run": (run, run_arguments),
    "compare": (compare, compare_arguments),
    "plot": (plot, plot_arguments),
    "validate": (validate, validate_arguments),
    "worker": (worker, worker_arguments),
    "keys": (keys, keys_arguments),
    "list": (list_, list_arguments),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, or 1 where a run failed or diverged, or 2 where the request is wrong."""
    options = _parser().parse_args(arguments)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="netsim", description=netsim.__doc__)
    parser.add_argument("--version", action="version", version=f"netsim {netsim.__version__}")
    parser.add_argument("--verbose", action="store_true", help="show diagnostic events")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for name, (command, arguments) in VERBS.items():
        verb = verbs.add_parser(name, help=command.__doc__, description=command.__doc__)
        verb.set_defaults(command=command)
        arguments(verb)
    return parser


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

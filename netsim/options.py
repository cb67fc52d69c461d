"""What can be written on the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping

import netsim
from netsim.processes import processors
from netsim.scenario.mistakes import shown

Command = Callable[[argparse.Namespace], int]
"""What a verb does, given its options; the exit status."""


def parser_of(commands: Mapping[str, Command]) -> argparse.ArgumentParser:
    """The parser of the command line; ``commands`` has what each verb does, whose docstring is its help."""
    parser = argparse.ArgumentParser(prog="netsim", description=netsim.__doc__)
    parser.add_argument("--version", action="version", version=f"netsim {netsim.__version__}")
    parser.add_argument("--verbose", action="store_true", help="show diagnostic events")
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(name: str) -> argparse.ArgumentParser:
        about = commands[name].__doc__
        added = verbs.add_parser(name, help=about, description=about)
        added.set_defaults(command=commands[name])
        return added

    def takes_settings(verb: argparse.ArgumentParser) -> None:
        verb.add_argument(
            "--set", action="append", default=[], metavar="PATH=VALUE", help="change a key of the scenario"
        )

    at_run = verb("run")
    at_run.add_argument("scenario", nargs="+", help="a YAML file, or the name of a built-in scenario")
    takes_settings(at_run)
    at_run.add_argument("--transport", help="how frames are carried: in-process or zeromq")
    at_run.add_argument("--time", choices=["virtual", "real"], help="the clock that the run goes by")
    at_run.add_argument("--patience", metavar="TIME", help="zeromq: what is not heard for so long is dead, like 60s")
    at_run.add_argument(
        "--on-death", choices=["continue", "stop"], help="zeromq: what the others do when a worker dies"
    )
    at_run.add_argument("--hosts", metavar="FILE", help="zeromq: run the workers on the machines of this file")
    at_run.add_argument("--jobs", type=_jobs, default=processors(), metavar="N", help="processes at a time")
    at_run.add_argument("--out", default="runs", metavar="DIR", help="where run directories go")
    at_run.add_argument("--fresh", action="store_true", help="start over instead of resuming")
    at_run.add_argument("--quiet", action="store_true", help="print errors and warnings only")
    at_run.add_argument("--json", action="store_true", help="print the results as JSON")

    at_compare = verb("compare")
    at_compare.add_argument("run", nargs="+", help="a run directory")
    at_compare.add_argument("--by", metavar="PATH", help="a column for each value of this sweep path")
    at_compare.add_argument("--metric", default="accuracy", metavar="NAME", help="what --by shows")
    at_compare.add_argument("--csv", metavar="FILE", help="write the rows to a file")
    at_compare.add_argument("--json", action="store_true", help="print the rows as JSON")

    at_plot = verb("plot")
    at_plot.add_argument("run", nargs="+", help="a run directory")
    at_plot.add_argument(
        "--x", default="bytes", metavar="NAME", help="bytes, round, time, or a sweep path, for the last numbers over it"
    )
    at_plot.add_argument(
        "--y",
        default="accuracy",
        metavar="NAMES",
        help="accuracy, mae, objective, consensus, ..., or several with commas between; or parameters, for every "
        "node's last ones beside the optimum's, over no x",
    )
    at_plot.add_argument("--scale", choices=["linear", "log"], help="of y; by default log where it spans much")
    at_plot.add_argument("-o", "--output", metavar="FILE", help="a .png, .svg or .pdf file")

    at_validate = verb("validate")
    at_validate.add_argument("scenario", nargs="+")
    takes_settings(at_validate)

    at_worker = verb("worker")
    at_worker.add_argument("hosts", metavar="FILE", help="the hosts file")
    at_worker.add_argument("host", metavar="HOST", help="this machine's name in it")
    at_worker.add_argument("--token", type=_token, required=True, help="as netsim run --hosts has printed it")

    at_keys = verb("keys")
    at_keys.add_argument("hosts", metavar="FILE", help="the hosts file")

    at_list = verb("list")
    at_list.add_argument("what", nargs="?", help="scenarios, topologies, data, links, ..., or schema")
    return parser


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes; give 1 or more")
    return int(text)


def _token(text: str) -> str:
    if re.fullmatch("[0-9a-f]{24}", text) is None:
        raise argparse.ArgumentTypeError(
            f"{shown(text)} is not a token; copy it from what netsim run --hosts has printed"
        )
    return text

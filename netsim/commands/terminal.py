"""What commands print on, and with which status they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from netsim.compare import Row
from netsim.tables import fault_table, text_of

GOOD, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses: of what went well, failed or diverged, was asked for wrongly, and was interrupted."""

out = Console(highlight=False, emoji=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)


def show(table: Callable[[int | None], Table]) -> None:
    """Print a table, fitted to the screen if there is one."""
    if out.is_terminal:
        Console(highlight=False, emoji=False).print(table(out.width))
    else:
        print(text_of(table(None)))


def show_faults(rows: Sequence[Row]) -> None:
    """Print how often faults happened, if there are any."""
    table = fault_table(rows)
    if table is not None:
        out.print()
        show(lambda width: table)

"""The usage report as tables for people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from cuda_shim.usage.counts import Call, Counts

__all__ = ["add_row", "console_for", "in_words", "print_report", "table_of"]

_WIDTH_OF_FILES = 120


def print_report(report: Counts, file: TextIO | None) -> None:
    """Print the calls, and the unsupported and hallucinated names; `file` None stands for stdout."""
    console = console_for(file)
    if not report.calls and not report.hallucinated:
        console.print("cuda_shim: no CUDA call was made")
        return
    calls = sum(call.count for call in report.calls.values())
    seconds = sum(call.seconds for call in report.calls.values())
    several = f" in {report.processes} processes" if report.processes > 1 else ""
    console.print(f"cuda_shim: {calls} CUDA calls{several}, {in_words(seconds)}", markup=False)
    if report.calls:
        console.print(_calls(report))
    if report.unsupported:
        console.print(_unsupported(report))
    if report.hallucinated:
        console.print(_hallucinated(report))


def console_for(file: TextIO | None) -> Console:
    """Return a console that prints tables: on stdout for None. Files are as wide as terminals may be."""
    from rich.console import Console

    width = None if (file or sys.stdout).isatty() else _WIDTH_OF_FILES
    return Console(file=file, highlight=False, width=width)


def _calls(report: Counts) -> Table:
    table = table_of("call", ("count", "right"), ("time", "right"), ("each", "right"), "", "errors")
    for name, call in report.by_time():
        each = in_words(call.seconds / call.count) if call.count else ""
        add_row(table, name, str(call.count), in_words(call.seconds), each, call.support, _errors(call))
    return table


def _unsupported(report: Counts) -> Table:
    table = table_of("not supported", ("met", "right"), "why")
    for (name, reason), count in sorted(report.unsupported.items()):
        add_row(table, name, str(count), reason)
    return table


def _hallucinated(report: Counts) -> Table:
    table = table_of("hallucinated", ("read", "right"))
    for name, count in sorted(report.hallucinated.items()):
        add_row(table, name, str(count))
    return table


def table_of(*columns: str | tuple[str, str]) -> Table:
    """Return an empty table; a column is its name, with "right" where it holds numbers."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        name, side = column if isinstance(column, tuple) else (column, "left")
        table.add_column(Text(name), justify="right" if side == "right" else "left", overflow="fold")
    return table


def add_row(table: Table, *cells: str) -> None:
    """Add a row of plain texts."""
    from rich.text import Text

    table.add_row(*map(Text, cells))  # a plain text might hold brackets, which rich would take for its markup


def _errors(call: Call) -> str:
    met = {**call.errors, **call.raised}
    return ", ".join(f"{name} {count}" if count > 1 else name for name, count in sorted(met.items()))


def in_words(seconds: float) -> str:
    """Return a time with the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.1f} {unit}"
    return f"{seconds * 1e6:.1f} µs"

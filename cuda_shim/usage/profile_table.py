"""The profile as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from cuda_shim.usage.table import add_row, console_for, in_words, table_of
from cuda_shim.usage.timings import Times, Timings, by_time

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["print_profile", "tables"]

_MAX_ROWS = 20


def print_profile(profile: Timings, file: TextIO | None) -> None:
    """Print the times; `file` None stands for stdout."""
    console = console_for(file)
    if not profile.calls and not profile.kernels:
        console.print("cuda_shim: no CUDA call was made")
        return
    console.print(f"cuda_shim: profile of {in_words(profile.seconds)}", markup=False)
    for table in tables(profile):
        console.print(table)
    if profile.missing:
        console.print(f"cuda_shim: {profile.missing}", markup=False)


def tables(profile: Timings) -> list[Table]:
    """Return a table for each kind of event that was measured."""
    tables = []
    if profile.kernels:
        whole = sum(times.seconds for times in profile.kernels.values())
        table = table_of("kernel", *_TIMES, ("share", "right"))
        for name, times in _first_rows(by_time(profile.kernels), table):
            add_row(table, name, *_cells(times), f"{100 * times.seconds / whole:.0f} %" if whole else "")
        tables.append(table)
    if profile.copies:
        table = table_of("copy", *_TIMES, ("bytes", "right"), ("GiB/s", "right"))
        for name, times in _first_rows(by_time(profile.copies), table):
            rate = f"{times.rate:.2f}" if times.bytes else ""
            add_row(table, name, *_cells(times), _size(times.bytes), rate)
        tables.append(table)
    if profile.sites:
        table = table_of("line of the program", "what", *_TIMES)
        for (site, what), times in _first_rows(by_time(profile.sites), table):
            add_row(table, site, what, *_cells(times))
        tables.append(table)
    if profile.calls:
        table = table_of("call", *_TIMES)
        for name, times in _first_rows(by_time(profile.calls), table):
            add_row(table, name, *_cells(times))
        tables.append(table)
    return tables


_TIMES = (("count", "right"), ("total", "right"), ("mean", "right"), ("longest", "right"))


def _cells(times: Times) -> list[str]:
    return [str(times.count), in_words(times.seconds), in_words(times.mean), in_words(times.longest)]


def _first_rows(rows: list[tuple[Any, Times]], table: Table) -> list[tuple[Any, Times]]:
    """Return the first rows; the caption of the table gives the number of the others."""
    if len(rows) > _MAX_ROWS:
        table.caption = f"and {len(rows) - _MAX_ROWS} more, which the JSON form has"
        table.caption_justify = "left"
    return rows[:_MAX_ROWS]


def _size(size: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B" if size else ""

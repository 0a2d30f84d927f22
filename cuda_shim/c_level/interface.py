"""NVIDIA's C interface as recorded: the functions of a layout, their signatures, and their symbols.

`data/` holds the output of `tools/record_c_interface.py`, which reads NVIDIA's Cython modules and headers. The row in
`tables/` alone describes a function's parameters and the way that it is served.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from cuda_shim.frozen_record import Record
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import FunctionRow

__all__ = ["NVIDIAS_OWN", "Function", "functions", "signatures", "symbols_of_version"]

NVIDIAS_OWN = {"nvjitlink": 6, "nvvm": 9}
"""Modules of NVIDIA's compilers, whose functions compiled packages look up though they may never call them; and
their answers here: NVJITLINK_ERROR_INTERNAL, NVVM_ERROR_COMPILATION. An installed cuda-bindings has the real ones."""

_DATA = Path(__file__).resolve().parent / "data"


class Function(Record):
    """One C function of the library that serves a layout.

    `symbol` is its exported name, `aliases` the other symbols of the same function. `layout` is the one whose
    form it has: an older one for the symbols that programs of older CUDA look up. `form` tells which symbols for the
    thread's own default stream exist: "ptsz", which take a stream, "ptds", which take none, or "".
    """

    symbol: str
    table: str
    name: str
    layout: str
    signature: str
    aliases: tuple[str, ...] = ()
    form: str = ""

    @property
    def row(self) -> FunctionRow | None:
        """The row, None for the few functions that NVIDIA's Python modules have no counterpart of."""
        entry = store.load(self.table).row(self.name, self.layout)
        return entry if isinstance(entry, FunctionRow) else None

    @property
    def nvidias_symbol(self) -> str:
        """The symbol by which NVIDIA's driver has this form; `symbol` may be the name that all forms share."""
        return (self.aliases or (self.symbol,))[0]

    @property
    def result(self) -> str:
        """The C type that it returns."""
        return self.signature.partition("(")[0].strip()

    @property
    def arguments(self) -> list[str]:
        """The C types of its parameters, as the signature spells them."""
        inside = self.signature.partition("(")[2].removesuffix(")")
        return [] if inside in ("", "void") else inside.split(", ")


@cache
def signatures(table: str, layout: str) -> dict[str, str]:
    """Return the functions of a module in a layout, each with the signature of its capsule."""
    return {name: signature for name, layouts, signature in _lines(table) if layout in layouts.split()}


def symbols_of_version(name: str, version: int) -> list[str] | None:
    """Return NVIDIA's symbol of the form that a driver function has for a CUDA version such as 12020.

    Later forms that take the same arguments follow it. The list is empty if the function came later than that; the
    result is None for an unknown name. The first form has the function's own name, each later one a number behind it.
    """
    versions = _versions().get(name)
    if versions is None:
        return None
    first = last = sum(version >= int(since.rstrip("+")) for since in versions)
    while first and versions[last - 1].endswith("+"):
        last += 1
    return [name if count == 1 else f"{name}_v{count}" for count in range(first, last + 1) if count]


@cache
def _versions() -> dict[str, list[str]]:
    return {name: versions.split() for name, versions in _lines("versions")}


@cache
def functions(layout: str) -> tuple[Function, ...]:
    """Every function of the library for a layout: its own, and the older forms under the symbols that they had."""
    result: list[Function] = []
    taken: set[str] = set()
    in_layout = {table: signatures(table, layout) for table in store.TABLES}
    for at in [layout, *reversed(LAYOUTS[: LAYOUTS.index(layout)])]:
        renamed = {name: (symbol, form) for name, layouts, symbol, form in _lines("symbols") if at in layouts.split()}
        for table in store.TABLES:
            for name, signature in signatures(table, at).items():
                if _is_older(name, table, at):
                    continue
                symbol, form = renamed.get(name, (name, ""))
                candidates = (name, symbol) if at == layout or name in in_layout[table] else (symbol,)
                names = [each for each in candidates if each not in taken]
                if names:
                    taken.update(names)
                    more = tuple(each for each in names[1:] if each != names[0])
                    result.append(Function(names[0], table, name, at, signature, more, form))
    return tuple(result)


def _is_older(name: str, table: str, layout: str) -> bool:
    """Return whether an older layout has a row for a name without one, under this name or this symbol."""
    if store.load(table).row(name, layout) is not None:
        return False
    older = LAYOUTS[: LAYOUTS.index(layout)]
    rows = store.load(table)
    called = {
        name,
        *(
            named
            for named, layouts, symbol, _ in _lines("symbols")
            if symbol == name and set(older) & {*layouts.split()}
        ),
    }
    return any(rows.row(each, at) is not None for each in called for at in older)


@cache
def _lines(name: str) -> list[list[str]]:
    text = (_DATA / f"{name}.txt").read_text(encoding="ascii")
    return [line.split("\t") for line in text.splitlines()]

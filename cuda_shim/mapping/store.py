"""Tables as the binder reads them: one `Table` a module, rows built on demand.

An installed copy holds the compiled tables (`cuda_shim._tables`), Python literals of which a program loads the
domains that it uses. A source checkout has none: there the YAML is read by the strict reader, once a process.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cache

from cuda_shim.errors import TableError
from cuda_shim.mapping.rows import Body, Row, body_for, row_from_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TABLES", "Table", "load", "missing_yaml", "source_folder"]

TABLES = ("driver", "runtime", "nvrtc")


class Table:
    """The rows of one module in every layout."""

    def __init__(
        self, name: str, rows: Mapping[str, tuple[Body, ...]], ending: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self.name = name
        self.rows = rows
        self._ending = ending
        self._made: dict[tuple[str, str], Row] = {}  # a function's types are looked up again and again

    def names(self, cuda: str) -> frozenset[str]:
        """Return the public names that layout `cuda` has."""
        return frozenset(name for name, bodies in self.rows.items() if body_for(bodies, cuda) is not None)

    def ending(self, kind: str) -> tuple[str, ...]:
        """Return the functions that end objects of a kind, or wait for them; "" for functions without an argument."""
        if self._ending is None:
            from cuda_shim.mapping.ending_functions import ending_functions  # a source checkout's

            self._ending = ending_functions(self.rows)
        return self._ending.get(kind, ())

    def row(self, name: str, cuda: str) -> Row | None:
        """Return the row of `name` in layout `cuda`, None where that layout has no such name."""
        row = self._made.get((name, cuda))
        if row is None:
            bodies = self.rows.get(name)
            body = body_for(bodies, cuda) if bodies is not None else None
            if body is None:
                return None
            row = self._made[name, cuda] = row_from_body(name, body, cuda)
        return row


class _CompiledRows(Mapping[str, "tuple[Body, ...]"]):
    """A module's compiled rows; each domain is imported when a row of it is asked for."""

    def __init__(self, table: str, domains: Mapping[str, str]) -> None:
        self._table = table
        self._domains = domains

    def __getitem__(self, name: str) -> tuple[Body, ...]:
        domain = importlib.import_module(f"cuda_shim._tables.{self._table}_{self._domains[name]}")
        bodies: tuple[Body, ...] = domain.ROWS[name]
        return bodies

    def __contains__(self, name: object) -> bool:
        return name in self._domains

    def __iter__(self) -> Iterator[str]:
        return iter(self._domains)

    def __len__(self) -> int:
        return len(self._domains)


@cache
def load(name: str) -> Table:
    """Return the table of module `name` ("driver", "runtime" or "nvrtc").

    Raises TableError when the YAML of a source checkout breaks a rule, or PyYAML is missing there.
    """
    try:
        compiled = importlib.import_module(f"cuda_shim._tables.{name}")
    except ModuleNotFoundError as missing:
        if missing.name not in ("cuda_shim._tables", f"cuda_shim._tables.{name}"):
            raise
        compiled = None
    if compiled is None:
        return Table(name, _read_source(name))
    return Table(name, _CompiledRows(name, compiled.DOMAINS), compiled.ENDING)


def source_folder() -> Path:
    """Return the `tables` folder of a source checkout. Raises TableError where there is none."""
    from pathlib import Path  # an installed copy never runs this

    folder = Path(__file__).resolve().parent.parent.parent / "tables"
    if not folder.is_dir():
        raise TableError(
            f"{folder}: no compiled tables in this copy of cuda_shim and no tables folder beside it; "
            "install cuda-shim again"
        )
    return folder


def _read_source(name: str) -> dict[str, tuple[Body, ...]]:
    folder = source_folder()
    try:
        from cuda_shim.mapping.reader import read_module
    except ModuleNotFoundError:
        raise missing_yaml(folder) from None
    return read_module(folder, name)


def missing_yaml(folder: Path) -> TableError:
    """Return the error for a source checkout whose tables cannot be read."""
    return TableError(
        f"{folder}: a source checkout reads its tables with PyYAML, which is not installed: pip install PyYAML"
    )

"""Tables as the binder asks for them: one `Table` a module, rows built on demand.

An installed copy holds the compiled tables (`cuda_shim._tables`), Python literals that load in about a
millisecond. A source checkout has none: there the YAML is read by the strict reader, once a process.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

from cuda_shim.errors import TableError
from cuda_shim.mapping.rows import Body, Row, body_for, row_from_body

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TABLES", "Table", "load", "missing_yaml", "source_folder"]

TABLES = ("driver", "runtime", "nvrtc")


class Table:
    """The rows of one module in every layout."""

    def __init__(self, name: str, rows: dict[str, tuple[Body, ...]]) -> None:
        self.name = name
        self.rows = rows

    def names(self, cuda: str) -> frozenset[str]:
        """The public names that layout `cuda` has."""
        return frozenset(name for name, bodies in self.rows.items() if body_for(bodies, cuda) is not None)

    def row(self, name: str, cuda: str) -> Row | None:
        """The row of `name` in layout `cuda`, None where that layout has no such name."""
        bodies = self.rows.get(name)
        body = body_for(bodies, cuda) if bodies is not None else None
        return None if body is None else row_from_body(name, body, cuda)


@cache
def load(name: str) -> Table:
    """The table of module `name` ("driver", "runtime" or "nvrtc").

    Raises TableError when the YAML of a source checkout breaks a rule, or PyYAML is missing there.
    """
    try:
        compiled = importlib.import_module(f"cuda_shim._tables.{name}")
    except ModuleNotFoundError as missing:
        if missing.name not in ("cuda_shim._tables", f"cuda_shim._tables.{name}"):
            raise
        return Table(name, _read_source(name))
    return Table(name, compiled.ROWS)


def source_folder() -> Path:
    """The `tables` folder of a source checkout. Raises TableError where there is none."""
    from pathlib import Path  # an installed copy never comes here

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
    except ModuleNotFoundError as missing:
        raise missing_yaml(folder) from missing
    return read_module(folder, name)


def missing_yaml(folder: Path) -> TableError:
    """The error for a source checkout whose tables cannot be read."""
    return TableError(
        f"{folder}: a source checkout reads its tables with PyYAML, which is not installed: pip install PyYAML"
    )

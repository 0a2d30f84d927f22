"""Tables as Python literals: what the build puts into the wheel instead of YAML.

Literals load at the speed of a .pyc, work in a zip, are read by packagers' tools and are readable in a
diff; a pickle or marshal file would be none of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cuda_shim.mapping.reader import read_module
from cuda_shim.mapping.store import TABLES
from cuda_shim.mapping.text_tables import TEXT_TABLES, read_text

__all__ = ["compile_tables"]

_HEADER = '"""Compiled from tables/{name}: edit there."""\n\nROWS = {{\n'


def compile_tables(source: Path, target: Path) -> list[Path]:
    """Compile every table of folder `source` into modules of the package folder `target`.

    Returns the files written. Raises TableError when a table breaks a rule.
    """
    target.mkdir(parents=True, exist_ok=True)
    written = [target / "__init__.py"]
    written[0].write_text('"""Compiled tables, made by the build from the YAML in tables/."""\n', encoding="utf-8")
    tables: dict[str, Mapping[str, object]] = {name: read_module(source, name) for name in TABLES}
    tables.update((name, read_text(source, name)) for name in TEXT_TABLES)
    for name, rows in tables.items():
        lines = [f"    {row!r}: {bodies!r},\n" for row, bodies in sorted(rows.items())]
        path = target / f"{name}.py"
        path.write_text(_HEADER.format(name=name) + "".join(lines) + "}\n", encoding="utf-8")
        written.append(path)
    return written

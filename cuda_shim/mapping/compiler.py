"""Tables as Python literals: the form that the build puts into the wheel instead of YAML.

Literals load at the speed of a .pyc, work in a zip, are read by packagers' tools and are readable in a
diff; a pickle or marshal file would be none of these. A module's rows are in a file for each domain, as in the
YAML, and a small file has the domain of each row: a program loads the domains that it uses. That file also has
the functions that end objects, for which a program that ends would have to read all domains.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cuda_shim.mapping.ending_functions import ending_functions
from cuda_shim.mapping.reader import read_domains
from cuda_shim.mapping.store import TABLES
from cuda_shim.mapping.text_tables import TEXT_TABLES, read_text

__all__ = ["compile_tables"]

_HEADER = '"""Compiled from tables/{origin}: edit there."""\n'


def compile_tables(source: Path, target: Path) -> list[Path]:
    """Compile every table of folder `source` into modules of the package folder `target`.

    Returns the files written. Raises TableError when a table breaks a rule.
    """
    target.mkdir(parents=True, exist_ok=True)
    written = [target / "__init__.py"]
    written[0].write_text('"""Compiled tables, made by the build from the YAML in tables/."""\n', encoding="utf-8")
    for name in TABLES:
        domains = read_domains(source, name)
        homes = {row: domain for domain, rows in domains.items() for row in rows}
        ending = ending_functions({row: bodies for rows in domains.values() for row, bodies in rows.items()})
        written.append(_write(target / f"{name}.py", name, DOMAINS=homes, ENDING=ending))
        for domain, rows in domains.items():
            origin = f"{name}.yaml" if domain == name else f"{name}/{domain}.yaml"
            written.append(_write(target / f"{name}_{domain}.py", origin, ROWS=rows))
    for name in TEXT_TABLES:
        written.append(_write(target / f"{name}.py", f"{name}.yaml", ROWS=read_text(source, name)))
    return written


def _write(path: Path, origin: str, **literals: Mapping[str, object]) -> Path:
    text = _HEADER.format(origin=origin)
    for name, literal in literals.items():
        lines = [f"    {key!r}: {value!r},\n" for key, value in sorted(literal.items())]
        text += f"\n{name} = {{\n{''.join(lines)}}}\n"
    path.write_text(text, encoding="utf-8")
    return path

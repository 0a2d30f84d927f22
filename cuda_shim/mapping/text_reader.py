"""Functions that the readers of the text tables (NVRTC's options, device code) share: sorted rows, known fields."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from cuda_shim.errors import TableError
from cuda_shim.mapping import nodes
from cuda_shim.mapping.nodes import Reader

__all__ = ["SectionReader", "compose", "read_rows", "read_sections", "unknown_field"]

SectionReader = Callable[[Reader, str, yaml.Node], dict[str, Any]]
"""Reads a section's rows, given the section's name and node."""


def compose(path: Path) -> tuple[Reader, yaml.Node]:
    """Return a file's reader and root node. Raises TableError for broken YAML or an empty file."""
    root = nodes.compose(path)
    if root is None:
        raise TableError(f"{path}: the table is empty")
    return Reader(path), root


def read_rows(path: Path, name_pattern: re.Pattern[str]) -> Iterator[tuple[Reader, str, yaml.Node]]:
    """Yield each row's name and node, in the file's order, which must be sorted by name.

    Raises TableError for broken YAML, a name given twice or out of order, or one that is not a name.
    """
    reader, root = compose(path)
    previous = ""
    for name, key, node in reader.items(root, "table"):
        reader.matching(key, "table", name_pattern, "a name")
        if name < previous:
            raise reader.error(key, f"'{name}' comes after '{previous}'; rows are sorted by name")
        previous = name
        yield reader, name, node


def read_sections(reader: Reader, root: yaml.Node, sections: Mapping[str, SectionReader]) -> dict[str, dict[str, Any]]:
    """Return a table's sections by name, each with its rows.

    Raises TableError, with file, line and column, for a section that is unknown or missing.
    """
    read: dict[str, dict[str, Any]] = {}
    for name, key, node in reader.items(root, "table"):
        if name not in sections:
            raise unknown_field(reader, "table", key, name, tuple(sections))
        read[name] = sections[name](reader, name, node)
    for name in (each for each in sections if each not in read):
        raise reader.error(root, f"table: no section '{name}'")
    return read


def unknown_field(reader: Reader, name: str, key: yaml.Node, field: str, fields: Sequence[str]) -> TableError:
    """Return the error for a field that no row has."""
    close = difflib.get_close_matches(field, fields, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return reader.error(key, f"{name}: unknown field '{field}'{hint}")

"""The strict reader of tables/amd.yaml: behaviour of AMD GPUs that differs from the tables of names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuda_shim.mapping.sorted_items import sorted_items
from cuda_shim.mapping.text_reader import compose, read_sections, unknown_field

if TYPE_CHECKING:
    import yaml

    from cuda_shim.mapping.nodes import Reader
    from cuda_shim.mapping.text_reader import SectionReader

__all__ = ["read_amd"]

_NAME = re.compile(r"[A-Za-z_]\w*")
_PATTERN = re.compile(r"[A-Za-z_]\w*\*?")
_SUBJECT = re.compile(r"[a-z][a-z ]*")
_LIMIT_FIELDS = ("text", "rare", "names")


def read_amd(path: Path) -> dict[str, dict[str, Any]]:
    """Return the sections by name, each with its rows. Raises TableError with file, line and column."""
    reader, root = compose(path)
    sections: dict[str, SectionReader] = {
        "limits": _limits,
        "refused": _refused,
    }
    return read_sections(reader, root, sections)


def _limits(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    """Return by subject: its text, whether few programs meet it, the names that it is about."""
    return {
        subject: _limit(reader, f"{what}.{subject}", value)
        for subject, value in sorted_items(reader, what, node, _SUBJECT)
    }


def _limit(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    row: dict[str, Any] = {"rare": False}
    for field, key, value in reader.items(node, what):
        if field == "text":
            row[field] = reader.scalar(value, f"{what}.text")
        elif field == "rare":
            row[field] = reader.one_of(value, f"{what}.rare", ("true",)) == "true"
        elif field == "names":
            items = reader.sequence(value, f"{what}.names")
            row[field] = [
                reader.matching(item, f"{what}.names", _PATTERN, "a name, or its beginning and *") for item in items
            ]
        else:
            raise unknown_field(reader, what, key, field, _LIMIT_FIELDS)
    for field in ("text", "names"):
        if field not in row:
            raise reader.error(node, f"{what}: no field '{field}'")
    return row


def _refused(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    return {name: reader.scalar(value, f"{what}.{name}") for name, value in sorted_items(reader, what, node, _NAME)}

"""The strict reader of tables/nvrtc_messages.yaml: NVRTC's words for the messages of Clang."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuda_shim.mapping.text_reader import read_rows, unknown_field

if TYPE_CHECKING:
    import yaml

    from cuda_shim.mapping.nodes import Reader

__all__ = ["read_messages"]

_NAME = re.compile(r"[a-z][\w+-]*")
_NUMBER = re.compile(r"[1-9]\d*")
_PLACE = re.compile(r"\{(\w+)\}")
_FIELDS = ("clang", "flag", "nvrtc", "number", "refused")


def read_messages(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows by name. Raises TableError with file, line and column."""
    return {name: _row(reader, name, node) for reader, name, node in read_rows(path, _NAME)}


def _row(reader: Reader, name: str, node: yaml.Node) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for field, key, value in reader.items(node, name):
        what = f"{name}.{field}"
        if field == "clang":
            row[field] = [reader.scalar(item, what) for item in reader.sequence(value, what)]
        elif field in ("flag", "nvrtc"):
            row[field] = reader.scalar(value, what)
        elif field == "number":
            row[field] = int(reader.matching(value, what, _NUMBER, "a number"))
        elif field == "refused":
            row[field] = reader.one_of(value, what, ("true", "c++14", "c++17"))
        else:
            raise unknown_field(reader, name, key, field, _FIELDS)
    if ("clang" in row) == ("flag" in row) or "nvrtc" not in row:
        raise reader.error(node, f"{name}: a row has clang or flag, and nvrtc")
    places = set(_PLACE.findall(row["nvrtc"]))
    for text in row.get("clang", ["{text}"]):
        if not places <= {*_PLACE.findall(text), "text"}:
            raise reader.error(node, f"{name}: nvrtc has places that '{text}' lacks")
    return row

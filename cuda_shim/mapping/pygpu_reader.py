"""The strict reader of tables/pygpu.yaml: the names that `import PyGPU` brings.

A row's name may hold `<dtype>`: it stands for one row for each dtype of its list `dtypes`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuda_shim.mapping.text_reader import read_rows, unknown_field

if TYPE_CHECKING:
    import yaml

    from cuda_shim.mapping.nodes import Reader

__all__ = ["read_pygpu"]

_NAME = re.compile(r"[A-Za-z_]\w*(<dtype>)?")
_WORD = re.compile(r"[A-Za-z_]\w*")
_CODE = re.compile(r"[a-z_]+\.\w+")
_PARAMETER = re.compile(r"(int|cudaError_t|cudaEvent_t|cudaStream_t)( = -?\d+)?")
_FIELDS = ("calls", "takes", "gives", "code", "dtypes", "text")


def read_pygpu(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows by name, one for each dtype where a row stands for several.

    Raises TableError with file, line and column.
    """
    rows: dict[str, dict[str, Any]] = {}
    for reader, name, node in read_rows(path, _NAME):
        row = _row(reader, name, node)
        for dtype in row.pop("dtypes"):
            rows[name.replace("<dtype>", dtype or "")] = {**row, "dtype": dtype}
    return rows


def _row(reader: Reader, name: str, node: yaml.Node) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for field, key, value in reader.items(node, name):
        what = f"{name}.{field}"
        if field == "calls":
            row[field] = reader.matching(value, what, _WORD, "a function of cuda.bindings.runtime")
        elif field == "takes":
            row[field] = [_parameter(reader, what, *item) for item in reader.items(value, what)]
        elif field == "gives":
            row[field] = reader.one_of(value, what, ("status", "text"))
        elif field == "code":
            row[field] = reader.matching(value, what, _CODE, "a module.name of cuda_shim.pygpu")
        elif field == "dtypes":
            row[field] = [reader.matching(item, what, _WORD, "a dtype") for item in reader.sequence(value, what)]
        elif field == "text":
            row[field] = reader.scalar(value, what)
        else:
            raise unknown_field(reader, name, key, field, _FIELDS)
    _check(reader, name, node, row)
    if "calls" in row:
        row = {"takes": [], "gives": "status", **row}
    return {"dtypes": [None], **row}


def _parameter(reader: Reader, what: str, name: str, key: yaml.Node, node: yaml.Node) -> tuple[str, str, str | None]:
    """Return a parameter as (name, type, default)."""
    reader.matching(key, what, _WORD, "a name")
    text = reader.matching(node, f"{what}.{name}", _PARAMETER, "a type of PyGPU's calls, with or without a default")
    kind, equals, default = text.partition(" = ")
    return name, kind, default if equals else None


def _check(reader: Reader, name: str, node: yaml.Node, row: dict[str, Any]) -> None:
    if ("calls" in row) == ("code" in row):
        raise reader.error(node, f"{name}: a row has 'calls' or 'code', and not both")
    if "text" not in row:
        raise reader.error(node, f"{name}: 'text' is missing: a description of the name")
    if ("<dtype>" in name) != ("dtypes" in row):
        raise reader.error(node, f"{name}: '<dtype>' in the name and 'dtypes' belong together")
    if "code" in row and ("takes" in row or "gives" in row):
        raise reader.error(node, f"{name}: 'takes' and 'gives' belong to 'calls'")

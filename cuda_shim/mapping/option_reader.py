"""The strict reader of tables/nvrtc_options.yaml: the form of each NVRTC option, and its translation or refusal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.text_reader import read_rows, unknown_field

if TYPE_CHECKING:
    from cuda_shim.mapping.nodes import Reader

__all__ = ["read_options"]

_NAME = re.compile(r"[A-Za-z][\w-]*")
_SPELLING = re.compile(r"--?[A-Za-z][\w-]*")
_OUTCOMES = ("hiprtc", "rule", "messages", "drop", "refuse")
_MESSAGES = ("errors", "suppressed", "shown", "unnumbered")
_RANGE = re.compile(r"\d+-\d*")
_VALUES = ("boolean", "integer", "text", "any")
_BOOLEANS = ("true", "false")
_FIELDS = (
    "spellings",
    "value",
    "form",
    "repeat",
    "first",
    "optional",
    "needs",
    "since",
    "among",
    "otherwise",
    "excludes",
    "excluded",
    *_OUTCOMES,
    "cpu",
)
_RULES = ("architecture", "include_path", "no_source_include", "standard")


def read_options(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows by option name. Raises TableError with file, line and column."""
    spelled: dict[str, str] = {}
    rows: dict[str, dict[str, Any]] = {}
    for reader, name, node in read_rows(path, _NAME):
        rows[name] = _row(reader, name, node)
        for spelling in rows[name]["spellings"]:
            if spelling in spelled:
                other = spelled[spelling]
                raise reader.error(node, f"{name}.spellings: '{spelling}' is also a spelling of '{other}'")
            spelled[spelling] = name
    for reader, name, node in read_rows(path, _NAME):
        for field in ("needs", "excludes"):
            other = rows[name].get(field, name)
            if other not in rows:
                raise reader.error(node, f"{name}.{field}: no option '{other}' in the table")
    return rows


def _row(reader: Reader, name: str, node: yaml.Node) -> dict[str, Any]:
    row: dict[str, Any] = {}
    nodes: dict[str, yaml.Node] = {}
    for field, key, value in reader.items(node, name):
        what = f"{name}.{field}"
        nodes[field] = value
        if field == "spellings":
            expected = "an option such as --fmad"
            items = reader.sequence(value, what)
            row[field] = [reader.matching(item, what, _SPELLING, expected) for item in items]
        elif field == "value":
            row[field] = reader.one_of(value, what, _VALUES)
        elif field == "form":
            row[field] = reader.one_of(value, what, ("equals",))
        elif field == "repeat":
            row[field] = reader.one_of(value, what, ("many",))
        elif field in ("first", "optional"):
            row[field] = reader.one_of(value, what, ("true",))
        elif field == "since":
            row[field] = reader.one_of(value, what, LAYOUTS)
        elif field == "rule":
            row[field] = reader.one_of(value, what, _RULES)
        elif field == "messages":
            row[field] = reader.one_of(value, what, _MESSAGES)
        elif field == "among" and isinstance(value, yaml.SequenceNode):
            row[field] = _texts(reader, what, value)
        elif field == "among":
            row[field] = reader.matching(value, what, _RANGE, "a list of values, or a range such as 0-101")
        elif field in ("otherwise", "excluded"):
            row[field] = reader.scalar(value, what)
        elif field in ("needs", "excludes"):
            row[field] = reader.matching(value, what, _NAME, "an option of the table such as device-debug")
        elif field in ("drop", "refuse"):
            row[field] = reader.scalar(value, what)
        elif field in ("hiprtc", "cpu"):
            row[field] = _arguments(reader, what, value)
        else:
            raise unknown_field(reader, name, key, field, _FIELDS)
    _check(reader, name, node, nodes, row)
    return row


def _arguments(reader: Reader, what: str, node: yaml.Node) -> list[str] | dict[str, list[str]]:
    if isinstance(node, yaml.SequenceNode):
        return _texts(reader, what, node)
    arguments = {
        reader.one_of(key, what, _BOOLEANS): _texts(reader, what, value) for _, key, value in reader.items(node, what)
    }
    if len(arguments) != len(_BOOLEANS):
        raise reader.error(node, f"{what}: give the arguments both for true and for false")
    return arguments


def _texts(reader: Reader, what: str, node: yaml.Node) -> list[str]:
    return [reader.scalar(item, what) for item in reader.sequence(node, what)]


def _check(reader: Reader, name: str, node: yaml.Node, nodes: dict[str, yaml.Node], row: dict[str, Any]) -> None:
    """Check the rules that involve several fields."""
    if not row.get("spellings"):
        raise reader.error(node, f"{name}: an option needs spellings")
    outcomes = [outcome for outcome in _OUTCOMES if outcome in row]
    if len(outcomes) != 1:
        problem = f"has {' and '.join(outcomes)}" if outcomes else f"has none of {', '.join(_OUTCOMES)}"
        raise reader.error(node, f"{name}: a row treats an option by exactly one field; this one {problem}")
    if "cpu" in row and "rule" in row:
        raise reader.error(nodes["cpu"], f"{name}.cpu: a rule speaks for every device")
    for field, text in (("among", "otherwise"), ("excludes", "excluded")):
        if (field in row) != (text in row):
            raise reader.error(node, f"{name}: {field} and {text} go together")
    if "form" in row and "value" not in row:
        raise reader.error(nodes["form"], f"{name}.form: only an option with a value has a form")
    for field in ("hiprtc", "cpu"):
        if field in row and isinstance(row[field], dict) != (row.get("value") == "boolean"):
            message = "a boolean, and only a boolean, has arguments for true and for false"
            raise reader.error(nodes[field], f"{name}.{field}: {message}")

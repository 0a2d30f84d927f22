"""The strict reader of the YAML tables: nodes to rows in the compiled form, with errors that name the place.

It walks the node tree instead of loading objects, since only nodes know their line and show a key that is
given twice. Every scalar is text until a field's rule types it, so `on`, `1.10` and `0x1` mean themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from cuda_shim.errors import TableError
from cuda_shim.mapping.grammar import C_TYPES, parse_member, parse_parameter
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.nodes import Reader, compose, hint
from cuda_shim.mapping.rows import GENERATIONS, Body
from cuda_shim.mapping.struct_reader import check_hip_fields, read_fields, read_hip_fields

__all__ = ["read_domains", "read_file", "read_module"]

_NAME = re.compile(r"[A-Za-z_]\w*")
_ROW = re.compile(r"^([A-Za-z_]\w*):", re.MULTILINE)
_ADAPTER = re.compile(r"[a-z_]+\.[a-z0-9_]+")
_CLASS = re.compile(r"(driver\.|runtime\.)?\w+")
_CALL = re.compile(r"[A-Za-z_]\w*(\.\w+)?|-?\d+|0x[0-9A-Fa-f]+")
_KINDS = ("function", "enum", "handle", "extends", "struct", "union", "constant")


def read_module(folder: Path, name: str) -> dict[str, tuple[Body, ...]]:
    """Return all rows of a module. Raises TableError as `read_domains` does."""
    return {row: bodies for rows in read_domains(folder, name).values() for row, bodies in rows.items()}


def read_domains(folder: Path, name: str) -> dict[str, dict[str, tuple[Body, ...]]]:
    """Return the rows of a module by the file that has them: `<name>.yaml`, or every file of the folder `<name>`.

    Raises TableError for the first rule that is broken, or for a name that two files define.
    """
    single = folder / f"{name}.yaml"
    paths = [single] if single.exists() else sorted((folder / name).glob("*.yaml"))
    if not paths:
        raise TableError(f"{folder / name}: no table of module {name!r} here")
    types = _defined_names(folder)
    domains: dict[str, dict[str, tuple[Body, ...]]] = {}
    defined: dict[str, Path] = {}
    for path in paths:
        rows = domains[path.stem] = read_file(path, types)
        for row_name in rows:
            if row_name in defined:
                raise TableError(f"{path}: '{row_name}' is also defined in {defined[row_name]}")
            defined[row_name] = path
    return domains


def _defined_names(folder: Path) -> frozenset[str]:
    """Return the names of all rows of a folder of tables, in any module: the names that a type may have."""
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in folder.rglob("*.yaml"))
    return frozenset(name for text in texts for name in _ROW.findall(text))


def read_file(path: Path, types: frozenset[str] | None = None) -> dict[str, tuple[Body, ...]]:
    """Return the rows of one file, which must be sorted by name; `types` are the names of types, where known.

    Raises TableError with file, line and column.
    """
    reader = Reader(path, types)
    root = compose(path)
    rows: dict[str, tuple[Body, ...]] = {}
    previous = ""
    if root is None:
        return rows
    for name, key, node in reader.items(root, "table"):
        reader.matching(key, "table", _NAME, "a name")
        if name < previous:
            raise reader.error(key, f"'{name}' comes after '{previous}'; rows are sorted by name")
        previous = name
        rows[name] = _row(reader, name, node)
    return rows


def _row(reader: Reader, name: str, node: yaml.Node) -> tuple[Body, ...]:
    """Return a row's bodies: one, or one for each entry of `versions`, which the row's other fields are added to."""
    entries = {text: value for text, _, value in reader.items(node, name)}
    versions = entries.pop("versions", None)
    bodies: list[Body] = []
    if versions is None:
        bodies.append(_body(reader, name, node, entries))
        check_hip_fields(reader, name, node, tuple(bodies))
        return tuple(bodies)
    for version in reader.sequence(versions, f"{name}.versions"):
        own = {text: value for text, _, value in reader.items(version, f"{name}.versions")}
        for text in own.keys() & entries.keys():
            raise reader.error(version, f"{name}: field '{text}' is given both for the row and for a version")
        bodies.append(_body(reader, name, version, {**own, **entries}))
    check_hip_fields(reader, name, node, tuple(bodies))
    return tuple(bodies)


def _body(reader: Reader, name: str, node: yaml.Node, entries: dict[str, yaml.Node]) -> Body:
    kinds = [kind for kind in _KINDS if kind in entries]
    if len(kinds) != 1:
        problem = f"has {' and '.join(kinds)}" if kinds else f"has none of {', '.join(_KINDS)}"
        raise reader.error(node, f"{name}: a row defines its name by exactly one field; this one {problem}")
    kind = kinds[0]
    rules = {**_COMMON, **_FIELDS[kind]}
    body: dict[str, Any] = {"kind": kind}
    for text, value in entries.items():
        rule = rules.get(text)
        if rule is None:
            raise reader.error(value, f"{name}: unknown field '{text}' of a {kind}{hint(text, tuple(rules))}")
        key, read = rule
        content = read(reader, f"{name}.{text}", value)
        if content is not None:
            body[key] = content
    _check(reader, name, node, body)
    return body


def _check(reader: Reader, name: str, node: yaml.Node, body: Body) -> None:
    """Check the rules that involve several fields."""
    if body["kind"] == "enum":
        if "members" not in body:
            raise reader.error(node, f"{name}: an enum needs members")
        members = {member[0] for member in body["members"]}
        for hip_name, member in body.get("from_hip", ()):
            if member not in members:
                raise reader.error(node, f"{name}.from_hip.{hip_name}: '{member}' is no member of {name}")
    if body["kind"] != "function":
        return
    if not any(key in body for key in ("hip", "adapter", "provided", "unsupported")):
        raise reader.error(node, f"{name}: nothing serves this function; give hip, adapter, provided or unsupported")
    inputs = {part[0] for part in body["parameters"] if part[1] in ("in", "inout")}
    _check_call(reader, name, node, body)
    if "order" in body and set(body["order"]) != inputs:
        raise reader.error(node, f"{name}.order: lists {', '.join(body['order'])}, not the arguments")


def _check_call(reader: Reader, name: str, node: yaml.Node, body: Body) -> None:
    """HIP's arguments are parameters of the row, and every output has its place among them."""
    call = body.get("call")
    if call is None:
        return
    parameters = tuple(part[0] for part in body["parameters"])
    for argument in call:
        if argument[0].isalpha() and "." not in argument and argument not in parameters:
            raise reader.error(node, f"{name}.call: '{argument}' is not a parameter{hint(argument, parameters)}")
    for part in body["parameters"]:
        if part[1] != "in" and part[0] not in call:
            raise reader.error(node, f"{name}.call: the output '{part[0]}' has no place in HIP's call")


def _read_name(reader: Reader, what: str, node: yaml.Node) -> str:
    return reader.matching(node, what, _NAME, "a name")


def _read_text(reader: Reader, what: str, node: yaml.Node) -> str:
    return reader.scalar(node, what)


def _read_context(reader: Reader, what: str, node: yaml.Node) -> str:
    return reader.one_of(node, what, ("needed", "unchanged"))


def _read_layout(reader: Reader, what: str, node: yaml.Node) -> str:
    return reader.one_of(node, what, LAYOUTS)


def _read_adapter(reader: Reader, what: str, node: yaml.Node) -> str:
    return reader.matching(node, what, _ADAPTER, "'module.function' of cuda_shim.adapters")


def _read_generations(reader: Reader, what: str, node: yaml.Node) -> tuple[int, ...]:
    return tuple(int(reader.one_of(item, what, tuple(map(str, GENERATIONS)))) for item in reader.sequence(node, what))


def _read_names(reader: Reader, what: str, node: yaml.Node) -> tuple[str, ...]:
    return tuple(_read_name(reader, what, item) for item in reader.sequence(node, what))


def _read_call(reader: Reader, what: str, node: yaml.Node) -> tuple[str, ...]:
    expected = "an argument's name, a number or hipEnum.member"
    return tuple(reader.matching(item, what, _CALL, expected) for item in reader.sequence(node, what))


def _read_parameters(reader: Reader, what: str, node: yaml.Node) -> tuple[Any, ...]:
    parameters = []
    for name, key, value in reader.items(node, what):
        reader.matching(key, what, _NAME, "a name")
        parts = reader.parsed(value, f"{what}.{name}", partial(parse_parameter, name))
        reader.check_type(value, f"{what}.{name}", parts[2])
        parameters.append(parts)
    return tuple(parameters)


def _read_storage(reader: Reader, what: str, node: yaml.Node) -> str:
    text = reader.scalar(node, what)
    if text not in ("pointer", "callback") and text not in C_TYPES:
        raise reader.error(node, f"{what}: {text!r} is not pointer, callback or a C integer type")
    return text


def _read_class(reader: Reader, what: str, node: yaml.Node) -> str:
    text = reader.matching(node, what, _CLASS, "a class")
    reader.check_type(node, what, text.rpartition(".")[2])
    return text


def _read_hip_enum(reader: Reader, what: str, node: yaml.Node) -> str | None:
    text = _read_name(reader, what, node)
    return None if text == "none" else text


def _read_value(reader: Reader, what: str, node: yaml.Node) -> int | dict[str, int]:
    if not isinstance(node, yaml.MappingNode):
        return int(reader.parsed(node, what, int))
    return {
        reader.one_of(key, what, LAYOUTS): int(reader.parsed(value, what, int))
        for _, key, value in reader.items(node, what)
    }


def _read_pairs(reader: Reader, what: str, node: yaml.Node) -> tuple[tuple[str, str], ...]:
    return tuple((name, _read_name(reader, f"{what}.{name}", value)) for name, _, value in reader.items(node, what))


def _read_members(reader: Reader, what: str, node: yaml.Node) -> tuple[Any, ...]:
    """Return members as (name, value, hip, text, since, until), in CUDA's order."""
    return tuple(_read_member(reader, f"{what}.{name}", name, value) for name, _, value in reader.items(node, what))


def _read_member(reader: Reader, what: str, name: str, node: yaml.Node) -> tuple[Any, ...]:
    if not isinstance(node, yaml.MappingNode):
        value, hip = reader.parsed(node, what, parse_member)
        return name, value, hip, None, None, None
    fields: dict[str, Any] = {}
    for text, key, value_node in reader.items(node, what):
        rule = _MEMBER_FIELDS.get(text)
        if rule is None:
            raise reader.error(key, f"{what}: unknown field '{text}'{hint(text, tuple(_MEMBER_FIELDS))}")
        fields[text] = rule(reader, f"{what}.{text}", value_node)
    if "value" not in fields:
        raise reader.error(node, f"{what}: a member needs a value")
    return name, *(fields.get(key) for key in ("value", "hip", "text", "since", "until"))


_Rule = tuple[str, Callable[[Reader, str, yaml.Node], Any]]
_MEMBER_FIELDS: dict[str, Callable[[Reader, str, yaml.Node], Any]] = {
    "value": _read_value,
    "hip": _read_name,
    "text": _read_text,
    "since": _read_layout,
    "until": _read_layout,
}
_COMMON: dict[str, _Rule] = {
    "since": ("since", _read_layout),
    "until": ("until", _read_layout),
    "note": ("note", _read_text),
}
_HIP_STRUCT: dict[str, _Rule] = {"hip": ("hip", _read_name), "hip_fields": ("hip_fields", read_hip_fields)}
_FIELDS: dict[str, dict[str, _Rule]] = {
    "function": {
        "text": ("text", _read_text),
        "function": ("parameters", _read_parameters),
        "order": ("order", _read_names),
        "result": ("result", _read_text),
        "hip": ("hip", _read_name),
        "call": ("call", _read_call),
        "hip_python": ("hip_python", _read_generations),
        "native": ("native", _read_generations),
        "adapter": ("adapter", _read_adapter),
        "provided": ("provided", _read_adapter),
        "unsupported": ("unsupported", _read_text),
        "status": ("status", _read_name),
        "context": ("context", _read_context),
        "uninitialized": ("uninitialized", _read_name),
    },
    "enum": {
        "enum": ("hip", _read_hip_enum),
        "members": ("members", _read_members),
        "from_hip": ("from_hip", _read_pairs),
        "hip_python": ("hip_python", _read_generations),
        "newer": ("newer", _read_names),
    },
    "handle": {"handle": ("storage", _read_storage)},
    "extends": {
        "extends": ("base", _read_class),
        "hip": ("hip", _read_name),
    },
    "struct": {"struct": ("fields", read_fields), **_HIP_STRUCT},
    "union": {"union": ("fields", read_fields), **_HIP_STRUCT},
    "constant": {"constant": ("value", _read_value)},
}

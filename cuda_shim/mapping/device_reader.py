"""The strict reader of tables/device.yaml: names and headers of CUDA device code."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from cuda_shim.mapping.sorted_items import sorted_items
from cuda_shim.mapping.text_reader import compose, read_sections

if TYPE_CHECKING:
    from cuda_shim.mapping.nodes import Reader
    from cuda_shim.mapping.text_reader import SectionReader

__all__ = ["read_device"]

_NAME = re.compile(r"(std::)?[A-Za-z_]\w*")
_MACRO = re.compile(r"[A-Za-z_]\w*(\((\w+(, \w+)*|\.\.\.)?\))?")
_FILE = re.compile(r"[\w./]+")
_HEADER_FORMS = ("provided", "nothing", "like", "refuse")


def read_device(path: Path) -> dict[str, dict[str, Any]]:
    """Return the sections by name, each with its rows. Raises TableError with file, line and column."""
    reader, root = compose(path)
    sections: dict[str, SectionReader] = {
        "functions": _functions,
        "declared": _declared,
        "names": _names,
        "refused": _refused,
        "own": _own,
        "headers": _headers,
        "same": _same,
    }
    tables = read_sections(reader, root, sections)
    _check_likes(reader, root, tables["headers"])
    return tables


def _functions(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    """Return each name with (the name that replaces it, the header that defines that name)."""
    definitions: dict[str, Any] = {}
    for header, names in sorted_items(reader, what, node, _FILE):
        for item in reader.sequence(names, f"{what}.{header}"):
            if isinstance(item, yaml.MappingNode):
                ((name, key, value),) = reader.items(item, f"{what}.{header}")
                target = reader.matching(value, f"{what}.{header}", _NAME, "a name")
            else:
                key, name = item, reader.matching(item, f"{what}.{header}", _NAME, "a name")
                target = "cuda_on_hip_" + name.lstrip("_")
            if name in definitions:
                raise reader.error(key, f"{what}: '{name}' is defined in {definitions[name][1]} already")
            definitions[name] = (target, header)
    return definitions


def _declared(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    """Return each name with the header that declares it."""
    declarations: dict[str, Any] = {}
    for header, names in sorted_items(reader, what, node, _FILE):
        for item in reader.sequence(names, f"{what}.{header}"):
            declarations[reader.matching(item, f"{what}.{header}", _NAME, "a name")] = header
    return declarations


def _names(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    """Return each name with (the name and its parameters, its replacement)."""
    macros: dict[str, Any] = {}
    for name, value in sorted_items(reader, what, node, _MACRO):
        macros[name.partition("(")[0]] = (name, reader.scalar(value, f"{what}.{name}"))
    return macros


def _refused(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    return {name: reader.scalar(value, f"{what}.{name}") for name, value in sorted_items(reader, what, node, _NAME)}


def _own(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    return {reader.matching(item, what, _NAME, "a name"): True for item in reader.sequence(node, what)}


def _same(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    """Return the names, which are sorted."""
    names = [reader.matching(item, what, _NAME, "a name") for item in reader.sequence(node, what)]
    if names != sorted(set(names)):
        raise reader.error(node, f"{what}: names are sorted, each once")
    return dict.fromkeys(names, True)


def _headers(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    """Return each header with exactly one of `provided`, `nothing`, `like`, `refuse`."""
    headers: dict[str, Any] = {}
    for name, value in sorted_items(reader, what, node, _FILE):
        fields = {field: (key, item) for field, key, item in reader.items(value, f"{what}.{name}")}
        if len(fields) != 1 or not fields.keys() <= set(_HEADER_FORMS):
            raise reader.error(value, f"{what}.{name}: give exactly one of {', '.join(_HEADER_FORMS)}")
        ((field, (_, item)),) = fields.items()
        headers[name] = {field: reader.scalar(item, f"{what}.{name}.{field}")}
    return headers


def _check_likes(reader: Reader, root: yaml.Node, headers: dict[str, Any]) -> None:
    for name, row in headers.items():
        like = row.get("like")
        if like is not None and "/" not in like and "provided" not in headers.get(like, {}):
            close = difflib.get_close_matches(like, headers, 1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise reader.error(root, f"headers.{name}.like: '{like}' is not provided{hint}")

"""The strict reader of tables/packages.yaml: what becomes of packages and libraries that reach CUDA by themselves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuda_shim.mapping.sorted_items import sorted_items
from cuda_shim.mapping.text_reader import compose, unknown_field

if TYPE_CHECKING:
    from collections.abc import Callable

    import yaml

    from cuda_shim.mapping.nodes import Reader

__all__ = ["read_packages"]

_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_LIBRARY = re.compile(r"[\w-]+\*?")
_PLACES = ("rocm", "cpu")
_OUTCOMES = ("works", "itself", "refuse")


def read_packages(path: Path) -> dict[str, dict[str, Any]]:
    """Return the sections by name, each with its rows. Raises TableError with file, line and column."""
    reader, root = compose(path)
    sections: dict[str, tuple[re.Pattern[str], Callable[[Reader, str, yaml.Node], Any]]] = {
        "libraries": (_LIBRARY, _text),
        "modules": (_MODULE, _module),
        "headers": (re.compile(r"[\w./]+"), _text),
    }
    found: dict[str, dict[str, Any]] = {}
    for name, key, node in reader.items(root, "table"):
        if name not in sections:
            raise unknown_field(reader, "table", key, name, tuple(sections))
        pattern, read = sections[name]
        found[name] = {
            row: read(reader, f"{name}.{row}", value) for row, value in sorted_items(reader, name, node, pattern)
        }
    for name in sections.keys() - found.keys():
        raise reader.error(root, f"table: no section '{name}'")
    return found


def _text(reader: Reader, what: str, node: yaml.Node) -> str:
    return reader.scalar(node, what)


def _module(reader: Reader, what: str, node: yaml.Node) -> dict[str, tuple[str, str]]:
    """Return by backend what becomes of a module, as (works, itself or refuse, text)."""
    found: dict[str, tuple[str, str]] = {}
    for place, key, value in reader.items(node, what):
        if place not in (*_PLACES, "both"):
            raise unknown_field(reader, what, key, place, (*_PLACES, "both"))
        outcomes = list(reader.items(value, f"{what}.{place}"))
        if len(outcomes) != 1 or outcomes[0][0] not in _OUTCOMES:
            raise reader.error(value, f"{what}.{place}: give exactly one of {', '.join(_OUTCOMES)}")
        ((outcome, _, text),) = outcomes
        for each in _PLACES if place == "both" else (place,):
            found[each] = outcome, reader.scalar(text, f"{what}.{place}.{outcome}")
    if found.keys() != set(_PLACES):
        raise reader.error(node, f"{what}: say what becomes of it on rocm and cpu, or on both")
    return found

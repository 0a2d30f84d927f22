"""The strict reader of tables/packages.yaml: the treatment of packages and libraries that reach CUDA by themselves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuda_shim.mapping.sorted_items import sorted_items
from cuda_shim.mapping.text_reader import compose, read_sections, unknown_field

if TYPE_CHECKING:
    from collections.abc import Callable

    import yaml

    from cuda_shim.mapping.nodes import Reader
    from cuda_shim.mapping.text_reader import SectionReader

__all__ = ["read_packages"]

_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_LIBRARY = re.compile(r"[\w-]+\*?")
_FILE = re.compile(r"[\w./]+")
_PLACES = ("rocm", "cpu")
_OUTCOMES = ("works", "itself", "refuse")
_TRIAL = ("install", "alone", "program", "flags", "works", "obstacle")


def read_packages(path: Path) -> dict[str, dict[str, Any]]:
    """Return the sections by name, each with its rows. Raises TableError with file, line and column."""
    reader, root = compose(path)
    sections: dict[str, SectionReader] = {
        "libraries": _rows(_LIBRARY, _text),
        "modules": _rows(_MODULE, _module),
        "headers": _rows(_FILE, _text),
        "tried": _rows(_MODULE, _trial),
    }
    return read_sections(reader, root, sections)


def _rows(pattern: re.Pattern[str], read: Callable[[Reader, str, yaml.Node], Any]) -> SectionReader:
    """Return the reader of a section whose names match `pattern` and whose rows `read` takes."""

    def section(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
        return {row: read(reader, f"{what}.{row}", value) for row, value in sorted_items(reader, what, node, pattern)}

    return section


def _text(reader: Reader, what: str, node: yaml.Node) -> str:
    return reader.scalar(node, what)


def _module(reader: Reader, what: str, node: yaml.Node) -> dict[str, tuple[str, str]]:
    """Return the outcome of a module by backend, as (works, itself or refuse, text)."""
    by_backend: dict[str, tuple[str, str]] = {}
    for place, key, value in reader.items(node, what):
        if place not in (*_PLACES, "both"):
            raise unknown_field(reader, what, key, place, (*_PLACES, "both"))
        outcomes = list(reader.items(value, f"{what}.{place}"))
        if len(outcomes) != 1 or outcomes[0][0] not in _OUTCOMES:
            raise reader.error(value, f"{what}.{place}: give exactly one of {', '.join(_OUTCOMES)}")
        ((outcome, _, text),) = outcomes
        for each in _PLACES if place == "both" else (place,):
            by_backend[each] = outcome, reader.scalar(text, f"{what}.{place}.{outcome}")
    if by_backend.keys() != set(_PLACES):
        raise reader.error(node, f"{what}: judge it for rocm and for cpu, or for both")
    return by_backend


def _trial(reader: Reader, what: str, node: yaml.Node) -> dict[str, str]:
    """Return the fields of a package's trial, of which `works`, `obstacle` or both give the outcome."""
    trial: dict[str, str] = {}
    for field, key, value in reader.items(node, what):
        if field not in _TRIAL:
            raise unknown_field(reader, what, key, field, _TRIAL)
        trial[field] = reader.scalar(value, f"{what}.{field}")
    for field in ("install", "program"):
        if field not in trial:
            raise reader.error(node, f"{what}: no '{field}'")
    if not trial.keys() & {"works", "obstacle"}:
        raise reader.error(node, f"{what}: give 'works', 'obstacle' or both")
    return trial

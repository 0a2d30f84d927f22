"""YAML nodes of one file, read strictly: an unexpected node is an error that names its place."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import yaml

from cuda_shim.errors import TableError
from cuda_shim.mapping.grammar import C_TYPES, OPAQUE_TYPES

__all__ = ["Reader", "compose", "hint"]

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def compose(path: Path) -> yaml.Node | None:
    """Return the root node of a file, None of an empty one. Raises TableError for a file that is not YAML in UTF-8.

    Aliases are refused: readers follow nodes, and a few lines of aliases can stand for any number of them.
    """
    try:
        root: yaml.Node | None = yaml.compose(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as broken:
        raise TableError(f"{path}: {' '.join(str(broken).split())}") from None
    if root is not None:
        _refuse_aliases(path, root)
    return root


def _refuse_aliases(path: Path, root: yaml.Node) -> None:
    seen = {id(root)}
    left = [root]
    while left:
        node = left.pop()
        if isinstance(node, yaml.ScalarNode):
            continue
        pairs = isinstance(node, yaml.MappingNode)
        for child in itertools.chain.from_iterable(node.value) if pairs else node.value:
            if id(child) in seen:
                raise Reader(path).error(child, "a table has no anchors and aliases; write the value again")
            seen.add(id(child))
            left.append(child)


class Reader:
    """One file being read; knows its path for error messages."""

    def __init__(self, path: Path, types: Collection[str] | None = None) -> None:
        """`types` are the names that all tables define; without them any name passes for a type."""
        self.path = path
        self._types = types

    def error(self, node: yaml.Node, message: str) -> TableError:
        """Return an error that names the place of a node."""
        mark = node.start_mark
        return TableError(f"{self.path}:{mark.line + 1}:{mark.column + 1}: {message}")

    def check_type(self, node: yaml.Node, what: str, base: str) -> None:
        """Refuse a type that is neither C's own, nor declared opaque, nor the name of a row of any table."""
        if self._types is None or base in C_TYPES or base in OPAQUE_TYPES or base in self._types:
            return
        raise self.error(node, f"{what}: no row defines the type {base!r}{hint(base, tuple(self._types))}")

    def items(self, node: yaml.Node, what: str) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
        """Yield keys with their nodes; refuses anything but a mapping, and keys that are given twice."""
        if not isinstance(node, yaml.MappingNode):
            raise self.error(node, f"{what}: expected a mapping")
        seen: dict[str, int] = {}
        for key, value in node.value:
            text = self.scalar(key, f"a key of {what}")
            if text in seen:
                raise self.error(key, f"{what}: duplicate entry '{text}' (first defined on line {seen[text]})")
            seen[text] = key.start_mark.line + 1
            yield text, key, value

    def scalar(self, node: yaml.Node, what: str) -> str:
        """Return the text of a single value; refuses anything else."""
        if not isinstance(node, yaml.ScalarNode):
            raise self.error(node, f"{what}: expected a single value")
        return str(node.value)

    def matching(self, node: yaml.Node, what: str, pattern: re.Pattern[str], expected: str) -> str:
        """Return the text of a value that a pattern must match whole; `expected` describes the value in words."""
        text = self.scalar(node, what)
        if not pattern.fullmatch(text):
            raise self.error(node, f"{what}: {text!r} is not {expected}")
        return text

    def one_of(self, node: yaml.Node, what: str, allowed: tuple[str, ...]) -> str:
        """Return the text of a value that must be one of a few."""
        text = self.scalar(node, what)
        if text not in allowed:
            raise self.error(node, f"{what}: {text!r} is not one of {', '.join(allowed)}{hint(text, allowed)}")
        return text

    def sequence(self, node: yaml.Node, what: str) -> list[yaml.Node]:
        """Return the items of a list; refuses anything else."""
        if not isinstance(node, yaml.SequenceNode):
            raise self.error(node, f"{what}: expected a list")
        return list(node.value)

    def parsed(self, node: yaml.Node, what: str, parse: Callable[[str], Any]) -> Any:
        """Return the result of `parse` for a value; its ValueError becomes an error that names the place."""
        try:
            return parse(self.scalar(node, what))
        except ValueError as wrong:
            raise self.error(node, f"{what}: {wrong}") from None


def hint(text: str, vocabulary: tuple[str, ...]) -> str:
    """Return the end of an error that suggests the known word that is closest, empty where none is."""
    close = difflib.get_close_matches(text, vocabulary, 1)
    return f"; did you mean '{close[0]}'?" if close else ""

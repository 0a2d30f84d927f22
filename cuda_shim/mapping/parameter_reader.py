"""The strict reader of tables/parameters.yaml: the meanings of parameters, by name.

    dim: Number of the dimension: 0 for x, 1 for y, 2 for z.
    count:
      any: Number of entries.
      as out int: Number of devices.
      of cuMemAdvise cuda*Prefetch*: Bytes of the range.

The other lines name a type, as rows spell it, or functions; `any` is for every parameter that none of them names. A
function's name goes before a pattern, a pattern before a type, and of two patterns the first one counts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from cuda_shim.mapping.text_reader import read_rows

if TYPE_CHECKING:
    from cuda_shim.mapping.nodes import Reader

__all__ = ["read_parameters"]

_NAME = re.compile(r"[A-Za-z_]\w*")
_FOR = re.compile(r"any|as (?:(?:out|inout) )?[A-Za-z_][\w ]*\*{0,2}(?:\[\])?|of [\w*]+(?: [\w*]+)*")
_MEANING = re.compile(r"[A-Z0-9`].*\.", re.DOTALL)


def read_parameters(path: Path) -> dict[str, dict[str, Any]]:
    """Return the meanings of each name. Raises TableError with file, line and column."""
    meanings: dict[str, dict[str, Any]] = {}
    for reader, name, node in read_rows(path, _NAME):
        if isinstance(node, yaml.ScalarNode):
            meanings[name] = {"any": _meaning(reader, name, node)}
            continue
        meanings[name] = {}
        for _, key, value in reader.items(node, name):
            expected = "any, 'as' and a type, or 'of' and functions"
            who = reader.matching(key, name, _FOR, expected)
            meanings[name][who] = _meaning(reader, f"{name}.{who}", value)
    return meanings


def _meaning(reader: Reader, what: str, node: yaml.Node) -> str:
    return reader.matching(node, what, _MEANING, "a sentence: a capital first, a full stop last")

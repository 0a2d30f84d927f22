"""Mappings of tables whose keys are sorted."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from cuda_shim.mapping.nodes import Reader

__all__ = ["sorted_items"]


def sorted_items(
    reader: Reader, what: str, node: yaml.Node, pattern: re.Pattern[str]
) -> Iterator[tuple[str, yaml.Node]]:
    """Yield the items of a mapping whose keys are sorted and match."""
    previous = ""
    for name, key, value in reader.items(node, what):
        reader.matching(key, what, pattern, "a name that fits here")
        if name < previous:
            raise reader.error(key, f"{what}: '{name}' comes after '{previous}'; rows are sorted by name")
        previous = name
        yield name, value

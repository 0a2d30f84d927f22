"""Proof that the tables are complete and true: against the names that cuda-bindings and hip-python define."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from cuda_shim.mapping import store
from cuda_shim.mapping.grammar import C_TYPES
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import GENERATIONS, ConstantRow, EnumRow, FunctionRow, Row

__all__ = ["SUPPORT", "against_bindings", "against_hip_python", "coverage", "layout_of_bindings"]

_WORD = re.compile(r"unsigned (?:long long|long|int|short|char)|long long|\w+")
# Argument and result have changed places in its documentation.
_DOCUMENTED_WRONGLY = frozenset({"cuTexRefGetBorderColor"})
_VERSION = re.compile(r"_v\d+$")

SUPPORT = ("mapped", "adapted", "provided", "unsupported")


def layout_of_bindings(version: str) -> str:
    """Return the layout of a cuda-bindings release. Raises ValueError for a major version without a layout."""
    for layout in LAYOUTS:
        if layout.split(".")[0] == version.split(".")[0]:
            return layout
    raise ValueError(f"cuda-bindings {version}: no layout of this major version is served")


def against_bindings(bindings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences between the tables and a cuda-bindings release, one line each."""
    layout = layout_of_bindings(bindings["version"])
    type_names = frozenset().union(*(store.load(name).names(layout) for name in store.TABLES))
    for name in store.TABLES:
        table, defined = store.load(name), bindings["modules"][name]
        names = table.names(layout)
        for missing in sorted(defined.keys() - names):
            yield f"{name} {layout}: {missing} has no row"
        for extra in sorted(names - defined.keys()):
            yield f"{name} {layout}: {extra} has a row, but cuda-bindings {bindings['version']} has no such name"
        for both in sorted(names & defined.keys()):
            row = table.row(both, layout)
            if row is not None:
                yield from (
                    f"{name} {layout}: {both}: {difference}"
                    for difference in _row_differences(row, defined[both], type_names)
                )


def _row_differences(row: Row, defined: Mapping[str, Any], type_names: Collection[str]) -> Iterator[str]:
    if isinstance(row, FunctionRow):
        if defined["kind"] != "function":
            yield f"is a {defined['kind']}, not a function"
        elif [parameter.name for parameter in row.inputs] != defined["arguments"]:
            parameters = ", ".join(parameter.name for parameter in row.inputs)
            yield f"takes ({', '.join(defined['arguments'])}), the row says ({parameters})"
        else:
            yield from _type_differences(row, defined.get("types", {}), type_names)
    elif isinstance(row, EnumRow):
        if defined["kind"] != "enum":
            yield f"is a {defined['kind']}, not an enum"
        elif {member.name: member.value for member in row.members} != defined["members"]:
            mine = {(member.name, member.value) for member in row.members}
            changed = sorted(mine ^ set(map(tuple, defined["members"].items())))
            yield f"members differ: {', '.join(f'{name} = {value}' for name, value in changed[:6])}"
    elif isinstance(row, ConstantRow) and defined.get("value") != row.value:
        yield f"is {defined.get('value')}, the row says {row.value}"


def _type_differences(row: FunctionRow, documented: Mapping[str, str], type_names: Collection[str]) -> Iterator[str]:
    """Yield the parameters whose documented type is another than the row's.

    Compared are names of classes and of C's integers; `Any` and its like say nothing.
    """
    for parameter in row.parameters if row.name not in _DOCUMENTED_WRONGLY else ():
        named = [
            word for word in _WORD.findall(documented.get(parameter.name, "")) if word in type_names or word in C_TYPES
        ]
        if "int" in named and parameter.base in C_TYPES:
            continue  # Python's int
        if named and parameter.base not in (*named, *map(_without_version, named)):
            yield f"{parameter.name} is documented as {' or '.join(named)}, the row says {parameter.spelling}"


def _without_version(name: str) -> str:
    return _VERSION.sub("", name)


def against_hip_python(hip_python: Mapping[str, Any]) -> Iterator[str]:
    """Yield the HIP targets of the tables that this hip-python lacks although the row promises it."""
    generation = hip_python["generation"]
    functions = frozenset(hip_python["functions"])
    for name in store.TABLES:
        table = store.load(name)
        for row_name, bodies in sorted(table.rows.items()):
            for body in bodies:
                yield from (
                    f"{name}: {row_name}: {difference}"
                    for difference in _missing(body, generation, functions, hip_python)
                )


def _missing(
    body: Mapping[str, Any], generation: int, functions: frozenset[str], hip_python: Mapping[str, Any]
) -> Iterator[str]:
    target = body.get("hip")
    if target is None or generation not in body.get("hip_python", GENERATIONS):
        return
    if body["kind"] == "function" and target not in functions:
        yield f"hip-python {generation} has no function {target}"
    if body["kind"] == "enum":
        constants = hip_python["enums"].get(target)
        if constants is None:
            yield f"hip-python {generation} has no enum {target}"
            return
        newer = body.get("newer", ())
        for member_name, _, hip_name, *_ in body["members"]:
            if hip_name is not None and hip_name not in constants and (generation >= 10 or hip_name not in newer):
                yield f"{member_name}: hip-python {generation} has no {target}.{hip_name}"


def coverage() -> dict[tuple[str, str], Counter[str]]:
    """Return how many functions of each module and layout are mapped, adapted, provided and unsupported."""
    counted: dict[tuple[str, str], Counter[str]] = {}
    for name in store.TABLES:
        table = store.load(name)
        for layout in LAYOUTS:
            rows = (table.row(row_name, layout) for row_name in table.names(layout))
            counted[name, layout] = Counter(row.support for row in rows if isinstance(row, FunctionRow))
    return counted

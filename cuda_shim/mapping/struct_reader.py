"""The part of the reader that knows struct members: CUDA's own, and HIP's where its layout is another.

    struct:                              hip_fields:
      type: CUgraphNodeType                type: CUgraphNodeType
      reserved0: hidden int[3]             reserved0: hidden int[3]
      params:                              params:
        inline union:                        by: type
          kernel: CUDA_KERNEL_NODE_PARAMS    bytes: 232
          memset: CUDA_MEMSET_NODE_PARAMS    cases: {CU_GRAPH_NODE_TYPE_KERNEL: kernel}

A case is the CUDA member at that place, "none" for nothing; a value without a case is refused, unless
`otherwise:` names the member whose bytes are then passed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import yaml

from cuda_shim.mapping.grammar import parse_field

if TYPE_CHECKING:
    from cuda_shim.mapping.nodes import Reader
    from cuda_shim.mapping.rows import Body

__all__ = ["check_hip_fields", "read_fields", "read_hip_fields"]

_NAME = re.compile(r"[A-Za-z_]\w*")
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_NESTED = re.compile(r"(?P<inline>inline )?(?P<kind>struct|union)(?:\[(?P<count>\d+)\])?")


def read_fields(reader: Reader, what: str, node: yaml.Node) -> tuple[Any, ...]:
    """Return CUDA's members of a struct, in C's order."""
    members = _fields(reader, what, node)
    for path in _hip_only(members, ""):
        raise reader.error(node, f"{what}: member '{path}' has a CUDA member or cases, which only hip_fields may have")
    for path, counter in _uncounted(members, ""):
        raise reader.error(node, f"{what}: there is no member '{counter}' beside '{path}' that counts its entries")
    return members


def read_hip_fields(reader: Reader, what: str, node: yaml.Node) -> tuple[Any, ...]:
    """Return HIP's members of a struct, in C's order; each hidden, or with the CUDA member that it stands for."""
    return _fields(reader, what, node)


def check_hip_fields(reader: Reader, name: str, node: yaml.Node, bodies: tuple[Body, ...]) -> None:
    """Check that every HIP member that is not hidden stands for a CUDA member of some version of the row."""
    paths = {path for body in bodies for path in _paths(body.get("fields", ()), "")}
    for body in bodies:
        for path in _paths_in_cuda(body.get("hip_fields", ()), ""):
            if path not in paths:
                close = difflib.get_close_matches(path, paths, 1)
                hint = f"did you mean '{close[0]}'?" if close else "write 'hidden', or '= member' after its type"
                raise reader.error(node, f"{name}.hip_fields: CUDA's struct has no member '{path}'; {hint}")


def _fields(reader: Reader, what: str, node: yaml.Node) -> tuple[Any, ...]:
    members = []
    for name, key, value in reader.items(node, what):
        reader.matching(key, what, _NAME, "a name")
        if not isinstance(value, yaml.MappingNode):
            field = reader.parsed(value, f"{what}.{name}", partial(parse_field, name))
            reader.check_type(value, f"{what}.{name}", field["base"].rstrip("*"))
            members.append(field)
            continue
        parts = {text: part for text, _, part in reader.items(value, f"{what}.{name}")}
        if "cases" in parts:
            members.append(_cases(reader, f"{what}.{name}", name, value, parts))
        else:
            members.append(_nested(reader, f"{what}.{name}", name, value, parts))
    return tuple(members)


def _nested(reader: Reader, what: str, name: str, node: yaml.Node, parts: dict[str, yaml.Node]) -> dict[str, Any]:
    match = _NESTED.fullmatch(next(iter(parts))) if len(parts) == 1 else None
    if match is None or (match["inline"] and match["count"]):
        expected = "expected 'struct:', 'union:' or 'inline union:' with its members, or 'cases:'"
        raise reader.error(node, f"{what}: {expected}")
    nested = {"kind": match["kind"], "fields": _fields(reader, what, *parts.values())}
    field: dict[str, Any] = {"name": name, "base": "", "nested": nested}
    if match["count"]:
        field["count"] = int(match["count"])
    if match["inline"]:
        field["inline"] = True
    return field


def _cases(reader: Reader, what: str, name: str, node: yaml.Node, parts: dict[str, yaml.Node]) -> dict[str, Any]:
    unknown = parts.keys() - {"by", "bytes", "cases", "otherwise"}
    if unknown or "by" not in parts or "bytes" not in parts:
        raise reader.error(node, f"{what}: 'cases:' needs 'by:' and 'bytes:', and allows 'otherwise:' and no more")
    members = tuple(
        (constant, reader.matching(member, f"{what}.cases", _PATH, "a member or none"))
        for constant, _, member in reader.items(parts["cases"], f"{what}.cases")
    )
    by = reader.matching(parts["by"], f"{what}.by", _PATH, "a member")
    size = int(reader.matching(parts["bytes"], f"{what}.bytes", re.compile(r"[1-9]\d*"), "a size in bytes"))
    otherwise = ""
    if "otherwise" in parts:
        otherwise = reader.matching(parts["otherwise"], f"{what}.otherwise", _PATH, "a member")
    return {"name": name, "base": "", "cases": (by, size, members, otherwise)}


def _paths(fields: tuple[Any, ...], prefix: str) -> Iterator[str]:
    """Yield every member of a CUDA struct by its dotted path."""
    for field in fields:
        inside = prefix if field.get("inline") else f"{prefix}{field['name']}."
        if not field.get("inline"):
            yield prefix + field["name"]
        if "nested" in field:
            yield from _paths(field["nested"]["fields"], inside)


def _paths_in_cuda(fields: tuple[Any, ...], prefix: str) -> Iterator[str]:
    """Yield every CUDA member that HIP's members stand for. A path into a named type is checked up to that type."""
    for field in fields:
        if field.get("hidden"):
            continue
        if "cases" in field:
            by, _, members, otherwise = field["cases"]
            members = [path for _, path in members if path != "none"]
            yield from (_first(path) for path in (by, *members, *filter(None, [otherwise])))
        elif "nested" in field:
            inside = prefix if field.get("inline") else f"{prefix}{field['name']}."
            yield from _paths_in_cuda(field["nested"]["fields"], inside)
        else:
            yield _first(field["cuda"]) if "cuda" in field else prefix + field["name"]


def _hip_only(fields: tuple[Any, ...], prefix: str) -> Iterator[str]:
    for field in fields:
        path = prefix + field["name"]
        if "cuda" in field or "cases" in field:
            yield path
        if "nested" in field:
            yield from _hip_only(field["nested"]["fields"], f"{path}.")


def _uncounted(fields: tuple[Any, ...], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield lists, and the members that are to count them, where there is no such member beside them."""
    beside = {field["name"] for field in fields}
    for field in fields:
        path = prefix + field["name"]
        if field.get("counted_by", field["name"]) not in beside:
            yield path, field["counted_by"]
        if "nested" in field:
            yield from _uncounted(field["nested"]["fields"], f"{path}.")


def _first(path: str) -> str:
    return path.partition(".")[0]

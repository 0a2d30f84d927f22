"""The small grammars inside table scalars: parameter types, struct field types, enum members.

size_t                      a value
CUDA_MEMCPY2D*              a pointer to one
CUgraphNode[]               a list
out CUstream                an element of the returned tuple
inout size_t = 0            an argument with a default that is returned too
CUdevice = none             an argument that may be left out
spare size_t                an output of HIP's function that CUDA's does not have
hidden unsigned int[16]     a struct member that takes space and is not an attribute
CUmemAccessDesc* by count   a struct member that is a list, the number of its entries in the member count
unsigned int = gridDimX     a member of HIP's struct, and CUDA's member that it stands for
2 hipMemcpyDeviceToHost     an enum member: CUDA's value, and the HIP constant that stands for it
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["C_TYPES", "OPAQUE_TYPES", "parse_field", "parse_member", "parse_parameter"]

_PARAMETER = re.compile(
    r"(?:(?P<mode>out|inout|spare) )?(?P<base>[A-Za-z_][\w ]*?)(?P<suffix>\*{0,2}(?:\[\])?)"
    r"(?: = (?P<default>-?\d+|none))?"
)
_FIELD = re.compile(
    r"(?P<hidden>hidden )?(?P<base>[A-Za-z_][\w ]*?\*{0,2})(?:\[(?P<count>\d+)\]|(?<=\*) by (?P<counted_by>\w+))?"
    r"(?: = (?P<cuda>\w+(?:\.\w+)*))?"
)
_MEMBER = re.compile(r"(?P<value>-?\d+)(?: (?P<hip>[A-Za-z_]\w*))?")
_WORDS = "char", "short", "int", "long", "long long"
_VALUE_TYPES = frozenset(
    {"size_t", "float", "double", "void", "bool", "unsigned", "signed char"}
    | set(_WORDS)
    | {f"unsigned {word}" for word in _WORDS}
)


C_TYPES = _VALUE_TYPES | {"uint32_t", "uint64_t"}
"""C's own types, which need no row."""

OPAQUE_TYPES = {
    "Any": "whatever Python object the call takes",
    "cudaGraphicsResource": "a struct that CUDA's headers only declare",
}
"""Types that no row describes and no program looks into, and a description of each."""


def parse_parameter(name: str, text: str) -> tuple[str, str, str, str, str | None]:
    """Return the parts of a parameter's type: name, mode, base, suffix, default. Raises ValueError if it is not one."""
    match = _PARAMETER.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a parameter type such as 'size_t', 'out CUstream' or 'CUgraphNode[]'")
    base = _type_name(match["base"])
    default = None if match["default"] is None else match["default"].replace("none", "None")
    return name, match["mode"] or "in", base, match["suffix"] or "", default


def parse_field(name: str, text: str) -> dict[str, Any]:
    """Return the parts of a struct member's type. Raises ValueError if it is not one."""
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a field type such as 'size_t', 'char[64]' or 'hidden int[2]'")
    field: dict[str, Any] = {"name": name, "base": match["base"]}
    _type_name(match["base"].rstrip("*"))
    if match["count"]:
        field["count"] = int(match["count"])
    if match["hidden"]:
        field["hidden"] = True
    field |= {part: match[part] for part in ("counted_by", "cuda") if match[part]}
    return field


def parse_member(text: str) -> tuple[int, str | None]:
    """Return an enum member's value and HIP constant. Raises ValueError if it is not one."""
    match = _MEMBER.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not an enum member such as '2' or '2 hipMemcpyDeviceToHost'")
    return int(match["value"]), match["hip"]


def _type_name(base: str) -> str:
    if " " in base and base not in _VALUE_TYPES:
        raise ValueError(f"{base!r} is not a C type; words allowed together are {', '.join(sorted(_VALUE_TYPES))}")
    return base

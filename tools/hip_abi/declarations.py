"""The C declarations of HIP, read from hip-python's .pxd."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# The runtime has no use for the vector types, and device headers define their own.
VECTOR_TYPE = re.compile(r"^(u?(char|short|int|long|longlong)|float|double)[1-4]$")


@dataclass
class Record:
    """A struct or union of the .pxd, members in order; no members means opaque."""

    kind: str
    name: str
    members: list[tuple[str, str, str]] = field(default_factory=list)  # type, name, array suffix


@dataclass
class Declarations:
    """Everything of interest in one .pxd, in its order."""

    enums: dict[str, list[str]] = field(default_factory=dict)
    constants: list[str] = field(default_factory=list)
    types: list[Record | str] = field(default_factory=list)  # str: a typedef, ready as C++
    functions: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> (return type, parameters)


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without docstrings, comments and blanks, each with its indentation."""
    text = re.sub(r'"""(.*?)"""', "", text, flags=re.DOTALL)
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        if line.strip():
            yield len(line) - len(line.lstrip()), line.strip()


def parse_member(text: str) -> tuple[str, str, str]:
    """Split ``char name[16]`` or ``char[16] name`` into type, name, array suffix."""
    old_style = re.fullmatch(r"(.+?)(\[\d+\])\s*(\w+)", text)
    if old_style:
        return old_style[1].strip(), old_style[3], old_style[2]
    match = re.fullmatch(r"(.+?)\s*\b(\w+)((?:\[\d+\])*)", text)
    if not match:
        raise SystemExit(f"generate_hip_abi: cannot read the member {text!r}")
    return match[1].strip(), match[2], match[3]


def parse_pxd(text: str) -> Declarations:
    """Read the declarations of a hip-python .pxd."""
    found = Declarations()
    body: list[str] | Record | None = None
    body_indent = 0
    for indent, line in logical_lines(text):
        if body is not None and indent > body_indent:
            if isinstance(body, list):
                body.append(line)
            elif line != "pass":
                body.members.append(parse_member(line))
            continue
        body, body_indent = None, indent
        if match := re.fullmatch(r"(?:cdef|ctypedef) enum(?:\s+(\w+))?:", line):
            body = found.enums.setdefault(match[1] or "", [])
        elif match := re.fullmatch(r'(?:cdef|ctypedef) (struct|union) (\w+)(?:\s+"(\w+)")?:', line):
            body = Record(match[1], match[3] or match[2])
            if not VECTOR_TYPE.match(match[2]):
                found.types.append(body)
            if match[3]:
                found.types.append(f"typedef {match[3]} {match[2]};")
        elif match := re.fullmatch(r"ctypedef (.+?)\s*\(\*(\w+)\)\s*\((.*)\)", line):
            found.types.append(f"typedef {match[1]} (*{match[2]})({match[3]});")
        elif (match := re.fullmatch(r"ctypedef (.+?)\s*\b(\w+)", line)) and "bint" not in line:
            found.types.append(f"typedef {match[1]} {match[2]};")
        elif match := re.fullmatch(r"cdef (.+?)\s*\b(\w+)\((.*)\)\s*(?:except\?.*|noexcept.*)", line):
            if not match[2].startswith("__"):
                found.functions[match[2]] = (match[1], match[3])
        elif match := re.fullmatch(r"cdef (?:int|size_t) (\w+)", line):
            found.constants.append(match[1])
    return found

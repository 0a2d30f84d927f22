"""The strict reader of tables/ptx.yaml: the meaning of PTX's special registers and instructions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuda_shim.mapping.sorted_items import sorted_items
from cuda_shim.mapping.text_reader import compose, read_sections, unknown_field

if TYPE_CHECKING:
    import yaml

    from cuda_shim.mapping.nodes import Reader
    from cuda_shim.mapping.text_reader import SectionReader

__all__ = ["PTX_TYPES", "read_ptx"]

PTX_TYPES = (
    "b8", "u8", "s8", "b16", "u16", "s16", "f16", "bf16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64",
    "b128", "f16x2", "bf16x2", "s16x2", "u16x2", "pred",
)  # fmt: skip

_REGISTER = re.compile(r"[a-z_]\w*(\.[xyz])?")
_INSTRUCTION = re.compile(r"[a-z]\w*(\.\w+(::\w+)*)*")
_MODIFIER = re.compile(r"[\w:]+")
_OPERAND_KINDS = ("d", "d|p", "S", "T", "W", "address", "shared", "generic", "box", "filter", "items", "pointer")
_PLACE = re.compile(r"\{(\d)(\??)(?::\w+)?\}")
_TEMPLATES = ("value", "second", "do", "floating", "narrow", "constant")
_OUTCOMES = ("value", "do", "memory", "address", "special", "refuse")
_FIELDS = (
    "types", "from", "modifiers", "flushes", "operands", "only", "result", "second", "floating", "narrow", "constant",
    "hosts", "video", *_OUTCOMES,
)  # fmt: skip


def read_ptx(path: Path) -> dict[str, dict[str, Any]]:
    """Return the sections by name, each with its rows. Raises TableError with file, line and column."""
    reader, root = compose(path)
    sections: dict[str, SectionReader] = {
        "registers": _registers,
        "instructions": _instructions,
    }
    return read_sections(reader, root, sections)


def _registers(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    return {name: reader.scalar(value, f"{what}.{name}") for name, value in sorted_items(reader, what, node, _REGISTER)}


def _instructions(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    return {
        name: _instruction(reader, f"{what}.{name}", value)
        for name, value in sorted_items(reader, what, node, _INSTRUCTION)
    }


def _instruction(reader: Reader, what: str, node: yaml.Node) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for field, key, value in reader.items(node, what):
        if field in ("types", "from"):
            row[field] = reader.scalar(value, f"{what}.{field}").split()
            for name in row[field]:
                if name not in PTX_TYPES:
                    raise reader.error(value, f"{what}.{field}: '{name}' is not a type of PTX")
        elif field == "result":
            row[field] = reader.one_of(value, f"{what}.{field}", (*PTX_TYPES, "W", "B"))
        elif field == "flushes":
            row[field] = reader.one_of(value, f"{what}.{field}", ("f32", "compared"))
        elif field == "modifiers":
            row[field] = reader.scalar(value, f"{what}.{field}").split()
            for name in row[field]:
                if not _MODIFIER.fullmatch(name):
                    raise reader.error(value, f"{what}.{field}: '{name}' is not a modifier")
        elif field == "video":
            row[field] = reader.one_of(value, f"{what}.{field}", ("scalar", "multiply", "halves", "bytes"))
        elif field == "operands":
            row[field] = _operands(reader, value, f"{what}.{field}")
        elif field == "memory":
            row[field] = reader.one_of(value, f"{what}.{field}", ("load", "store", "touch"))
        elif field in _FIELDS:
            row[field] = reader.scalar(value, f"{what}.{field}")
        else:
            raise unknown_field(reader, what, key, field, _FIELDS)
    outcomes = [outcome for outcome in _OUTCOMES if outcome in row]
    if len(outcomes) != 1:
        raise reader.error(node, f"{what}: give exactly one of {', '.join(_OUTCOMES)}")
    _check_places(reader, what, node, row)
    return row


def _operands(reader: Reader, node: yaml.Node, what: str) -> list[str]:
    """Return the kinds of an instruction's operands, in order."""
    text = reader.scalar(node, what)
    operands: list[str] = [] if text == "none" else text.split()
    for operand in operands:
        kind = operand.removesuffix("?")
        if kind not in _OPERAND_KINDS and kind not in PTX_TYPES:
            raise reader.error(node, f"{what}: '{operand}' is not a kind of operand")
    return operands


def _check_places(reader: Reader, what: str, node: yaml.Node, row: dict[str, Any]) -> None:
    """Check that an instruction has its operands, and that its C++ has a place for no other one."""
    if "operands" not in row:
        if not ({"refuse", "special", "video"} & row.keys() or what.partition(".")[2].startswith("wmma")):
            raise reader.error(node, f"{what}: give its operands")
        return
    operands = row["operands"]
    for number, optional in _PLACE.findall("".join(row.get(template, "") for template in _TEMPLATES)):
        if int(number) >= len(operands) or operands[int(number)].endswith("?") != bool(optional):
            raise reader.error(node, f"{what}: its operands do not have the place {{{number}{optional}}}")

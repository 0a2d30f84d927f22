"""Facts of AMD's headers in a compiled hip-python: values of enums, sizes and offsets of structs, symbols."""

from __future__ import annotations

import ctypes
import enum
import re
import sys
from pathlib import Path
from typing import Any

from hip_abi.declarations import VECTOR_TYPE


def import_hip() -> Any:
    """The hip module of the installed generation of hip-python."""
    try:
        from rocm.bindings import hip
    except ImportError:
        from hip import hip
    return hip


def low_level_files(hip: Any) -> tuple[Path, Path]:
    """The .pxd and .pyx that hold the C declarations and the symbol names."""
    folder = Path(hip.__file__).parent
    stem = "cyhip" if (folder / "cyhip.pxd").exists() else "chip"
    return folder / f"{stem}.pxd", folder / f"{stem}.pyx"


def field_offset(hip: Any, cls: Any, name: str) -> int | None:
    """Offset of a field, found by asking a nested wrapper for its address or by writing a number."""
    instance = cls()
    base, size = int(instance), instance.c_sizeof()
    ctypes.memset(base, 0, size)  # dim3 starts as (1, 1, 1)
    try:
        value = getattr(instance, name)
    except ValueError:  # an enum that has no member for the zero in a fresh struct
        return None
    if hasattr(value, "c_sizeof") and int(value) >= base and int(value) < base + size:
        return int(value) - base
    if isinstance(value, (enum.Enum, bool, str, bytes)):
        return None
    if isinstance(value, (int, float)):
        try:
            setattr(instance, name, 1 if isinstance(value, int) else -1.0)
        except (AttributeError, TypeError):
            return None
        written = ctypes.string_at(base, size)
        changed = [i for i, byte in enumerate(written) if byte]
        # -1.0f is 00 00 80 bf: the first changed byte is the third of the float.
        return None if not changed else changed[0] - (2 if isinstance(value, float) else 0)
    return None


def class_facts(hip: Any) -> dict[str, dict[str, Any]]:
    """Size and known offsets of every struct wrapper."""
    measured: dict[str, dict[str, Any]] = {}
    for name in sorted(dir(hip)):
        cls = getattr(hip, name)
        if not (isinstance(cls, type) and hasattr(cls, "c_sizeof") and hasattr(cls, "PROPERTIES")):
            continue
        if VECTOR_TYPE.match(name):
            continue
        try:
            instance = cls()
        except (TypeError, RuntimeError):
            continue  # an opaque handle: no size to speak of
        offsets = {}
        for prop in cls.PROPERTIES():
            offset = field_offset(hip, cls, prop)
            if offset is not None:
                offsets[prop] = offset
        measured[cls.__name__] = {"size": instance.c_sizeof(), "offsets": offsets}
    return measured


def enum_facts(hip: Any) -> dict[str, int]:
    """Value of every enum member and integer constant that the module knows."""
    values: dict[str, int] = {}
    for name in dir(hip):
        thing = getattr(hip, name)
        if isinstance(thing, type) and issubclass(thing, enum.Enum):
            values.update({member: int(value.value) for member, value in thing.__members__.items()})
        elif isinstance(thing, int) and not isinstance(thing, bool):
            values[name] = int(thing)
    return values


def measure() -> dict[str, Any]:
    """The facts in the compiled hip-python of this interpreter."""
    hip = import_hip()
    _, pyx = low_level_files(hip)
    symbols = re.findall(r'__init_symbol\(&_(\w+)__funptr,"(\w+)"\)', pyx.read_text())
    return {"values": enum_facts(hip), "classes": class_facts(hip), "symbols": dict(symbols)}


def compare_generations(here: dict[str, Any], other: dict[str, Any]) -> None:
    """Refuse values, sizes and offsets that differ between two generations."""
    differing = [
        f"{name}: {value} here, {other['values'][name]} there"
        for name, value in here["values"].items()
        if name.startswith(("hip", "HIP_"))
        and name in other["values"]
        and other["values"][name] != value
        and not name.startswith("HIP_VERSION")
    ]
    for name, measured in here["classes"].items():
        there = other["classes"].get(name)
        if there is None:
            continue
        if there["size"] != measured["size"]:
            differing.append(f"sizeof({name}): {measured['size']} here, {there['size']} there")
        differing += [
            f"{name}.{prop}: at {offset} here, {there['offsets'][prop]} there"
            for prop, offset in measured["offsets"].items()
            if there["offsets"].get(prop, offset) != offset
        ]
    # Ends of ranges that grew; nothing is ever passed with these values.
    known_range_ends = ("hipErrorTbd", "HIP_FUNC_ATTRIBUTE_MAX", "hipFuncAttributeMax", "hipLaunchAttributeMax")
    serious = [line for line in differing if not line.startswith(known_range_ends)]
    for line in differing:
        print("generate_hip_abi: generations differ:", line, file=sys.stderr)
    if serious:
        raise SystemExit("generate_hip_abi: the generations disagree; serve them by separate layouts")

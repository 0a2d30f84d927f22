"""The fundamental types of PTX, and the C++ type of each."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["POINTER", "TYPES", "Type", "wider"]


@dataclass(frozen=True)
class Type:
    """A type of registers, variables and instructions.

    Attributes:
        name: as it is written behind its dot, such as "u32".
        kind: "predicate", "bits", "unsigned", "signed", "floating", "packed" or "pointer".
        bits: its width.
        cxx: the C++ type of the same width and meaning. For bits it is that of the unsigned number.
    """

    name: str
    kind: str
    bits: int
    cxx: str

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return max(self.bits // 8, 1)

    @property
    def is_number(self) -> bool:
        """True for whole numbers, and for bits that are read as one."""
        return self.kind in ("bits", "unsigned", "signed", "packed")


_UNSIGNED = {8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long long"}
_SIGNED = {8: "signed char", 16: "short", 32: "int", 64: "long long"}

TYPES: dict[str, Type] = {
    "pred": Type("pred", "predicate", 1, "bool"),
    "b128": Type("b128", "bits", 128, "unsigned __int128"),
    "f16": Type("f16", "floating", 16, "_Float16"),
    "bf16": Type("bf16", "floating", 16, "cuda_shim_ptx::bfloat"),
    "f32": Type("f32", "floating", 32, "float"),
    "tf32": Type("tf32", "bits", 32, "unsigned"),
    "f64": Type("f64", "floating", 64, "double"),
    "f16x2": Type("f16x2", "packed", 32, "unsigned"),
    "bf16x2": Type("bf16x2", "packed", 32, "unsigned"),
    "u16x2": Type("u16x2", "packed", 32, "unsigned"),
    "s16x2": Type("s16x2", "packed", 32, "unsigned"),
}
for _bits in (8, 16, 32, 64):
    TYPES[f"b{_bits}"] = Type(f"b{_bits}", "bits", _bits, _UNSIGNED[_bits])
    TYPES[f"u{_bits}"] = Type(f"u{_bits}", "unsigned", _bits, _UNSIGNED[_bits])
    TYPES[f"s{_bits}"] = Type(f"s{_bits}", "signed", _bits, _SIGNED[_bits])

POINTER = Type("pointer", "pointer", 64, "char*")
"""The type of registers that hold addresses: C++ compilers analyse the memory behind pointers alone."""


def wider(name: str) -> str:
    """Return the type of a product: "s32" gives "s64"; types that have no wider one stay."""
    type_ = TYPES.get(f"{name[0]}{2 * int(name[1:])}") if name[1:].isdigit() else None
    return type_.name if type_ is not None else name

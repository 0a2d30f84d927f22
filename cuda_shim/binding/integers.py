"""Conversion of Python numbers to C's, which accepts, truncates and refuses as cuda-python does, with its texts."""

from __future__ import annotations

import ctypes

from cuda_shim.frozen_record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["C_INTEGERS", "C_REALS", "CInteger", "as_integer"]


class CInteger(Record):
    """A C integer type: its ctypes type, its limits, and the words cuda-python's errors use for it."""

    ctype: Any
    low: int
    high: int
    words: str

    def check(self, value: object) -> int:
        """`value` as this type. Raises TypeError or OverflowError with cuda-python's texts."""
        number = value if value.__class__ is int else as_integer(value)
        if self.low <= number <= self.high:
            return number
        if self.low == 0:
            if number < 0:
                raise OverflowError(f"can't convert negative value to {self.words}")
            if number >> 64:
                raise OverflowError("Python int too large to convert to C unsigned long")
        elif not -(1 << 63) <= number < 1 << 63:
            raise OverflowError("Python int too large to convert to C long")
        raise OverflowError(f"value too large to convert to {self.words}")


def as_integer(value: Any) -> int:
    """Return the int of anything with `__int__` or `__index__`, floats truncated; TypeError for text and the rest."""
    if isinstance(value, (str, bytes, bytearray)) or not (hasattr(value, "__int__") or hasattr(value, "__index__")):
        raise TypeError("an integer is required")
    return int(value)


def _unsigned(ctype: Any, words: str) -> CInteger:
    return CInteger(ctype, 0, (1 << 8 * ctypes.sizeof(ctype)) - 1, words)


def _signed(ctype: Any, words: str) -> CInteger:
    bits = 8 * ctypes.sizeof(ctype)
    return CInteger(ctype, -(1 << (bits - 1)), (1 << (bits - 1)) - 1, words)


C_INTEGERS: dict[str, CInteger] = {
    "char": _signed(ctypes.c_byte, "char"),
    "signed char": _signed(ctypes.c_byte, "signed char"),
    "unsigned char": _unsigned(ctypes.c_ubyte, "unsigned char"),
    "short": _signed(ctypes.c_short, "short"),
    "unsigned short": _unsigned(ctypes.c_ushort, "unsigned short"),
    "int": _signed(ctypes.c_int, "int"),
    "unsigned": _unsigned(ctypes.c_uint, "unsigned int"),
    "unsigned int": _unsigned(ctypes.c_uint, "unsigned int"),
    "long": _signed(ctypes.c_long, "long"),
    "unsigned long": _unsigned(ctypes.c_ulong, "unsigned long"),
    "long long": _signed(ctypes.c_longlong, "PY_LONG_LONG"),
    "unsigned long long": _unsigned(ctypes.c_ulonglong, "unsigned PY_LONG_LONG"),
    "size_t": _unsigned(ctypes.c_size_t, "size_t"),
    "uint32_t": _unsigned(ctypes.c_uint32, "uint32_t"),
    "uint64_t": _unsigned(ctypes.c_uint64, "uint64_t"),
}
"""Every integer type that a table names, by its C spelling."""

C_REALS: dict[str, Any] = {"float": ctypes.c_float, "double": ctypes.c_double}
"""The ctypes types of C's floating point numbers, by their C spelling."""

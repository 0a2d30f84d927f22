"""C types of arguments as ctypes converts them fastest.

ctypes asks the declared type of each argument to convert it, and its own integer types take ten times as long for
that as for the rest. Every argument here is an int that already fits, so two faster types do: an int without a
conversion is passed as C's `int`, whose bits are those of every type of 32 bits or fewer; and a `void*` takes an int of
64 bits as it is. Both travel in the registers that the declared type travels in, on x86-64 and on aarch64.
"""

from __future__ import annotations

import ctypes
import operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    CType = Any
    """A type of ctypes, which have no common class that is public."""

__all__ = ["as_argument"]


class _Int:
    """Passes an int as it is."""

    from_param = operator.index


_INTEGERS = (
    ctypes.c_byte, ctypes.c_ubyte, ctypes.c_short, ctypes.c_ushort, ctypes.c_int, ctypes.c_uint, ctypes.c_long,
    ctypes.c_ulong, ctypes.c_longlong, ctypes.c_ulonglong,
)  # fmt: skip
_FASTEST: dict[Any, Any] = {
    kind: _Int if ctypes.sizeof(kind) <= ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p for kind in _INTEGERS
}


def as_argument(c_type: Any) -> Any:
    """Return the type to declare for an int of this C type that is known to fit; other types as they are."""
    return _FASTEST.get(c_type, c_type)

"""The modules whose functions are C's: `__pyx_capi__`, by which Cython modules find each other's functions.

Each function is a capsule: its address, and as the name its C signature, which a compiled module compares letter by
letter with the one that it was compiled for.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cuda_shim.binding.functions import per_thread
from cuda_shim.c_level import library
from cuda_shim.c_level.interface import signatures

__all__ = ["CModuleBinder", "capsules"]

_C_FUNCTIONS = "__pyx_capi__"
# Python keeps the pointer to a capsule's name, so the texts stay for good.
_names: dict[str, bytes] = {}


class CModuleBinder:
    """The contents of one module: functions of a table in one layout. There are no Python names in it."""

    def __init__(self, table: str, layout: str) -> None:
        self._table = table
        self._layout = layout

    def names(self) -> frozenset[str]:
        """No public names: the functions are C's."""
        return frozenset()

    def resolve(self, name: str) -> Any:
        """Return the table of C functions by its name, None for every other one.

        Raises BackendNotFound where the library can neither be found nor built.
        """
        return capsules(self._table, self._layout) if name == _C_FUNCTIONS else None

    def set_hallucination(self, enum_name: str, value: object) -> bool:
        """There are no enums here: False."""
        return False


def capsules(table: str, layout: str) -> dict[str, Any]:
    """Return a capsule for each C function of a module."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    opened = library.load(layout)
    own_streams = per_thread.is_default()
    return {
        name: new(opened.function(name, own_streams), _names.setdefault(signature, signature.encode("ascii")), None)
        for name, signature in signatures(table, layout).items()
    }

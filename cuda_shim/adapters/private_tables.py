"""The driver's private tables, which are functions for C code: NVIDIA's runtime, where it is linked into a library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import require_type
from cuda_shim.binding.functions import Binding

__all__ = ["find_tables_with", "get"]

_REASON = "no library of C functions is loaded, which has the tables: open libcuda.so.1 (docs/c-level.md)"
_find: Callable[[int], tuple[int, int]] | None = None


def get(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGetExportTable: the address of a table of the loaded C library."""
    outcome = binding.outcome
    unsupported = outcome.unsupported(_REASON)

    identity_class = binding.class_of("CUuuid")

    def table(identity: Any) -> tuple[Any, ...]:
        if identity is not None:
            require_type("pExportTableId", identity_class, identity)
        place = 0 if identity is None else int(identity.getPtr())
        if not place:
            return outcome.invalid()
        if _find is None:
            return unsupported()
        status, address = _find(place)
        return (outcome.success, address) if status == 0 else outcome.invalid()

    return table


def find_tables_with(find: Callable[[int], tuple[int, int]]) -> None:
    """Have tables found by `find`, which takes the address of an identity, and gives a status and an address."""
    global _find
    _find = find

"""Addresses of driver functions, for programs that call them through ctypes or pass them on.

An address is given for those whose C call is the same in HIP: the same arguments, the same numbers for enum
constants, the same structs. For any other one the answer is "not found", which programs expect.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim import log
from cuda_shim.adapters.version import driver_version, version_number
from cuda_shim.binding.arguments import c_string
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS, C_REALS
from cuda_shim.binding.structs import same_in_hip
from cuda_shim.errors import UnsupportedAPI
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import EnumRow, FunctionRow, HandleRow, StructRow

__all__ = ["driver", "runtime"]

_FLAGS = (0, 1, 2)  # default, legacy stream, per-thread stream
_FOUND, _NOT_FOUND, _NOT_SUFFICIENT = 0, 1, 2
# Functions adapted for the arguments that they take from Python; in C they are HIP's.
_SAME_IN_C = frozenset(
    {
        "cuMemAlloc", "cuMemAllocManaged", "cuMemAllocPitch",
        "cuMemsetD32", "cuMemsetD32Async",
    }
)  # fmt: skip


def driver(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGetProcAddress: the address, and how the search went."""
    version, flags = C_INTEGERS["int"].check, C_INTEGERS["uint64_t"].check
    find = _Search(binding)
    return lambda symbol, cuda_version, options: find(
        symbol, version(cuda_version), flags(0 if options is None else options)
    )


def runtime(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaGetDriverEntryPoint, cudaGetDriverEntryPointByVersion."""
    version, flags = C_INTEGERS["unsigned int"].check, C_INTEGERS["unsigned long long"].check
    find = _Search(binding)
    if len(binding.row.inputs) == 2:
        return lambda symbol, options: find(symbol, find.newest, flags(options))
    return lambda symbol, cuda_version, options: find(symbol, version(cuda_version), flags(options))


class _Search:
    """The search for one function's callers; answers in the form of its row."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._outcome = binding.outcome
        self._addresses: dict[str, int] = {}
        self._queried = binding.row.outputs[1].base if len(binding.row.outputs) > 1 else ""
        self.newest = driver_version(binding.scope.layout.reported)

    def __call__(self, symbol: Any, version: int, flags: int) -> tuple[Any, ...]:
        name = c_string(symbol).decode("ascii", "replace")
        if flags not in _FLAGS or version > self.newest:
            return self._outcome.invalid()
        if self._is_younger(name, version):
            return self._answer(0, _NOT_SUFFICIENT)
        place = self._addresses.get(name)
        if place is None:
            place = self._addresses[name] = self._address(name)
        return self._answer(place, _FOUND if place else _NOT_FOUND)

    def _answer(self, address: int, status: int) -> tuple[Any, ...]:
        if self._queried:
            return self._outcome.success, address, self._binding.class_of(self._queried)(status)
        if address:
            return self._outcome.success, address
        missing = {"driver": "CUDA_ERROR_NOT_FOUND", "runtime": "cudaErrorSymbolNotFound"}
        return self._outcome.named(missing[self._binding.api])

    def _is_younger(self, name: str, version: int) -> bool:
        """Return whether a function came after CUDA `version`, by the releases that the tables describe."""
        with_it = [layout for layout in LAYOUTS if store.load("driver").row(name, layout) is not None]
        if self._binding.catalogue.cuda not in with_it or with_it[0] == LAYOUTS[0]:
            return False
        last_without = LAYOUTS[LAYOUTS.index(with_it[0]) - 1]
        major, _, minor = last_without.partition(".")
        return version <= version_number(int(major), int(minor))

    def _address(self, name: str) -> int:
        row = self._binding.catalogue.row("driver", name)
        if not isinstance(row, FunctionRow):
            return 0
        if row.hip is not None and self._same_in_c(row):
            try:
                function: Any = self._binding.native(row.hip)
                return ctypes.cast(function, ctypes.c_void_p).value or 0
            except UnsupportedAPI:
                pass  # reported below, as for a function that HIP has in another form
        log.logger().warning(
            "%s: HIP has no C function that can stand for %s: call it through cuda.bindings.driver",
            self._binding.row.name,
            name,
        )
        return 0

    def _same_in_c(self, row: FunctionRow) -> bool:
        if row.name not in _SAME_IN_C and (row.support != "mapped" or row.call is not None):
            return False
        return all(parameter.mode != "spare" and self._same_type(parameter.base) for parameter in row.parameters)

    def _same_type(self, base: str) -> bool:
        if base in C_INTEGERS or base in C_REALS or base == "void":
            return True
        catalogue = self._binding.catalogue
        _, row = catalogue.base_row(base, "driver")
        if isinstance(row, EnumRow):
            to_hip = catalogue.enums(base).to_hip
            return all(int(hip) == number for number, hip in to_hip.items())
        if isinstance(row, StructRow):
            return same_in_hip(catalogue.class_of(base, "driver"))
        return isinstance(row, HandleRow)

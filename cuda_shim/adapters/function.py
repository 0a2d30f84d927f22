"""Functions and kernels of modules: their names, parameters and attributes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address, require
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["check_loaded", "loading_state", "name", "parameter_count", "set_attribute"]


def set_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuFuncSetAttribute: HIP's hipFuncSetAttribute has an enum of its own for what can be set, numbered alike."""
    outcome, integer, check = binding.outcome, C_INTEGERS["int"].check, _Check(binding)
    to_hip = binding.enums("CUfunction_attribute").to_hip
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    names = binding.hip_python.hip.hipFuncAttribute.__members__
    settable = {int(constant) for name, constant in names.items() if name != "hipFuncAttributeMax"}

    def assign(function: Any, attribute: Any, value: Any) -> tuple[Any, ...]:
        require(attrib=attribute)
        handle, number = address(function), integer(value)
        try:
            chosen = int(to_hip[attribute])
        except Refused as refusal:
            return outcome.refused(refusal)
        if chosen not in settable:  # it can only be read
            status = check.status(handle)
            return outcome.failed(status) if status else outcome.invalid()
        status = native(handle, chosen, number)
        return outcome.failed(status) if status else (outcome.success,)

    return assign


def name(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuFuncGetName; HIP's is hipKernelNameRef, which returns the text itself."""
    from cuda_shim.backends import native

    outcome = binding.outcome
    name_of = native.function(binding.row.hip or "", ctypes.c_char_p, ctypes.c_void_p)
    check = _Check(binding)

    def get(function: Any) -> tuple[Any, ...]:
        handle = address(function)
        if not handle:
            return outcome.invalid()
        status = check.status(handle)
        return outcome.failed(status) if status else (outcome.success, name_of(handle))

    return get


def parameter_count(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuKernelGetParamCount: HIP describes one parameter at a time, and refuses the first that there is not."""
    outcome, pointer, size = binding.outcome, ctypes.c_void_p, ctypes.c_size_t
    name_of = binding.native("hipKernelGetName", pointer, pointer)
    describe = binding.native(binding.row.hip or "", pointer, size, pointer, pointer)

    def count(kernel: Any) -> tuple[Any, ...]:
        handle, text = address(kernel), pointer()
        status = name_of(ctypes.byref(text), handle)
        if status:
            return outcome.failed(status)
        offset, width, found = size(), size(), 0
        while not describe(handle, found, ctypes.byref(offset), ctypes.byref(width)):
            found += 1
        return outcome.success, found

    return count


def check_loaded(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuFuncLoad: HIP loads a module's functions with the module."""
    outcome, check = binding.outcome, _Check(binding)

    def load(function: Any) -> tuple[Any, ...]:
        status = check.status(address(function))
        return outcome.failed(status) if status else (outcome.success,)

    return load


def loading_state(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuFuncIsLoaded: always, see `check_loaded`."""
    outcome, check = binding.outcome, _Check(binding)
    loaded = binding.class_of("CUfunctionLoadingState").__members__["CU_FUNCTION_LOADING_STATE_LOADED"]

    def get(function: Any) -> tuple[Any, ...]:
        status = check.status(address(function))
        return outcome.failed(status) if status else (outcome.success, loaded)

    return get


class _Check:
    """Whether HIP knows a function; it is asked for an attribute that every function has."""

    def __init__(self, binding: Binding) -> None:
        self._get = binding.native("hipFuncGetAttribute", ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        attributes = binding.hip_python.hip.hipFunction_attribute
        self._attribute = int(attributes.HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)

    def status(self, function: int) -> int:
        """Return HIP's status for asking about a function."""
        value = ctypes.c_int()
        return self._get(ctypes.byref(value), self._attribute, function)

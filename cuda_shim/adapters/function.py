"""Functions and kernels of modules: their names, parameters and attributes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address, require
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.errors import UnsupportedAPI

__all__ = [
    "attribute_of_kernel",
    "check_loaded",
    "loading_state",
    "name",
    "of_kernel",
    "parameter_count",
    "set_attribute",
    "set_attribute_of_kernel",
]


def set_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuFuncSetAttribute: HIP's hipFuncSetAttribute has an enum of its own for what can be set, numbered alike."""
    assign_to_function = _assignment(binding, binding.row.hip or "")

    def assign(function: Any, attribute: Any, value: Any) -> tuple[Any, ...]:
        require(attrib=attribute)
        return assign_to_function(address(function), attribute, value)

    return assign


def _assignment(binding: Binding, hip: str) -> Callable[[int, Any, Any], tuple[Any, ...]]:
    """Return what sets an attribute of the function with a handle, by the function `hip` of HIP."""
    outcome, integer, check = binding.outcome, C_INTEGERS["int"].check, _Check(binding)
    to_hip = binding.enums("CUfunction_attribute").to_hip
    native = binding.native(hip, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    names = binding.hip_python.hip.hipFuncAttribute.__members__
    settable = {int(constant) for name, constant in names.items() if name != "hipFuncAttributeMax"}

    def assign(handle: int, attribute: Any, value: Any) -> tuple[Any, ...]:
        number = integer(value)
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


def of_kernel(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuKernelGetFunction; before HIP 7.12, which has hipKernelGetFunction, a kernel has its function's handle."""
    try:
        return generated_call(binding)
    except UnsupportedAPI:
        outcome, check, function_class = binding.outcome, _Check(binding), binding.class_of("CUfunction")

    def get(kernel: Any) -> tuple[Any, ...]:
        handle = address(kernel)
        status = check.status(handle)
        return outcome.failed(status) if status else (outcome.success, function_class(handle))

    return get


def attribute_of_kernel(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuKernelGetAttribute; before HIP 7.12, which has hipKernelGetAttribute, that of the kernel's function."""
    try:
        return generated_call(binding)
    except UnsupportedAPI:
        outcome, device = binding.outcome, _Device(binding)
    to_hip = binding.enums("CUfunction_attribute").to_hip
    native = binding.native("hipFuncGetAttribute", ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)

    def get(attribute: Any, kernel: Any, dev: Any) -> tuple[Any, ...]:
        require(attrib=attribute)
        if not device.exists(dev):
            return outcome.named("CUDA_ERROR_INVALID_DEVICE")
        value = ctypes.c_int()
        try:
            status = native(ctypes.byref(value), int(to_hip[attribute]), address(kernel))
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else (outcome.success, value.value)

    return get


def set_attribute_of_kernel(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuKernelSetAttribute; before HIP 7.12, which has hipKernelSetAttribute, that of the kernel's function."""
    try:
        return generated_call(binding)
    except UnsupportedAPI:
        outcome, device = binding.outcome, _Device(binding)
    assign_to_function = _assignment(binding, "hipFuncSetAttribute")

    def assign(attribute: Any, value: Any, kernel: Any, dev: Any) -> tuple[Any, ...]:
        require(attrib=attribute)
        if not device.exists(dev):
            return outcome.named("CUDA_ERROR_INVALID_DEVICE")
        return assign_to_function(address(kernel), attribute, value)

    return assign


class _Device:
    """Which numbers of devices there are."""

    def __init__(self, binding: Binding) -> None:
        self._count = binding.native("hipGetDeviceCount", ctypes.c_void_p)

    def exists(self, device: Any) -> bool:
        """Return whether HIP has a device of this number."""
        count = ctypes.c_int()
        return not self._count(ctypes.byref(count)) and 0 <= int(device) < count.value


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

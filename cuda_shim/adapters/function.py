"""Functions and kernels of modules: their names, parameters and attributes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.architecture import compute_capability
from cuda_shim.adapters.context_stack import context_stack
from cuda_shim.binding.arguments import address, require
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.handles import handle_number
from cuda_shim.binding.integers import C_INTEGERS

__all__ = [
    "all_attributes",
    "check_loaded",
    "get_attribute",
    "get_kernel_attribute",
    "loading_state",
    "name",
    "note_ptx_version",
    "of_kernel",
    "parameter_count",
    "set_attribute",
    "set_kernel_attribute",
]

# HIP's version of machine code is the number of an AMD architecture.
_PTX_VERSION, _BINARY_VERSION = 5, 6  # CU_FUNC_ATTRIBUTE_PTX_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION
_VERSIONS = (_PTX_VERSION, _BINARY_VERSION)
_ptx_versions: dict[int, int] = {}

# The members of cudaFuncAttributes, and HIP's constants for them.
_MEMBERS = {
    "sharedSizeBytes": "SHARED_SIZE_BYTES",
    "constSizeBytes": "CONST_SIZE_BYTES",
    "localSizeBytes": "LOCAL_SIZE_BYTES",
    "maxThreadsPerBlock": "MAX_THREADS_PER_BLOCK",
    "numRegs": "NUM_REGS",
    "cacheModeCA": "CACHE_MODE_CA",
    "maxDynamicSharedSizeBytes": "MAX_DYNAMIC_SHARED_SIZE_BYTES",
    "preferredShmemCarveout": "PREFERRED_SHARED_MEMORY_CARVEOUT",
    "clusterDimMustBeSet": "CLUSTER_DIM_MUST_BE_SET",
    "requiredClusterWidth": "REQUIRED_CLUSTER_WIDTH",
    "requiredClusterHeight": "REQUIRED_CLUSTER_HEIGHT",
    "requiredClusterDepth": "REQUIRED_CLUSTER_DEPTH",
    "clusterSchedulingPolicyPreference": "CLUSTER_SCHEDULING_POLICY_PREFERENCE",
    "nonPortableClusterSizeAllowed": "NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
}


def note_ptx_version(kernel: int, version: int) -> None:
    """Note the architecture that a kernel's PTX was made for: host code chooses its block sizes by that."""
    _ptx_versions[kernel] = version


def _version(binding: Binding, attrib: Any, kernel: int) -> int:
    """Return the version of a kernel's PTX or machine code, which is that of the device's compute capability."""
    if attrib == _PTX_VERSION and kernel in _ptx_versions:
        return _ptx_versions[kernel]
    major, minor = compute_capability(binding.hip_python)
    return 10 * major + minor


def get_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuFuncGetAttribute: HIP's, but for the versions."""
    generated = generated_call(binding)

    def get(attrib: Any, hfunc: Any) -> tuple[Any, ...]:
        answer = generated(attrib, hfunc)
        return (
            (answer[0], _version(binding, attrib, address(hfunc))) if not answer[0] and attrib in _VERSIONS else answer
        )

    return get


def get_kernel_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuKernelGetAttribute, as the function's on that device: HIP has calls of its own for kernels since 7.12 alone."""
    outcome, cell = binding.outcome, ctypes.c_int
    to_hip, on_device = binding.enums("CUfunction_attribute").to_hip, _OnDevice(binding)
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, cell, ctypes.c_void_p)

    def get(attrib: Any, kernel: Any, dev: Any) -> tuple[Any, ...]:
        require(attrib=attrib)
        handle, value = address(kernel), cell()
        try:
            number = int(to_hip[attrib])
        except Refused as refusal:
            return outcome.refused(refusal)
        status = on_device(dev, lambda: native(ctypes.byref(value), number, handle))
        if status:
            return outcome.failed(status)
        return outcome.success, _version(binding, attrib, handle) if attrib in _VERSIONS else value.value

    return get


def of_kernel(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuKernelGetFunction: HIP's kernels are functions, which hipFuncGetAttribute knows."""
    outcome, function_class, check = binding.outcome, binding.class_of("CUfunction"), _Check(binding)

    def get(kernel: Any) -> tuple[Any, ...]:
        handle = address(kernel)
        status = check.status(handle)
        return outcome.failed(status) if status else (outcome.success, function_class(handle))

    return get


class _OnDevice:
    """Asks HIP while a device is the current one; returns HIP's status."""

    def __init__(self, binding: Binding) -> None:
        self._number = handle_number(binding.class_of("CUdevice").__handle__)
        self._stack = context_stack()

    def __call__(self, dev: Any, ask: Callable[[], int]) -> int:
        return self._stack.inside_primary(self._number(dev), ask)


def all_attributes(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaFuncGetAttributes, one by one: HIP's hipFuncGetAttributes knows kernels of host programs alone."""
    outcome, attributes_class, integer = binding.outcome, binding.class_of("cudaFuncAttributes"), ctypes.c_int
    native = binding.native("hipFuncGetAttribute", ctypes.c_void_p, integer, ctypes.c_void_p)
    constants = binding.hip_python.hip.hipFunction_attribute.__members__
    members = {member: constants.get(f"HIP_FUNC_ATTRIBUTE_{end}") for member, end in _MEMBERS.items()}
    fields = dir(attributes_class)
    numbers = [(member, int(number)) for member, number in members.items() if number is not None and member in fields]
    check = _Check(binding)

    def get(func: Any) -> tuple[Any, ...]:
        (buffer, handle), attributes, value = memory_address(func), attributes_class(), integer()
        if check.status(handle):
            return outcome.named("cudaErrorInvalidDeviceFunction")
        for member, number in numbers:
            if not native(ctypes.byref(value), number, handle):  # an attribute that a release does not know stays 0
                setattr(attributes, member, value.value)
        del buffer
        attributes.ptxVersion = _version(binding, _PTX_VERSION, handle)
        attributes.binaryVersion = _version(binding, _BINARY_VERSION, handle)
        return outcome.success, attributes

    return get


def set_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuFuncSetAttribute: HIP's hipFuncSetAttribute has an enum of its own for the settable ones, numbered alike."""
    assign = _assignment(binding)
    return lambda function, attribute, value: assign(attribute, value, function, lambda call: call())


def set_kernel_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuKernelSetAttribute, as the function's on that device."""
    assign, on_device = _assignment(binding), _OnDevice(binding)
    return lambda attrib, val, kernel, dev: assign(attrib, val, kernel, lambda call: on_device(dev, call))


def _assignment(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """Return the function that sets an attribute; its last parameter calls HIP."""
    outcome, integer, check = binding.outcome, C_INTEGERS["int"].check, _Check(binding)
    to_hip = binding.enums("CUfunction_attribute").to_hip
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    names = binding.hip_python.hip.hipFuncAttribute.__members__
    settable = {int(constant) for name, constant in names.items() if name != "hipFuncAttributeMax"}

    def assign(
        attribute: Any, value: Any, function: Any, inside_device: Callable[[Callable[[], int]], int]
    ) -> tuple[Any, ...]:
        require(attrib=attribute)
        handle, number = address(function), integer(value)
        try:
            chosen = int(to_hip[attribute])
        except Refused as refusal:
            return outcome.refused(refusal)
        if chosen not in settable:  # it can only be read
            status = check.status(handle)
            return outcome.failed(status) if status else outcome.invalid()
        status = inside_device(lambda: native(handle, chosen, number))
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
    """cuKernelGetParamCount: HIP describes one parameter at a time, and refuses the first number beyond the last."""
    outcome, pointer, size = binding.outcome, ctypes.c_void_p, ctypes.c_size_t
    name_of = binding.native("hipKernelGetName", pointer, pointer)
    describe = binding.native(binding.row.hip or "", pointer, size, pointer, pointer)

    def count(kernel: Any) -> tuple[Any, ...]:
        handle, text = address(kernel), pointer()
        status = name_of(ctypes.byref(text), handle)
        if status:
            return outcome.failed(status)
        offset, width, parameters = size(), size(), 0
        while not describe(handle, parameters, ctypes.byref(offset), ctypes.byref(width)):
            parameters += 1
        return outcome.success, parameters

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
    """Test that HIP knows a function, by asking for an attribute that every function has."""

    def __init__(self, binding: Binding) -> None:
        self._get = binding.native("hipFuncGetAttribute", ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        attributes = binding.hip_python.hip.hipFunction_attribute
        self._attribute = int(attributes.HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)

    def status(self, function: int) -> int:
        """Return HIP's status for asking about a function."""
        value = ctypes.c_int()
        return self._get(ctypes.byref(value), self._attribute, function)

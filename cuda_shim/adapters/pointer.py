"""Attributes of pointers: cuPointerGetAttribute and its siblings, and cudaPointerGetAttributes."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.attributes import Attributes, Cell
from cuda_shim.binding.arguments import address, require
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.body import compiled_query
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.lists import check_list
from cuda_shim.binding.native_calls import native_status
from cuda_shim.binding.structs.hip import hip_place

__all__ = ["get_attribute", "get_attributes", "runtime_attributes", "set_attribute"]

_PREFIX = "CU_POINTER_ATTRIBUTE_"
_TYPES = {
    "CONTEXT": "CUcontext",
    "MEMORY_TYPE": "unsigned int",
    "DEVICE_POINTER": "CUdeviceptr",
    "HOST_POINTER": "unsigned long long",
    "P2P_TOKENS": "CUDA_POINTER_ATTRIBUTE_P2P_TOKENS",
    "SYNC_MEMOPS": "bool",
    "BUFFER_ID": "unsigned long long",
    "IS_MANAGED": "bool",
    "DEVICE_ORDINAL": "int",
    "IS_LEGACY_CUDA_IPC_CAPABLE": "bool",
    "RANGE_START_ADDR": "CUdeviceptr",
    "RANGE_SIZE": "size_t",
    "MAPPED": "bool",
    "ALLOWED_HANDLE_TYPES": "unsigned long long",
    "IS_GPU_DIRECT_RDMA_CAPABLE": "unsigned int",
    "ACCESS_FLAGS": "unsigned int",
    "MEMPOOL_HANDLE": "CUmemoryPool",
}
_LATER_TYPES = {  # CUDA Python 11 refuses these with a TypeError
    "MAPPING_SIZE": "size_t",
    "MAPPING_BASE_ADDR": "CUdeviceptr",
    "MEMORY_BLOCK_ID": "unsigned long long",
    "IS_HW_DECOMPRESS_CAPABLE": "bool",
    "LOCALITY_DOMAIN_ORDINAL": "int",
}
_INVALID_DEVICE = -2  # cudaInvalidDeviceId


class _PointerAttributes(Attributes):
    """The driver's pointer attributes; memory types are HIP's numbers, which CUDA numbers differently."""

    def __init__(self, binding: Binding) -> None:
        types = {**_TYPES, **(_LATER_TYPES if binding.scope.layout.later_pointer_attributes else {})}
        super().__init__(binding, "CUpointer_attribute", _PREFIX, types)
        enum = binding.enums("CUmemorytype")
        self._memory_types = {number: int(enum.from_hip[number]) for number in map(int, enum.hip_constants.values())}

    def plain(self) -> dict[int, tuple[int, Any, Callable[[Any], Any]]]:
        """Return HIP's number, the cell's type and the wrapper of its value, for each attribute with all three."""
        attributes = super().plain()
        for number, (hip, room, _) in attributes.items():
            if self._numbers[number] == _PREFIX + "MEMORY_TYPE":
                attributes[number] = hip, room, lambda kind: self._memory_types.get(kind, kind)
        return attributes

    def value(self, attribute: Any, cell: Cell) -> Any:
        """Return cuda-python's value for a cell that HIP filled."""
        answer = cell.value()
        return self._memory_types.get(answer, answer) if self.name(attribute) == _PREFIX + "MEMORY_TYPE" else answer


def get_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuPointerGetAttribute: a value of the attribute's own type."""
    outcome, attributes = binding.outcome, _PointerAttributes(binding)
    pointer, number = ctypes.c_void_p, ctypes.c_int
    native = native_status(binding, binding.row.hip or "", pointer, number, pointer)
    constants, plain = binding.enums("CUpointer_attribute").cls, attributes.plain()
    success, failures = outcome.success, outcome.failures

    def get(attribute: Any, ptr: Any) -> tuple[Any, ...]:
        attribute_of_hip = plain.get(attribute) if attribute.__class__ is constants else None
        if attribute_of_hip is not None:
            hip_number, room, value = attribute_of_hip
            memory = room()
            status = native(memory, hip_number, address(ptr))
            return failures[status] if status else (success, value(memory[0]))
        require(attribute=attribute)
        place, cell = address(ptr), attributes.cell(attribute)
        try:
            status = native(cell.address, int(attributes.hip(attribute)), place)
        except Refused as refusal:
            return outcome.refused(refusal)
        return failures[status] if status else (success, attributes.value(attribute, cell))

    return get


def get_attributes(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuPointerGetAttributes: a list of values, which for a pointer that HIP does not know are zeros.

    Through ctypes, since hip-python passes the address of one attribute.
    """
    outcome, attributes = binding.outcome, _PointerAttributes(binding)
    pointer, count = ctypes.c_void_p, ctypes.c_uint
    native = binding.native(binding.row.hip or "", count, pointer, pointer, pointer)
    check = check_list("attributes", "CUpointer_attribute", binding.scope)

    def get(number: Any, names: Any, ptr: Any) -> tuple[Any, ...]:
        place, constants = address(ptr), check(names, number)
        cells = [attributes.cell(constant) for constant in constants]
        for constant, cell in zip(constants, cells, strict=True):
            if attributes.name(constant) == _PREFIX + "DEVICE_ORDINAL":
                ctypes.c_int.from_address(cell.address).value = _INVALID_DEVICE
        if not number:
            return outcome.invalid()
        try:
            numbers = (ctypes.c_int * len(cells))(*(int(attributes.hip(constant)) for constant in constants))
        except Refused as refusal:
            return outcome.refused(refusal)
        places = (pointer * len(cells))(*(cell.address for cell in cells))
        status = native(number, numbers, places, place)
        if status:
            return outcome.failed(status)
        values = [attributes.value(constant, cell) for constant, cell in zip(constants, cells, strict=True)]
        return outcome.success, values

    return get


def set_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuPointerSetAttribute; CU_POINTER_ATTRIBUTE_SYNC_MEMOPS is the one that can be set."""
    outcome, hip, attributes = binding.outcome, binding.hip, _PointerAttributes(binding)

    def assign(value: Any, attribute: Any, ptr: Any) -> tuple[Any, ...]:
        require(attribute=attribute)
        pointer, cell = address(ptr), attributes.filled_cell(attribute, value)
        try:
            (status,) = hip(cell.address, attributes.hip(attribute), pointer)
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else (outcome.success,)

    return assign


def runtime_attributes(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaPointerGetAttributes, which since CUDA 11 describes ordinary host memory as well.

    Some releases of HIP refuse such memory; then its error state is restored, since nothing failed.
    """
    outcome, generated = binding.outcome, generated_call(binding)
    make, last_error = binding.class_of("cudaPointerAttributes"), binding.hip_python.hip.hipGetLastError
    kinds = binding.enums("cudaMemoryType")
    unregistered, kind_of = kinds.cls.cudaMemoryTypeUnregistered, _number_in_hip(make, "type")
    in_hip, invalid, success = kinds.numbers[unregistered], outcome.status("cudaErrorInvalidValue"), outcome.success

    def get(ptr: Any) -> tuple[Any, ...]:
        status, attributes = generated(ptr)
        if not status and kind_of(attributes) != in_hip:
            return success, attributes
        if status == invalid:
            last_error()
            attributes = make()
            attributes.type, attributes.device = unregistered, _INVALID_DEVICE
        elif status:
            return status, attributes
        attributes.hostPointer = memory_address(ptr)[1]
        return success, attributes

    return compiled_query(binding, get, (hip_place(make, "type"), in_hip))


def _number_in_hip(cls: Any, member: str) -> Callable[[Any], int]:
    """Return the function that reads a member of a struct that HIP has just written, without converting the struct."""
    read, at = struct.Struct("i").unpack_from, hip_place(cls, member)

    def number(attributes: Any) -> int:
        kind: int = read(attributes.__storage__.unread[1], at)[0]
        return kind

    return number

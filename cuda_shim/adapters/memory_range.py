"""Advice on managed memory, and moving it ahead of its use, in the forms of CUDA 11, 12 and 13.

The newer form names a place (device, host, NUMA node) where the older one has a device number, -1 for the host.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address, require, require_type, void_pointer
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.hip_calls import find_hip
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.lists import check_list
from cuda_shim.binding.structs import by_value

__all__ = ["advise", "get_attribute", "get_attributes", "prefetch"]

_HOST = -1  # hipCpuDeviceId, cudaCpuDeviceId
_NOWHERE = -2  # hipInvalidDeviceId, cudaInvalidDeviceId
_LOCATION_NONE, _LOCATION_DEVICE, _LOCATION_HOST = 0, 1, 2


class _LocationArgument:
    """The location argument of the newer calls: the device or host node of memory."""

    def __init__(self, binding: Binding) -> None:
        name = "CUmemLocation" if binding.api == "driver" else "cudaMemLocation"
        self._cls = binding.class_of(name)

    def check(self, location: Any) -> Any:
        """Return the location itself. Raises TypeError, as cuda-python, for anything else."""
        require_type("location", self._cls, location)
        return location

    def device(self, location: Any) -> int | None:
        """Return the device number of the older calls, None for a place that they cannot name."""
        kind = int(location.type)
        if kind == _LOCATION_DEVICE:
            return int(location.id)
        return _HOST if kind == _LOCATION_HOST else None


def advise(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemAdvise, cuMemAdvise_v2, cudaMemAdvise, cudaMemAdvise_v2; HIP's are hipMemAdvise and hipMemAdvise_v2."""
    outcome, hip = binding.outcome, binding.hip
    to_hip = binding.enums("CUmem_advise" if binding.api == "driver" else "cudaMemoryAdvise").to_hip
    pointer, device, place = _pointer(binding), C_INTEGERS["int"].check, _LocationArgument(binding)

    def by_device(dev_ptr: Any, count: Any, advice: Any, number: Any) -> tuple[Any, ...]:
        require(advice=advice)
        try:
            (status,) = hip(pointer(dev_ptr), count, to_hip[advice], 0 if number is None else device(number))
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else (outcome.success,)

    def by_location(dev_ptr: Any, count: Any, advice: Any, location: Any) -> tuple[Any, ...]:
        number = place.device(place.check(location))
        if number is not None:
            return by_device(dev_ptr, count, advice, number)
        require(advice=advice)
        newer = find_hip("hipMemAdvise_v2", binding.hip_python)
        try:
            (status,) = newer(pointer(dev_ptr), count, to_hip[advice], by_value(location))
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else (outcome.success,)

    return by_location if binding.row.inputs[-1].name == "location" else by_device


def prefetch(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemPrefetchAsync, cudaMemPrefetchAsync and their _v2; HIP's are hipMemPrefetchAsync and its _v2."""
    outcome, hip = binding.outcome, binding.hip
    pointer, device, place = _pointer(binding), C_INTEGERS["int"].check, _LocationArgument(binding)

    def to_device(dev_ptr: Any, count: Any, number: Any, stream: Any) -> tuple[Any, ...]:
        (status,) = hip(pointer(dev_ptr), count, 0 if number is None else device(number), address(stream))
        return outcome.failed(status) if status else (outcome.success,)

    def to_location(dev_ptr: Any, count: Any, location: Any, flags: Any, stream: Any) -> tuple[Any, ...]:
        number = place.device(place.check(location))
        if C_INTEGERS["unsigned int"].check(flags):
            return outcome.invalid()  # no flag is defined
        if number is not None:
            return to_device(dev_ptr, count, number, stream)
        newer = find_hip("hipMemPrefetchAsync_v2", binding.hip_python)
        try:
            (status,) = newer(pointer(dev_ptr), count, by_value(location), 0, address(stream))
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else (outcome.success,)

    return to_location if "location" in {parameter.name for parameter in binding.row.inputs} else to_device


def get_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemRangeGetAttribute, cudaMemRangeGetAttribute: an int, or for ACCESSED_BY a list of device numbers."""
    outcome, hip, attributes = binding.outcome, binding.hip, _RangeAttributes(binding)
    pointer, size = _pointer(binding), C_INTEGERS["size_t"].check

    def get(data_size: Any, attribute: Any, dev_ptr: Any, count: Any) -> tuple[Any, ...]:
        require(attribute=attribute)
        cell = _Cell(attributes.name(attribute), size(data_size))
        try:
            hip_attribute = attributes.to_hip[attributes.driver_number(attribute)]
        except Refused as refusal:
            return outcome.refused(refusal)
        (status,) = hip(cell.address, data_size, hip_attribute, pointer(dev_ptr), count)
        return outcome.failed(status) if status else (outcome.success, cell.value())

    return get


def get_attributes(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemRangeGetAttributes, cudaMemRangeGetAttributes: a list of the values that the single calls give.

    Through ctypes, since hip-python takes none of the arrays.
    """
    outcome, attributes = binding.outcome, _RangeAttributes(binding)
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    native = binding.native(binding.row.hip or "", pointer, pointer, pointer, size, pointer, size)
    check = check_list("attributes", attributes.enum, binding.scope)

    def get(sizes: Any, names: Any, number: Any, dev_ptr: Any, count: Any) -> tuple[Any, ...]:
        constants = check(names, 0)
        if not all(isinstance(entry, int) for entry in sizes):
            raise TypeError("Argument 'dataSizes' is not instance of type (expected tuple[int] or list[int]")
        for entries in (sizes, constants):
            if number > len(entries):
                raise RuntimeError(f"List is too small: {len(entries)} < {number}")
        pairs = list(zip(constants, map(C_INTEGERS["size_t"].check, sizes), strict=False))
        cells = [_Cell(attributes.name(constant), room) for constant, room in pairs]
        try:
            hip_attributes = [int(attributes.to_hip[attributes.driver_number(constant)]) for constant, _ in pairs]
        except Refused as refusal:
            return outcome.refused(refusal)
        buffer, place = memory_address(dev_ptr)
        status = native(
            (pointer * len(cells))(*(cell.address for cell in cells)),
            (size * len(cells))(*(room for _, room in pairs)),
            (ctypes.c_int * len(cells))(*hip_attributes),
            number,
            place,
            C_INTEGERS["size_t"].check(count),
        )
        del buffer
        return outcome.failed(status) if status else (outcome.success, [cell.value() for cell in cells])

    return get


# CUDA 12 gives a place as a type and a number, where HIP has a device number alone.
_ANSWERED_BY = {
    "PREFERRED_LOCATION_TYPE": "PREFERRED_LOCATION",
    "PREFERRED_LOCATION_ID": "PREFERRED_LOCATION",
    "LAST_PREFETCH_LOCATION_TYPE": "LAST_PREFETCH_LOCATION",
    "LAST_PREFETCH_LOCATION_ID": "LAST_PREFETCH_LOCATION",
}


class _RangeAttributes:
    """The attributes of a range by name; those that HIP lacks are read off the ones that it has."""

    def __init__(self, binding: Binding) -> None:
        self.enum = "CUmem_range_attribute" if binding.api == "driver" else "cudaMemRangeAttribute"
        self.to_hip = binding.enums(self.enum).to_hip
        prefix = "CU_MEM_RANGE_ATTRIBUTE_"
        # The runtime numbers its constants as the driver does.
        members = binding.enums("CUmem_range_attribute").row.members
        self._names: dict[int, str] = {member.value: member.name.removeprefix(prefix) for member in members}
        self._numbers = {name: number for number, name in self._names.items()}

    def name(self, attribute: Any) -> str:
        """Return the driver's name without its prefix. Raises AttributeError if it is not an enum constant."""
        constant = self._names.get(attribute.value)
        if constant is None:
            raise TypeError(f"Unsupported attribute: {attribute.name}")
        return constant

    def driver_number(self, attribute: Any) -> int:
        """Return the number of the attribute that HIP is asked for."""
        name = self.name(attribute)
        return self._numbers[_ANSWERED_BY.get(name, name)]


# More than any machine has. A longer list would take gigabytes, and minutes.
_MAX_DEVICES = 1 << 20


class _Cell:
    """Memory for the value of one attribute, and its conversion to cuda-python's value."""

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._count = size // 4
        if name == "ACCESSED_BY" and self._count > _MAX_DEVICES:
            raise MemoryError(f"no memory for the numbers of {self._count} devices")
        # HIP must not write past the size that the program gives; every other attribute has four bytes.
        self._numbers = (ctypes.c_int * max(1, min((size + 3) // 4, _MAX_DEVICES)))()

    @property
    def address(self) -> int:
        """The address that HIP writes to."""
        return ctypes.addressof(self._numbers)

    def value(self) -> Any:
        """Return an int, or the list of ACCESSED_BY."""
        first = int(self._numbers[0])
        if self._name == "ACCESSED_BY":
            return list(self._numbers[: self._count])
        if not self._name.endswith("_TYPE"):
            return first
        if first == _NOWHERE:
            return _LOCATION_NONE
        return _LOCATION_HOST if first == _HOST else _LOCATION_DEVICE


def _pointer(binding: Binding) -> Callable[[Any], Any]:
    return address if binding.api == "driver" else void_pointer

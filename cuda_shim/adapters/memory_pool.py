"""Attributes of memory pools, and of the memory that graphs allocate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.attributes import Attributes
from cuda_shim.binding.arguments import address
from cuda_shim.binding.enums.translation import Refused, require_constant
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["get_attribute", "get_graph_attribute", "import_from_handle", "set_attribute", "set_graph_attribute"]

_POOL_PREFIX = {"driver": "CU_MEMPOOL_", "runtime": "cudaMemPool"}
_POOL = {
    "driver": {
        "ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES": "int",
        "ATTR_REUSE_ALLOW_OPPORTUNISTIC": "int",
        "ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES": "int",
        "ATTR_RELEASE_THRESHOLD": "cuuint64_t",
        "ATTR_RESERVED_MEM_CURRENT": "cuuint64_t",
        "ATTR_RESERVED_MEM_HIGH": "cuuint64_t",
        "ATTR_USED_MEM_CURRENT": "cuuint64_t",
        "ATTR_USED_MEM_HIGH": "cuuint64_t",
        "ATTR_ALLOCATION_TYPE": "int",
        "ATTR_EXPORT_HANDLE_TYPES": "int",
        "ATTR_LOCATION_ID": "int",
        "ATTR_LOCATION_TYPE": "int",
        "ATTR_MAX_POOL_SIZE": "cuuint64_t",
        "ATTR_HW_DECOMPRESS_ENABLED": "int",
        "ATTR_LOCALITY_DOMAIN_ID": "int",
    },
    "runtime": {
        "ReuseFollowEventDependencies": "int",
        "ReuseAllowOpportunistic": "int",
        "ReuseAllowInternalDependencies": "int",
        "AttrReleaseThreshold": "cuuint64_t",
        "AttrReservedMemCurrent": "cuuint64_t",
        "AttrReservedMemHigh": "cuuint64_t",
        "AttrUsedMemCurrent": "cuuint64_t",
        "AttrUsedMemHigh": "cuuint64_t",
        "AttrAllocationType": "int",
        "AttrExportHandleTypes": "int",
        "AttrLocationId": "int",
        "AttrLocationType": "int",
        "AttrMaxPoolSize": "cuuint64_t",
        "AttrHwDecompressEnabled": "int",
        "AttrLocalityDomainId": "int",
    },
}
_GRAPH_PREFIX = {"driver": "CU_GRAPH_MEM_ATTR_", "runtime": "cudaGraphMemAttr"}
_GRAPH = {
    "driver": ("USED_MEM_CURRENT", "USED_MEM_HIGH", "RESERVED_MEM_CURRENT", "RESERVED_MEM_HIGH"),
    "runtime": ("UsedMemCurrent", "UsedMemHigh", "ReservedMemCurrent", "ReservedMemHigh"),
}


def import_from_handle(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemPoolImportFromShareableHandle, whose flags have 64 bits; HIP's have 32, all without a meaning."""
    outcome, generated = binding.outcome, generated_call(binding)

    def take(handle: Any, kind: Any, flags: Any) -> tuple[Any, ...]:
        return outcome.invalid() if flags >> 32 else generated(handle, kind, flags)

    return take


def get_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemPoolGetAttribute, cudaMemPoolGetAttribute: an int for the switches, a cuuint64_t for bytes."""
    return _getter(binding, _pool_attributes(binding), address)


def set_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemPoolSetAttribute, cudaMemPoolSetAttribute: bytes must be given as a cuuint64_t, as in CUDA Python."""
    return _setter(binding, _pool_attributes(binding), address)


def get_graph_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute: bytes, as a cuuint64_t."""
    return _getter(binding, _graph_attributes(binding), _device)


def set_graph_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute: a cuuint64_t of 0 resets a high mark."""
    return _setter(binding, _graph_attributes(binding), _device)


def _pool_attributes(binding: Binding) -> Attributes:
    enum = {"driver": "CUmemPool_attribute", "runtime": "cudaMemPoolAttr"}[binding.api]
    return Attributes(binding, enum, _POOL_PREFIX[binding.api], _POOL[binding.api])


def _graph_attributes(binding: Binding) -> Attributes:
    enum = {"driver": "CUgraphMem_attribute", "runtime": "cudaGraphMemAttributeType"}[binding.api]
    return Attributes(binding, enum, _GRAPH_PREFIX[binding.api], dict.fromkeys(_GRAPH[binding.api], "cuuint64_t"))


def _device(value: Any) -> int:
    return 0 if value is None else C_INTEGERS["int"].check(value)


_Call = Callable[..., tuple[Any, ...]]


def _getter(binding: Binding, attributes: Attributes, owner: Callable[[Any], int]) -> _Call:
    outcome, hip = binding.outcome, binding.hip

    def get(pool: Any, attr: Any) -> tuple[Any, ...]:
        require_constant(attributes.enum, attr=attr)
        cell = attributes.cell(attr)
        try:
            (status,) = hip(owner(pool), attributes.hip(attr), cell.address)
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else (outcome.success, cell.value())

    return get


def _setter(binding: Binding, attributes: Attributes, owner: Callable[[Any], int]) -> _Call:
    outcome, hip = binding.outcome, binding.hip

    def assign(pool: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        require_constant(attributes.enum, attr=attr)
        cell = attributes.filled_cell(attr, value)
        try:
            (status,) = hip(owner(pool), attributes.hip(attr), cell.address)
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else (outcome.success,)

    return assign

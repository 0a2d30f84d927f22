"""Device attributes and properties: HIP's answers, and those for attributes that HIP lacks.

CUDA answers every attribute; a feature that a device lacks is 0. So the features that HIP does not have are 0
here as well, and the limits that HIP keeps as arrays in the device's properties are read there. A warp is as wide
as kernels see it, and the compute capability is the one that is served, not a GPU's number (`architecture`).
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters import architecture
from cuda_shim.adapters.architecture import is_gpu, warp_size
from cuda_shim.binding.arguments import require
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.native_calls import native_status
from cuda_shim.binding.structs import change_when_read

__all__ = ["attribute", "compute_capability", "legacy_properties", "properties"]

_PREFIX = "CU_DEVICE_ATTRIBUTE_"
_INT = struct.Struct("i")

# A property of several numbers, and the attributes that each of them is.
_ARRAYS = {
    "maxTexture1DLayered": ("MAXIMUM_TEXTURE1D_LAYERED_", ("WIDTH", "LAYERS")),
    "maxTexture2DLayered": ("MAXIMUM_TEXTURE2D_LAYERED_", ("WIDTH", "HEIGHT", "LAYERS")),
    "maxTexture2DGather": ("MAXIMUM_TEXTURE2D_GATHER_", ("WIDTH", "HEIGHT")),
    "maxTexture2DLinear": ("MAXIMUM_TEXTURE2D_LINEAR_", ("WIDTH", "HEIGHT", "PITCH")),
    "maxTexture2DMipmap": ("MAXIMUM_TEXTURE2D_MIPMAPPED_", ("WIDTH", "HEIGHT")),
    "maxTexture3DAlt": ("MAXIMUM_TEXTURE3D_", ("WIDTH_ALTERNATE", "HEIGHT_ALTERNATE", "DEPTH_ALTERNATE")),
    "maxTextureCubemapLayered": ("MAXIMUM_TEXTURECUBEMAP_LAYERED_", ("WIDTH", "LAYERS")),
    "maxSurface1DLayered": ("MAXIMUM_SURFACE1D_LAYERED_", ("WIDTH", "LAYERS")),
    "maxSurface2D": ("MAXIMUM_SURFACE2D_", ("WIDTH", "HEIGHT")),
    "maxSurface2DLayered": ("MAXIMUM_SURFACE2D_LAYERED_", ("WIDTH", "HEIGHT", "LAYERS")),
    "maxSurface3D": ("MAXIMUM_SURFACE3D_", ("WIDTH", "HEIGHT", "DEPTH")),
    "maxSurfaceCubemapLayered": ("MAXIMUM_SURFACECUBEMAP_LAYERED_", ("WIDTH", "LAYERS")),
}
_IN_PROPERTIES = {
    prefix + end: (field, index) for field, (prefix, ends) in _ARRAYS.items() for index, end in enumerate(ends)
}

# Features and options of NVIDIA's devices alone.
_ABSENT = (
    "ATOMIC_REDUCTION_SUPPORTED", "CAN_FLUSH_REMOTE_WRITES", "CAN_USE_64_BIT_STREAM_MEM_OPS_V1",
    "CAN_USE_STREAM_MEM_OPS_V1", "CAN_USE_STREAM_WAIT_VALUE_NOR_V1", "CLUSTER_LAUNCH",
    "D3D12_CIG_STREAMS_SUPPORTED", "D3D12_CIG_SUPPORTED", "DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED",
    "DMA_BUF_MMAP_SUPPORTED", "DMA_BUF_SUPPORTED", "GENERIC_COMPRESSION_SUPPORTED",
    "GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS", "GPU_DIRECT_RDMA_SUPPORTED", "GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED",
    "GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED", "GPU_DIRECT_RDMA_WRITES_ORDERING", "GPU_PCI_DEVICE_ID",
    "GPU_PCI_SUBSYSTEM_ID", "HANDLE_TYPE_FABRIC_SUPPORTED", "HANDLE_TYPE_WIN32_HANDLE_SUPPORTED",
    "HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED", "HOST_ALLOC_DMA_BUF_SUPPORTED", "HOST_NUMA_MULTINODE_IPC_SUPPORTED",
    "HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", "HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED",
    "LOCALITY_DOMAIN_COUNT", "LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT", "LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED",
    "LOGICAL_ENDPOINT_MULTICAST_SUPPORTED", "LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES",
    "LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED", "LOGICAL_ENDPOINT_UNICAST_SUPPORTED",
    "MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK", "MEM_DECOMPRESS_ALGORITHM_MASK", "MEM_DECOMPRESS_MAXIMUM_LENGTH",
    "MPS_ENABLED", "MULTICAST_SUPPORTED", "NUMA_CONFIG", "ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED",
    "READ_ONLY_HOST_REGISTER_SUPPORTED", "SPARSE_CUDA_ARRAY_SUPPORTED", "TENSOR_MAP_ACCESS_SUPPORTED",
    "TENSOR_MAP_LARGE_TENSOR_MIN_SIZE", "TIMELINE_SEMAPHORE_INTEROP_SUPPORTED", "UNIFIED_FUNCTION_POINTERS",
    "VULKAN_CIG_STREAMS_SUPPORTED", "VULKAN_CIG_SUPPORTED",
)  # fmt: skip
# Only asked where HIP, or the hip-python at hand, has no attribute of its own.
_ANSWERS = {
    **dict.fromkeys(_ABSENT, 0),
    "IPC_EVENT_SUPPORTED": 1,
    "MEM_SYNC_DOMAIN_COUNT": 1,  # one domain is none
    "NUMA_ID": -1,  # the device is no NUMA node
}

# Features of devices from compute capability 9.0 on.
_HOPPERS = ("CLUSTER_LAUNCH", "TENSOR_MAP_ACCESS_SUPPORTED")

# Pools at locations that HIP names, but without an attribute for their support.
_POOLS = {
    "HOST_MEMORY_POOLS_SUPPORTED": "hipMemLocationTypeHost",
    "HOST_NUMA_MEMORY_POOLS_SUPPORTED": "hipMemLocationTypeHostNuma",
}

# The struct of cuDeviceGetProperties: the attributes behind each member, without HIP's prefix.
_LEGACY = {
    "maxThreadsPerBlock": ("MaxThreadsPerBlock",),
    "maxThreadsDim": ("MaxBlockDimX", "MaxBlockDimY", "MaxBlockDimZ"),
    "maxGridSize": ("MaxGridDimX", "MaxGridDimY", "MaxGridDimZ"),
    "sharedMemPerBlock": ("MaxSharedMemoryPerBlock",),
    "totalConstantMemory": ("TotalConstantMemory",),
    "SIMDWidth": ("WarpSize",),
    "memPitch": ("MaxPitch",),
    "regsPerBlock": ("MaxRegistersPerBlock",),
    "clockRate": ("ClockRate",),
    "textureAlign": ("TextureAlignment",),
}


# A GPU's grid has less than 2^32 threads along x, so of the largest blocks it has no more than these.
_MAX_BLOCKS_OF_GPUS = ((1 << 32) - 1) // 1024


def attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuDeviceGetAttribute, cudaDeviceGetAttribute; HIP's is hipDeviceGetAttribute."""
    outcome, cell = binding.outcome, ctypes.c_int * 1
    hip = native_status(binding, binding.row.hip or "", cell, ctypes.c_int, ctypes.c_int)
    enum = "CUdevice_attribute" if binding.api == "driver" else "cudaDeviceAttr"
    constants, numbers = binding.enums(enum).cls, binding.enums(enum).numbers
    wave_size = int(binding.hip_python.hip.hipDeviceAttribute_t.hipDeviceAttributeWarpSize)
    # The runtime numbers its attributes as the driver does.
    names = [
        (member.name.removeprefix(_PREFIX), member.value) for member in binding.enums("CUdevice_attribute").row.members
    ]
    arrays = {number: _IN_PROPERTIES[name] for name, number in names if name in _IN_PROPERTIES}
    answers = {member.value: 0 for member in binding.enums(enum).row.members if "Reserved" in member.name}
    answers |= {number: _ANSWERS[name] for name, number in names if name in _ANSWERS}
    if architecture.compute_capability(binding.hip_python) >= (9, 0):
        answers |= {number: 1 for name, number in names if name in _HOPPERS}
    pools = {number: _POOLS[name] for name, number in names if name in _POOLS}
    of_name = dict(names)
    major, minor = architecture.compute_capability(binding.hip_python)
    own = {of_name["COMPUTE_CAPABILITY_MAJOR"]: major, of_name["COMPUTE_CAPABILITY_MINOR"]: minor}
    device_of = C_INTEGERS["int"].check
    if is_gpu(binding.hip_python):
        own[of_name["WARP_SIZE"]] = warp_size(binding.hip_python, 0)
        own[of_name["MAX_GRID_DIM_X"]] = _MAX_BLOCKS_OF_GPUS
    argument = binding.row.inputs[0].name

    plain = {int(n): hip for n, hip in numbers.items() if n not in arrays and n not in own}
    success, failed = outcome.success, outcome.failed

    def get(attrib: Any, dev: Any) -> tuple[Any, ...]:
        if attrib.__class__ is constants:
            number = plain.get(attrib)
            if number is not None and dev.__class__ is int:
                room = cell()
                status = hip(room, number, dev)
                return failed(status) if status else (success, room[0])
        else:
            require(**{argument: attrib})
        device = 0 if dev is None else device_of(dev)
        if attrib in arrays:
            return _from_properties(binding, device, *arrays[attrib])
        room = cell()
        try:
            status = hip(room, numbers[attrib], device)
            value = own.get(attrib, room[0])
        except Refused as refusal:
            if attrib not in answers and attrib not in pools:
                return outcome.refused(refusal)
            # HIP's status still reports whether there is such a device.
            status = hip(room, wave_size, device)
            value = answers[attrib] if attrib in answers else int(_makes_pools(binding, pools[attrib]))
        return outcome.failed(status) if status else (outcome.success, value)

    return get


def _makes_pools(binding: Binding, place: str) -> bool:
    """Return whether HIP makes a memory pool in a place, by making one."""
    hip = binding.hip_python.hip
    pool_properties = hip.hipMemPoolProps()
    pool_properties.allocType = hip.hipMemAllocationType.hipMemAllocationTypePinned
    pool_properties.handleTypes = hip.hipMemAllocationHandleType.hipMemHandleTypeNone
    pool_properties.location.type, pool_properties.location.id = getattr(hip.hipMemLocationType, place), 0
    status, pool = hip.hipMemPoolCreate(pool_properties)
    if int(status):
        return False
    hip.hipMemPoolDestroy(pool)
    return True


def _from_properties(binding: Binding, device: int, field: str, index: int) -> tuple[Any, ...]:
    status, properties = binding.catalogue.object("runtime", "cudaGetDeviceProperties")(device)
    if status:
        return binding.outcome.failed(int(status))  # the codes of both modules are numbered alike
    return binding.outcome.success, getattr(properties, field)[index]


def properties(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaGetDeviceProperties: HIP's, and on GPUs a warp as wide as kernels see it and the capability that is served.

    Host cores report those themselves. On GPUs the struct is corrected when the program first reads it.
    """
    generated, hip_python = generated_call(binding), binding.hip_python
    if not architecture.translated() and not is_gpu(hip_python):
        return generated
    layout = binding.class_of("cudaDeviceProp").__struct__.layout
    width, major, minor, blocks = (layout.place(name).offset for name in ("warpSize", "major", "minor", "maxGridSize"))

    def correct(memory: Any) -> None:
        for offset, own in ((width, warp_size), (blocks, _max_blocks)):
            _INT.pack_into(memory, offset, own(hip_python, *_INT.unpack_from(memory, offset)))
        for offset, number in zip((major, minor), architecture.compute_capability(hip_python), strict=True):
            _INT.pack_into(memory, offset, number)

    def get(device: Any) -> tuple[Any, ...]:
        status, properties = generated(device)
        if not status:
            change_when_read(properties, correct)
        return status, properties

    return get


def _max_blocks(hip_python: Any, number: int) -> int:
    """Return how many blocks of any size a grid may have along x, where HIP gives `number`."""
    return _MAX_BLOCKS_OF_GPUS if is_gpu(hip_python) else number


def compute_capability(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuDeviceComputeCapability: the one that is served; HIP checks that there is such a device."""
    generated = generated_call(binding)

    def get(dev: Any) -> tuple[Any, ...]:
        status, *capability = generated(dev)
        return (status, *(capability if status else architecture.compute_capability(binding.hip_python)))

    return get


def legacy_properties(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuDeviceGetProperties: a CUdevprop, read attribute by attribute."""
    outcome, properties_class, hip = binding.outcome, binding.class_of("CUdevprop"), binding.hip_python.hip
    device_of, hip_attributes = C_INTEGERS["int"].check, hip.hipDeviceAttribute_t.__members__

    def get(dev: Any) -> tuple[Any, ...]:
        device, properties = 0 if dev is None else device_of(dev), properties_class()
        for field, attributes in _LEGACY.items():
            numbers = []
            for name in attributes:
                status, number = hip.hipDeviceGetAttribute(hip_attributes[f"hipDeviceAttribute{name}"], device)
                if status:
                    return outcome.failed(status)
                own = {"WarpSize": warp_size, "MaxGridDimX": _max_blocks}.get(name)
                numbers.append(own(binding.hip_python, number) if own else number)
            setattr(properties, field, numbers if len(numbers) > 1 else numbers[0])
        return outcome.success, properties

    return get

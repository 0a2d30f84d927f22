"""Devices: texts of the caller's length, attributes of every name, properties as structs."""

import pytest

from tests.adapters import processes
from tests.adapters.answers import failed, ok


def test_a_device_is_a_handle_in_the_driver_and_a_number_in_the_runtime(cuda):
    device = ok(cuda.driver.cuDeviceGet(0))
    assert (type(device), int(device)) == (cuda.driver.CUdevice, 0)
    for wrong in (99, -1):
        failed(cuda.driver.cuDeviceGet(wrong), "CUDA_ERROR_INVALID_DEVICE", 1)


def test_a_name_is_as_long_as_asked_for(cuda):
    name = ok(cuda.driver.cuDeviceGetName(200, 0))
    assert (type(name), len(name)) == (bytes, 200)
    text = name.rstrip(b"\0")
    assert text
    assert name == text.ljust(200, b"\0")
    assert ok(cuda.driver.cuDeviceGetName(4, 0)) == text[:3] + b"\0"
    assert ok(cuda.driver.cuDeviceGetName(1, 0)) == b"\0"
    failed(cuda.driver.cuDeviceGetName(0, 0), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.driver.cuDeviceGetName(8, 99), "CUDA_ERROR_INVALID_DEVICE", 1)


@pytest.mark.parametrize("length", [13, 32])
def test_a_bus_id_is_as_long_as_asked_for(cuda, length):
    place = ok(cuda.driver.cuDeviceGetPCIBusId(length, 0))
    assert place == b"0000:00:00.0".ljust(length, b"\0")
    assert ok(cuda.runtime.cudaDeviceGetPCIBusId(length, 0)) == place
    assert int(ok(cuda.driver.cuDeviceGetByPCIBusId(place))) == 0
    assert ok(cuda.runtime.cudaDeviceGetByPCIBusId(place)) == 0


def test_a_bus_id_is_never_cut(cuda):
    failed(cuda.driver.cuDeviceGetPCIBusId(12, 0), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.runtime.cudaDeviceGetPCIBusId(4, 0), "cudaErrorInvalidValue", 1)
    failed(cuda.driver.cuDeviceGetByPCIBusId(b"nonsense"), "CUDA_ERROR_INVALID_VALUE", 1)


def test_a_device_has_an_identity(cuda):
    identity = ok(cuda.driver.cuDeviceGetUuid(0))
    assert (type(identity), type(identity.bytes), len(identity.bytes)) == (cuda.driver.CUuuid, bytes, 16)
    failed(cuda.driver.cuDeviceGetUuid(99), "CUDA_ERROR_INVALID_DEVICE", 1)


def test_every_attribute_of_the_driver_has_an_answer(cuda):
    for kind in cuda.driver.CUdevice_attribute:
        if not kind.name.endswith("_MAX"):
            status, *value = cuda.driver.cuDeviceGetAttribute(kind, 0)
            assert (status, type(value[0])) == (0, int), kind


def test_the_runtimes_attributes_are_the_drivers_and_some_that_are_reserved(cuda):
    drivers = {kind.value: kind for kind in cuda.driver.CUdevice_attribute}
    for kind in cuda.runtime.cudaDeviceAttr:
        if not kind.name.endswith("Max"):
            found, driver = ok(cuda.runtime.cudaDeviceGetAttribute(kind, 0)), drivers.get(kind.value)
            assert found == (ok(cuda.driver.cuDeviceGetAttribute(driver, 0)) if driver is not None else 0), kind


def test_limits_that_hip_keeps_in_its_properties(cuda):
    kinds, properties = cuda.driver.CUdevice_attribute, ok(cuda.runtime.cudaGetDeviceProperties(0))
    found = ok(cuda.driver.cuDeviceGetAttribute(kinds.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH, 0))
    assert found == properties.maxSurface3D[2]


def test_attributes_of_no_device(cuda):
    kinds = cuda.driver.CUdevice_attribute
    for name in ("MAX_THREADS_PER_BLOCK", "MAXIMUM_SURFACE3D_DEPTH", "MULTICAST_SUPPORTED"):
        kind = getattr(kinds, f"CU_DEVICE_ATTRIBUTE_{name}")
        failed(cuda.driver.cuDeviceGetAttribute(kind, 99), "CUDA_ERROR_INVALID_DEVICE", 1)
    failed(cuda.driver.cuDeviceGetAttribute(9999, 0), "CUDA_ERROR_INVALID_VALUE", 1)


def test_properties_of_the_old_kind(cuda):
    found, new = ok(cuda.driver.cuDeviceGetProperties(0)), ok(cuda.runtime.cudaGetDeviceProperties(0))
    assert type(found) is cuda.driver.CUdevprop
    assert found.maxThreadsPerBlock == new.maxThreadsPerBlock
    assert list(found.maxThreadsDim) == list(new.maxThreadsDim)
    assert found.SIMDWidth == new.warpSize


def test_a_runtime_device_can_be_made_ready(cuda):
    ok(cuda.runtime.cudaInitDevice(0, 0, 0))
    failed(cuda.runtime.cudaInitDevice(99, 0, 0), "cudaErrorInvalidDevice")
    failed(cuda.runtime.cudaSetDevice(99), "cudaErrorInvalidDevice")
    assert cuda.runtime.cudaGetLastError()[0].name == "cudaErrorInvalidDevice"
    assert cuda.runtime.cudaGetLastError() == (0,)


def test_the_device_that_fits_best(cuda):
    assert ok(cuda.runtime.cudaChooseDevice(cuda.runtime.cudaDeviceProp())) == 0
    failed(cuda.runtime.cudaChooseDevice(None), "cudaErrorInvalidValue", 1)


def test_flags_of_a_device(cuda):
    ok(cuda.runtime.cudaSetDeviceFlags(cuda.runtime.cudaDeviceScheduleBlockingSync))
    assert ok(cuda.runtime.cudaGetDeviceFlags()) & cuda.runtime.cudaDeviceScheduleMask == 4
    failed(cuda.runtime.cudaSetDeviceFlags(99), "cudaErrorInvalidValue")
    ok(cuda.runtime.cudaSetDeviceFlags(0))


def test_peers(cuda):
    assert ok(cuda.driver.cuDeviceCanAccessPeer(0, 0)) == 0
    failed(cuda.driver.cuDeviceCanAccessPeer(0, 5), "CUDA_ERROR_INVALID_DEVICE", 1)
    kind = cuda.driver.CUdevice_P2PAttribute.CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
    failed(cuda.driver.cuDeviceGetP2PAttribute(kind, 0, 0), "CUDA_ERROR_INVALID_DEVICE", 1)


WARPS = """
from cuda.bindings import runtime
cu.cuInit(0)
reported = [
    cu.cuDeviceGetAttribute(cu.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0)[1],
    runtime.cudaDeviceGetAttribute(runtime.cudaDeviceAttr.cudaDevAttrWarpSize, 0)[1],
    runtime.cudaGetDeviceProperties(0)[1].warpSize,
    cu.cuDeviceGetProperties(0)[1].SIMDWidth,
]
print(*reported)
"""


@pytest.mark.parametrize(
    ("rocm", "warp", "reported"),
    [("10.0", "32", b"32 32 32 32\n"), ("", "64", b"64 64 64 64\n")],
    ids=["a GPU with waves of 64", "host cores with warps of 64"],
)
def test_a_warp_is_as_wide_as_kernels_see_it(rocm: str, warp: str, reported: bytes):
    lanes = processes.run(WARPS, CUDA_SHIM_CPU_ROCM=rocm, CUDA_SHIM_CPU_GFX="", CUDA_SHIM_CPU_WARP_SIZE=warp)
    assert lanes == reported


CAPABILITIES = """
from cuda.bindings import runtime
attributes, properties = cu.CUdevice_attribute, runtime.cudaGetDeviceProperties(0)[1]
parts = [f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}" for part in ("MAJOR", "MINOR")]
print(*(cu.cuDeviceGetAttribute(getattr(attributes, part), 0)[1] for part in parts), end=" ")
print(properties.major, properties.minor, *cu.cuDeviceComputeCapability(0)[1:])
print(cu.cuDeviceComputeCapability(9)[0].name)
most = [cu.cuDeviceGetAttribute(attributes.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0)[1]]
print({*most, properties.maxGridSize[0], cu.cuDeviceGetProperties(0)[1].maxGridSize[0]})
"""


@pytest.mark.parametrize(("gfx", "blocks"), [("", (1 << 31) - 1), ("gfx942", 4194303), ("gfx1201", 4194303)])
def test_what_a_device_promises(gfx: str, blocks: int):
    """The features that are served, not those of the architecture with AMD's number; and grids that can be launched."""
    rocm = "10.0" if gfx else ""
    lines = processes.run(CAPABILITIES, CUDA_SHIM_CPU_ROCM=rocm, CUDA_SHIM_CPU_GFX=gfx).decode().splitlines()
    assert lines == ["8 0 8 0 8 0", "CUDA_ERROR_INVALID_DEVICE", str({blocks})]


UNREAD = """
from cuda.bindings import runtime
properties = runtime.cudaGetDeviceProperties(0)[1]
print(type(properties.__storage__).__name__, properties.warpSize, type(properties.__storage__).__name__)
"""


@pytest.mark.parametrize("rocm", ["", "10.0"], ids=["host cores", "a GPU with waves of 64"])
def test_properties_are_converted_when_they_are_read(rocm: str):
    assert processes.run(UNREAD, CUDA_SHIM_CPU_ROCM=rocm, CUDA_SHIM_CPU_GFX="") == b"Unread 32 Storage\n"

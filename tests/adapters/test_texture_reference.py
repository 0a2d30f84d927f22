"""Texture references through the driver, in each of its layouts: settings, handles, and reads of kernels."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cuda_shim
from tests.adapters import processes
from tests.adapters.answers import ok, raising
from tests.adapters.conftest import Cuda
from tests.adapters.kernels import compile_code

SOURCE = b"""
texture<float, 2, cudaReadModeElementType> image;
texture<unsigned char, cudaTextureType1D, cudaReadModeNormalizedFloat> shares;
extern "C" {
__global__ void by_reference(float2 *at, float *out) { out[threadIdx.x] = tex2D(image, at[threadIdx.x].x, at[threadIdx.x].y); }
__global__ void by_object(float2 *at, float *out, cudaTextureObject_t object) {
    out[threadIdx.x] = tex2D<float>(object, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void fetch(float *out) { out[threadIdx.x] = tex1Dfetch(shares, threadIdx.x); }
}
"""
THREADS = 32


@pytest.fixture(scope="module", params=["11.8", "12.9", "13.5"])
def cuda(request: pytest.FixtureRequest) -> Iterator[Cuda]:
    with cuda_shim.enable(backend="cpu", cuda=request.param):
        modules = Cuda(*(importlib.import_module(f"cuda.bindings.{name}") for name in Cuda._fields))
        driver = modules.driver
        ok(driver.cuInit(0))
        ok(driver.cuCtxPushCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
        yield modules
        ok(driver.cuCtxPopCurrent())


@pytest.fixture(scope="module")
def code(cuda: Cuda) -> bytes:
    return compile_code(cuda.nvrtc, SOURCE)


@pytest.fixture
def module(cuda: Cuda, code: bytes) -> Iterator[Any]:
    loaded = ok(cuda.driver.cuModuleLoadData(code))
    yield loaded
    ok(cuda.driver.cuModuleUnload(loaded))


@pytest.fixture
def image(cuda: Cuda, module: Any) -> Any:
    return ok(cuda.driver.cuModuleGetTexRef(module, b"image"))


def description(driver: Any, form: str = "FLOAT", channels: int = 1, width: int = 8, height: int = 8) -> Any:
    made = driver.CUDA_ARRAY_DESCRIPTOR()
    made.Width, made.Height, made.NumChannels = width, height, channels
    made.Format = getattr(driver.CUarray_format, f"CU_AD_FORMAT_{form}")
    return made


@pytest.fixture
def array(cuda: Cuda) -> Iterator[Any]:
    """An array of 8 by 8 floats, 0 to 63."""
    driver = cuda.driver
    made = ok(driver.cuArrayCreate(description(driver)))
    picture, copy = np.arange(64, dtype=np.float32), driver.CUDA_MEMCPY2D()
    copy.srcMemoryType, copy.srcHost, copy.srcPitch = driver.CUmemorytype.CU_MEMORYTYPE_HOST, picture.ctypes.data, 32
    copy.dstMemoryType, copy.dstArray = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, made
    copy.WidthInBytes, copy.Height = 32, 8
    ok(driver.cuMemcpy2D(copy))
    yield made
    ok(driver.cuArrayDestroy(made))


def sample(driver: Any, module: Any, kernel: bytes, places: Any = None, *more: Any) -> list[float]:
    """Return the value that a kernel writes for each of its threads."""
    out, given = ok(driver.cuMemAlloc(4 * THREADS)), []
    if places is not None:
        given.append(ok(driver.cuMemAlloc(places.nbytes)))
        ok(driver.cuMemcpyHtoD(given[0], places.ctypes.data, places.nbytes))
    values, kinds = (*given, out, *more), (None,) * (len(given) + 1) + (ctypes.c_ulonglong,) * len(more)
    function = ok(driver.cuModuleGetFunction(module, kernel))
    ok(driver.cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, 0, (values, kinds), 0))
    found = np.zeros(THREADS, np.float32)
    ok(driver.cuMemcpyDtoH(found.ctypes.data, out, found.nbytes))
    for memory in (out, *given):
        ok(driver.cuMemFree(memory))
    return list(found)


@pytest.mark.parametrize("filtering", ["POINT", "LINEAR"])
@pytest.mark.parametrize(("address", "normalized"), [("CLAMP", 0), ("WRAP", 2), ("MIRROR", 2), ("BORDER", 2)])
def test_samples_are_those_of_objects(cuda, module, image, array, filtering, address, normalized):
    driver = cuda.driver
    resource, wanted = driver.CUDA_RESOURCE_DESC(), driver.CUDA_TEXTURE_DESC()
    resource.resType, resource.res.array.hArray = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY, array
    wanted.addressMode = [getattr(driver.CUaddress_mode, f"CU_TR_ADDRESS_MODE_{address}")] * 3
    wanted.filterMode = getattr(driver.CUfilter_mode, f"CU_TR_FILTER_MODE_{filtering}")
    wanted.flags, wanted.borderColor = normalized, [2.5, 0.0, 0.0, 0.0]
    ok(driver.cuTexRefSetArray(image, array, driver.CU_TRSA_OVERRIDE_FORMAT))
    ok(driver.cuTexRefSetFlags(image, normalized))
    ok(driver.cuTexRefSetFilterMode(image, wanted.filterMode))
    for axis in range(2):
        ok(driver.cuTexRefSetAddressMode(image, axis, wanted.addressMode[axis]))
    ok(driver.cuTexRefSetBorderColor(image, 2.5))
    texture = ok(driver.cuTexObjectCreate(resource, wanted, None))
    scale = 1 if normalized else 8
    places = (scale * np.random.default_rng(1).uniform(-0.5, 1.5, (THREADS, 2))).astype(np.float32)
    found = sample(driver, module, b"by_reference", places)
    assert found == sample(driver, module, b"by_object", places, int(texture))
    assert len(set(found)) > 4
    ok(driver.cuTexObjectDestroy(texture))


def test_settings_are_reported_in_cudas_types(cuda, image, array):
    driver = cuda.driver
    assert type(image) is driver.CUtexref
    mode, filters = driver.CUaddress_mode.CU_TR_ADDRESS_MODE_MIRROR, driver.CUfilter_mode
    assert ok(driver.cuTexRefGetAddressMode(image, 2)) is driver.CUaddress_mode.CU_TR_ADDRESS_MODE_CLAMP
    ok(driver.cuTexRefSetAddressMode(image, 2, mode))
    assert ok(driver.cuTexRefGetAddressMode(image, 2)) is mode
    ok(driver.cuTexRefSetFilterMode(image, filters.CU_TR_FILTER_MODE_LINEAR))
    assert ok(driver.cuTexRefGetFilterMode(image)) is filters.CU_TR_FILTER_MODE_LINEAR
    ok(driver.cuTexRefSetMipmapFilterMode(image, filters.CU_TR_FILTER_MODE_LINEAR))
    assert ok(driver.cuTexRefGetMipmapFilterMode(image)) is filters.CU_TR_FILTER_MODE_LINEAR
    ok(driver.cuTexRefSetFlags(image, driver.CU_TRSF_NORMALIZED_COORDINATES | driver.CU_TRSF_SRGB))
    assert ok(driver.cuTexRefGetFlags(image)) == 18
    form = driver.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT8
    ok(driver.cuTexRefSetFormat(image, form, 4))
    assert driver.cuTexRefGetFormat(image) == (0, form, 4)
    assert type(driver.cuTexRefGetFormat(image)[1]) is driver.CUarray_format
    ok(driver.cuTexRefSetMaxAnisotropy(image, 3))
    assert ok(driver.cuTexRefGetMaxAnisotropy(image)) == 3
    ok(driver.cuTexRefSetMipmapLevelBias(image, 0.5))
    assert ok(driver.cuTexRefGetMipmapLevelBias(image)) == 0.5
    ok(driver.cuTexRefSetMipmapLevelClamp(image, 1, 2.5))
    assert driver.cuTexRefGetMipmapLevelClamp(image) == (0, 1.0, 2.5)
    ok(driver.cuTexRefSetBorderColor(image, 0.25))
    assert ok(driver.cuTexRefGetBorderColor(image)) == 0.25


def test_what_a_reference_is_bound_to(cuda, image, array):
    driver = cuda.driver
    queries = (driver.cuTexRefGetArray, driver.cuTexRefGetAddress, driver.cuTexRefGetMipmappedArray)

    def reported() -> list[str]:
        return [answer[0].name for answer in (query(image) for query in queries)]

    no, yes = "CUDA_ERROR_INVALID_VALUE", "CUDA_SUCCESS"
    assert reported() == [no, no, no]
    ok(driver.cuTexRefSetArray(image, array, driver.CU_TRSA_OVERRIDE_FORMAT))
    assert reported() == [yes, no, no]
    assert int(ok(driver.cuTexRefGetArray(image))) == int(array)
    memory = ok(driver.cuMemAlloc(256))
    assert ok(driver.cuTexRefSetAddress(image, memory, 256)) == 0
    assert reported() == [no, yes, no]
    assert int(ok(driver.cuTexRefGetAddress(image))) == int(memory)
    described = driver.CUDA_ARRAY3D_DESCRIPTOR()
    described.Width, described.Height, described.NumChannels = 8, 8, 2
    described.Format = driver.CUarray_format.CU_AD_FORMAT_HALF
    mipmaps = ok(driver.cuMipmappedArrayCreate(described, 3))
    ok(driver.cuTexRefSetMipmappedArray(image, mipmaps, driver.CU_TRSA_OVERRIDE_FORMAT))
    assert reported() == [no, no, yes]
    assert int(ok(driver.cuTexRefGetMipmappedArray(image))) == int(mipmaps)
    assert driver.cuTexRefGetFormat(image) == (0, described.Format, 2)
    ok(driver.cuTexRefSetAddress(image, 0, 0))
    assert reported() == [no, no, no]
    ok(driver.cuMipmappedArrayDestroy(mipmaps))
    ok(driver.cuMemFree(memory))


def test_memory_is_read(cuda, module, image):
    driver = cuda.driver
    shares = ok(driver.cuModuleGetTexRef(module, b"shares"))
    given = np.arange(64, dtype=np.float32)
    memory = ok(driver.cuMemAlloc(given.nbytes))
    ok(driver.cuMemcpyHtoD(memory, given.ctypes.data, given.nbytes))
    places = np.stack(np.divmod(np.arange(THREADS), 8)[::-1], 1).astype(np.float32) + 0.5
    assert sample(driver, module, b"by_reference", places) == [0.0] * THREADS
    ok(driver.cuTexRefSetAddress2D(image, description(driver, height=4), memory, 64))
    assert sample(driver, module, b"by_reference", places) == [
        *range(8),
        *range(16, 24),
        *range(32, 40),
        *range(48, 56),
    ]
    ok(driver.cuTexRefSetAddress(shares, memory, 4 * 3))
    found = sample(driver, module, b"fetch")
    np.testing.assert_array_equal(found, np.pad(given[:3].view(np.uint8) / np.float32(255), (0, THREADS - 12)))
    ok(driver.cuMemFree(memory))


def test_references_without_a_module(cuda):
    driver = cuda.driver
    made = ok(driver.cuTexRefCreate())
    assert type(made) is driver.CUtexref
    assert driver.cuTexRefGetFormat(made) == (0, driver.CUarray_format.CU_AD_FORMAT_FLOAT, 1)
    assert ok(driver.cuTexRefGetFlags(made)) == 0
    assert [int(ok(driver.cuTexRefGetAddressMode(made, axis))) for axis in range(3)] == [1, 1, 1]
    assert ok(driver.cuTexRefGetFilterMode(made)) == 0
    memory = ok(driver.cuMemAlloc(64))
    ok(driver.cuTexRefSetAddress(made, memory, 64))
    assert int(ok(driver.cuTexRefGetAddress(made))) == int(memory)
    ok(driver.cuTexRefDestroy(made))
    for wrong in (made, 0, None):
        assert driver.cuTexRefDestroy(wrong)[0].name == "CUDA_ERROR_INVALID_HANDLE"
    ok(driver.cuMemFree(memory))


def test_kernels_are_given_references_of_their_module_alone(cuda, module, image):
    driver = cuda.driver
    kernel = ok(driver.cuModuleGetFunction(module, b"by_reference"))
    ok(driver.cuParamSetTexRef(kernel, driver.CU_PARAM_TR_DEFAULT, image))
    assert driver.cuParamSetTexRef(kernel, -1, 0)[0].name == "CUDA_ERROR_INVALID_HANDLE"
    made = ok(driver.cuTexRefCreate())
    assert driver.cuParamSetTexRef(kernel, -1, made)[0].name == "CUDA_ERROR_INVALID_VALUE"
    ok(driver.cuTexRefDestroy(made))


def test_what_is_wrong_is_refused(cuda, module, image):
    driver = cuda.driver
    assert driver.cuModuleGetTexRef(module, b"by_object")[0].name == "CUDA_ERROR_NOT_FOUND"
    answers = [
        driver.cuTexRefSetArray(image, 0, 1), driver.cuTexRefSetFlags(image, 128), driver.cuTexRefGetFlags(0),
        driver.cuTexRefSetAddressMode(image, 3, driver.CUaddress_mode.CU_TR_ADDRESS_MODE_WRAP),
        driver.cuTexRefSetFormat(image, driver.CUarray_format.CU_AD_FORMAT_FLOAT, 3),
        driver.cuTexRefSetAddress(image, 64, 64), driver.cuTexRefSetBorderColor(0, 0.5),
    ]  # fmt: skip
    assert {answer[0].name for answer in answers} == {"CUDA_ERROR_INVALID_VALUE"}
    with raising(TypeError, "must be real number, not str"):
        driver.cuTexRefSetBorderColor(image, "red")


CHECKED = """
from cuda.bindings import nvrtc
from tests.adapters.answers import ok
from tests.adapters.kernels import compile_code
source = b"texture<int> line; extern \\"C\\" __global__ void first(int *out) { *out = tex1Dfetch(line, 3); }"
ok(cu.cuInit(0)), ok(cu.cuCtxSetCurrent(ok(cu.cuDevicePrimaryCtxRetain(0))))
module = ok(cu.cuModuleLoadData(compile_code(nvrtc, source)))
memory, out = ok(cu.cuMemAlloc(64)), ok(cu.cuMemAllocManaged(4, 1))
ok(cu.cuMemsetD32(memory, 7, 16))
ok(cu.cuTexRefSetAddress(ok(cu.cuModuleGetTexRef(module, b"line")), memory, 64))
kernel = ok(cu.cuModuleGetFunction(module, b"first"))
ok(cu.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, ((out,), (None,)), 0))
ok(cu.cuCtxSynchronize())
print(ctypes.c_int.from_address(int(out)).value)
"""


def test_checked_kernels_read_references():
    assert processes.run(CHECKED, CUDA_SHIM_CPU_CHECK="1") == b"7\n"


def test_structs_of_the_programs_own_are_no_references(cuda, module, image):
    """CUDA gives out references; HIP's programs have their own structs, so HIP accepts any that looks like one."""
    driver = cuda.driver
    own = ctypes.create_string_buffer(1024)
    reference, before = driver.CUtexref(ctypes.addressof(own)), own.raw
    answers = [
        driver.cuTexRefSetFlags(reference, 2), driver.cuTexRefGetFlags(reference), driver.cuTexRefSetMaxAnisotropy(reference, 4),
        driver.cuTexRefSetFormat(reference, driver.CUarray_format.CU_AD_FORMAT_FLOAT, 1), driver.cuTexRefGetFormat(reference),
        driver.cuTexRefSetBorderColor(reference, 0.5), driver.cuTexRefGetBorderColor(reference),
        driver.cuParamSetTexRef(driver.CUfunction(0), -1, reference), driver.cuTexRefGetFilterMode(int(reference)),
    ]  # fmt: skip
    assert {answer[0].name for answer in answers} == {"CUDA_ERROR_INVALID_VALUE"}
    assert own.raw == before
    ok(driver.cuTexRefSetFlags(driver.CUtexref(int(image)), 2))  # by its address it is the same


def test_references_that_are_gone(cuda, code):
    """References that were destroyed, and those of a module that is unloaded."""
    driver = cuda.driver
    module, made = ok(driver.cuModuleLoadData(code)), ok(driver.cuTexRefCreate())
    reference = ok(driver.cuModuleGetTexRef(module, b"image"))
    ok(driver.cuTexRefDestroy(made))
    ok(driver.cuModuleUnload(module))
    for gone in (made, reference):
        assert driver.cuTexRefGetFlags(gone)[0].name == "CUDA_ERROR_INVALID_VALUE"
        assert driver.cuTexRefSetFlags(gone, 0)[0].name == "CUDA_ERROR_INVALID_VALUE"


IN_C = """
from cuda.bindings import nvrtc
from tests.adapters.kernels import compile_code
library = ctypes.CDLL("libcuda.so.1")
cu.cuInit(0), cu.cuCtxSetCurrent(cu.cuDevicePrimaryCtxRetain(0)[1])
module = cu.cuModuleLoadData(compile_code(nvrtc, b'texture<int> line; extern "C" __global__ void f(int *o) { *o = tex1Dfetch(line, 3); }'))[1]
own, found, flags = ctypes.create_string_buffer(1024), ctypes.c_void_p(), ctypes.c_uint()
memory, offset = cu.cuMemAlloc(64)[1], ctypes.c_size_t(5)
call = lambda name, *given: getattr(library, name)(*given)
print(call("cuTexRefSetFlags", own, 2), call("cuTexRefGetFlags", ctypes.byref(flags), own), own.raw == bytes(1024))
print(call("cuModuleGetTexRef", ctypes.byref(found), ctypes.c_void_p(int(module)), b"line"), end=" ")
print(call("cuTexRefSetAddress_v2", None, found, ctypes.c_uint64(int(memory)), ctypes.c_size_t(64)), end=" ")
print(call("cuTexRefSetAddress_v2", ctypes.byref(offset), found, ctypes.c_uint64(int(memory)), ctypes.c_size_t(64)), offset.value)
print(int(cu.cuTexRefGetAddress(cu.CUtexref(found.value))[1]) == int(memory), cu.cuTexRefSetFlags(found.value, 2)[0].name)
"""


def test_both_doors_know_the_references():
    """The Python functions take references of the C library; a C program need not ask for the offset of an address."""
    lines = processes.run(IN_C).decode().splitlines()
    assert lines == ["1 1 True", "0 0 0 0", "True CUDA_SUCCESS"]

"""Modules and libraries: their contents, by name and in lists; files that cannot be loaded."""

import numpy as np
import pytest

from tests.adapters.answers import failed, not_a_list, ok, raising
from tests.adapters.kernels import compile_code


@pytest.fixture(scope="module")
def code(cuda):
    return compile_code(cuda.nvrtc)


@pytest.fixture(scope="module")
def module(cuda, code):
    loaded = ok(cuda.driver.cuModuleLoadData(code))
    yield loaded
    ok(cuda.driver.cuModuleUnload(loaded))


@pytest.fixture(scope="module")
def library(cuda, code):
    loaded = ok(cuda.driver.cuLibraryLoadData(code, [], [], 0, [], [], 0))
    yield loaded
    ok(cuda.driver.cuLibraryUnload(loaded))


def test_functions_by_name(cuda, module):
    assert type(module) is cuda.driver.CUmodule
    assert type(ok(cuda.driver.cuModuleGetFunction(module, b"put"))) is cuda.driver.CUfunction
    failed(cuda.driver.cuModuleGetFunction(module, b"missing"), "CUDA_ERROR_NOT_FOUND", 1)
    failed(cuda.driver.cuModuleGetFunction(0, b"put"), "CUDA_ERROR_INVALID_HANDLE", 1)
    for wrong, kind in (("put", "str"), (None, "NoneType")):
        with raising(TypeError, f"expected bytes, {kind} found"):
            cuda.driver.cuModuleGetFunction(module, wrong)


def test_variables_by_name(cuda, module):
    pointer, size = ok(cuda.driver.cuModuleGetGlobal(module, b"table"))
    assert (type(pointer), size) == (cuda.driver.CUdeviceptr, 16)
    ok(cuda.driver.cuMemcpyHtoD(pointer, np.arange(4, dtype=np.int32), size))
    assert ok(cuda.driver.cuModuleGetGlobal(module, b"factor"))[1] == 4
    failed(cuda.driver.cuModuleGetGlobal(module, b"missing"), "CUDA_ERROR_NOT_FOUND", 2)


def test_functions_are_loaded_with_their_module(cuda):
    mode = ok(cuda.driver.cuModuleGetLoadingMode())
    assert mode is cuda.driver.CUmoduleLoadingMode.CU_MODULE_LAZY_LOADING


def test_what_is_no_module(cuda, tmp_path):
    failed(cuda.driver.cuModuleLoadData(b"garbage\0"), "CUDA_ERROR_INVALID_IMAGE", 1)
    failed(cuda.driver.cuModuleLoad(b"/no/such"), "CUDA_ERROR_FILE_NOT_FOUND", 1)
    failed(cuda.driver.cuModuleUnload(0), "CUDA_ERROR_INVALID_HANDLE")
    failed(cuda.driver.cuLibraryLoadData(b"garbage\0", [], [], 0, [], [], 0), "CUDA_ERROR_INVALID_IMAGE", 1)
    failed(cuda.driver.cuLibraryLoadFromFile(b"/no/such", [], [], 0, [], [], 0), "CUDA_ERROR_FILE_NOT_FOUND", 1)
    failed(cuda.driver.cuLibraryUnload(0), "CUDA_ERROR_INVALID_HANDLE")


def test_modules_of_files(cuda, code, tmp_path):
    path = tmp_path / "code"
    path.write_bytes(code)
    ok(cuda.driver.cuModuleUnload(ok(cuda.driver.cuModuleLoad(str(path).encode()))))


def test_options_of_loading_are_taken_and_checked(cuda, code):
    options, load = cuda.driver.CUjit_option, cuda.driver.cuModuleLoadDataEx
    ok(cuda.driver.cuModuleUnload(ok(load(code, 1, [options.CU_JIT_MAX_REGISTERS], [32]))))
    with raising(RuntimeError, "List is too small: 1 < 2"):
        load(code, 2, [options.CU_JIT_MAX_REGISTERS], [32])
    with raising(TypeError, not_a_list("options", "cydriver.CUjit_option")):
        load(code, 1, [0], [32])


def test_kernels_of_a_library(cuda, library):
    assert type(library) is cuda.driver.CUlibrary
    kernel = ok(cuda.driver.cuLibraryGetKernel(library, b"put"))
    assert type(kernel) is cuda.driver.CUkernel
    assert type(ok(cuda.driver.cuKernelGetFunction(kernel))) is cuda.driver.CUfunction
    failed(cuda.driver.cuLibraryGetKernel(library, b"missing"), "CUDA_ERROR_NOT_FOUND", 1)


def test_a_list_of_kernels_is_as_long_as_asked_for(cuda, library):
    count = ok(cuda.driver.cuLibraryGetKernelCount(library))
    assert (type(count), count) == (int, 2)
    kernels = ok(cuda.driver.cuLibraryEnumerateKernels(4, library))
    assert [type(kernel) for kernel in kernels] == [cuda.driver.CUkernel] * 4
    assert [bool(int(kernel)) for kernel in kernels] == [True, True, False, False]
    assert {ok(cuda.driver.cuKernelGetName(kernel)) for kernel in kernels[:2]} == {b"put", b"first"}
    failed(cuda.driver.cuLibraryEnumerateKernels(0, library), "CUDA_ERROR_INVALID_VALUE", 1)


def test_attributes_of_kernels(cuda, library):
    kernel = ok(cuda.driver.cuLibraryGetKernel(library, b"put"))
    kinds = cuda.driver.CUfunction_attribute
    assert ok(cuda.driver.cuKernelGetAttribute(kinds.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0)) == 1024
    ok(cuda.driver.cuKernelSetAttribute(kinds.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, kernel, 0))
    ok(cuda.driver.cuKernelSetCacheConfig(kernel, cuda.driver.CUfunc_cache.CU_FUNC_CACHE_PREFER_L1, 0))


def test_parameters_of_kernels(cuda, library):
    kernel = ok(cuda.driver.cuLibraryGetKernel(library, b"put"))
    assert ok(cuda.driver.cuKernelGetParamInfo(kernel, 0)) == [0, 8]
    assert ok(cuda.driver.cuKernelGetParamInfo(kernel, 1)) == [8, 4]
    failed(cuda.driver.cuKernelGetParamInfo(kernel, 2), "CUDA_ERROR_INVALID_VALUE", 2)


def test_variables_of_a_library(cuda, library):
    pointer, size = ok(cuda.driver.cuLibraryGetGlobal(library, b"table"))
    assert (type(pointer), size) == (cuda.driver.CUdeviceptr, 16)
    failed(cuda.driver.cuLibraryGetGlobal(library, b"missing"), "CUDA_ERROR_NOT_FOUND", 2)
    failed(cuda.driver.cuLibraryGetManaged(library, b"missing"), "CUDA_ERROR_NOT_FOUND", 2)


def test_static_variables_are_found_by_their_names(cuda):
    source = b"""static __device__ int hidden = 5; static __constant__ short table[3];
        extern "C" { static __device__ double unused; }
        namespace n { static __device__ int inside; }
        extern "C" __global__ void read(int* out) { *out = hidden + table[0] + n::inside; }"""
    module = ok(cuda.driver.cuModuleLoadData(compile_code(cuda.nvrtc, source)))
    for name, size in ((b"hidden", 4), (b"table", 6), (b"unused", 8)):
        assert ok(cuda.driver.cuModuleGetGlobal(module, name))[1] == size
    value, (pointer, size) = np.zeros(1, np.int32), ok(cuda.driver.cuModuleGetGlobal(module, b"hidden"))
    ok(cuda.driver.cuMemcpyDtoH(value, pointer, size))
    assert value[0] == 5
    failed(cuda.driver.cuModuleGetGlobal(module, b"inside"), "CUDA_ERROR_NOT_FOUND", 2)
    ok(cuda.driver.cuModuleUnload(module))

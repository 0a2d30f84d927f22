"""Functions and kernels: attributes, names, parameters, and when they are loaded."""

import pytest

from tests.adapters.answers import failed, ok, raising
from tests.adapters.kernels import compile_code, loaded_function


@pytest.fixture(scope="module")
def code(cuda):
    return compile_code(cuda.nvrtc)


@pytest.fixture(scope="module")
def function(cuda, code):
    with loaded_function(cuda, b"put", code) as made:
        yield made


@pytest.fixture(scope="module")
def kernel(cuda, code):
    library = ok(cuda.driver.cuLibraryLoadData(code, [], [], 0, [], [], 0))
    yield ok(cuda.driver.cuLibraryGetKernel(library, b"put"))
    ok(cuda.driver.cuLibraryUnload(library))


def of(cuda, name):
    return getattr(cuda.driver.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")


def test_attributes_are_ints(cuda, function):
    for name in ("MAX_THREADS_PER_BLOCK", "SHARED_SIZE_BYTES", "NUM_REGS", "BINARY_VERSION"):
        assert type(ok(cuda.driver.cuFuncGetAttribute(of(cuda, name), function))) is int
    failed(cuda.driver.cuFuncGetAttribute(of(cuda, "NUM_REGS"), 0), "CUDA_ERROR_INVALID_HANDLE", 1)
    failed(cuda.driver.cuFuncGetAttribute(1000, function), "CUDA_ERROR_INVALID_VALUE", 1)


def test_the_runtime_takes_kernels(cuda, kernel):
    """AMD's own calls for these know kernels of host programs alone."""
    runtime, handle = cuda.runtime, int(kernel)
    attributes = ok(runtime.cudaFuncGetAttributes(handle))
    read = {
        "MAX_THREADS_PER_BLOCK": attributes.maxThreadsPerBlock,
        "SHARED_SIZE_BYTES": attributes.sharedSizeBytes,
        "NUM_REGS": attributes.numRegs,
        "BINARY_VERSION": attributes.binaryVersion,
        "PTX_VERSION": attributes.ptxVersion,
    }
    assert read == {name: ok(cuda.driver.cuKernelGetAttribute(of(cuda, name), kernel, 0)) for name in read}
    assert attributes.binaryVersion == 80
    failed(runtime.cudaFuncGetAttributes(0), "cudaErrorInvalidDeviceFunction", 1)
    blocks = ok(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor(handle, 64, 0))
    assert blocks > 0
    assert runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(handle, 64, 0, 0) == (0, blocks)
    room = ok(runtime.cudaOccupancyAvailableDynamicSMemPerBlock(handle, 1, 64))
    assert room == ok(cuda.driver.cuOccupancyAvailableDynamicSMemPerBlock(int(kernel), 1, 64)) > 0
    assert ok(runtime.cudaOccupancyAvailableDynamicSMemPerBlock(handle, blocks + 1, 64)) == 0
    failed(runtime.cudaOccupancyAvailableDynamicSMemPerBlock(handle, 0, 64), "cudaErrorInvalidValue", 1)
    failed(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor(0, 64, 0), "cudaErrorInvalidDeviceFunction", 1)


def test_a_kernel_is_its_function(cuda, kernel):
    driver, dynamic = cuda.driver, of(cuda, "MAX_DYNAMIC_SHARED_SIZE_BYTES")
    function = ok(driver.cuKernelGetFunction(kernel))
    ok(driver.cuKernelSetAttribute(dynamic, 2048, kernel, 0))
    assert driver.cuFuncGetAttribute(dynamic, function) == (0, 2048)
    assert driver.cuKernelGetAttribute(dynamic, kernel, 0) == (0, 2048)
    failed(driver.cuKernelGetAttribute(dynamic, kernel, 9), "CUDA_ERROR_INVALID_DEVICE", 1)
    failed(driver.cuKernelSetAttribute(dynamic, 2048, kernel, 9), "CUDA_ERROR_INVALID_DEVICE")
    failed(driver.cuKernelGetFunction(0), "CUDA_ERROR_INVALID_HANDLE", 1)


def test_attributes_that_can_be_set(cuda, function):
    dynamic = of(cuda, "MAX_DYNAMIC_SHARED_SIZE_BYTES")
    ok(cuda.driver.cuFuncSetAttribute(function, dynamic, 4096))
    assert cuda.driver.cuFuncGetAttribute(dynamic, function) == (0, 4096)
    ok(cuda.driver.cuFuncSetAttribute(function, int(of(cuda, "PREFERRED_SHARED_MEMORY_CARVEOUT")), 50))
    failed(cuda.driver.cuFuncSetAttribute(function, dynamic, 1 << 30), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuFuncSetAttribute(function, of(cuda, "NUM_REGS"), 5), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuFuncSetAttribute(0, of(cuda, "NUM_REGS"), 5), "CUDA_ERROR_INVALID_HANDLE")
    failed(cuda.driver.cuFuncSetAttribute(0, dynamic, 5), "CUDA_ERROR_INVALID_HANDLE")
    with raising(TypeError, "Argument 'attrib' must not be None"):
        cuda.driver.cuFuncSetAttribute(function, None, 5)
    with raising(ValueError, "invalid literal for int() with base 10: 'x'"):
        cuda.driver.cuFuncSetAttribute(function, "x", 5)
    with raising(OverflowError, "value too large to convert to int"):
        cuda.driver.cuFuncSetAttribute(function, dynamic, 1 << 31)


def test_preferences_are_taken(cuda, function):
    driver = cuda.driver
    ok(driver.cuFuncSetCacheConfig(function, driver.CUfunc_cache.CU_FUNC_CACHE_PREFER_SHARED))
    ok(driver.cuFuncSetSharedMemConfig(function, driver.CUsharedconfig.CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE))
    failed(driver.cuFuncSetCacheConfig(0, driver.CUfunc_cache.CU_FUNC_CACHE_PREFER_L1), "CUDA_ERROR_INVALID_HANDLE")


def test_names_are_bytes(cuda, function, kernel):
    assert cuda.driver.cuFuncGetName(function) == (0, b"put")
    assert cuda.driver.cuKernelGetName(kernel) == (0, b"put")


def test_functions_are_loaded_with_their_module(cuda, function):
    state = ok(cuda.driver.cuFuncIsLoaded(function))
    assert state is cuda.driver.CUfunctionLoadingState.CU_FUNCTION_LOADING_STATE_LOADED
    ok(cuda.driver.cuFuncLoad(function))
    failed(cuda.driver.cuFuncIsLoaded(0), "CUDA_ERROR_INVALID_HANDLE", 1)
    failed(cuda.driver.cuFuncLoad(0), "CUDA_ERROR_INVALID_HANDLE")


def test_parameters_of_kernels(cuda, kernel):
    assert [cuda.driver.cuKernelGetParamInfo(kernel, index)[1:] for index in range(2)] == [(0, 8), (8, 4)]
    failed(cuda.driver.cuKernelGetParamInfo(kernel, 2), "CUDA_ERROR_INVALID_VALUE", 2)


def test_kernels_in_the_runtime(cuda, kernel):
    runtime = cuda.runtime
    reported = ok(runtime.cudaFuncGetAttributes(int(kernel)))
    assert (type(reported), reported.maxThreadsPerBlock > 0) == (runtime.cudaFuncAttributes, True)
    ok(
        runtime.cudaFuncSetAttribute(
            int(kernel), runtime.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize, 64
        )
    )
    assert ok(runtime.cudaFuncGetAttributes(int(kernel))).maxDynamicSharedSizeBytes == 64
    assert ok(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor(int(kernel), 64, 0)) > 0
    failed(runtime.cudaFuncGetAttributes(0), "cudaErrorInvalidDeviceFunction", 1)


@pytest.mark.parametrize("call", ["cuFuncGetModule", "cuFuncGetParamInfo"])
def test_what_hip_does_not_know(cuda, function, call, caplog):
    answer = getattr(cuda.driver, call)(function, *([0] if call.endswith("Info") else []))
    assert answer[0] == 801
    assert call in caplog.text


def test_names_of_nothing(cuda):
    failed(cuda.driver.cuFuncGetName(0), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.driver.cuKernelGetName(cuda.driver.CUkernel()), "CUDA_ERROR_INVALID_VALUE", 1)

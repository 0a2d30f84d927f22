"""Green contexts, of the driver and of the runtime, where hip-python has them."""

import pytest

from cuda_shim.backends import hip_python
from tests.adapters.answers import failed, ok

LAYOUT = "13.5"
INVALID_CONFIGURATION = "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"


# The statuses are those of an H100 (driver 580.159.04, cuda-bindings 13.5.0; flags of splits: 13.3.1).


@pytest.fixture
def served(cuda):
    return hasattr(hip_python.load().hip, "hipGreenCtxCreate")


def test_of_the_driver(cuda, served):
    driver = cuda.driver
    kind = driver.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM
    if not served:
        failed(driver.cuDeviceGetDevResource(0, kind), "CUDA_ERROR_NOT_SUPPORTED", 1)
        return
    whole = ok(driver.cuDeviceGetDevResource(0, kind))
    parts, count, rest = ok(driver.cuDevSmResourceSplitByCount(1, whole, 0, 1))
    assert (count, parts[0].sm.smCount, rest.sm.smCount) == (1, 1, whole.sm.smCount - 1)
    most = whole.sm.smCount
    for flags in (0, 1, 2, 4, 8):
        assert ok(driver.cuDevSmResourceSplitByCount(1, whole, flags, most))[1] == 1
        failed(driver.cuDevSmResourceSplitByCount(1, whole, flags, most + 1), INVALID_CONFIGURATION, 3)
    failed(driver.cuDevSmResourceSplitByCount(1, whole, 3, 1), "CUDA_ERROR_INVALID_VALUE", 3)
    description = ok(driver.cuDevResourceGenerateDesc(parts, 1))
    for flags in (0, 2):
        failed(driver.cuGreenCtxCreate(description, 0, flags), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(driver.cuGreenCtxCreate(description, 99, 1), "CUDA_ERROR_INVALID_DEVICE", 1)
    context = ok(driver.cuGreenCtxCreate(description, 0, driver.CUgreenCtxCreate_flags.CU_GREEN_CTX_DEFAULT_STREAM))
    failed(
        driver.cuGreenCtxStreamCreate(context, driver.CUstream_flags.CU_STREAM_DEFAULT, 0),
        "CUDA_ERROR_INVALID_VALUE",
        1,
    )
    assert ok(driver.cuGreenCtxGetDevResource(context, kind)).sm.smCount == 1
    assert ok(driver.cuGreenCtxGetId(context)) > 0
    stream = ok(driver.cuGreenCtxStreamCreate(context, driver.CUstream_flags.CU_STREAM_NON_BLOCKING, 0))
    assert ok(driver.cuStreamGetDevResource(stream, kind)).sm.smCount == 1
    event = ok(driver.cuEventCreate(0))
    ok(driver.cuGreenCtxRecordEvent(context, event))
    ok(driver.cuGreenCtxWaitEvent(context, event))
    ok(driver.cuEventSynchronize(event))
    ok(driver.cuEventDestroy(event))
    ok(driver.cuStreamDestroy(stream))
    ok(driver.cuGreenCtxDestroy(context))
    failed(driver.cuGreenCtxDestroy(context), "CUDA_ERROR_INVALID_CONTEXT")


def test_of_the_runtime(cuda, served):
    runtime = cuda.runtime
    kind = runtime.cudaDevResourceType.cudaDevResourceTypeSm
    if not served:
        failed(runtime.cudaDeviceGetDevResource(0, kind), "cudaErrorNotSupported", 1)
        return
    whole = ok(runtime.cudaDeviceGetDevResource(0, kind))
    parts, _, _ = ok(runtime.cudaDevSmResourceSplitByCount(1, whole, 0, 1))
    context = ok(runtime.cudaGreenCtxCreate(ok(runtime.cudaDevResourceGenerateDesc(parts, 1)), 0, 0))
    assert ok(runtime.cudaExecutionCtxGetDevResource(context, kind)).sm.smCount == 1
    assert ok(runtime.cudaExecutionCtxGetDevice(context)) == 0
    stream = ok(runtime.cudaExecutionCtxStreamCreate(context, runtime.cudaStreamNonBlocking, 0))
    ok(runtime.cudaExecutionCtxSynchronize(context))
    ok(runtime.cudaStreamDestroy(stream))
    ok(runtime.cudaExecutionCtxDestroy(context))
    assert int(ok(runtime.cudaDeviceGetExecutionCtx(0))) != 0

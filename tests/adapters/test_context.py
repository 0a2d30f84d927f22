"""Contexts: their stack, flags, limits and peers."""

import pytest

from tests.adapters import processes
from tests.adapters.answers import failed, ok


@pytest.fixture(scope="module")
def primary(cuda):
    context = ok(cuda.driver.cuDevicePrimaryCtxRetain(0))
    ok(cuda.driver.cuCtxSetCurrent(context))
    yield context
    ok(cuda.driver.cuDevicePrimaryCtxRelease(0))


@pytest.fixture
def other(cuda, primary):
    context = ok(cuda.driver.cuCtxCreate(0, 0))
    yield context
    ok(cuda.driver.cuCtxDestroy(context))
    assert ok(cuda.driver.cuCtxGetCurrent()) == primary


def test_a_new_context_is_current(cuda, primary, other):
    assert type(other) is cuda.driver.CUcontext
    assert ok(cuda.driver.cuCtxGetCurrent()) == other
    assert other != primary
    assert ok(cuda.driver.cuCtxPopCurrent()) == other
    assert ok(cuda.driver.cuCtxGetCurrent()) == primary
    ok(cuda.driver.cuCtxPushCurrent(other))


def test_contexts_that_cannot_be_created(cuda, primary):
    failed(cuda.driver.cuCtxCreate(1 << 12, 0), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.driver.cuCtxCreate(0, 99), "CUDA_ERROR_INVALID_DEVICE", 1)
    failed(cuda.driver.cuDevicePrimaryCtxRetain(9), "CUDA_ERROR_INVALID_DEVICE", 1)


@pytest.mark.parametrize("call, nothing", [
    ("cuCtxCreate_v3", ([], 0)), ("cuCtxCreate_v3", (None, 0)), ("cuCtxCreate_v4", (None,)),
])  # fmt: skip
def test_later_forms_are_the_same_where_they_ask_for_nothing(cuda, primary, call, nothing):
    context = ok(getattr(cuda.driver, call)(*nothing, 0, 0))
    assert type(context) is cuda.driver.CUcontext
    ok(cuda.driver.cuCtxDestroy(context))


def test_affinity_is_not_supported(cuda, primary):
    wanted = cuda.driver.CUexecAffinityParam()
    failed(cuda.driver.cuCtxCreate_v3([wanted], 1, 0, 0), "CUDA_ERROR_NOT_SUPPORTED", 1)
    failed(cuda.driver.cuCtxGetExecAffinity(0), "CUDA_ERROR_NOT_SUPPORTED", 1)


def test_every_context_answers_the_version_of_its_interface(cuda, primary, other):
    for context in (primary, other, 0):
        assert ok(cuda.driver.cuCtxGetApiVersion(context)) == 3020


def test_the_cache_that_is_preferred(cuda, primary):
    preferred = cuda.driver.CUfunc_cache.CU_FUNC_CACHE_PREFER_SHARED
    ok(cuda.driver.cuCtxSetCacheConfig(preferred))
    assert type(ok(cuda.driver.cuCtxGetCacheConfig())) is cuda.driver.CUfunc_cache
    ok(cuda.driver.cuCtxResetPersistingL2Cache())


def test_limits(cuda, primary):
    kinds = cuda.driver.CUlimit
    for kind in (kinds.CU_LIMIT_STACK_SIZE, kinds.CU_LIMIT_PRINTF_FIFO_SIZE, kinds.CU_LIMIT_MALLOC_HEAP_SIZE):
        size = ok(cuda.driver.cuCtxGetLimit(kind))
        assert type(size) is int
        ok(cuda.driver.cuCtxSetLimit(kind, size))
    for kind in (kinds.CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, kinds.CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED):
        failed(cuda.driver.cuCtxGetLimit(kind), "CUDA_ERROR_UNSUPPORTED_LIMIT", 1)
        failed(cuda.driver.cuCtxSetLimit(kind, 1), "CUDA_ERROR_UNSUPPORTED_LIMIT")
    for wrong in (kinds.CU_LIMIT_MAX, 99):
        failed(cuda.driver.cuCtxGetLimit(wrong), "CUDA_ERROR_INVALID_VALUE", 1)
    depth = cuda.runtime.cudaLimit.cudaLimitDevRuntimeSyncDepth
    failed(cuda.runtime.cudaDeviceGetLimit(depth), "cudaErrorUnsupportedLimit", 1)


def test_flags_of_the_primary_context(cuda, primary):
    ok(cuda.driver.cuDevicePrimaryCtxSetFlags(0, cuda.driver.CUctx_flags.CU_CTX_SCHED_BLOCKING_SYNC))
    flags, active = ok(cuda.driver.cuDevicePrimaryCtxGetState(0))
    assert (flags, active) == (4, 1)
    assert ok(cuda.driver.cuCtxGetFlags()) & 7 == 4
    ok(cuda.driver.cuDevicePrimaryCtxSetFlags(0, 0))
    failed(cuda.driver.cuDevicePrimaryCtxSetFlags(0, 99), "CUDA_ERROR_INVALID_VALUE")
    assert ok(cuda.runtime.cudaGetDevice()) == 0


def test_no_context_is_no_peer(cuda, primary):
    failed(cuda.driver.cuCtxEnablePeerAccess(0, 0), "CUDA_ERROR_INVALID_CONTEXT")
    failed(cuda.driver.cuCtxDisablePeerAccess(0), "CUDA_ERROR_INVALID_CONTEXT")


def test_the_contexts_of_two_devices_are_peers():
    lines = processes.run(
        "cu.cuInit(0)\n"
        "first, second = (cu.cuDevicePrimaryCtxRetain(device)[1] for device in (0, 1))\n"
        "cu.cuCtxSetCurrent(first)\n"
        "say = lambda answer: print(*(int(value) for value in answer))\n"
        "say(cu.cuDeviceCanAccessPeer(0, 1))\n"
        "say(cu.cuCtxEnablePeerAccess(second, 0)); say(cu.cuCtxEnablePeerAccess(second, 0))\n"
        "say(cu.cuCtxGetDevice())\n"
        "cu.cuCtxPushCurrent(second); there = cu.cuMemAlloc(64)[1]; cu.cuCtxPopCurrent()\n"
        "here = cu.cuMemAlloc(64)[1]; cu.cuMemsetD32(here, 0x80000001, 16)\n"
        "say(cu.cuMemcpyPeer(there, second, here, first, 64))\n"
        "out = bytearray(64); cu.cuMemcpyDtoH(out, there, 64); print(out[:4].hex())\n"
        "say(cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, there))\n"
        "say(cu.cuCtxDisablePeerAccess(second)); say(cu.cuCtxDisablePeerAccess(second))\n",
        CUDA_SHIM_CPU_DEVICES="2",
    )
    assert lines.decode().splitlines() == ["0 1", "0", "704", "0 0", "0", "01000080", "0 1", "0", "705"]

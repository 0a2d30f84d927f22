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
        if kind != kinds.CU_LIMIT_MALLOC_HEAP_SIZE:  # fixed where a kernel of another test has allocated
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


MANNERS = pytest.mark.parametrize("release", ["", "7.2.2", "10.0"], ids=["as CUDA", "ROCm 7.2.2", "ROCm 10.0"])
SAY = """
from cuda.bindings import runtime as rt
cu.cuInit(0)
def say(*answers): print(*(answer[0].name.replace("CUDA_", "") if len(answer) == 1 else int(answer[1]) for answer in answers))
def device(): return rt.cudaGetDevice()
"""


def said_on_two_devices(release: str, program: str) -> list[str]:
    """The lines of a program, on a runtime that behaves as CUDA or as AMD's."""
    lines = processes.run(SAY + program, CUDA_SHIM_CPU_DEVICES="2", CUDA_SHIM_CPU_ROCM=release, CUDA_SHIM_CPU_GFX="")
    return lines.decode().splitlines()


@MANNERS
def test_contexts_leave_the_thread_where_it_was(release: str):
    """cudaGetDevice names the device of calls: AMD's runtime has a current device beside the stack of contexts."""
    assert said_on_two_devices(
        release,
        "made = cu.cuCtxCreate(0, 1)[1]; say(device(), cu.cuCtxGetDevice())\n"
        "memory = cu.cuMemAlloc(64)[1]\n"
        "ordinal = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL\n"
        "say(cu.cuPointerGetAttribute(ordinal, memory))\n"
        "cu.cuCtxPopCurrent(); say(device())\n"
        "cu.cuCtxPushCurrent(made); say(device()); cu.cuCtxDestroy(made); say(device())\n"
        "second = cu.cuDevicePrimaryCtxRetain(1)[1]\n"
        "cu.cuCtxSetCurrent(second); say(device()); cu.cuCtxSetCurrent(0); say(device())\n"
        "rt.cudaSetDevice(1); first = cu.cuDevicePrimaryCtxRetain(0)[1]\n"
        "cu.cuCtxPushCurrent(first); say(device()); cu.cuCtxPopCurrent(); say(device())\n",
    ) == ["1 1", "1", "0", "1", "0", "1", "0", "0", "1"]


@MANNERS
def test_a_context_is_destroyed_once(release: str):
    assert said_on_two_devices(
        release,
        "made = cu.cuCtxCreate(0, 1)[1]; primary = cu.cuDevicePrimaryCtxRetain(0)[1]\n"
        "say(cu.cuCtxDestroy(made), cu.cuCtxDestroy(made), cu.cuCtxDestroy(primary))\n"
        "say(cu.cuCtxPushCurrent(12345), cu.cuCtxSetCurrent(12345), cu.cuCtxDestroy(12345))\n",
    ) == ["SUCCESS ERROR_INVALID_CONTEXT ERROR_INVALID_CONTEXT", " ".join(["ERROR_INVALID_CONTEXT"] * 3)]


@MANNERS
def test_the_primary_context_stays_where_another_of_its_device_ends(release: str):
    """On an AMD GPU both have one handle, and HIP takes it off the stack."""
    assert said_on_two_devices(
        release,
        "primary = cu.cuDevicePrimaryCtxRetain(1)[1]; cu.cuCtxSetCurrent(primary)\n"
        "made = cu.cuCtxCreate(0, 1)[1]; cu.cuCtxPopCurrent()\n"
        "say(cu.cuCtxDestroy(made), device()); print(cu.cuCtxPopCurrent()[1] == primary); say(device())\n"
        "say(cu.cuCtxPopCurrent()[:1])\n",
    ) == ["SUCCESS 1", "True", "0", "ERROR_INVALID_CONTEXT"]


@MANNERS
def test_primary_contexts_are_counted_and_reset(release: str):
    assert said_on_two_devices(
        release,
        "state = lambda: print(*cu.cuDevicePrimaryCtxGetState(1)[1:])\n"
        "state(); held = [cu.cuDevicePrimaryCtxRetain(1)[1] for _ in range(2)]; state()\n"
        "say(cu.cuDevicePrimaryCtxRelease(1), cu.cuDevicePrimaryCtxRelease(1), cu.cuDevicePrimaryCtxRelease(1)); state()\n"
        "say(cu.cuDevicePrimaryCtxSetFlags(1, 2)); state(); say(device())\n"
        "cu.cuCtxPushCurrent(held[0]); free = cu.cuMemGetInfo()[1]; memory = cu.cuMemAlloc(1 << 20)[1]; cu.cuCtxPopCurrent()\n"
        "say(cu.cuDevicePrimaryCtxReset(1)); state(); say(device(), cu.cuMemFree(memory))\n",
    ) == [
        "0 0", "0 1", "SUCCESS SUCCESS ERROR_INVALID_CONTEXT", "0 0", "SUCCESS", "2 0", "0", "SUCCESS", "0 0",
        "0 ERROR_INVALID_VALUE",
    ]  # fmt: skip


@MANNERS
def test_a_reset_leaves_the_memory_of_created_contexts(release: str):
    assert said_on_two_devices(
        release,
        "made = cu.cuCtxCreate(0, 1)[1]; memory = cu.cuMemAlloc(64)[1]\n"
        "say(cu.cuDevicePrimaryCtxReset(1), cu.cuMemFree(memory), cu.cuCtxDestroy(made))\n",
    ) == ["SUCCESS SUCCESS SUCCESS"]


@MANNERS
def test_asking_about_a_context_moves_no_thread(release: str):
    lines = processes.run(
        "cu.cuInit(0); from cuda.bindings import runtime as rt\n"
        "first, second = (cu.cuDevicePrimaryCtxRetain(device)[1] for device in (0, 1))\n"
        "cu.cuCtxSetCurrent(first)\n"
        "print(*(int(answer[0]) for answer in (cu.cuCtxEnablePeerAccess(second, 0), cu.cuCtxEnablePeerAccess(second, 0))))\n"
        "print(int(rt.cudaGetDevice()[1]), int(cu.cuCtxGetDevice()[1]))\n"
        "print(*(int(x) for x in (*cu.cuCtxDisablePeerAccess(second), *cu.cuCtxDisablePeerAccess(second))))\n",
        CUDA_SHIM_CPU_DEVICES="2",
        CUDA_SHIM_CPU_ROCM=release,
        CUDA_SHIM_CPU_GFX="",
    )
    assert lines.decode().splitlines() == ["0 704", "0 0", "0 705"]


@MANNERS
def test_hints_about_memory_succeed(release: str):
    lines = processes.run(
        "cu.cuInit(0); cu.cuCtxSetCurrent(cu.cuDevicePrimaryCtxRetain(0)[1])\n"
        "limit, wide = cu.CUlimit.CU_LIMIT_PRINTF_FIFO_SIZE, cu.CUsharedconfig.CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE\n"
        "print(cu.cuCtxGetLimit(limit)[1], int(cu.cuCtxSetLimit(limit, 4096)[0]), cu.cuCtxGetLimit(limit)[1])\n"
        "print(int(cu.cuCtxSetSharedMemConfig(wide)[0]), int(cu.cuCtxGetSharedMemConfig()[0]))\n",
        CUDA_SHIM_CPU_ROCM=release,
        CUDA_SHIM_CPU_GFX="",
    )
    assert lines.decode().splitlines() == [f"{1048576 if release else 8650752} 0 4096", "0 0"]

"""Memory and events of other processes, and of other APIs."""

import ctypes
import os

import numpy as np
import pytest

from tests.adapters import processes
from tests.adapters.answers import failed, not_a, not_a_list, ok, raising

SIZE = 4096


def content(handle):
    """The bytes of a handle, as programs send them to another process."""
    return ctypes.string_at(handle.getPtr(), 64)


@pytest.fixture
def memory(cuda):
    pointer = ok(cuda.driver.cuMemAlloc(SIZE))
    yield pointer
    ok(cuda.driver.cuMemFree(pointer))


def test_another_process_reads_and_writes_memory(cuda, memory):
    ok(cuda.driver.cuMemsetD8(memory, 7, SIZE))
    handle = ok(cuda.driver.cuIpcGetMemHandle(memory))
    assert type(handle) is cuda.driver.CUipcMemHandle
    assert (
        processes.run(
            "cu.cuInit(0); cu.cuCtxSetCurrent(cu.cuDevicePrimaryCtxRetain(0)[1])\n"
            "handle = cu.CUipcMemHandle(); ctypes.memmove(handle.getPtr(), sys.stdin.buffer.read(), 64)\n"
            "status, pointer = cu.cuIpcOpenMemHandle(handle, 1); assert status == 0, status\n"
            "out = bytearray(16); assert cu.cuMemcpyDtoH(out, pointer, 16) == (0,); print(type(pointer).__name__, out[0])\n"
            "assert cu.cuMemsetD8(pointer, 9, 16) == (0,); assert cu.cuIpcCloseMemHandle(pointer) == (0,)",
            content(handle),
        )
        == b"CUdeviceptr 7\n"
    )
    read = np.zeros(32, np.uint8)
    ok(cuda.driver.cuMemcpyDtoH(read, memory, 32))
    assert list(read) == [9] * 16 + [7] * 16


def test_another_process_waits_for_an_event(cuda):
    event = ok(cuda.driver.cuEventCreate(6))
    handle = ok(cuda.driver.cuIpcGetEventHandle(event))
    assert type(handle) is cuda.driver.CUipcEventHandle
    ok(cuda.driver.cuEventRecord(event, 0))
    ok(cuda.driver.cuCtxSynchronize())
    assert (
        processes.run(
            "cu.cuInit(0); cu.cuCtxSetCurrent(cu.cuDevicePrimaryCtxRetain(0)[1])\n"
            "handle = cu.CUipcEventHandle(); ctypes.memmove(handle.getPtr(), sys.stdin.buffer.read(), 64)\n"
            "status, event = cu.cuIpcOpenEventHandle(handle); assert status == 0, status\n"
            "print(type(event).__name__, int(cu.cuEventSynchronize(event)[0])); assert cu.cuEventDestroy(event) == (0,)",
            content(handle),
        )
        == b"CUevent 0\n"
    )
    ok(cuda.driver.cuEventDestroy(event))


def test_a_process_cannot_open_its_own_handles(cuda, memory):
    handle = ok(cuda.driver.cuIpcGetMemHandle(memory))
    failed(cuda.driver.cuIpcOpenMemHandle(handle, 1), "CUDA_ERROR_INVALID_CONTEXT", 1)
    failed(cuda.driver.cuIpcOpenMemHandle(handle, 0), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.driver.cuIpcCloseMemHandle(memory), "CUDA_ERROR_INVALID_VALUE")
    event = ok(cuda.driver.cuEventCreate(6))
    failed(
        cuda.driver.cuIpcOpenEventHandle(ok(cuda.driver.cuIpcGetEventHandle(event))), "CUDA_ERROR_INVALID_CONTEXT", 1
    )
    ok(cuda.driver.cuEventDestroy(event))


def test_what_is_no_handle(cuda):
    failed(cuda.driver.cuIpcGetMemHandle(0), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.driver.cuIpcOpenMemHandle(cuda.driver.CUipcMemHandle(), 1), "CUDA_ERROR_INVALID_VALUE", 1)
    for wrong, kind in ((None, "NoneType"), (5, "int")):
        with raising(TypeError, not_a("driver.CUipcMemHandle", "handle", kind)):
            cuda.driver.cuIpcOpenMemHandle(wrong, 1)


def test_an_event_is_shared_if_it_was_made_for_that(cuda):
    """An invalid value, and not CUDA's invalid handle: HIP speaks of an invalid configuration."""
    event = ok(cuda.driver.cuEventCreate(0))
    failed(cuda.driver.cuIpcGetEventHandle(event), "CUDA_ERROR_INVALID_VALUE", 1)
    ok(cuda.driver.cuEventDestroy(event))


def test_the_runtimes_handles_are_its_own(cuda, memory):
    handle = ok(cuda.runtime.cudaIpcGetMemHandle(int(memory)))
    assert type(handle) is cuda.runtime.cudaIpcMemHandle_t
    assert handle.reserved == content(ok(cuda.driver.cuIpcGetMemHandle(memory)))


def test_lists_of_semaphores_are_checked(cuda):
    signal = cuda.driver.cuSignalExternalSemaphoresAsync
    with raising(RuntimeError, "List is too small: 0 < 1"):
        signal([], [], 1, 0)
    with raising(TypeError, not_a_list("extSemArray", "cydriver.CUexternalSemaphore,")):
        signal([1], [], 1, 0)
    with raising(TypeError, not_a_list("paramsArray", "cydriver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,")):
        signal([], [1], 1, 0)


def test_memory_of_another_api_comes_by_its_file_descriptor(cuda):
    fd = os.memfd_create("another API's memory")
    os.write(fd, bytes(range(16)) + bytes(SIZE - 16))
    description = cuda.driver.CUDA_EXTERNAL_MEMORY_HANDLE_DESC()
    description.type = cuda.driver.CUexternalMemoryHandleType.CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
    description.handle.fd, description.size = 999, SIZE
    failed(cuda.driver.cuImportExternalMemory(description), "CUDA_ERROR_INVALID_VALUE", 1)
    description.handle.fd = os.dup(fd)  # the descriptor belongs to CUDA once it is imported
    external = ok(cuda.driver.cuImportExternalMemory(description))
    part = cuda.driver.CUDA_EXTERNAL_MEMORY_BUFFER_DESC()
    part.offset, part.size = 0, SIZE
    pointer = ok(cuda.driver.cuExternalMemoryGetMappedBuffer(external, part))
    ok(cuda.driver.cuMemsetD8(int(pointer) + 8, 77, 8))
    assert os.pread(fd, 16, 0) == bytes(range(8)) + bytes([77] * 8)
    ok(cuda.driver.cuMemFree(pointer))
    ok(cuda.driver.cuDestroyExternalMemory(external))
    os.close(fd)

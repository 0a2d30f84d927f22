"""Calls that once ended the process, or never returned: each is answered, and the program goes on."""

from __future__ import annotations

import ctypes
import random
import threading
from typing import Any

import numpy as np
import pytest

from tests.adapters import processes
from tests.adapters.answers import failed, ok, raising
from tests.adapters.kernels import compile_code, compile_object, loaded_function

MADE_UP = 0x1000
POLLING = b'extern "C" __global__ void poll(volatile int *flag) { while (!*flag) {} }'


@pytest.fixture(scope="module")
def code(cuda):
    return compile_code(cuda.nvrtc)


@pytest.fixture(scope="module")
def function(cuda, code):
    with loaded_function(cuda, b"put", code) as found:
        yield found


@pytest.fixture
def memory(cuda):
    made = ok(cuda.driver.cuMemAlloc(4096))
    yield made
    cuda.driver.cuMemFree(made)


def launch(cuda, function, parameters, extra=0, stream=0):
    return cuda.driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, extra)


# Launches.


def test_a_launch_returns_although_its_kernel_waits(cuda):
    """Also a kernel that was quick so far, and so counts as one that could run in the caller's thread."""
    flag = ok(cuda.driver.cuMemHostAlloc(64, 0))
    word = ctypes.c_int.from_address(int(flag))
    with loaded_function(cuda, b"poll", compile_code(cuda.nvrtc, POLLING)) as poll:
        word.value = 1
        for _ in range(20):
            ok(launch(cuda, poll, ((int(flag),), (ctypes.c_void_p,))))
            ok(cuda.driver.cuCtxSynchronize())
        word.value = 0
        safety = threading.Timer(20, lambda: setattr(word, "value", 2))  # the test fails then, and does not hang
        safety.start()
        ok(launch(cuda, poll, ((int(flag),), (ctypes.c_void_p,))))
        assert word.value == 0
        assert cuda.driver.cuStreamQuery(0)[0].name == "CUDA_ERROR_NOT_READY"
        word.value = 1
        ok(cuda.driver.cuCtxSynchronize())
        safety.cancel()
    ok(cuda.driver.cuMemFreeHost(flag))


def test_fewer_values_than_parameters(cuda, function, memory):
    cell = ctypes.c_void_p(int(memory))
    short = (ctypes.c_void_p * 1)(ctypes.addressof(cell))
    size, packed = ctypes.c_size_t(8), (ctypes.c_char * 8)()
    marks = (ctypes.c_void_p * 5)(2, ctypes.addressof(size), 1, ctypes.addressof(packed), 0)
    for parameters in [((memory,), (None,)), ((int(memory),), (ctypes.c_void_p,)), short, bytes(short), ((), ()), None]:
        failed(launch(cuda, function, parameters), "CUDA_ERROR_INVALID_VALUE")
    failed(launch(cuda, function, 0, ctypes.addressof(marks)), "CUDA_ERROR_INVALID_VALUE")
    with raising(ValueError, f"1 numbers at address {MADE_UP:#x} cannot be read"):
        launch(cuda, function, 0, MADE_UP)
    more = ((int(memory), 7, 8), (ctypes.c_void_p, ctypes.c_int, ctypes.c_int))  # CUDA does not look at those either
    ok(launch(cuda, function, more))
    ok(cuda.driver.cuCtxSynchronize())
    found = np.zeros(1, np.int32)
    ok(cuda.driver.cuMemcpyDtoH(found, memory, 4))
    assert found[0] == 7


# Images.


@pytest.mark.parametrize("compiled", [compile_code, compile_object])
def test_damaged_images_are_refused(cuda, compiled):
    """Damage of any size at any place; in a text, within the code object."""
    code, numbers = compiled(cuda.nvrtc), random.Random(19)  # noqa: S311
    begin = max(0, code.find(b"//$ crc32"))
    statuses = set()
    for _ in range(150):
        damaged = bytearray(code)
        for _ in range(numbers.choice((1, 1, 8))):
            damaged[numbers.randrange(begin, len(damaged) - 1)] ^= numbers.randrange(1, 256)
        statuses.add(cuda.driver.cuModuleLoadData(bytes(damaged))[0].name)
    for length in (1, 20, begin + 63, begin + 64, begin + 1000, len(code) // 2, len(code) - 100):
        statuses.add(cuda.driver.cuModuleLoadData(code[:length])[0].name)
    statuses.add(cuda.driver.cuModuleLoadData(MADE_UP)[0].name)
    assert statuses <= {
        "CUDA_ERROR_INVALID_IMAGE", "CUDA_ERROR_NO_BINARY_FOR_GPU", "CUDA_ERROR_INVALID_PTX",
    }  # fmt: skip
    ok(cuda.driver.cuModuleUnload(ok(cuda.driver.cuModuleLoadData(code))))


def test_a_longer_image_than_there_is(cuda, code):
    link = ok(cuda.driver.cuLinkCreate(0, [], []))
    kind = cuda.driver.CUjitInputType.CU_JIT_INPUT_CUBIN
    for size in (len(code) + 1, 1 << 40, (1 << 64) - 1):
        failed(cuda.driver.cuLinkAddData(link, kind, code, size, b"x", 0, [], []), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuLinkAddData(link, kind, MADE_UP, 64, b"x", 0, [], []), "CUDA_ERROR_INVALID_VALUE")
    ok(cuda.driver.cuLinkDestroy(link))


# Handles that are none, and memory that was freed.


def test_texture_references_that_are_none(cuda):
    """Each call that takes one, with other arguments of their types."""
    driver = cuda.driver
    calls = {
        "SetArray": (0, 0), "SetMipmappedArray": (0, 0), "SetAddress": None, "SetAddress2D": None, "GetAddress": (),
        "GetArray": (), "GetMipmappedArray": (), "GetAddressMode": (0,), "GetFilterMode": (), "GetFormat": (),
        "GetMipmapFilterMode": (), "GetMipmapLevelBias": (), "GetMipmapLevelClamp": (), "GetMaxAnisotropy": (),
        "GetBorderColor": (), "GetFlags": (), "SetFlags": (0,), "SetMaxAnisotropy": (1,), "SetMipmapLevelBias": (0.0,),
        "SetMipmapLevelClamp": (0.0, 1.0), "SetBorderColor": (0.0,), "Destroy": (),
        "SetFormat": (driver.CUarray_format.CU_AD_FORMAT_FLOAT, 1),
        "SetFilterMode": (driver.CUfilter_mode.CU_TR_FILTER_MODE_POINT,),
        "SetMipmapFilterMode": (driver.CUfilter_mode.CU_TR_FILTER_MODE_POINT,),
        "SetAddressMode": (0, driver.CUaddress_mode.CU_TR_ADDRESS_MODE_CLAMP),
    }  # fmt: skip
    names = {name.removeprefix("cuTexRef") for name in dir(driver) if name.startswith("cuTexRef")} - {"Create"}
    assert names == set(calls)
    event = ok(driver.cuEventCreate(0))
    for address in (MADE_UP, 8, (1 << 47) + 8, int(event)):
        reference = driver.CUtexref(address)
        for name, others in calls.items():
            if others is not None:
                assert getattr(driver, f"cuTexRef{name}")(reference, *others)[0] != 0, name
        assert driver.cuTexRefSetAddress(reference, 0, 64)[0] != 0
        descriptor = driver.CUDA_ARRAY_DESCRIPTOR()
        assert driver.cuTexRefSetAddress2D(reference, descriptor, 0, 64)[0] != 0
        assert driver.cuParamSetTexRef(driver.CUfunction(0), 0, reference)[0] != 0
    ok(driver.cuEventQuery(event))  # nothing was written into it
    ok(driver.cuEventDestroy(event))


def test_programs_that_are_none(cuda):
    for made_up in (32, 8, 1 << 47, 1):
        failed(cuda.nvrtc.nvrtcDestroyProgram(made_up), "NVRTC_ERROR_INVALID_PROGRAM")


def test_freed_memory_is_written_by_nobody(cuda):
    """Its addresses are never used again in the process, so a stale pointer damages nothing."""
    driver, host = cuda.driver, np.zeros(1 << 12, np.uint8)
    for size in (64, 1 << 16, 4 << 20):
        memory = ok(driver.cuMemAlloc(size))
        ok(driver.cuMemFree(memory))
        for status, *_ in (
            driver.cuMemcpyHtoD(memory, host, 64), driver.cuMemcpyDtoH(host, memory, 64), driver.cuMemsetD8(memory, 1, 64),
            driver.cuMemcpy(memory, host.ctypes.data, 64), driver.cuMemcpyAsync(host.ctypes.data, memory, 64, 0),
            driver.cuStreamWriteValue32(0, memory, 1, 0), driver.cuStreamWriteValue64(0, memory, 1, 0),
            driver.cuStreamWaitValue32(0, memory, 0, 0), driver.cuMemHostRegister(int(memory), 64, 0),
        ):  # fmt: skip
            assert status == 1, (size, status)


def test_addresses_that_are_reserved_and_not_mapped(cuda):
    driver, host = cuda.driver, np.zeros(64, np.uint8)
    at = ok(driver.cuMemAddressReserve(2 << 20, 0, 0, 0))
    assert driver.cuMemcpy(host.ctypes.data, at, 64)[0] == 1
    assert driver.cuMemcpy(at, host.ctypes.data, 64)[0] == 1
    assert driver.cuStreamWriteValue32(0, at, 1, 0)[0] == 1
    ok(driver.cuMemAddressFree(at, 2 << 20))


def test_a_level_goes_with_its_mipmapped_array(cuda):
    driver, shape = cuda.driver, cuda.driver.CUDA_ARRAY3D_DESCRIPTOR()
    shape.Width, shape.Height, shape.NumChannels = 16, 16, 1
    shape.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
    whole = ok(driver.cuMipmappedArrayCreate(shape, 3))
    level = ok(driver.cuMipmappedArrayGetLevel(whole, 1))
    failed(driver.cuArrayDestroy(level), "CUDA_ERROR_INVALID_HANDLE")
    ok(driver.cuMipmappedArrayDestroy(whole))
    failed(driver.cuArrayDestroy(level), "CUDA_ERROR_INVALID_HANDLE")


def test_a_graph_that_is_captured_into_is_not_destroyed(cuda):
    driver = cuda.driver
    stream, graph = ok(driver.cuStreamCreate(1)), ok(driver.cuGraphCreate(0))
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    ok(driver.cuStreamBeginCapture(stream, mode))
    own = ok(driver.cuStreamGetCaptureInfo(stream))[2]
    failed(driver.cuGraphDestroy(own), "CUDA_ERROR_INVALID_VALUE")
    ok(driver.cuGraphDestroy(ok(driver.cuStreamEndCapture(stream))))
    ok(driver.cuStreamBeginCaptureToGraph(stream, graph, None, None, 0, mode))
    ok(driver.cuGraphDestroy(graph))  # the program's own: the capture is lost with it
    assert driver.cuStreamEndCapture(stream)[0].name == "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
    ok(driver.cuStreamDestroy(stream))


# Counts.


def test_more_results_than_anybody_has(cuda):
    graph = ok(cuda.driver.cuGraphCreate(0))
    for count in (256777518, (1 << 64) - 1):
        with raising(MemoryError, f"Failed to allocate length x size memory: {count}x8"):
            cuda.runtime.cudaGraphGetNodes(graph, count)
    ok(cuda.driver.cuGraphDestroy(graph))


def test_more_references_are_given_up_than_there_are(cuda):
    """References of the program and of graphs are counted separately: neither can release the other's."""
    driver = cuda.driver
    ended: list[Any] = []
    destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ended.append)
    at = ctypes.cast(destroy, ctypes.c_void_p).value
    made = ok(driver.cuUserObjectCreate(7, driver.CUhostFn(at), 2, 1))
    graph = ok(driver.cuGraphCreate(0))
    failed(driver.cuGraphRetainUserObject(graph, made, 3, 1), "CUDA_ERROR_INVALID_VALUE")  # moves more than there are
    ok(driver.cuGraphRetainUserObject(graph, made, 1, 1))
    failed(driver.cuUserObjectRelease(made, 2), "CUDA_ERROR_INVALID_VALUE")  # one is the graph's
    instance = ok(driver.cuGraphInstantiate(graph, 0))
    ok(driver.cuUserObjectRelease(made, 1))
    failed(driver.cuUserObjectRelease(made, 1), "CUDA_ERROR_INVALID_VALUE")
    failed(driver.cuGraphReleaseUserObject(graph, made, 2), "CUDA_ERROR_INVALID_VALUE")
    ok(driver.cuGraphDestroy(graph))
    assert ended == []
    ok(driver.cuGraphExecDestroy(instance))
    assert ended == [7]


# Events, and the end of the program.


def test_an_event_that_no_stream_took_is_not_waited_for():
    assert (
        processes.run(
            """
from cuda.bindings import nvrtc
from tests.adapters.kernels import compile_code
from tests.adapters.answers import ok
cu.cuInit(0); ok(cu.cuCtxSetCurrent(ok(cu.cuDevicePrimaryCtxRetain(0))))
put = ok(cu.cuModuleGetFunction(ok(cu.cuModuleLoadData(compile_code(nvrtc))), b"put"))
event, graph = ok(cu.cuEventCreate(0)), ok(cu.cuGraphCreate(0))
ok(cu.cuGraphAddEventRecordNode(graph, [], 0, event))
instance = ok(cu.cuGraphInstantiate(graph, 0))
cu.cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, 0, ((64, 1), (ctypes.c_void_p, ctypes.c_int)), 0)
print(cu.cuCtxSynchronize()[0].name)
print(cu.cuEventRecord(event, 0)[0].name, cu.cuEventSynchronize(event)[0].name)
print(cu.cuGraphLaunch(instance, 0)[0].name, cu.cuEventSynchronize(event)[0].name)
""",
            CUDA_SHIM_CPU_LOG="off",
        )
        .decode()
        .split()
        == ["CUDA_ERROR_ILLEGAL_ADDRESS"] * 5
    )


@pytest.mark.parametrize("end", ["", "sys.exit(3)", "raise SystemExit"])
def test_the_program_ends_with_host_functions_pending(end):
    """Python is gone when the streams reach them."""
    assert (
        processes.run(
            f"""
import atexit, time
cu.cuInit(0); cu.cuCtxSetCurrent(cu.cuDevicePrimaryCtxRetain(0)[1])
kept = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: time.sleep(0.02))
reported = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda *_: time.sleep(0.02))
at, also = (ctypes.cast(one, ctypes.c_void_p).value for one in (kept, reported))
for stream in [cu.cuStreamCreate(1)[1] for _ in range(3)]:
    for _ in range(50):
        assert cu.cuLaunchHostFunc(stream, cu.CUhostFn(at), 0)[0] == 0
        assert cu.cuStreamAddCallback(stream, cu.CUstreamCallback(also), 0, 0)[0] == 0
print("end", flush=True)
{end.replace("3", "0")}
"""
        )
        == b"end\n"
    )

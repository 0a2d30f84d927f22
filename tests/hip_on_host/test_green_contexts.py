"""Cores that are split into groups, and contexts whose streams run kernels on their group alone."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, INVALID, INVALID_CONTEXT, BAD_TYPE, BAD_CONFIGURATION = 0, 1, 201, 914, 915
CORES = 1  # hipDevResourceTypeSm


class Resource(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("inside", ctypes.c_ubyte * 92), ("count", ctypes.c_uint), ("least", ctypes.c_uint),
        ("alignment", ctypes.c_uint), ("flags", ctypes.c_uint), ("rest", ctypes.c_ubyte * 24), ("next", P),
    ]  # fmt: skip


class Group(ctypes.Structure):
    _fields_ = [
        ("count", ctypes.c_uint),
        ("more", ctypes.c_uint * 2),
        ("flags", ctypes.c_uint),
        ("rest", ctypes.c_uint * 12),
    ]


def ref(value):
    return ctypes.byref(value)


@pytest.fixture
def whole(library):
    made = Resource()
    assert library.hipDeviceGetDevResource(0, ref(made), CORES) == SUCCESS
    return made


def test_the_device_has_its_cores(library, hip, whole):
    count = ctypes.c_int()
    processors = int(hip.hipDeviceAttribute_t.hipDeviceAttributeMultiprocessorCount)
    assert library.hipDeviceGetAttribute(ref(count), processors, 0) == SUCCESS
    assert (whole.type, whole.count, whole.least) == (CORES, count.value, 1)
    assert library.hipDeviceGetDevResource(0, ref(whole), 1000) == BAD_TYPE
    assert library.hipDeviceGetDevResource(7, ref(whole), CORES) == 101


PROGRAM = """
import pathlib, numpy as np
sys.path.insert(0, str(pathlib.Path(sys.path[0]).parents[1]))
from tests.hip_on_host.test_green_contexts import *
from tests.hip_on_host import hiprtc_program
c = ctypes.CDLL(os.path.join(os.environ["ROCM_PATH"], "lib/libamdhip64.so"))
whole = Resource()
assert c.hipDeviceGetDevResource(0, ref(whole), CORES) == 0
"""


def test_splitting(run_hip: Callable[..., str]) -> None:
    out = run_hip(
        PROGRAM
        + """
def by_count(least, wanted, flags=0, source=whole):
    groups, parts, rest = ctypes.c_uint(wanted), (Resource * 8)(), Resource()
    status = c.hipDevSmResourceSplitByCount(parts, ref(groups), ref(source), ref(rest), flags, least)
    return status, [part.count for part in parts[: groups.value]], rest.type, rest.count, parts
print(by_count(2, 3)[:4], by_count(3, 8)[:4], by_count(4, 2)[:4], by_count(0, 2)[:4])
print(by_count(9, 1)[0], by_count(2, 1, flags=64)[0], by_count(2, 1, flags=3)[0], by_count(2, 1, source=Resource(type=1, count=8))[0])
number = ctypes.c_uint()
print(c.hipDevSmResourceSplitByCount(None, ref(number), ref(whole), None, 0, 3), number.value)
status, counts, _, _, parts = by_count(4, 2)
print(by_count(2, 2, source=parts[1])[1])
groups, made, rest = (Group * 3)(Group(3), Group(1), Group(0)), (Resource * 3)(), Resource()
print(c.hipDevSmResourceSplit(made, 3, ref(whole), ref(rest), 0, groups), [one.count for one in made], rest.type, groups[2].count)
print(c.hipDevSmResourceSplit(made, 2, ref(whole), None, 0, (Group * 2)(Group(5), Group(4))))
""",
        CUDA_SHIM_CPU_THREADS="8",
    )
    assert out.splitlines() == [
        "(0, [2, 2, 2], 1, 2) (0, [3, 3], 1, 2) (0, [4, 4], 0, 0) (0, [1, 1], 1, 6)",
        f"{BAD_CONFIGURATION} 0 {INVALID} {INVALID}",
        "0 2",
        "[2, 2]",
        "0 [3, 1, 4] 0 4",
        f"{BAD_CONFIGURATION}",
    ]


def test_kernels_run_on_the_cores_of_their_context(run_hip: Callable[..., str]) -> None:
    """As many blocks as there are cores meet each other: in a group of two no third one can arrive."""
    out = run_hip(
        PROGRAM
        + '''
programs = hiprtc_program.Kernels(hip, hiprtc_program.load(os.environ["ROCM_PATH"]))
module = programs.load("""extern "C" __global__ void together(int* now, int* most, int rounds) {
    const int here = atomicAdd(now, 1) + 1;
    atomicMax(most, here);
    const long long start = wall_clock64();
    while (wall_clock64() - start < 2000000) {}
    atomicSub(now, 1);
}""")
def most(stream):
    memory = P()
    assert c.hipMalloc(ref(memory), SIZE(64)) == 0
    assert c.hipMemset(memory, 0, SIZE(64)) == 0
    assert c.hipDeviceSynchronize() == 0
    values = [ctypes.c_void_p(memory.value), ctypes.c_void_p(memory.value + 4), ctypes.c_int(1)]
    pointers = (P * 3)(*(ctypes.addressof(one) for one in values))
    size = [ctypes.c_uint(one) for one in (64, 1, 1, 1, 1, 1, 0)]
    assert c.hipModuleLaunchKernel(P(int(module.function("together"))), *size, stream, pointers, None) == 0
    assert c.hipStreamSynchronize(stream) == 0
    back = (ctypes.c_int * 2)()
    assert c.hipMemcpy(back, memory, SIZE(8), 2) == 0
    return back[1]
groups, parts, rest = ctypes.c_uint(2), (Resource * 2)(), Resource()
assert c.hipDevSmResourceSplitByCount(parts, ref(groups), ref(whole), ref(rest), 0, 2) == 0
streams = []
for resource in (parts[0], parts[1], rest):
    description, context, stream, reported = P(), P(), P(), Resource()
    assert c.hipDevResourceGenerateDesc(ref(description), ref(resource), 1) == 0
    assert c.hipGreenCtxCreate(ref(context), description, 0, 0) == 0
    assert c.hipExecutionCtxStreamCreate(ref(stream), context, 1, 0) == 0
    assert c.hipStreamGetDevResource(stream, ref(reported), CORES) == 0
    print(reported.count, end=" ")
    assert c.hipExecutionCtxGetDevResource(context, ref(reported), CORES) == 0
    streams.append((context, stream))
    print(reported.count, most(stream) <= reported.count, end="; ")
reported = Resource()
assert c.hipStreamGetDevResource(None, ref(reported), CORES) == 0
print(reported.count, most(None) > 2)
for context, stream in streams:
    assert c.hipStreamDestroy(stream) == 0
    assert c.hipExecutionCtxDestroy(context) == 0
    assert c.hipExecutionCtxDestroy(context) == INVALID_CONTEXT
''',
        CUDA_SHIM_CPU_THREADS="6",
    )
    assert out.strip() == "2 2 True; 2 2 True; 2 2 True; 6 True"


def test_contexts_wait_and_are_waited_for(library, whole):
    description, context, primary, device, number = P(), P(), P(), ctypes.c_int(-1), ctypes.c_ulonglong()
    assert library.hipDevResourceGenerateDesc(ref(description), ref(whole), 1) == SUCCESS
    assert library.hipGreenCtxCreate(ref(context), P(64), 0, 0) == INVALID
    assert library.hipGreenCtxCreate(ref(context), description, 0, 64) == INVALID
    assert library.hipGreenCtxCreate(ref(context), description, 0, 0) == SUCCESS
    assert library.hipDeviceGetExecutionCtx(ref(primary), 0) == SUCCESS
    assert library.hipExecutionCtxGetDevice(ref(device), context) == SUCCESS
    assert device.value == 0
    assert library.hipExecutionCtxGetId(context, ref(number)) == SUCCESS
    assert library.hipExecutionCtxDestroy(primary) == INVALID
    word, event, first, second, outside = P(), P(), P(), P(), P()
    assert library.hipHostMalloc(ref(word), SIZE(8), 0) == SUCCESS
    cells = (ctypes.c_uint32 * 2).from_address(word.value or 0)
    cells[:] = [0, 0]
    assert library.hipEventCreate(ref(event)) == SUCCESS
    for stream in (first, second):
        assert library.hipExecutionCtxStreamCreate(ref(stream), context, 1, 0) == SUCCESS
    assert library.hipStreamCreateWithFlags(ref(outside), 1) == SUCCESS

    def hold(stream, cell):
        place, everything = P(word.value + 4 * cell), ctypes.c_uint32(0xFFFFFFFF)
        assert library.hipStreamWaitValue32(stream, place, ctypes.c_uint32(1), 0, everything) == SUCCESS

    hold(second, 0)
    assert library.hipExecutionCtxRecordEvent(context, event) == SUCCESS
    assert library.hipEventQuery(event) == 600
    cells[0] = 1
    assert library.hipEventSynchronize(event) == SUCCESS
    assert library.hipExecutionCtxSynchronize(context) == SUCCESS
    hold(outside, 1)
    assert library.hipEventRecord(event, outside) == SUCCESS
    assert library.hipExecutionCtxWaitEvent(context, event) == SUCCESS
    assert [library.hipStreamQuery(stream) for stream in (first, second)] == [600, 600]
    cells[1] = 1
    assert library.hipExecutionCtxSynchronize(context) == SUCCESS
    for stream in (first, second, outside):
        assert library.hipStreamDestroy(stream) == SUCCESS
    assert library.hipExecutionCtxDestroy(context) == SUCCESS
    assert library.hipEventDestroy(event) == SUCCESS
    assert library.hipHostFree(word) == SUCCESS

"""With CUDA_SHIM_CPU_ROCM the runtime does as AMD's does, difference by difference, and without it as CUDA does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.hip_on_host import rocm_table
from tests.hip_on_host.hip_program import HANG

PRELUDE = """
import ctypes, sys
from ctypes import byref
folder = {folder!r}
hip, rtc = (ctypes.CDLL(f"{{folder}}/lib/lib{{name}}.so") for name in ("amdhip64", "hiprtc"))
pointer, integer = ctypes.c_void_p, ctypes.c_int

def got(function, *arguments, kind=integer):
    "What a function that writes through its first parameter gives, or its status's name."
    cell = kind()
    status = getattr(hip, function)(byref(cell), *arguments)
    return cell.value if status == 0 else name(status)

def name(status):
    hip.hipGetErrorName.restype = ctypes.c_char_p
    return hip.hipGetErrorName(status).decode().removeprefix("hipError").removeprefix("hip")

def status(function, *arguments):
    return name(getattr(hip, function)(*arguments))

def handle(function, *arguments):
    cell = pointer()
    assert getattr(hip, function)(byref(cell), *arguments) == 0, function
    return cell

def code(source=b'extern "C" __global__ __launch_bounds__(64) void k() {{}}'):
    program, size = pointer(), ctypes.c_size_t()
    assert rtc.hiprtcCreateProgram(byref(program), source, b"k.cu", 0, None, None) == 0
    assert rtc.hiprtcCompileProgram(program, 0, None) == 0
    assert rtc.hiprtcGetCodeSize(program, byref(size)) == 0
    image = ctypes.create_string_buffer(size.value)
    assert rtc.hiprtcGetCode(program, image) == 0
    return image.raw

def kernel():
    return handle("hipModuleGetFunction", handle("hipModuleLoadData", code()), b"k")

def launch(grid, block):
    return status("hipModuleLaunchKernel", kernel(), *grid, *block, 0, None, None, None)

def device():
    return got("hipGetDevice")
"""


class Case(NamedTuple):
    """A program of one expression or several lines, and its output as on CUDA and as on AMD's runtime."""

    program: str
    cuda: str
    rocm: str


# A stream that captures, and two events: one that the capture recorded, and one that was recorded before it.
CAPTURE = """
stream, event, before = handle("hipStreamCreateWithFlags", 1), handle("hipEventCreate"), handle("hipEventCreate")
hip.hipEventRecord(before, stream); hip.hipStreamSynchronize(stream)
hip.hipStreamBeginCapture(stream, 2); hip.hipEventRecord(event, stream)
"""
CASES = {
    "OneContextPerDevice": Case(
        'made, primary = handle("hipCtxCreate", 0, 0), handle("hipDevicePrimaryCtxRetain", 0)\n'
        'print(made.value == primary.value, status("hipCtxCreate", byref(pointer()), 0, 9))',
        "False InvalidDevice", "True InvalidValue",
    ),
    "DeviceApartFromStack": Case(
        'made = handle("hipCtxCreate", 0, 1); print(device(), end=" ")\n'
        'hip.hipCtxPushCurrent(made); print(device(), end=" ")\n'
        'hip.hipCtxPopCurrent(None); hip.hipCtxPopCurrent(None); print(device())',
        "1 1 0", "0 1 1",
    ),
    "UnservedContextCalls": Case(
        'print(*(status(f"hipCtx{n}", 0) for n in ("SetSharedMemConfig", "SetCacheConfig", "Synchronize")),\n'
        '      got("hipCtxGetFlags"), got("hipCtxGetCacheConfig"), status("hipCtxGetApiVersion", None, byref(integer())))',
        "Success Success Success 0 0 Success", " ".join(["NotSupported"] * 6),
    ),
    "PrimaryContextsUncounted": Case(
        'print(status("hipDevicePrimaryCtxRelease", 0), status("hipDevicePrimaryCtxSetFlags", 0, 4), end=" ")\n'
        'print(got("hipMalloc", ctypes.c_size_t(64), kind=pointer) != 0, status("hipSetDeviceFlags", 4), end=" ")\n'
        'flags = integer(7); print(status("hipDevicePrimaryCtxGetState", 0, byref(flags), byref(integer())), flags.value)',
        "InvalidContext Success True Success Success 4", "Success ContextAlreadyInUse True Success Success 0",
    ),
    "SchedulingFlagsAlone": Case(
        'print(got("hipGetDeviceFlags"), status("hipSetDeviceFlags", 4 + 8), got("hipGetDeviceFlags"))',
        "0 Success 12", "1 Success 4",
    ),
    "ResetsKeepHandles": Case(
        'event, stream = got("hipEventCreate", kind=pointer), got("hipStreamCreate", kind=pointer)\n'
        'print(status("hipDeviceReset"), status("hipEventDestroy", pointer(event)), status("hipStreamDestroy", pointer(stream)))',
        "Success InvalidHandle InvalidHandle", "Success Success InvalidHandle",
    ),
    "NoPrintfLimit": Case(
        'print(got("hipDeviceGetLimit", 1, kind=ctypes.c_size_t), status("hipDeviceSetLimit", 1, ctypes.c_size_t(4096)),\n'
        '      status("hipDeviceSetLimit", 0, ctypes.c_size_t(2048)))',
        "8650752 Success Success", "UnsupportedLimit UnsupportedLimit Success",
    ),
    "HeapLimitNeverFixed": Case(
        'heap = lambda: status("hipDeviceSetLimit", 2, ctypes.c_size_t(16 << 20))\n'
        'image = code(b\'extern "C" __global__ void k() { free(malloc(8)); }\')\n'
        'k = handle("hipModuleGetFunction", handle("hipModuleLoadData", image), b"k")\n'
        'print(heap(), status("hipModuleLaunchKernel", k, *[1] * 6, 0, None, None, None), status("hipDeviceSynchronize"), heap())',
        "Success Success Success InvalidValue", "Success Success Success Success",
    ),
    "PreferencesForgotten": Case(
        'print(status("hipDeviceSetCacheConfig", 1), got("hipDeviceGetCacheConfig"),\n'
        '      status("hipDeviceSetSharedMemConfig", 2), got("hipDeviceGetSharedMemConfig"))',
        "Success 1 Success 2", "Success 0 Success 1",
    ),
    "HostFunctionsAlone": Case(
        'k, room = kernel(), ctypes.create_string_buffer(512)\n'
        'print(status("hipFuncGetAttributes", room, k), got("hipOccupancyMaxActiveBlocksPerMultiprocessor", k, 64, pointer(0)),\n'
        '      got("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", k, 64, pointer(0)),\n'
        '      got("hipOccupancyAvailableDynamicSMemPerBlock", k, 1, 64, kind=ctypes.c_size_t))',
        "Success 32 32 166912", "InvalidDeviceFunction InvalidDeviceFunction 32 InvalidDeviceFunction",
    ),
    "WorkItemsOf32Bits": Case("print(launch((1 << 26, 1, 1), (64, 1, 1)))", "Success", "InvalidConfiguration"),
    "LaunchBoundsFailLaunches": Case("print(launch((1, 1, 1), (65, 1, 1)))", "InvalidConfiguration", "LaunchFailure"),
    "EmptyGridsMisconfigure": Case("print(launch((0, 1, 1), (64, 1, 1)))", "InvalidValue", "InvalidConfiguration"),
    "LazyLibraries": Case(
        'load = lambda image, options: got("hipLibraryLoadData", image, None, None, options, None, None, 0, kind=pointer)\n'
        'print(load(code(), 1) == "InvalidValue", end=" ")\n'
        'image = ctypes.create_string_buffer(code()); library = load(image, 0); ctypes.memset(image, 0, len(image))\n'
        'print(got("hipLibraryGetKernelCount", pointer(library)))',
        "False 1", "True InvalidImage",
    ),
    "GpuProperties": Case(
        'major, minor = integer(), integer(); hip.hipDeviceComputeCapability(byref(major), byref(minor), 0)\n'
        'print(major.value, minor.value, got("hipDeviceGetAttribute", 87, 0))',
        "8 0 32", "9 4 64",
    ),
    "SharedMemoryUnasked": Case(
        'k = kernel()\n'
        'with_shared = lambda size: status("hipModuleLaunchKernel", k, 1, 1, 1, 1, 1, 1, size, None, None, None)\n'
        'ask = lambda size: (status("hipFuncSetAttribute", k, 8, size), got("hipFuncGetAttribute", 8, k))\n'
        'print(*(with_shared(size) for size in (48 << 10, (48 << 10) + 1, 64 << 10, (64 << 10) + 1)))\n'
        'print(got("hipFuncGetAttribute", 8, k), *ask(50 << 10), *ask(65 << 10))',
        "Success InvalidValue InvalidValue InvalidValue\n49152 Success 51200 Success 66560",
        "Success Success Success InvalidValue\n65536 Success 65536 InvalidValue 65536",
    ),
    "ThreePriorities": Case(
        'least, greatest = integer(), integer(); hip.hipDeviceGetStreamPriorityRange(byref(least), byref(greatest))\n'
        'def priority(asked):\n'
        '    cell = integer(); stream = handle("hipStreamCreateWithPriority", 0, asked)\n'
        '    return cell.value if hip.hipStreamGetPriority(stream, byref(cell)) == 0 else None\n'
        'print(least.value, greatest.value, *map(priority, (-9, -1, 0, 9)))',
        "0 -5 -5 -1 0 0", "1 -1 -1 -1 0 1",
    ),
    "PastCapturesForgotten": Case(
        f'{CAPTURE}status("hipStreamEndCapture", stream, byref(pointer()))\n'
        'print(status("hipEventQuery", event), status("hipEventSynchronize", event), status("hipStreamWaitEvent", None, event, 0))',
        "InvalidValue InvalidValue InvalidValue", "Success Success Success",
    ),
    "CapturedEventsTimed": Case(
        f'{CAPTURE}hip.hipEventRecord(before, stream)\n'
        'time = lambda start, stop: status("hipEventElapsedTime", byref(ctypes.c_float()), start, stop)\n'
        'print(time(before, event), time(before, before))',
        "CapturedEvent CapturedEvent", "InvalidHandle Success",
    ),
    "ExternalOutsideCaptures": Case(
        'stream, event = handle("hipStreamCreateWithFlags", 1), handle("hipEventCreate")\n'
        'print(status("hipEventRecordWithFlags", event, stream, 1), status("hipStreamWaitEvent", stream, event, 1))',
        "IllegalState IllegalState", "Success InvalidHandle",
    ),
    "MappingsOfWrongValues": Case(
        'size, flags, properties = ctypes.c_size_t, ctypes.c_ulonglong(0), (integer * 8)(1, 0, 1, 0)\n'
        'grain = got("hipMemGetAllocationGranularity", properties, 0, kind=size)\n'
        'place = handle("hipMemAddressReserve", size(4 * grain), size(0), None, flags)\n'
        'memory = handle("hipMemCreate", size(2 * grain), properties, flags)\n'
        'print(*(status("hipMemMap", place, size(length), size(offset), memory, flags)\n'
        '        for length, offset in ((grain // 2, 0), (2 * grain, grain), (2 * grain, 0))))',
        "NotSupported NotSupported Success", "InvalidValue InvalidValue Success",
    ),
    "TrimsOfUnusedMemory": Case(
        'size, pool = ctypes.c_size_t, handle("hipMemPoolCreate", (integer * 24)(1, 0, 1, 0))\n'
        'hip.hipMemPoolSetAttribute(pool, 4, byref(ctypes.c_uint64(1 << 40)))\n'
        'blocks = [handle("hipMallocFromPoolAsync", size(1 << 20), pool, None) for _ in range(3)]\n'
        'for block in blocks[1:]: hip.hipFreeAsync(block, None)\n'
        'def kept(kib):\n'
        '    cell = ctypes.c_uint64(); hip.hipMemPoolTrimTo(pool, size(kib << 10))\n'
        '    hip.hipMemPoolGetAttribute(pool, 5, byref(cell)); return cell.value >> 20\n'
        'hip.hipDeviceSynchronize(); print(*map(kept, (2048, 1536, 1024, 0)))',
        "2 2 1 1", "3 2 2 1",
    ),
    "NoImageUnits": Case(
        'array = status("hipMallocArray", byref(pointer()), (integer * 5)(32, 0, 0, 0, 2), ctypes.c_size_t(4), ctypes.c_size_t(4), 0)\n'
        'print(array, status("hipModuleGetTexRef", byref(pointer()), None, b"t"))',
        "Success InvalidHandle", "NotSupported NotSupported",
    ),
    "MemsetsReachAllDevices": Case(
        'memory = got("hipMalloc", ctypes.c_size_t(64), kind=pointer); hip.hipSetDevice(1)\n'
        'fill = lambda: status("hipMemset", pointer(memory), 1, ctypes.c_size_t(64))\n'
        'print(fill(), status("hipDeviceEnablePeerAccess", 0, 0), fill())',
        "InvalidValue Success Success", "Success Success Success",
    ),
    "OwnVersion": Case('print(got("hipRuntimeGetVersion") // 10**7 >= 7, got("hipRuntimeGetVersion") == 70253211)', "True False", "True True"),
}  # fmt: skip
# The release or the GPU decides these, or they end the process; tests of their own follow.
OTHERS = {"CodeForOneTarget", "ImageAlignments", "SymbolsByRelease", "UncheckedContexts"}


def start(folder: Path, program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program with the functions of PRELUDE, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", PRELUDE.format(folder=str(folder)) + program],
        env={**os.environ, "CUDA_SHIM_CPU_DEVICES": "2", "CUDA_SHIM_CPU_LOG": "error", **environment},
        capture_output=True, encoding="utf-8", timeout=HANG, check=False,
    )  # fmt: skip


def said(folder: Path, program: str, **environment: str) -> str:
    """Return the output of the program, which must succeed."""
    done = start(folder, program, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def said_on(folder: Path, gfx: str, program: str) -> str:
    """The same, on the GPU of a name."""
    return said(folder, program, CUDA_SHIM_CPU_ROCM="10.0", CUDA_SHIM_CPU_GFX=gfx)


def test_every_difference_has_a_test_a_source_and_code():
    rows = rocm_table.differences()
    assert [row.name for row in rows] == list(dict.fromkeys(row.name for row in rows))
    assert {row.name for row in rows} == CASES.keys() | OTHERS
    for row in rows:
        assert row.behaviour, row
        assert ".cpp" in row.source or "CHANGELOG.md" in row.source, row
        assert rocm_table.uses(row.name) > 0, row.name


@pytest.mark.parametrize("name", CASES)
def test_a_difference(runtime_folder: Path, name: str):
    case = CASES[name]
    assert said(runtime_folder, case.program) == case.cuda
    assert said(runtime_folder, case.program, CUDA_SHIM_CPU_ROCM="7.2.2") == case.rocm


def test_what_amds_runtime_does_not_check_ends_the_process(runtime_folder: Path):
    primary = 'handle("hipDevicePrimaryCtxRetain", 0)'
    for program in ("hip.hipCtxPushCurrent(pointer(12345))", f"hip.hipCtxDestroy({primary})"):
        assert said(runtime_folder, f"{program}; print(1)") == "1"
        done = start(runtime_folder, program, CUDA_SHIM_CPU_ROCM="10.0")
        assert done.returncode < 0, done
        assert "AMD's runtime does not check this" in done.stderr


def test_a_code_object_is_for_one_gpu(runtime_folder: Path, tmp_path: Path):
    image = tmp_path / "image"
    said_on(runtime_folder, "gfx1100", f"open({str(image)!r}, 'wb').write(code())")
    load = f'print(status("hipModuleLoadData", byref(pointer()), open({str(image)!r}, "rb").read()))'
    assert said_on(runtime_folder, "gfx1100", load) == "Success"
    assert said_on(runtime_folder, "gfx942", load) == "NoBinaryForGpu"
    assert said(runtime_folder, load) == "Success"


def test_gpus_with_image_units_have_textures(runtime_folder: Path):
    case = CASES["NoImageUnits"]
    for gfx in ("gfx90a", "gfx1201"):
        assert said_on(runtime_folder, gfx, case.program) == case.cuda


def test_memory_of_textures_is_aligned_to_256_bytes(runtime_folder: Path):
    program = """
place = handle("hipMalloc", ctypes.c_size_t(1 << 16)).value
class Resource(ctypes.Structure):
    _fields_ = [("type", integer), ("at", pointer), ("channels", integer * 5), ("sizes", ctypes.c_size_t * 8)]
def create(kind, offset, *sizes):
    resource = Resource(kind, place + offset, (32, 0, 0, 0, 2), sizes)
    return status("hipCreateTextureObject", byref(pointer()), byref(resource), (integer * 32)(), None)
print(*(create(2, offset, 1024) for offset in (0, 4, 256)), *(create(3, 0, 8, 2, pitch) for pitch in (32, 256)))
"""
    assert said(runtime_folder, program) == "Success InvalidValue InvalidValue Success Success"
    answers = "Success InvalidChannelDescriptor Success InvalidValue Success"
    assert said_on(runtime_folder, "gfx1100", program) == answers


def test_gfx950_has_more_shared_memory(runtime_folder: Path):
    program = 'print(got("hipFuncGetAttribute", 8, kernel()) >> 10)'
    assert [said_on(runtime_folder, gfx, program) for gfx in ("gfx942", "gfx950")] == ["64", "160"]


@pytest.mark.parametrize(("release", "version"), [("7.2.2", (7, 2)), ("10.0", (10, 0))])
def test_functions_that_a_release_lacks(runtime_folder: Path, release: str, version: tuple[int, int]):
    names = rocm_table.lacking(*version)
    assert "hipInitDevice" in names
    assert ("hipKernelGetParamInfo" in names) == (release == "7.2.2")
    program = f"print(*(n for n in {names!r} if hasattr(hip, n))); print(hasattr(hip, 'hipLibraryLoadData'))"
    assert said(runtime_folder, program).splitlines() == [" ".join(names), "True"]
    done = start(runtime_folder, program, CUDA_SHIM_CPU_ROCM=release)
    assert (done.stdout.splitlines(), done.stderr) == (["", "True"], "")


def test_settings_that_do_not_exist_are_refused(runtime_folder: Path):
    done = start(runtime_folder, "print(device())", CUDA_SHIM_CPU_ROCM="10.0", CUDA_SHIM_CPU_GFX="gfx1")
    assert "CUDA_SHIM_CPU_GFX=gfx1 is not allowed; use gfx90a, gfx942, " in done.stderr

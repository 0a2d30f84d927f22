"""With CUDA_SHIM_CPU_ROCM the runtime does as AMD's does, difference by difference, and without it as CUDA does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cpu_runtime import rocm_table
from tests.cpu_runtime.hip_program import HANG

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
    """A program of one expression or several lines, and what it prints as CUDA does and as AMD's runtime does."""

    program: str
    cuda: str
    rocm: str


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
    "NoPrintfLimit": Case(
        'print(got("hipDeviceGetLimit", 1, kind=ctypes.c_size_t), status("hipDeviceSetLimit", 1, ctypes.c_size_t(4096)),\n'
        '      status("hipDeviceSetLimit", 0, ctypes.c_size_t(2048)))',
        "1048576 Success Success", "UnsupportedLimit UnsupportedLimit Success",
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
        "Success 32 32 65536", "InvalidDeviceFunction InvalidDeviceFunction 32 InvalidDeviceFunction",
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
    "NoImageUnits": Case(
        'array = status("hipMallocArray", byref(pointer()), (integer * 5)(32, 0, 0, 0, 2), ctypes.c_size_t(4), ctypes.c_size_t(4), 0)\n'
        'print(array, status("hipModuleGetTexRef", byref(pointer()), None, b"t"))',
        "Success InvalidHandle", "NotSupported NotSupported",
    ),
    "OwnVersion": Case('print(got("hipRuntimeGetVersion") // 10**7 >= 7, got("hipRuntimeGetVersion") == 70253211)', "True False", "True True"),
}  # fmt: skip
# Of these the release decides, or they end the process; tests of their own follow.
OTHERS = {"CodeForOneTarget", "SymbolsByRelease", "UncheckedContexts"}


def start(folder: Path, program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program with the functions of PRELUDE, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", PRELUDE.format(folder=str(folder)) + program],
        env={**os.environ, "CUDA_SHIM_CPU_DEVICES": "2", "CUDA_SHIM_CPU_LOG": "error", **environment},
        capture_output=True, encoding="utf-8", timeout=HANG, check=False,
    )  # fmt: skip


def said(folder: Path, program: str, **environment: str) -> str:
    """What it prints, once it has succeeded."""
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
    assert "CUDA_SHIM_CPU_GFX=gfx1 is not valid; allowed: gfx90a, gfx942, " in done.stderr

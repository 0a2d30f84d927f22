"""Programs that open NVIDIA's libraries by their file names get the C interface of the shim."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cuda_shim.usage.recordings import Recordings
from tests.environments import ROOT
from tests.interpreters import clean_environment


def run(code: str, *flags: str) -> str:
    command = [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", "--quiet", *flags, "-c", code]
    environment = clean_environment(PYTHONPATH=str(ROOT), CUDA_SHIM_LOG="off")
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


OPENED = """
import ctypes, ctypes.util
names = ["libcuda.so.1", "libcuda.so", "libcudart.so.13", "libcudart.so", "libnvrtc.so.13"]
opened = [ctypes.CDLL(name) for name in names]
count = ctypes.c_int()
print(opened[0].cuInit(0), opened[1].cuDeviceGetCount(ctypes.byref(count)), count.value)
print(opened[2].cudaFree(None), opened[4].nvrtcVersion(ctypes.byref(count), ctypes.byref(count)))
print([ctypes.util.find_library(name) for name in ("cuda", "cudart", "nvrtc")], ctypes.util.find_library("c"))
# The dynamic loader finds them by the names in the files, for C code that opens them.
loader = ctypes.CDLL(None)
loader.dlopen.restype = ctypes.c_void_p
print([bool(loader.dlopen(name, 2)) for name in (b"libcuda.so.1", b"libcudart.so.13", b"libnvrtc.so.13")])
"""


def test_names_are_answered_before_cuda_is_imported() -> None:
    *said, found, loaded = run(OPENED, "--cuda", "13.5").splitlines()
    assert said == ["0 0 1", "0 0"]
    assert found == "['libcuda.so.1', 'libcudart.so', 'libnvrtc.so'] libc.so.6"
    assert loaded == "[True, True, True]"


def test_a_setting_leaves_the_names_alone() -> None:
    code = """
import cuda.bindings.driver, ctypes
try: ctypes.CDLL("libcuda.so.1")
except OSError: print("not there")
else: print("cuda_shim" in open("/proc/self/maps").read())
"""
    assert run(code, "--dlopen=0") in ("not there\n", "False\n")


def test_paths_are_answered_where_nobody_elses_file_is(tmp_path: Path) -> None:
    """By a path to no file, and by the files in the library folder; a file of others is opened itself."""
    (tmp_path / "libcuda.so.1").write_text("no library")
    code = f"""
import ctypes, glob, cuda_shim
for path in ("/no/such/folder/libcuda.so.1", glob.glob(cuda_shim.get_library_dir() + "/libcuda.so*")[0]):
    print(ctypes.CDLL(path).cuInit(0))
try: ctypes.CDLL("{tmp_path}/libcuda.so.1")
except OSError as error: print("file too short" in str(error) or error)
"""
    assert run(code) == "0\n0\nTrue\n"


def test_both_levels_share_one_state() -> None:
    """A context, a stream and memory that Python made are good in C, and the other way round; so is the last error."""
    code = """
import ctypes
from cuda.bindings import driver, runtime
library = ctypes.CDLL("libcuda.so.1")
assert library.cuInit(0) == 0
status, context = driver.cuDevicePrimaryCtxRetain(0)
current = ctypes.c_void_p(1)
assert (library.cuCtxGetCurrent(ctypes.byref(current)), current.value) == (0, None)
assert driver.cuCtxSetCurrent(context)[0] == 0
assert (library.cuCtxGetCurrent(ctypes.byref(current)), current.value) == (0, int(context))
pointer = ctypes.c_uint64()
assert library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(64)) == 0
assert driver.cuMemsetD8(pointer.value, 7, 64)[0] == 0
room = ctypes.create_string_buffer(64)
assert library.cuMemcpyDtoH_v2(room, pointer, ctypes.c_size_t(64)) == 0 and room.raw == b"\\7" * 64
stream = ctypes.c_void_p()
assert library.cuStreamCreate(ctypes.byref(stream), 0) == 0
assert driver.cuStreamBeginCapture(stream.value, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED)[0] == 0
state = ctypes.c_int()
assert library.cuStreamIsCapturing(stream, ctypes.byref(state)) == 0 and state.value == 1
graph = ctypes.c_void_p()
assert library.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
assert driver.cuGraphDestroy(graph.value)[0] == 0 and driver.cuStreamDestroy(stream.value)[0] == 0
assert driver.cuMemFree(pointer.value)[0] == 0 and library.cuMemFree_v2(pointer) == 1
cudart = ctypes.CDLL("libcudart.so")
assert cudart.cudaFree(ctypes.c_void_p(123)) == 1
assert runtime.cudaGetLastError()[0] == 1 and cudart.cudaGetLastError() == 0
print("one")
"""
    assert run(code) == "one\n"


def test_entry_points_are_the_librarys_own() -> None:
    code = """
import ctypes, os
import cuda_shim
library = ctypes.CDLL("libcuda.so.1")
def find(name, version, flags=0):
    found, how = ctypes.c_void_p(), ctypes.c_int()
    status = library.cuGetProcAddress_v2(name, ctypes.byref(found), version, ctypes.c_uint64(flags), ctypes.byref(how))
    return status, found.value, how.value
# The functions of libcuda.so.1 jump to these.
functions = ctypes.CDLL(os.path.join(cuda_shim.get_library_dir(), "libcuda_shim_c.so"))
def of(name): return ctypes.cast(getattr(functions, name), ctypes.c_void_p).value
assert find(b"cuMemAlloc", 12000) == (0, of("cuMemAlloc_v2"), 0)
assert find(b"cuCtxCreate", 13000) == (0, of("cuCtxCreate_v4"), 0)
assert find(b"cuCtxCreate", 12000) == (0, of("cuCtxCreate_v3"), 0)
assert find(b"cuCtxCreate", 11000) == (0, of("cuCtxCreate_v2"), 0)
assert find(b"cuNoSuchThing", 12000) == find(b"", 0) == (0, None, 1)
# What static runtimes ask for is the version in which a form came.
assert find(b"cuInit", 2000) == (0, of("cuInit"), 0)
assert find(b"cuMemAlloc", 3020) == (0, of("cuMemAlloc_v2"), 0)
# Forms of the first CUDA, whose pointers had 32 bits, and of captures without a mode: no library of today's has them.
assert find(b"cuMemAlloc", 2000) == find(b"cuStreamBeginCapture", 10000) == (0, None, 1)
# The first form of these takes what the second does, which stands for it.
assert find(b"cuEventDestroy", 2000) == (0, of("cuEventDestroy_v2"), 0)
assert find(b"cuMemHostRegister", 4000) == (0, of("cuMemHostRegister_v2"), 0)
assert find(b"cuStreamGetCtx", 9020) == (0, of("cuStreamGetCtx"), 0)
assert find(b"cuStreamGetCtx", 12050) == (0, of("cuStreamGetCtx_v2"), 0)
assert find(b"cuGraphAddNode", 2000) == (0, None, 2)
assert find(b"cuMemsetD8", 7000, 2) == (0, of("cuMemsetD8_v2_ptds"), 0)
assert find(b"cuStreamQuery", 7000, 2) == (0, of("cuStreamQuery_ptsz"), 0) != find(b"cuStreamQuery", 7000)
assert find(b"cuInit", 99000)[0] == find(b"cuInit", 12000, 77)[0] == 1
print("found")
"""
    assert run(code, "--cuda", "13.5") == "found\n"


def test_a_usage_report_counts_calls_from_c(tmp_path: Path) -> None:
    code = """
import ctypes
library = ctypes.CDLL("libcuda.so.1")
for _ in range(3): library.cuInit(0)
library.cuMemFree_v2(ctypes.c_uint64(123))
library.cuLibraryGetUnifiedFunction(None, None, None)
"""
    run(code, f"--report={tmp_path / 'report.json'}")
    report = Recordings([tmp_path / "report.json"]).report
    assert report is not None
    assert (report.calls["cuInit"].count, report.calls["cuInit"].support) == (3, "mapped")
    assert report.calls["cuInit"].seconds > 0
    assert report.calls["cuMemFree"].errors in ({"CUDA_ERROR_INVALID_VALUE": 1}, {"CUDA_ERROR_INVALID_CONTEXT": 1})
    assert [name for name, _ in report.unsupported] == ["cuLibraryGetUnifiedFunction"]


def test_streams_of_ones_own_thread() -> None:
    code = """
import ctypes
library = ctypes.CDLL("libcuda.so.1")
context, pointer = ctypes.c_void_p(), ctypes.c_uint64()
library.cuInit(0), library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), library.cuCtxSetCurrent(context)
library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4))
print(library.cuMemsetD32Async_ptsz(pointer, 3, ctypes.c_size_t(1), None), library.cuStreamSynchronize_ptsz(None))
"""
    assert run(code) == "0 0\n"


def test_a_session_that_ends_leaves_ctypes_as_it_was() -> None:
    code = """
import ctypes, ctypes.util, cuda_shim
cuda_shim.disable()
before = ctypes._dlopen, ctypes.util.find_library
with cuda_shim.enable(): changed = ctypes._dlopen is not before[0] and ctypes.util.find_library is not before[1]
print(changed, (ctypes._dlopen, ctypes.util.find_library) == before, ctypes._dlopen.__module__)
"""
    assert run(code) == "True True _ctypes\n"

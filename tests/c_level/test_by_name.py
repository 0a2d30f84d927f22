"""Programs that open NVIDIA's libraries by their file names get the C interface of the shim."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cuda_shim.usage.recordings import Recordings
from tests.environments import ROOT
from tests.interpreters import clean_environment
from tests.program_files import read_program


def run(code: str, *flags: str) -> str:
    command = [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", "--quiet", *flags, "-c", code]
    environment = clean_environment(PYTHONPATH=str(ROOT), CUDA_SHIM_LOG="off")
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


OPENED = read_program(__file__, "by_name_opened.py")


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
    code = read_program(__file__, "by_name_shared_state.py")
    assert run(code) == "one\n"


def test_entry_points_are_the_librarys_own() -> None:
    code = read_program(__file__, "by_name_entry_points.py")
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


#: The package asks the loader for the library as C code does, which no patch of Python sees.
OPENS = """
import _ctypes, os
try: _ctypes.dlopen("libcuda.so.1", os.RTLD_NOW | os.RTLD_NOLOAD)
except OSError: print(__name__, "finds none")
else: print(__name__, "finds the driver")
"""


def test_packages_that_open_the_driver_from_c_find_it(tmp_path: Path) -> None:
    """Packages that are known to do so; for others, and without `dlopen`, nothing is loaded."""
    for name in ("cupy_backends", "rmm", "warp", "another"):
        (tmp_path / f"{name}.py").write_text(OPENS)
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    for name in ("cupy_backends", "rmm", "warp"):
        assert run(f"{path}import {name}") == f"{name} finds the driver\n"
    assert run(f"{path}import another, warp, another") == "another finds none\nwarp finds the driver\n"
    assert run(f"{path}import cuda.bindings.driver, warp") == "warp finds the driver\n"
    assert run(f"{path}import warp", "--dlopen=0") == "warp finds none\n"

"""hip-python behind one face: the library that it opens does not depend on earlier events."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backends.scripts import USE_STAND_IN, Run, last_line

pytest.importorskip("hip", reason="hip-python is not installed")

LOAD = (
    USE_STAND_IN
    + """
from cuda_shim import backends
from cuda_shim.backends import hip_python, native, rocm
rocm.DEVICE_NODES = ()
def opened():
    return sorted({line.split()[-1] for line in open("/proc/self/maps") if "/libamdhip64" in line or "/libhiprtc" in line})
"""
)
IMPORT_HIP = """
try:
    from rocm.bindings import hip, hiprtc
except ImportError:
    from hip import hip, hiprtc
"""


def test_loading_opens_our_libraries(run: Run, stand_in: Path) -> None:
    result = run(
        LOAD + "assert not opened(), opened()\nface = hip_python.load()\n"
        "print(face.hip.hipRuntimeGetVersion()[1], face.hiprtc.hiprtcVersion()[1])\n"
        "print(opened() == [face.backend.libamdhip64, face.backend.libhiprtc])\n"
        "print(face.generation in (7, 10), face.version)"
    )
    version, paths, face = result.stdout.splitlines()
    assert (version, paths) == ("42 42", "True"), result.stderr
    assert face.startswith("True ")
    assert face.split()[1][0].isdigit()


def test_rocm_path_does_not_win_over_the_choice(run: Run, stand_in: Path, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libamdhip64.so").write_text("not a library")
    script = LOAD + "print(hip_python.load().hip.hipRuntimeGetVersion()[1])"
    assert run(script, ROCM_PATH=str(tmp_path), CUDA_SHIM_BACKEND="cpu").stdout == "42\n"


def test_other_libraries_are_searched_as_before(run: Run, stand_in: Path) -> None:
    result = run(
        LOAD + "face = hip_python.load()\n"
        "if face.generation == 10:\n"
        "    from rocm.bindings.util.paths import get_library_path\n"
        "    print(os.path.basename(os.fsdecode(get_library_path('hipblas'))))\n"
        "else:\n"
        "    print('libhipblas.so')"
    )
    assert result.stdout == "libhipblas.so\n", result.stderr


def test_a_call_that_failed_before_is_repaired(run: Run, stand_in: Path, tmp_path: Path) -> None:
    # hip-python remembers that it looked for "libamdhip64.so" in vain.
    (tmp_path / "libamdhip64.so").write_text("this is no library\n" * 100)
    result = run(
        IMPORT_HIP
        + "try:\n    hip.hipRuntimeGetVersion()\nexcept RuntimeError as error:\n    print(type(error).__name__)\n"
        + LOAD
        + "print(hip_python.load().hip.hipRuntimeGetVersion()[1])\nprint(hiprtc.hiprtcVersion()[1])",
        ROCM_PATH="/nonexistent",
        LD_LIBRARY_PATH=str(tmp_path),
    )
    assert result.stdout.split() == ["RuntimeError", "42", "42"], result.stderr


def test_a_library_in_use_is_adopted(run: Run, stand_in: Path) -> None:
    folder = Path(run(LOAD + "print(host_libraries.ensure_libraries(settings.current()))").stdout.strip()) / "lib"
    used = IMPORT_HIP + "hip.hipRuntimeGetVersion()\n" + LOAD
    variables = {"ROCM_PATH": str(folder.parent), "LD_LIBRARY_PATH": str(folder)}
    tell = "it = hip_python.load().backend\nprint(it.name, it.libamdhip64, it.libhiprtc, it.why, sep='|')"
    result = run(used + f"hip_python.load()\n{tell}", **variables)
    assert result.stdout.strip().split("|") == [
        "cpu", f"{folder}/libamdhip64.so", f"{folder}/libhiprtc.so", "hip-python had opened it already",
    ], result.stderr  # fmt: skip
    refused = run(used + "hip_python.load()", CUDA_SHIM_BACKEND="rocm", **variables)
    assert "backend rocm cannot be used: hip-python has already opened" in last_line(refused.stderr)


def test_hip_pythons_own_search_stays_at_hand(run: Run, stand_in: Path) -> None:
    """The module that searches libraries is replaced for that search, and keeps its other functions."""
    pytest.importorskip("rocm.bindings")  # hip-python 7 has no such module
    result = run(
        LOAD + "hip_python.load()\n"
        "from rocm.bindings.util import paths\n"
        "print(os.path.basename(paths.get_library_path('amdhip64')), paths.get_library_path('rocblas'))\n"
        "print(paths.Path.__name__, paths.get_clang_resource_dir.__name__, hasattr(paths, 'nonsense'))"
    )
    assert result.stdout.splitlines() == [
        "b'libamdhip64.so' b'librocblas.so'", "Path get_clang_resource_dir False",
    ], result.stderr  # fmt: skip


def test_without_hip_python_one_line_says_what_to_install(run: Run) -> None:
    hidden = "import sys\nfor name in ('rocm', 'hip'): sys.modules[name] = None\n"
    result = run(hidden + "from cuda_shim.backends import hip_python\nhip_python.load()")
    expected = "cuda_shim.errors.BackendNotFound: hip-python is not installed: pip install hip-python"
    assert last_line(result.stderr) == expected


def test_a_failed_load_can_be_tried_again(run: Run, stand_in: Path) -> None:
    result = run(
        LOAD + "chosen = os.environ.pop('CUDA_SHIM_CACHE_DIR')\nos.environ['CUDA_SHIM_CACHE_DIR'] = '/proc/none'\n"
        "try:\n    hip_python.load()\nexcept ImportError as error:\n    print(type(error).__name__)\n"
        "os.environ['CUDA_SHIM_CACHE_DIR'] = chosen\nprint(hip_python.load().hip.hipRuntimeGetVersion()[1])"
    )
    assert result.stdout.split() == ["BackendNotFound", "42"], result.stderr


def test_native_functions_come_from_the_same_library(run: Run, stand_in: Path) -> None:
    result = run(
        LOAD + "import ctypes\nface = hip_python.load()\nvalue = ctypes.c_int()\n"
        "face.hip.hipRuntimeGetVersion()\nface.hiprtc.hiprtcVersion()\nbefore = opened()\n"
        "version = native.function('hipRuntimeGetVersion', ctypes.c_int, ctypes.POINTER(ctypes.c_int))\n"
        "print(version(value), value.value)\n"
        "major = native.function('hiprtcVersion', ctypes.c_int, *[ctypes.POINTER(ctypes.c_int)] * 2)\n"
        "print(major(value, value), opened() == before)\n"
        "native.function('hipRuntimeGetVersion', ctypes.c_int, ctypes.c_void_p)\n"
        "print(version.argtypes)\n"
        "native.function('hipNoSuchFunction', None)"
    )
    lines = result.stdout.splitlines()
    assert lines[:2] == ["0 42", "0 True"], result.stderr
    assert "LP_c_int" in lines[2]
    assert "UnsupportedAPI: hipNoSuchFunction does not exist in /" in last_line(result.stderr)


def test_importing_the_room_imports_nothing_heavy(run: Run) -> None:
    result = run(
        "import sys\nimport cuda_shim.backends\n"
        "print([name for name in sys.modules if name in "
        "('rocm', 'hip', 'ctypes', 'subprocess', 'tempfile', 'filelock', 'pathlib', 'hashlib', 'shutil')])"
    )
    assert result.stdout == "[]\n", result.stderr


def test_a_warm_start_runs_no_process_and_imports_nothing_heavy(run: Run, stand_in: Path) -> None:
    script = LOAD + (
        "hip_python.load()\nimport sys\n"
        "print([name for name in ('subprocess', 'filelock', 'hashlib', 'shutil', 'tempfile', 'concurrent') "
        "if name in sys.modules])"
    )
    assert run(script).returncode == 0
    assert run(script).stdout == "[]\n"

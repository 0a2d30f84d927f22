"""When `import PyGPU` is ours, when it is the real one, and its cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import environments
from tests.interpreters import PACKAGE_ROOT, Environment, run_code, run_json, start
from tests.program_files import read_program

PROGRAMS = Path(__file__).parents[1] / "programs"
WHOSE = "import PyGPU; print(vars(PyGPU).get('real', PyGPU.__spec__.origin))"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    made = Environment(tmp_path_factory.mktemp("environment"))
    made.install_startup_files()
    return made


@pytest.fixture
def real(tmp_path: Path) -> str:
    """A stand-in for the real PyGPU, on the path before the package under test."""
    (tmp_path / "PyGPU").mkdir()
    (tmp_path / "PyGPU" / "__init__.py").write_text("real = 'real'\n")
    return f"{tmp_path}:{PACKAGE_ROOT}"


def test_by_the_environment_it_is_the_first_import_that_counts(environment, real):
    for value, expected in (("1", "cuda_shim:PyGPU"), ("0", "real"), ("", "real")):
        done = start(
            "-c", WHOSE, executable=environment.python, PYTHONPATH=real, CUDA_SHIM=value, CUDA_SHIM_BACKEND="cpu"
        )
        assert done.stdout == f"{expected}\n", done.stderr


def test_required_where_there_is_no_backend_the_import_fails(environment, real):
    done = start("-c", WHOSE, executable=environment.python, PYTHONPATH=real, CUDA_SHIM="require")
    assert done.returncode == 1
    assert "BackendNotFound: hip-python is not installed" in done.stderr


def test_run_serves_it(tmp_path):
    done = start("-m", "cuda_shim", "run", "-c", WHOSE, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.stdout == "cuda_shim:PyGPU\n", done.stderr


def test_without_the_shim_there_is_none():
    run_code("""
import cuda_shim
try: import PyGPU
except ModuleNotFoundError as error: assert error.name == "PyGPU"
else: raise AssertionError("served by nobody's wish")
""")


def test_it_comes_and_goes_with_the_session(real):
    run_code(read_program(__file__, "serving_with_session.py"), PYTHONPATH=real)


def test_arrays_outlive_the_session():
    run_code("""
import cuda_shim, gc, numpy
with cuda_shim.enable(backend="cpu"):
    import PyGPU
    array = PyGPU.to_gpu(numpy.arange(3))
assert array[1:].get().tolist() == [1, 2]
del array; gc.collect()
with cuda_shim.enable(backend="cpu"):
    import PyGPU as again
    assert again.GPUArray is PyGPU.GPUArray
""", CUDA_SHIM_QUIET="1")  # fmt: skip


def test_the_import_loads_nothing_and_device_control_no_numpy():
    steps = run_json("""
import cuda_shim, json, sys
heavy = {"numpy", "hip", "yaml", "ctypes", "inspect", "logging", "weakref"}
with cuda_shim.enable(backend="cpu"):
    before = heavy & set(sys.modules)
    import PyGPU
    after_import = sorted(heavy & set(sys.modules) - before)
    PyGPU.cudaSetDevice(0), PyGPU.cudaEvent_t()
    print(json.dumps([after_import, "numpy" in sys.modules]))
""", CUDA_SHIM_QUIET="1")  # fmt: skip
    assert steps == [[], False]


def test_without_numpy_the_arrays_say_so():
    run_code("""
import sys
sys.modules["numpy"] = None
import cuda_shim
with cuda_shim.enable(backend="cpu"):
    import PyGPU
    assert PyGPU.cudaGetDevice() == (0, 0)
    for name in ("GPUArray", "to_gpu", "DeviceArray_int16", "pointer_wrapper_int16"):
        try: getattr(PyGPU, name)
        except ImportError as error: assert "need numpy, which is not installed: pip install numpy" in str(error)
        else: raise AssertionError(name)
""", CUDA_SHIM_QUIET="1")  # fmt: skip


def test_a_backend_that_is_not_there():
    """Asking for an AMD GPU where there is none is the session's error, as for every call."""
    run_code("""
import cuda_shim, numpy
with cuda_shim.enable(backend="rocm"):
    import PyGPU
    for use in (lambda: PyGPU.cudaGetDevice(), lambda: PyGPU.to_gpu(numpy.arange(3))):
        try: use()
        except cuda_shim.BackendNotFound as error: assert "rocm" in str(error), error
        else: raise AssertionError("no error")
""")


@pytest.mark.parametrize("cuda", ["11.8", "12.9", "13.5"])
def test_it_is_the_same_in_every_layout(cuda):
    run_code(f"""
import cuda_shim, numpy as np, runpy
with cuda_shim.enable(backend="cpu", cuda="{cuda}"):
    import PyGPU
    from cuda import cudart
    names = runpy.run_path({str(PROGRAMS / "pygpu_high_level.py")!r}, {{"complex_dtype": np.complex64}})
    assert names["k_gpu"][::-1].get().tolist() == [6, 5, 4, 3, 2, 1]
    assert PyGPU.cudaSetDevice(7) == cudart.cudaError_t.cudaErrorInvalidDevice
""", CUDA_SHIM_QUIET="1")  # fmt: skip


def test_names_are_as_plain_python_has_them():
    run_code(read_program(__file__, "serving_plain_names.py"), CUDA_SHIM_QUIET="1")


INSTALLED = f"""
import runpy, sys
import numpy as np
import PyGPU
names = runpy.run_path({str(PROGRAMS / "pygpu_high_level.py")!r}, {{"complex_dtype": np.complex128}})
low = {{"numpy": np, "fn": lambda pointer: int(pointer), **{{name: getattr(PyGPU, name) for name in PyGPU.__all__}}}}
runpy.run_path({str(PROGRAMS / "pygpu_low_level.py")!r}, low)
runpy.run_path({str(PROGRAMS / "pygpu_device.py")!r}, low)
print(names["k_gpu"][1::2].get().tolist(), PyGPU.cudaGetDevice(), "yaml" in sys.modules)
"""


def test_an_installed_copy(shim_python: environments.Python):
    """With the compiled table, on each generation of hip-python."""
    said = shim_python.run("-m", "cuda_shim", "run", "--cpu-devices", "3", "-c", INSTALLED)
    assert said == "[2, 4, 6] (2, <cudaError: code=0>) False\n"

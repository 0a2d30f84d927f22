"""Cython modules are compiled and loaded with the shim alone: no headers of CUDA or ROCm, no include paths."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from cuda_shim.c_level.hip_names import hip_names
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import FunctionRow
from tests import environments
from tests.environments import Python
from tests.program_files import read_program

HERE = Path(__file__).parent
CYTHON = {"3.0": "cython==3.0.12", "newest": "cython>=3.1"}

# The documentation's example of a stream, and its setup script, as far as they speak of CUDA.
STREAM = """
cimport cuda.ccudart as ccudart

cdef ccudart.cudaError_t err
cdef ccudart.cudaStream_t stream
DEF num_bytes = 4*100
cdef char[num_bytes] x_h
cdef void* x_d
cdef int x

def cuda_check(ccudart.cudaError_t err):
    IF HIP_PYTHON:
        success_status = ccudart.cudaSuccess
    ELSE:
        success_status = ccudart.cudaError_t.cudaSuccess
    if err != success_status:
        raise RuntimeError(f"reason: {err}")

cuda_check(ccudart.cudaStreamCreate(&stream))
cuda_check(ccudart.cudaMalloc(&x_d, num_bytes))
cuda_check(ccudart.cudaMemcpyAsync(x_d,x_h, num_bytes, ccudart.cudaMemcpyHostToDevice, stream))
cuda_check(ccudart.cudaMemsetAsync(x_d, 0, num_bytes, stream))
cuda_check(ccudart.cudaMemcpyAsync(x_h, x_d, num_bytes, ccudart.cudaMemcpyDeviceToHost, stream))
cuda_check(ccudart.cudaStreamSynchronize(stream))
cuda_check(ccudart.cudaStreamDestroy(stream))
cuda_check(ccudart.cudaFree(x_d))

for i in range(0,round(num_bytes/4)):
    x = (<int*>&x_h[4*i])[0]
    if x != 0:
        raise ValueError(f"expected '0' for element {i}, is: '{x}'")
print("ok")
"""

SETUP = read_program(__file__, "cython_setup.py")


@pytest.fixture(scope="module", params=CYTHON)
def cython_python(request: pytest.FixtureRequest, shared_folder: Path) -> Python:
    """An interpreter with the shim and one release of Cython."""
    wheel = environments.build_wheel(shared_folder)
    return environments.make(
        shared_folder / f"cython-{request.param}", str(wheel), environments.HIP_PYTHON["10.0"], "setuptools",
        CYTHON[request.param],
    )  # fmt: skip


def build(python: Python, folder: Path, *names: str, shim: bool = True) -> None:
    (folder / "setup.py").write_text(SETUP)
    prefix = ("-m", "cuda_shim", "run") if shim else ()
    python.run(*prefix, "setup.py", "build_ext", "--inplace", ",".join(names), cwd=folder)


def test_the_documented_program(cython_python: Python, tmp_path: Path) -> None:
    (tmp_path / "ccuda_stream.pyx").write_text(STREAM)
    build(cython_python, tmp_path, "ccuda_stream")
    run = ("-m", "cuda_shim", "run", "--backend", "cpu", "-c", "import ccuda_stream")
    assert cython_python.run(*run, cwd=tmp_path) == "ok\n"


def test_driver_nvrtc_structs_and_errors(cython_python: Python, tmp_path: Path) -> None:
    (tmp_path / "second.pyx").write_text((HERE / "second.pyx").read_text(encoding="utf-8"))
    build(cython_python, tmp_path, "second")
    code = """
import second
from cuda.bindings import driver
stream = second.launched(second.compiled())
second.of_the_runtime()
print(driver.cuStreamQuery(driver.CUstream(stream)), driver.cuStreamDestroy(driver.CUstream(stream)))
"""
    run = ("-m", "cuda_shim", "run", "--backend", "cpu", "-c", code)
    success = "(<CUresult.CUDA_SUCCESS: 0>,)"
    assert cython_python.run(*run, cwd=tmp_path) == f"{success} {success}\n"


def test_declarations_have_every_signature_of_nvidias(cython_python: Python, tmp_path: Path) -> None:
    """A module refuses to load where one of the functions that it was compiled with has another signature."""
    if "newest" not in str(cython_python.executable):
        return  # the same text, and half a minute
    cython_python.run(HERE / "cy_all.py", "13.5", str(tmp_path / "every.pyx"))
    build(cython_python, tmp_path, "every")
    run = ("-m", "cuda_shim", "run", "--backend", "cpu", "-c", "import every")
    assert cython_python.run(*run, cwd=tmp_path) == "all of them\n"


def test_names_of_hip_in_the_declarations(cython_python: Python, tmp_path: Path) -> None:
    """`from hip.chip cimport hipMemcpy` in ccuda.pxd, as the documentation has it, is `ccuda.hipMemcpy` in a program."""
    (tmp_path / "hip_names.pyx").write_text((HERE / "hip_names.pyx").read_text(encoding="utf-8"))
    build(cython_python, tmp_path, "hip_names")
    run = ("-m", "cuda_shim", "run", "--backend", "cpu", "-c", "import hip_names")
    said = cython_python.run(*run, cwd=tmp_path).splitlines()
    assert said == ["True True", "41", "0x1010101", "True True", "True", "True True", "True"]


def test_every_name_of_hip_is_one_of_cuda_s(cython_python: Python, tmp_path: Path) -> None:
    lines = []
    for module, table in (("ccuda", "driver"), ("ccudart", "runtime"), ("cnvrtc", "nvrtc")):
        declared = store.load(table).names("13.5")
        lines += [
            f"from cuda.{module} cimport {name} as {module}_{name}" for name in hip_names(table, "13.5", declared)
        ]
    assert len(lines) > 1500
    (tmp_path / "every_hip.pyx").write_text("\n".join([*lines, ""]))
    compiling = "import cuda_shim, sys; from Cython.Compiler.Main import compile; "
    compiling += "sys.exit(compile('every_hip.pyx', include_path=[cuda_shim.get_include()]).num_errors)"
    cython_python.run("-c", compiling, cwd=tmp_path)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_names_of_hip_take_what_hip_s_functions_take(layout: str) -> None:
    """As many parameters as in hip-python's own declarations, and no name that HIP has not."""
    found = importlib.util.find_spec("rocm.bindings.cyhip")
    assert found is not None
    folder = Path(found.origin or "").parent
    text = "".join((folder / f"{name}.pxd").read_text(encoding="utf-8") for name in ("cyhip", "cyhiprtc"))
    words = set(re.findall(r"\w+", text))
    taken = {
        found[1]: found[2] for found in re.finditer(r"^cdef [^\n(]*?(\w+)\(([^\n]*)\) (?:except|nogil)", text, re.M)
    }
    compared = 0
    for table in store.TABLES:
        for hip, cuda in hip_names(table, layout, store.load(table).names(layout)).items():
            assert hip in words, (hip, cuda)
            row = store.load(table).row(cuda, layout)
            if isinstance(row, FunctionRow):
                compared += 1
                assert len(row.parameters) == (taken[hip].count(",") + 1 if taken[hip].strip() else 0), (hip, cuda)
    assert compared > 250


def test_get_include_serves_builds_without_the_shim(cython_python: Python, tmp_path: Path) -> None:
    (tmp_path / "plain.pyx").write_text(
        "from cuda.bindings cimport cydriver\nprint(cydriver.CUDA_ERROR_OUT_OF_MEMORY)\n"
    )
    compiling = "import cuda_shim, sys; from Cython.Compiler.Main import compile; "
    compiling += "sys.exit(compile('plain.pyx', include_path=[cuda_shim.get_include()]).num_errors)"
    cython_python.run("-c", compiling, cwd=tmp_path)
    assert (tmp_path / "plain.c").exists()

"""The generated stubs, as a type checker sees them in an environment where the wheel is installed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests import environments

PROGRAM = """
from cuda import cudart
from cuda.bindings import driver, nvrtc, runtime, utils
import PyGPU

status, pointer = driver.cuMemAlloc(16)
reveal_type(status)
reveal_type(pointer)
reveal_type(driver.CUresult.CUDA_SUCCESS.name)
reveal_type(runtime.cudaDeviceProp().name)
reveal_type(runtime.cudaGetDeviceCount())
reveal_type(driver.CUDA_RESOURCE_DESC().res.pitch2D.height)
stream: driver.CUstream = runtime.cudaStream_t(5)
driver.cuMemAlloc("sixteen")
driver.cuNoSuchCall
cudart.cudaFree(pointer)
utils.get_ptx_ver("")
reveal_type(PyGPU.cudaGetDevice())
reveal_type(PyGPU.cudaEventRecord(PyGPU.cudaEvent_t()))
reveal_type(PyGPU.GPUArray((3,), dtype="int16").ptr)
reveal_type(PyGPU.DeviceArray_int16(3).allocate())
PyGPU.cudaSetDevice("zero")
"""


@pytest.fixture(scope="module")
def mypy_output(any_shim_python: environments.Python, tmp_path_factory: pytest.TempPathFactory) -> str:
    environments.install(any_shim_python, "mypy", "typing_extensions")
    path = tmp_path_factory.mktemp("program") / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return any_shim_python.start("-m", "mypy", "--strict", path, cwd=path.parent).stdout


@pytest.mark.parametrize(
    "line",
    [
        'Revealed type is "cuda.bindings.driver.CUresult"',
        'Revealed type is "cuda.bindings.driver.CUdeviceptr | Any"',
        'Revealed type is "str"',
        'Revealed type is "bytes"',
        'Revealed type is "tuple[cuda.bindings.runtime.cudaError_t, int | Any]"',
        'Revealed type is "int | Any"',
        'Argument 1 to "cuMemAlloc" has incompatible type "str"',
        'Module has no attribute "cuNoSuchCall"',
        'Revealed type is "tuple[Any, cuda_shim.pygpu.status.cudaError_t]"',
        'Revealed type is "cuda_shim.pygpu.status.cudaError_t"',
        'Argument 1 to "cudaSetDevice" has incompatible type "str"',
        "Found 3 errors in 1 file",
    ],
)
def test_what_a_checker_makes_of_a_program(mypy_output: str, line: str) -> None:
    assert line in mypy_output


def test_the_stubs_themselves_are_sound(any_shim_python: environments.Python, mypy_output: str, tmp_path: Path) -> None:
    done = any_shim_python.start("-m", "mypy", "--strict", "-p", "cuda", "-p", "PyGPU", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


#: Programs that both checkers must reject: they pass wrong arguments, and CUDA Python's answers to those were recorded.
WRONG_ARGUMENTS = {"argument_handles.py", "argument_numbers.py", "argument_structs.py"}


def examples() -> list[Path]:
    """All but those for Numba, whose types are found only where it is installed."""
    return [file for file in (environments.ROOT / "examples").rglob("*.py") if "numba" not in file.name]


@pytest.fixture(scope="module")
def checked(any_shim_python: environments.Python, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples and the programs that were recorded on an NVIDIA GPU, with both checkers in their environment."""
    environments.install(any_shim_python, "mypy", "pyright[nodejs]", "pytest", "typing_extensions")
    folder = tmp_path_factory.mktemp("checked")
    for file in [*examples(), *(environments.ROOT / "tests/conformance/programs").glob("*.py")]:
        shutil.copy(file, folder)
    (folder / "pyrightconfig.json").write_text(
        json.dumps({"reportMissingModuleSource": False, "reportMissingImports": False})
    )
    return folder


def test_mypy_accepts_programs(any_shim_python: environments.Python, checked: Path) -> None:
    done = any_shim_python.start(
        "-m", "mypy", "--check-untyped-defs", "--ignore-missing-imports", "--warn-unused-ignores", ".", cwd=checked
    )
    lines = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [line for line in lines if line.partition(":")[0] not in WRONG_ARGUMENTS] == []
    assert {line.partition(":")[0] for line in lines} == WRONG_ARGUMENTS


def test_mypy_accepts_the_examples_as_strictly_as_it_can(any_shim_python: environments.Python, checked: Path) -> None:
    names = [file.name for file in examples()]
    done = any_shim_python.start("-m", "mypy", "--strict", "--ignore-missing-imports", *names, cwd=checked)
    assert done.returncode == 0, done.stdout
    assert f"no issues found in {len(names)} source files" in done.stdout


def test_pyright_accepts_programs(any_shim_python: environments.Python, checked: Path) -> None:
    words = ["-m", "pyright", "--outputjson", "--pythonpath", str(any_shim_python.executable)]
    done = any_shim_python.start(*words, cwd=checked, PYRIGHT_PYTHON_IGNORE_WARNINGS="1")
    diagnostics = json.loads(done.stdout)["generalDiagnostics"]
    errors = [(Path(each["file"]).name, each["range"]["start"]["line"] + 1, each["message"]) for each in diagnostics]
    assert [each for each in errors if each[0] not in WRONG_ARGUMENTS] == []
    assert {each[0] for each in errors} == WRONG_ARGUMENTS

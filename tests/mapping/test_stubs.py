"""The generated stubs, as a type checker sees them in an environment where the wheel is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import environments

PROGRAM = """
from cuda import cudart
from cuda.bindings import driver, nvrtc, runtime, utils

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
"""


@pytest.fixture(scope="module")
def said(any_shim_python: environments.Python, tmp_path_factory: pytest.TempPathFactory) -> str:
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
        "Found 2 errors in 1 file",
    ],
)
def test_what_a_checker_makes_of_a_program(said: str, line: str) -> None:
    assert line in said


def test_the_stubs_themselves_are_sound(any_shim_python: environments.Python, said: str, tmp_path: Path) -> None:
    done = any_shim_python.start("-m", "mypy", "--strict", "-p", "cuda", cwd=tmp_path)
    assert done.returncode == 0, done.stdout

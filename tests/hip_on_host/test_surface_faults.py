"""A surface that is read outside, in the mode that CUDA has where a program names none, stops its kernel."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.environments import Python

PROGRAM = """
import ctypes
from cuda.bindings import driver, nvrtc

def ok(result):
    assert int(result[0]) == 0, result[0]
    return result[1] if len(result) == 2 else result[1:]

ok(driver.cuInit(0))
ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
source = b'extern "C" __global__ void touch(cudaSurfaceObject_t s, int x, int y) {{ {statement} }}'
program = ok(nvrtc.nvrtcCreateProgram(source, b"touch.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 0, []))
code = b" " * ok(nvrtc.nvrtcGetCUBINSize(program))
ok(nvrtc.nvrtcGetCUBIN(program, code))
touch = ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(code)), b"touch"))
shape = driver.CUDA_ARRAY3D_DESCRIPTOR()
shape.Width, shape.Height, shape.NumChannels, shape.Flags = 4, 3, 1, 2
shape.Format = driver.CUarray_format.CU_AD_FORMAT_SIGNED_INT32
resource = driver.CUDA_RESOURCE_DESC()
resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
resource.res.array.hArray = ok(driver.cuArray3DCreate(shape))
surface = ok(driver.cuSurfObjectCreate(resource))
for x, y in ((12, 2), ({x}, {y})):
    arguments = ((surface, x, y), (None, ctypes.c_int, ctypes.c_int))
    ok(driver.cuLaunchKernel(touch, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0))
    print(driver.cuCtxSynchronize()[0].name)
"""


@pytest.mark.parametrize(("x", "y"), [(16, 0), (14, 0), (-4, 1), (0, 3), (0, -1)])
@pytest.mark.parametrize(
    "statement", ["surf2Dwrite(1, s, x, y);", "volatile int v = surf2Dread<int>(s, x, y); (void)v;"]
)
def test_outside(any_shim_python: Python, tmp_path: Path, statement: str, x: int, y: int) -> None:
    program = tmp_path / "touch.py"
    program.write_text(textwrap.dedent(PROGRAM).format(statement=statement, x=x, y=y), encoding="utf-8")
    said = any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", program)
    assert said.split() == ["CUDA_SUCCESS", "CUDA_ERROR_ILLEGAL_ADDRESS"]

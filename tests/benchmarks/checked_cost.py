"""Two kernels as they are, with threads run one by one (`--cpu-debug`), and with every access checked (`--cpu-check`).

    python -m cuda_shim run --backend cpu [--cpu-debug | --cpu-check] tests/benchmarks/checked_cost.py

A line has the best of several launches in milliseconds in each of the three modes, which are processes of their own.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[2]
if TYPE_CHECKING:
    from tests.benchmarks.lines import Line

MODES = ("", "--cpu-debug", "--cpu-check")
ELEMENTS, BLOCK, LAUNCHES = 1 << 20, 256, 4
SOURCE = b"""
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void reduction(const float* x, float* sums) {
    __shared__ float part[256];
    part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int width = 128; width; width /= 2) {
        if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
"""


def value(answer: tuple[Any, ...]) -> Any:
    """Return the output of a call that must succeed."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None


def launch_all() -> None:
    """Print each kernel's name and best time."""
    from cuda.bindings import driver, nvrtc

    value(driver.cuInit(0))
    value(driver.cuCtxSetCurrent(value(driver.cuDevicePrimaryCtxRetain(value(driver.cuDeviceGet(0))))))
    program = value(nvrtc.nvrtcCreateProgram(SOURCE, b"checked_cost.cu", 0, [], []))
    value(nvrtc.nvrtcCompileProgram(program, 0, []))
    code = bytes(value(nvrtc.nvrtcGetPTXSize(program)))
    value(nvrtc.nvrtcGetPTX(program, code))
    module = value(driver.cuModuleLoadData(code))
    x, y = (value(driver.cuMemAlloc(4 * ELEMENTS)) for _ in range(2))
    for memory in (x, y):
        value(driver.cuMemsetD32(memory, 0, ELEMENTS))
    arguments = {
        "saxpy": ((2.0, x, y, ELEMENTS), (ctypes.c_float, None, None, ctypes.c_int)),
        "reduction": ((x, y), (None, None)),
    }
    for name, values in arguments.items():
        kernel = value(driver.cuModuleGetFunction(module, name.encode()))
        times = []
        for _ in range(LAUNCHES):
            begin = time.perf_counter()
            value(driver.cuLaunchKernel(kernel, ELEMENTS // BLOCK, 1, 1, BLOCK, 1, 1, 0, 0, values, 0))
            value(driver.cuCtxSynchronize())
            times.append(time.perf_counter() - begin)
        print(name, 1e3 * min(times))


def measure(python: str) -> Iterator[Line]:
    """Both kernels in all modes, in an interpreter that has this package."""
    from tests.benchmarks.lines import Line
    from tests.benchmarks.peers import output_of

    columns: list[dict[str, float]] = []
    for mode in MODES:
        command = [python, "-m", "cuda_shim", "run", "--backend", "cpu", *filter(None, [mode]), __file__]
        columns.append({name: float(figure) for name, figure in map(str.split, output_of(command).splitlines())})
    for name, figure in columns[0].items():
        others = {mode: column[name] for mode, column in zip(MODES[1:], columns[1:], strict=True)}
        yield Line("checks", name, "milliseconds", figure, others)


if __name__ == "__main__":
    launch_all()

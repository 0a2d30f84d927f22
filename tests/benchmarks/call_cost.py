"""What a call costs through cuda_shim, beside others that serve the same program on the same CPU runtime.

    python tests/benchmarks/call_cost.py [PYTHON …]

Each PYTHON is an interpreter with AMD's hip-python-interop, or with another copy of cuda_shim (its folder behind a
colon: PYTHON:FOLDER). Every one runs in a process of its own; they take turns, row by row, and the fastest of many
rounds counts. Prints nanoseconds, and how many times as long the others take.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[2]
NUMBER, ROUNDS = 2_000, 25
EMPTY = b'extern "C" __global__ void empty(float a, float *x, size_t n) {}'
MANY = b'extern "C" __global__ void many(%s) {}' % b", ".join(b"int a%d" % at for at in range(16))


def calls() -> dict[str, Callable[[], Any]]:
    """The rows: one call each, of the modules that this process has."""
    import ctypes

    from cuda.bindings import driver, nvrtc, runtime

    def ok(answer: tuple[Any, ...]) -> Any:
        if int(answer[0]):
            raise RuntimeError(answer)
        return answer[1] if len(answer) > 1 else None

    def function(source: bytes, name: bytes) -> Any:
        program = ok(nvrtc.nvrtcCreateProgram(source, b"x.cu", 0, [], []))
        ok(nvrtc.nvrtcCompileProgram(program, 0, []))
        image = bytearray(ok(nvrtc.nvrtcGetCUBINSize(program)))
        ok(nvrtc.nvrtcGetCUBIN(program, image))
        return ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(image)), name))

    ok(runtime.cudaFree(0))
    stream, event, memory = ok(runtime.cudaStreamCreate()), ok(runtime.cudaEventCreate()), ok(runtime.cudaMalloc(1024))
    host, device_host = bytearray(1024), ok(driver.cuMemAlloc(1024))
    kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
    threads = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
    warp = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE
    rows = {
        "cudaGetDevice": runtime.cudaGetDevice,
        "cudaGetLastError": runtime.cudaGetLastError,
        "cudaSetDevice": lambda: runtime.cudaSetDevice(0),
        "cudaStreamQuery": lambda: runtime.cudaStreamQuery(stream),
        "cudaStreamSynchronize": lambda: runtime.cudaStreamSynchronize(stream),
        "cudaEventRecord": lambda: runtime.cudaEventRecord(event, stream),
        "cudaStreamQuery, a wrong handle": lambda: runtime.cudaStreamQuery(12345),
        "cudaMemcpy, 64 bytes of a bytearray": lambda: runtime.cudaMemcpy(memory, host, 64, kind),
        "cudaMemcpyAsync, 64 bytes of a bytearray": lambda: runtime.cudaMemcpyAsync(memory, host, 64, kind, stream),
        "cuMemcpyHtoD, 64 bytes of a bytearray": lambda: driver.cuMemcpyHtoD(device_host, host, 64),
        "cudaMalloc and cudaFree": lambda: runtime.cudaFree(runtime.cudaMalloc(256)[1]),
        "cudaGetErrorString": lambda: runtime.cudaGetErrorString(runtime.cudaError_t.cudaSuccess),
        "cuDeviceGetAttribute": lambda: driver.cuDeviceGetAttribute(threads, 0),
        "cuDeviceGetAttribute, the warp's size": lambda: driver.cuDeviceGetAttribute(warp, 0),
        "cudaGetDeviceProperties": lambda: runtime.cudaGetDeviceProperties(0),
        "an enum constant": lambda: runtime.cudaMemcpyKind.cudaMemcpyHostToDevice,
    }
    try:
        empty, many = function(EMPTY, b"empty"), function(MANY, b"many")
    except (RuntimeError, TypeError, AttributeError) as error:
        print(f"no kernel: {error}", file=sys.stderr)
        return rows
    three = ((1.5, int(memory), 4), (ctypes.c_float, ctypes.c_void_p, ctypes.c_size_t))
    sixteen = (tuple(range(16)), (ctypes.c_int,) * 16)
    cells = (ctypes.c_float(1.5), ctypes.c_void_p(int(memory)), ctypes.c_size_t(4))
    addresses = (ctypes.c_void_p * 3)(*map(ctypes.addressof, cells))
    packed = ctypes.addressof(addresses)
    kept.extend((cells, addresses))
    one = (1, 1, 1, 1, 1, 1, 0)
    rows["cuLaunchKernel, an address"] = lambda: driver.cuLaunchKernel(empty, *one, stream, packed, 0)
    rows["cuLaunchKernel, 3 values and types"] = lambda: driver.cuLaunchKernel(empty, *one, stream, three, 0)
    rows["cuLaunchKernel, 16 values and types"] = lambda: driver.cuLaunchKernel(many, *one, stream, sixteen, 0)
    return rows


kept: list[Any] = []


def serve(folder: str) -> None:
    """Time the rows that are asked for, one line each, with the modules of `folder` or of AMD's interop."""
    sys.path.insert(0, folder or str(HERE))
    os.environ.update(CUDA_SHIM_QUIET="1", CUDA_SHIM_BACKEND="cpu")
    if folder:
        import cuda_shim

        cuda_shim.enable(cuda="13.5")
    else:
        from cuda_shim.backends import hip_python

        hip_python.load()  # AMD's modules open the CPU runtime, too
    rows = {}
    for name, call in calls().items():
        try:
            call()
        except Exception as error:  # noqa: BLE001 - a row that the other cannot run
            print(f"{name}: {error}", file=sys.stderr)
        else:
            rows[name] = call
    print(json.dumps(list(rows)), flush=True)
    for line in sys.stdin:
        print(timeit.timeit(rows[line.strip()], number=NUMBER) / NUMBER * 1e9, flush=True)


class Worker:
    """A process that times rows."""

    def __init__(self, python: str, folder: str) -> None:
        command = [python, __file__, "--serve", folder]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.rows = json.loads(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def time(self, row: str) -> float:
        """One turn, nanoseconds a call; infinite for a row that this one lacks."""
        if row not in self.rows:
            return float("inf")
        assert self.process.stdin is not None
        self.process.stdin.write(f"{row}\n")
        self.process.stdin.flush()
        return float(self._line())


def main(others: list[str]) -> None:
    """Print the table."""
    workers = [Worker(sys.executable, str(HERE)), *(Worker(*f"{other}:".split(":")[:2]) for other in others)]
    print(f"{'nanoseconds':44}{'shim':>8}" + "".join(f"{'other':>9}{'ratio':>7}" for _ in others))
    for row in workers[0].rows:
        turns = [[worker.time(row) for worker in workers] for _ in range(ROUNDS)]
        best = [min(times) for times in zip(*turns, strict=True)]
        print(f"{row:44}{best[0]:8.0f}" + "".join(f"{time:9.0f}{time / best[0]:7.2f}" for time in best[1:]), flush=True)


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1:2] == ["--serve"] else main(sys.argv[1:])

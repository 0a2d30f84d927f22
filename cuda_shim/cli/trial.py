"""Tests that CUDA programs can run here by running one: a process compiles a kernel and checks its result.

It is a process of its own, so that a broken library harms nothing else and that this process starts no HIP. The
libraries that it needs are built, if that was not done before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import cuda_shim
from cuda_shim.errors import BackendNotFound, ShimError

__all__ = ["main", "run"]

_LIMIT_SECONDS = 900

# The offset is another one each time: a kernel from the cache would prove nothing about the compiler.
_SOURCE = """
extern "C" __global__ void trial(int* numbers) {
    numbers[threadIdx.x] = threadIdx.x * threadIdx.x + %d;
}
"""
_THREADS = 64


def run() -> dict[str, Any]:
    """Run the trial: `backend`, `library`, `device` and `seconds`, or `problem` in words."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(cuda_shim.__file__)))
    code = f"import sys; sys.path.insert(0, {folder!r}); from cuda_shim.cli.trial import main; main()"
    environment = {**os.environ, "CUDA_SHIM_REPORT": "0", "CUDA_SHIM_QUIET": "1"}
    # Builds are reported on stderr, which is passed on line by line.
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            text=True, timeout=_LIMIT_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"problem": f"a kernel did not run within {_LIMIT_SECONDS} s"}
    except OSError as error:
        return {"problem": f"{sys.executable or 'python'} cannot be started: {error}"}
    last = (done.stdout.strip().splitlines() or [""])[-1]
    if done.returncode or not last.startswith("{"):
        how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"
        return {"problem": f"the process that ran a kernel ended with {how}; its stderr is above"}
    outcome: dict[str, Any] = json.loads(last)
    return outcome


def main() -> None:
    """Print the outcome of the trial, which is made in this process, as JSON."""
    began = time.monotonic()
    try:
        with cuda_shim.enable():
            outcome = _try()
    except ShimError as error:
        outcome = {"problem": str(error)}
    print(json.dumps({**outcome, "seconds": round(time.monotonic() - began, 3)}))


def _try() -> dict[str, Any]:
    from cuda_shim.backends import hip_python

    backend = hip_python.load().backend
    offset = int.from_bytes(os.urandom(3), "little")
    numbers, device = _numbers(_SOURCE % offset)
    wrong = [i for i, number in enumerate(numbers) if number != i * i + offset]
    if wrong:
        i = wrong[0]
        raise BackendNotFound(f"a kernel computed {numbers[i]}, and {i * i + offset} is expected")
    return {"backend": backend.name, "library": backend.libamdhip64, "device": device}


def _numbers(source: str) -> tuple[list[int], str]:
    """Return the numbers that the kernel wrote, and the name of the device."""
    import array
    import ctypes

    from cuda.bindings import driver, nvrtc  # type: ignore[import-not-found, unused-ignore]

    def must(what: str, outcome: tuple[Any, ...]) -> Any:
        if int(outcome[0]):
            raise BackendNotFound(f"{what} returned {outcome[0].name}")
        return outcome[1] if len(outcome) > 1 else None

    must("cuInit", driver.cuInit(0))
    device = must("cuDeviceGet", driver.cuDeviceGet(0))
    name = must("cuDeviceGetName", driver.cuDeviceGetName(100, device)).partition(b"\0")[0].decode("utf-8", "replace")
    context = must("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(device))
    must("cuCtxSetCurrent", driver.cuCtxSetCurrent(context))
    program = must("nvrtcCreateProgram", nvrtc.nvrtcCreateProgram(source.encode(), b"trial.cu", 0, [], []))
    if int(nvrtc.nvrtcCompileProgram(program, 0, [])[0]):
        raise BackendNotFound(f"a kernel does not compile: {_log(program)}")
    image = bytes(must("nvrtcGetPTXSize", nvrtc.nvrtcGetPTXSize(program)))
    must("nvrtcGetPTX", nvrtc.nvrtcGetPTX(program, image))
    module = must("cuModuleLoadData", driver.cuModuleLoadData(image))
    kernel = must("cuModuleGetFunction", driver.cuModuleGetFunction(module, b"trial"))
    numbers = array.array("i", [0] * _THREADS)
    size = numbers.itemsize * _THREADS
    memory = must("cuMemAlloc", driver.cuMemAlloc(size))
    parameters = ((int(memory),), (ctypes.c_void_p,))
    must("cuLaunchKernel", driver.cuLaunchKernel(kernel, 1, 1, 1, _THREADS, 1, 1, 0, 0, parameters, 0))
    must("cuMemcpyDtoH", driver.cuMemcpyDtoH(numbers.buffer_info()[0], memory, size))
    return list(numbers), name


def _log(program: Any) -> str:
    """Return the first error line of the compiler's log, or its first line that is not empty."""
    from cuda.bindings import nvrtc

    log = bytes(nvrtc.nvrtcGetProgramLogSize(program)[1])
    nvrtc.nvrtcGetProgramLog(program, log)
    lines = [line.strip() for line in log.partition(b"\0")[0].decode("utf-8", "replace").splitlines()]
    texts = [line for line in lines if line]
    return next((line for line in texts if "error" in line), texts[0] if texts else "without a word")

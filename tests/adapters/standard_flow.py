"""The usual way of a CUDA Python program, with one function of HIP missing.

python -m tests.adapters.standard_flow              names the functions that the flow asks for, a JSON list
python -m tests.adapters.standard_flow NAME...      a JSON line for each: the calls that fail without it, the exception
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import cuda_shim
from cuda_shim.backends import native

SOURCE = b"""
__device__ int counter = 5;
struct Pair { double a; char b; };
extern "C" __global__ void fill(int* out, int value, Pair pair) { out[threadIdx.x] = value + (int)pair.a; }
"""
COUNT = 8


class Flow:
    """Makes the calls one by one and notes those that fail; later calls that depend on a failed one are left out."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def __call__(self, call: Callable[..., tuple[Any, ...]], *arguments: Any) -> Any:
        status, *outputs = call(*arguments)
        if int(status):
            self.failed.append(f"{call.__name__}: {status.name}")
            raise _Failed
        return outputs[0] if len(outputs) == 1 else outputs

    def part(self, steps: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a part of the flow; None where a call of it failed, or a call that it builds on."""
        if any(argument is None for argument in arguments):
            return None
        try:
            return steps(self, *arguments)
        except _Failed:
            return None


class _Failed(Exception):
    pass


def _compile(flow: Flow) -> tuple[bytes, bytes]:
    from cuda.bindings import nvrtc

    program = flow(nvrtc.nvrtcCreateProgram, SOURCE, b"flow.cu", 0, [], [])
    flow(nvrtc.nvrtcCompileProgram, program, 1, [b"--gpu-architecture=compute_80"])
    log = bytearray(flow(nvrtc.nvrtcGetProgramLogSize, program))
    flow(nvrtc.nvrtcGetProgramLog, program, log)
    ptx, cubin = (bytearray(flow(size, program)) for size in (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetCUBINSize))
    flow(nvrtc.nvrtcGetPTX, program, ptx)
    flow(nvrtc.nvrtcGetCUBIN, program, cubin)
    flow(nvrtc.nvrtcDestroyProgram, program)
    return bytes(ptx), bytes(cubin)


def _begin(flow: Flow) -> Any:
    from cuda.bindings import driver

    flow(driver.cuInit, 0)
    device = flow(driver.cuDeviceGet, 0)
    flow(driver.cuDeviceGetAttribute, driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)
    flow(driver.cuCtxSetCurrent, flow(driver.cuDevicePrimaryCtxRetain, device))
    return device


def _launch(flow: Flow, function: Any, seven: int) -> None:
    from cuda.bindings import driver

    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_double), ("b", ctypes.c_char)]

    stream = flow(driver.cuStreamCreate, 0)
    start, end = (flow(driver.cuEventCreate, 0) for _ in range(2))
    memory = flow(driver.cuMemAlloc, 4 * COUNT)
    values, kinds = (memory, seven, Pair(2.0)), (None, ctypes.c_int, None)
    flow(driver.cuEventRecord, start, stream)
    flow(driver.cuLaunchKernel, function, 1, 1, 1, COUNT, 1, 1, 0, stream, (values, kinds), 0)
    flow(driver.cuEventRecord, end, stream)
    flow(driver.cuStreamSynchronize, stream)
    flow(driver.cuEventElapsedTime, start, end)
    out = (ctypes.c_int * COUNT)()
    flow(driver.cuMemcpyDtoH, ctypes.addressof(out), memory, 4 * COUNT)
    assert list(out) == [seven + 2] * COUNT, list(out)
    flow(driver.cuMemFree, memory)


def _module(flow: Flow, image: bytes) -> None:
    from cuda.bindings import driver

    module = flow(driver.cuModuleLoadData, image)
    _launch(flow, flow(driver.cuModuleGetFunction, module, b"fill"), 7)
    flow(driver.cuModuleGetGlobal, module, b"counter")
    flow(driver.cuModuleUnload, module)


def _library(flow: Flow, image: bytes) -> tuple[Any, Any]:
    from cuda.bindings import driver

    library = flow(driver.cuLibraryLoadData, image, None, None, 0, None, None, 0)
    return library, flow(driver.cuLibraryGetKernel, library, b"fill")


def _kernel(flow: Flow, loaded: tuple[Any, Any]) -> None:
    from cuda.bindings import driver

    library, kernel = loaded
    _launch(flow, driver.CUfunction(int(kernel)), 11)
    flow(driver.cuLibraryUnload, library)


def _runtime(flow: Flow, device: Any) -> None:
    from cuda.bindings import runtime

    flow(runtime.cudaSetDevice, int(device))
    flow(runtime.cudaGetDeviceProperties, int(device))
    stream = flow(runtime.cudaStreamCreate)
    memory, back = flow(runtime.cudaMalloc, 64), bytearray(64)
    kinds = runtime.cudaMemcpyKind
    flow(runtime.cudaMemcpyAsync, memory, bytes(range(64)), 64, kinds.cudaMemcpyHostToDevice, stream)
    flow(runtime.cudaStreamSynchronize, stream)
    flow(runtime.cudaMemcpy, back, memory, 64, kinds.cudaMemcpyDeviceToHost)
    assert back == bytes(range(64))
    flow(runtime.cudaFree, memory)
    flow(runtime.cudaStreamDestroy, stream)


def run() -> list[str]:
    """Return the calls that failed, with their statuses."""
    flow = Flow()
    images = flow.part(_compile)
    device = flow.part(_begin)
    for image in images or ():
        flow.part(_module, image)
    flow.part(_kernel, flow.part(_library, None if images is None else images[0]))
    flow.part(_runtime, device)
    return flow.failed


def _without(name: str) -> dict[str, Any]:
    """Run the flow in a process of its own, in which the libraries lack a function."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        found = native.function

        def function(asked: str, *types: Any) -> Any:
            return found("hipNoSuchFunction" if asked == name else asked, *types)

        native.function = function  # type: ignore[assignment]
        try:
            outcome: dict[str, Any] = {"name": name, "failed": run(), "raised": ""}
        except Exception:  # noqa: BLE001 - the test shows the exception
            outcome = {"name": name, "failed": [], "raised": traceback.format_exc()}
        with open(writer, "w", encoding="utf-8") as stream:
            json.dump(outcome, stream)
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as stream:
        text = stream.read()
    os.waitpid(process, 0)
    result: dict[str, Any] = json.loads(text) if text else {"name": name, "failed": [], "raised": "the process ended"}
    return result


def main(names: list[str]) -> None:
    """Print the names or the outcomes, as described in the module's docstring."""
    with cuda_shim.enable(backend="cpu", cuda="12.9"):
        if names:
            for name in names:
                print(json.dumps(_without(name)), flush=True)
            return
        found, asked = native.function, set()

        def function(name: str, *types: Any) -> Any:
            asked.add(name)
            return found(name, *types)

        native.function = function  # type: ignore[assignment]
        failed = run()
        assert not failed, failed
        print(json.dumps(sorted(asked)))


if __name__ == "__main__":
    main(sys.argv[1:])

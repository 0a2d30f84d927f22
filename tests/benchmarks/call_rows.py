"""The rows of `call_cost.py`: the calls, in the spelling of CUDA Python and, where it differs, of AMD's interop."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc, runtime

__all__ = ["Row", "answering", "rows"]

Call = Callable[[], Any]

KERNELS = b"".join(
    b'extern "C" __global__ void %s(%s) {}\n' % (name, parameters)
    for name, parameters in (
        (b"none", b""),
        (b"three", b"float a, float *x, size_t n"),
        (b"sixteen", b", ".join(b"int a%d" % at for at in range(16))),
    )
)
ONE = (1, 1, 1, 1, 1, 1, 0)
TOO_MANY = 1 << 60


class Row:
    """One call: the spellings of it, of which the first that answers counts, and whether an error is expected."""

    def __init__(self, name: str, *spellings: Call, fails: bool = False) -> None:
        self.name = name
        self.spellings = spellings
        self.fails = fails


def answering(row: Row) -> tuple[Call | None, str]:
    """Return the first spelling that these modules understand, or None and the reason against the last one."""
    reason = ""
    for spelling in row.spellings:
        try:
            answer = spelling()
        except Exception as error:  # noqa: BLE001 - the other's modules may raise anything
            reason = f"{type(error).__name__}: {error}"
            continue
        failed = isinstance(answer, tuple) and bool(int(answer[0]))
        if failed == row.fails:
            return spelling, ""
        reason = f"answered {answer[0]!r}"
    return None, reason


def ok(answer: tuple[Any, ...]) -> Any:
    """The output of a call that must have worked."""
    if int(answer[0]):
        raise RuntimeError(answer)
    return answer[1] if len(answer) > 1 else None


def rows() -> Iterator[Row]:
    """The rows, in the order of the table; those of kernels are left out where none can be compiled."""
    ok(runtime.cudaFree(0))
    stream, event = ok(runtime.cudaStreamCreate()), ok(runtime.cudaEventCreate())
    memory, number = ok(runtime.cudaMalloc(1024)), int(stream)
    yield Row("cudaGetDevice", runtime.cudaGetDevice)
    yield Row("cudaGetLastError", runtime.cudaGetLastError)
    yield Row("cudaSetDevice", lambda: runtime.cudaSetDevice(0))
    yield Row("cudaStreamQuery, a number", lambda: runtime.cudaStreamQuery(number))
    yield from handles(stream, event)
    yield from errors()
    yield from copies(memory, stream)
    yield Row("cudaMalloc and cudaFree", lambda: runtime.cudaFree(runtime.cudaMalloc(256)[1]))
    yield from questions(memory)
    kind = runtime.cudaMemcpyKind
    yield Row("an enum constant", lambda: kind.cudaMemcpyHostToDevice)
    yield from callbacks(stream)
    module = compiled()
    for name in ("none", "three", "sixteen"):
        yield from launches(name, ok(driver.cuModuleGetFunction(module, name.encode())), memory, stream)
    yield from graphs(stream)


def handles(stream: Any, event: Any) -> Iterator[Row]:
    """A handle of each kind, given and returned."""
    context, device = ok(driver.cuCtxGetCurrent()), ok(driver.cuDeviceGet(0))
    pointer = ok(driver.cuMemAlloc(1024))
    yield Row("cudaStreamQuery", lambda: runtime.cudaStreamQuery(stream))
    yield Row("cudaStreamSynchronize", lambda: runtime.cudaStreamSynchronize(stream))
    yield Row("cuStreamGetFlags", lambda: driver.cuStreamGetFlags(stream))
    yield Row("cudaEventQuery", lambda: runtime.cudaEventQuery(event))
    yield Row("cudaEventRecord", lambda: runtime.cudaEventRecord(event, stream))
    yield Row("cudaStreamWaitEvent", lambda: runtime.cudaStreamWaitEvent(stream, event, 0))
    yield Row("cuCtxSetCurrent", lambda: driver.cuCtxSetCurrent(context))
    yield Row("cuCtxGetCurrent", driver.cuCtxGetCurrent)
    yield Row("cuDeviceGet", lambda: driver.cuDeviceGet(0))
    yield Row("cuDeviceTotalMem, a CUdevice", lambda: driver.cuDeviceTotalMem(device))
    yield Row("cuMemGetAddressRange", lambda: driver.cuMemGetAddressRange(pointer))
    yield Row("cuMemsetD8, 64 bytes", lambda: driver.cuMemsetD8(pointer, 1, 64))


def errors() -> Iterator[Row]:
    """Calls that answer with an error."""
    yield Row("an error: cudaStreamQuery of no stream", lambda: runtime.cudaStreamQuery(12345), fails=True)
    yield Row("an error: cuDeviceGet of no device", lambda: driver.cuDeviceGet(99), fails=True)
    yield Row("an error: cudaMalloc of too much", lambda: runtime.cudaMalloc(TOO_MANY), fails=True)


def copies(memory: int, stream: Any) -> Iterator[Row]:
    """Copies of 64 bytes, from memory of each kind."""
    up, down = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    pointer, host, array = ok(driver.cuMemAlloc(1024)), bytearray(1024), np.zeros(16, np.float32)
    at, data = array.ctypes.data, bytes(64)
    yield Row("cudaMemcpy, 64 bytes of a bytearray", lambda: runtime.cudaMemcpy(memory, host, 64, up))
    yield Row("cudaMemcpy, 64 bytes to numpy's memory", lambda: runtime.cudaMemcpy(array, memory, 64, down))
    yield Row("cudaMemcpyAsync, 64 bytes of a bytearray", lambda: runtime.cudaMemcpyAsync(memory, host, 64, up, stream))
    yield Row("cuMemcpyHtoD, 64 bytes of a bytearray", lambda: driver.cuMemcpyHtoD(pointer, host, 64))
    yield Row("cuMemcpyHtoD, 64 bytes of bytes", lambda: driver.cuMemcpyHtoD(pointer, data, 64))
    yield Row("cuMemcpyHtoD, 64 bytes of numpy's memory", lambda: driver.cuMemcpyHtoD(pointer, array, 64))
    yield Row("cuMemcpyHtoD, 64 bytes at an address", lambda: driver.cuMemcpyHtoD(pointer, at, 64))
    two, (kind_host, kind_device) = driver.CUDA_MEMCPY2D(), memory_kinds()
    two.srcMemoryType, two.srcHost, two.srcPitch = kind_host, at, 16
    two.dstMemoryType, two.dstDevice, two.dstPitch = kind_device, pointer, 16
    two.WidthInBytes, two.Height = 16, 4
    yield Row("a struct given: cuMemcpy2D", lambda: driver.cuMemcpy2D(two))


def memory_kinds() -> tuple[Any, Any]:
    """Values for a struct's members of memory kinds: interop's are of HIP's class, which its CUDA names are not."""
    kinds = driver.CUmemorytype
    if "rocm.bindings" in type(driver.CUDA_MEMCPY2D()).__mro__[1].__module__:
        from rocm.bindings import hip

        return hip.hipMemoryType.hipMemoryTypeHost, hip.hipMemoryType.hipMemoryTypeDevice
    return kinds.CU_MEMORYTYPE_HOST, kinds.CU_MEMORYTYPE_DEVICE


def questions(memory: int) -> Iterator[Row]:
    """Queries: texts, attributes, structs that are returned."""
    success, attribute = runtime.cudaError_t.cudaSuccess, driver.CUdevice_attribute
    threads, warp = attribute.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE
    yield Row("cudaGetErrorString", lambda: runtime.cudaGetErrorString(success))
    yield Row("cuDeviceGetAttribute", lambda: driver.cuDeviceGetAttribute(threads, 0))
    yield Row("cuDeviceGetAttribute, the warp's size", lambda: driver.cuDeviceGetAttribute(warp, 0))
    yield Row("cudaGetDeviceProperties", lambda: runtime.cudaGetDeviceProperties(0))
    yield Row("cudaPointerGetAttributes", lambda: runtime.cudaPointerGetAttributes(memory))
    pointer_attribute = driver.CUpointer_attribute
    kind = pointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    start = pointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR
    cell = ctypes.c_uint64()  # interop is given the memory for the answer
    kept.append(cell)
    for name, one in (("MEMORY_TYPE", kind), ("RANGE_START_ADDR", start)):
        yield Row(
            f"cuPointerGetAttribute, {name}",
            partial(driver.cuPointerGetAttribute, one, memory),
            partial(driver.cuPointerGetAttribute, ctypes.addressof(cell), one, memory),
        )


def callbacks(stream: Any) -> Iterator[Row]:
    """A host function in a stream, and the wait for it: C's `free` of nothing, and Python's.

    CUDA Python calls both with the interpreter locked; interop's are called as they are.
    """
    of_python = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
    kept.append(of_python)
    function, python_function = (ctypes.cast(one, ctypes.c_void_p).value for one in (ctypes.CDLL(None).free, of_python))

    def call(at: int | None) -> Any:
        runtime.cudaLaunchHostFunc(stream, at, 0)
        return runtime.cudaStreamSynchronize(stream)

    yield Row("cudaLaunchHostFunc of C and a wait", lambda: call(function))
    yield Row("cudaLaunchHostFunc of Python and a wait", lambda: call(python_function))


def compiled() -> Any:
    """The module of the kernels."""
    program = ok(nvrtc.nvrtcCreateProgram(KERNELS, b"x.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 0, []))
    image = bytearray(ok(nvrtc.nvrtcGetCUBINSize(program)))
    ok(nvrtc.nvrtcGetCUBIN(program, image))
    return ok(driver.cuModuleLoadData(image))


def launches(name: str, function: Any, memory: int, stream: Any) -> Iterator[Row]:
    """A launch in each form that CUDA Python takes; interop takes values as a tuple for `extra`."""
    types: tuple[Any, ...] = {
        "none": (),
        "three": (ctypes.c_float, ctypes.c_void_p, ctypes.c_size_t),
        "sixteen": (ctypes.c_int,) * 16,
    }[name]
    values: tuple[Any, ...] = {"none": (), "three": (1.5, int(memory), 4), "sixteen": tuple(range(16))}[name]
    cells = tuple(ctype(value) for ctype, value in zip(types, values, strict=True))
    places = np.array([ctypes.addressof(cell) for cell in cells] or [0], np.uint64)
    at, three = places.ctypes.data, name == "three"
    kept.extend((cells, places))

    def launch(parameters: Any, extra: Any = 0) -> Any:
        return driver.cuLaunchKernel(function, *ONE, stream, parameters, extra)

    def of_cells() -> Any:  # each launch has values of its own, and so do the cells
        return launch(None, tuple(ctype(value) for ctype, value in zip(types, values, strict=True)))

    yield Row(f"cuLaunchKernel, {name}, at an address", lambda: launch(at))
    yield Row(f"cuLaunchKernel, {name}, an array of addresses", lambda: launch(places))
    yield Row(f"cuLaunchKernel, {name}, values and types", lambda: launch((values, types)), of_cells)
    if three:
        pointer = driver.CUdeviceptr(int(memory)) if hasattr(driver.CUdeviceptr, "getPtr") else None
        mixed = ((1.5, pointer, 4), (ctypes.c_float, None, ctypes.c_size_t))
        yield Row("cuLaunchKernel, three, a CUdeviceptr without a type", lambda: launch(mixed), of_cells)


def graphs(stream: Any) -> Iterator[Row]:
    """A graph of one empty node, launched."""
    graph = ok(driver.cuGraphCreate(0))
    ok(driver.cuGraphAddEmptyNode(graph, None, 0))
    ready = ok(driver.cuGraphInstantiate(graph, 0))
    yield Row("cuGraphLaunch", lambda: driver.cuGraphLaunch(ready, stream))


kept: list[Any] = []

"""The kernels of PyGPU, compiled through NVRTC when first used, and their launch.

They move elements without looking at them, so there is one kernel for each size of element, not for each dtype.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Sequence

from cuda_shim.pygpu.calls import DeviceError, checked, driver, nvrtc, runtime
from cuda_shim.pygpu.resources import Resource, on_device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["gather", "source_for", "take"]

#: Dimensions that an array of numpy 2 may have.
_MAX_DIMENSIONS = 64
_THREADS = 256
_BLOCKS = 1 << 16

_ELEMENTS = {2: "unsigned short", 4: "unsigned int", 8: "unsigned long long", 16: "ulonglong2"}

_SOURCE = """
struct View {
    long long dimensions;
    long long shape[DIMENSIONS];
    long long strides[DIMENSIONS];
};

// Element i of the result, counted in C order, is found by the strides of the view, which are in elements.
extern "C" __global__ void gather(const ELEMENT *from, ELEMENT *to, long long count, View view)
{
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
        long long rest = i, place = 0;
        for (int dimension = (int)view.dimensions - 1; dimension > 0; --dimension) {
            place += rest % view.shape[dimension] * view.strides[dimension];
            rest /= view.shape[dimension];
        }
        to[i] = from[place + rest * view.strides[0]];
    }
}

extern "C" __global__ void take(const ELEMENT *from, ELEMENT *to, long long count, const long long *places)
{
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step)
        to[i] = from[places[i]];
}
"""


class _View(ctypes.Structure):
    _fields_ = (
        ("dimensions", ctypes.c_longlong),
        ("shape", ctypes.c_longlong * _MAX_DIMENSIONS),
        ("strides", ctypes.c_longlong * _MAX_DIMENSIONS),
    )


def gather(device: int, itemsize: int, source: int, target: int, shape: Sequence[int], strides: Sequence[int]) -> None:
    """Copy the elements of a view into a contiguous array, and wait for it.

    Args:
        device: the number of the device that both are on.
        itemsize: bytes of an element.
        source: the address of the view's first element.
        target: the address of the result.
        shape: lengths of the view.
        strides: elements, not bytes, from one to the next along each dimension; may be negative or 0.

    Raises:
        DeviceError: compiling, loading or running the kernel failed.
    """
    count = math.prod(shape)
    merged = _merged(shape, strides)
    lengths, steps = [length for length, _ in merged], [step for _, step in merged]
    view = _View(len(merged), tuple(lengths), tuple(steps))
    _launch(device, "gather", itemsize, count, source, target, view)


def take(device: int, itemsize: int, source: int, target: int, count: int, places: int) -> None:
    """Copy `count` elements from the places that the 64-bit integers at address `places` name, and wait for it.

    Raises:
        DeviceError: compiling, loading or running the kernel failed.
    """
    _launch(device, "take", itemsize, count, source, target, ctypes.c_void_p(places))


def _merged(shape: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]]:
    """Return the same elements in the same order by as few dimensions as possible, as (length, stride).

    A dimension continues the one inside it, and is merged with it, if its stride is the length times the stride of the
    inner one.
    """
    dimensions: list[tuple[int, int]] = []
    for length, stride in zip(shape, strides, strict=True):
        if length == 1:
            continue
        if dimensions and dimensions[-1][1] == length * stride:
            dimensions[-1] = (dimensions[-1][0] * length, stride)
        else:
            dimensions.append((length, stride))
    return dimensions or [(1, 0)]


def _launch(device: int, name: str, itemsize: int, count: int, source: int, target: int, last: Any) -> None:
    if count == 0:
        return
    with on_device(device):
        checked(runtime.cudaFree(0), "initialising the device")  # whose context is current in this thread from here on
        kernel = checked(driver.cuModuleGetFunction(_module(device, itemsize), name.encode()), f"finding {name}")
        values = (ctypes.c_void_p(source), ctypes.c_void_p(target), ctypes.c_longlong(count), last)
        addresses = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        blocks = min((count + _THREADS - 1) // _THREADS, _BLOCKS)
        answer = driver.cuLaunchKernel(kernel, blocks, 1, 1, _THREADS, 1, 1, 0, 0, ctypes.addressof(addresses), 0)
        checked(answer, f"launching {name}")
        # The memory at .ptr is complete when the program gets it, on whichever stream it goes on.
        checked(runtime.cudaStreamSynchronize(0), f"running {name}")


_modules: dict[tuple[int, int], Resource] = {}
_loading = threading.Lock()


def _module(device: int, itemsize: int) -> Any:
    """Return the kernels for elements of a size, loaded on the current device; loaded again after a reset."""
    with _loading:  # a module that another thread replaced would be unloaded while this one launches from it
        module = _modules.get((device, itemsize))
        if module is None or not module.alive:
            handle = checked(driver.cuModuleLoadData(_compile(source_for(itemsize))), "loading the kernels of PyGPU")
            module = _modules[device, itemsize] = Resource(handle, device, driver.cuModuleUnload)
        return module.handle


def source_for(itemsize: int) -> str:
    """Return the text of the kernels for elements of a size in bytes."""
    return _SOURCE.replace("ELEMENT", _ELEMENTS[itemsize]).replace("DIMENSIONS", str(_MAX_DIMENSIONS))


def _compile(source: str) -> bytes:
    program = checked(nvrtc.nvrtcCreateProgram(source.encode(), b"pygpu.cu", 0, [], []), "creating a program")
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, 0, [])
        if status != 0:
            log = bytearray(checked(nvrtc.nvrtcGetProgramLogSize(program), "asking for the compiler's log"))
            checked(nvrtc.nvrtcGetProgramLog(program, log), "asking for the compiler's log")
            message = log.rstrip(b"\0").decode(errors="replace")
            raise DeviceError(f"compiling the kernels of PyGPU failed: {status.name}\n{message}", int(status))
        image = bytearray(checked(nvrtc.nvrtcGetPTXSize(program), "asking for the compiled kernels"))
        checked(nvrtc.nvrtcGetPTX(program, image), "asking for the compiled kernels")
        return bytes(image)
    finally:
        nvrtc.nvrtcDestroyProgram(program)

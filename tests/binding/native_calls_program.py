"""Pass right and wrong things to served functions, and print each answer: `PROGRAM LAYOUT COMPILED_CALLS`."""

import ctypes
import itertools
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy

import cuda_shim

cuda_shim.enable(backend="cpu", cuda=sys.argv[1], compiled_calls=sys.argv[2], quiet=True, log="off")

from cuda.bindings import driver, nvrtc, runtime  # noqa: E402 - once it is served

KERNELS = b"""
struct Pair { int a, b; };
extern "C" __global__ void seen(long long* out, bool a, signed char b, unsigned char c, short d, unsigned short e, int f,
                                unsigned g, long long h, unsigned long long i, float j, double k, const int* l, int m) {
    long long all[] = {a, b, c, d, e, f, g, h, (long long)i, (long long)(j * 4), (long long)(k * 4), (long long)l, m};
    for (int at = 0; at < 13; at++) out[at] = all[at];
}
extern "C" __global__ void nothing() {}
extern "C" __global__ void pair(int* out, Pair p) { out[0] = p.a, out[1] = p.b; }
"""
c = ctypes
TYPES = (
    c.c_void_p, c.c_bool, c.c_byte, c.c_ubyte, c.c_short, c.c_ushort, c.c_int, c.c_uint, c.c_longlong, c.c_ulonglong,
    c.c_float, c.c_double, c.c_void_p, c.c_int,
)  # fmt: skip
KIND = runtime.cudaMemcpyKind


class Number:
    """Stands for 1."""

    def __index__(self):
        return 1

    def __int__(self):
        return 1


class Counted(int):
    """An int of another class."""


class Pair(ctypes.Structure):
    """A kernel's parameter."""

    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_int))


def ok(answer):
    """The output of a call that must have worked."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None


def shown(function, *arguments):
    """Return a call's answer, less addresses."""
    try:
        answer = function(*arguments)
    except Exception as error:  # noqa: BLE001 - the exception is the answer
        return f"{type(error).__name__}: {error}"
    return repr([(type(one).__module__, type(one).__name__, str(one)) for one in answer])


def label(value):
    """Return an argument as text, in short and without addresses."""
    return re.sub("0x[0-9a-f]+|[0-9]{9,}", "#", repr(value))[:60]


def everything(memory, stream, own, event):
    """Objects of all kinds."""
    return [
        runtime.cudaStream_t(int(stream)), None, 0, 1, -1, 5, True, 1.5, "text", b"bytes", bytearray(b"1234"),
        bytearray(), Number(), Counted(1), 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1, 1 << 64, -(1 << 63), [1], object,
        stream, own, event, driver.CUdevice(0), driver.CUdeviceptr(memory), KIND.cudaMemcpyHostToDevice,
        KIND.cudaMemcpyDefault, driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE,
    ]  # fmt: skip


def calls(memory, stream, own, event):
    """Each function with the product of possible values for its arguments."""
    anything = everything(memory, stream, own, event)
    # Numbers that are taken for addresses of objects would be used as such.
    safe = [
        one for one in anything if not (isinstance(one, (int, Number)) and int(one)) or isinstance(one, driver.CUstream)
    ]
    kinds = [KIND.cudaMemcpyHostToDevice, 1, 99, None, "x", -1, 1 << 40, driver.CUresult.CUDA_SUCCESS]
    registers = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS
    for function, lists in (
        (runtime.cudaGetDevice, []),
        (runtime.cudaGetLastError, []),
        (driver.cuDeviceGet, [anything]),
        (driver.cuDeviceTotalMem, [anything]),
        (driver.cuDeviceGetName, [[0, 16, -1, None], anything]),
        (runtime.cudaSetDevice, [anything]),
        (runtime.cudaMallocHost, [[0, 64, -1, None, "x", 1 << 64]]),
        (runtime.cudaStreamCreateWithPriority, [[0, 1, 77, -1, None], [0, -1, 1 << 40, None]]),
        (runtime.cudaStreamQuery, [safe]),
        (runtime.cudaEventRecord, [[event, None, "x"], safe]),
        (runtime.cudaStreamWaitEvent, [[stream, own], [event, "x", None], anything]),
        (driver.cuStreamGetFlags, [safe]),
        (driver.cuMemGetAddressRange, [[driver.CUdeviceptr(memory), memory, None, 1.5, 77]]),
        (runtime.cudaMemcpy, [[memory, None, "x"], [b"1234", bytearray(b"1234"), None, 1.5, "x"], [0, 4, -1, None], kinds]),
        (driver.cuMemAlloc, [[0, 64, 1 << 62, -1, "x", None]]),
        (driver.cuDeviceGetAttribute, [anything, [0, driver.CUdevice(0), 99, None]]),
        (driver.cuCtxGetCurrent, []),
        (driver.cuMemsetD8, [[driver.CUdeviceptr(memory), memory, "x"], [1, 255, 256, -1], [0, 8, -1]]),
        (driver.cuFuncGetAttribute, [[registers, 99, None], [0, None, "x"]]),
        (driver.cuLaunchKernel, [[None, "x"], *[[1, -1]] * 2, *[[1]] * 5, [stream, None], [0, None, -1], [0, None]]),
    ):  # fmt: skip
        for arguments in itertools.product(*lists):
            yield f"{function.__name__}{label(arguments)} {shown(function, *arguments)}"
        yield shown(function, *[0] * 15)


class Kernels:
    """Launches, and the values that the kernel found in its parameters."""

    def __init__(self):
        program = ok(nvrtc.nvrtcCreateProgram(KERNELS, b"kernels.cu", 0, [], []))
        ok(nvrtc.nvrtcCompileProgram(program, 0, []))
        image = bytes(ok(nvrtc.nvrtcGetCUBINSize(program)))
        ok(nvrtc.nvrtcGetCUBIN(program, image))
        module = ok(driver.cuModuleLoadData(image))
        self.seen, self.nothing, self.pair = (
            ok(driver.cuModuleGetFunction(module, name)) for name in (b"seen", b"nothing", b"pair")
        )
        self.out, self.host = ok(driver.cuMemAlloc(256)), (ctypes.c_longlong * 13)()

    def launch(self, function, parameters, stream=0):
        """One launch."""

        def run():
            ok(driver.cuMemsetD8(self.out, 0, 256))
            answer = driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, 0)
            ok(driver.cuCtxSynchronize())
            ok(driver.cuMemcpyDtoH(ctypes.addressof(self.host), self.out, ctypes.sizeof(self.host)))
            return answer[0], *self.host

        return f"{label(parameters)} {shown(run)}"

    def values(self, memory):
        """One for each of TYPES."""
        return (
            int(self.out), True, -5, 250, -300, 65000, -70000, 4000000000, -(1 << 40), 1 << 63, 1.25, -2.5, memory, 7,
        )  # fmt: skip

    def right(self, memory, stream):
        """Parameters in each form; the first launch of its kind is packed in Python, and teaches the others."""
        values, constant = self.values(memory), KIND.cudaMemcpyDeviceToHost
        for _ in range(3):
            yield self.launch(self.seen, (values, TYPES))
            yield self.launch(self.seen, ((self.out, *values[1:]), (None, *TYPES[1:])))
            yield self.launch(self.seen, ((self.out, *values[1:13], constant), (None, *TYPES[1:13], None)))
            typed = tuple(ctype(value) for ctype, value in zip(TYPES, values, strict=True))
            yield self.launch(self.seen, (typed, TYPES), stream)
            yield self.launch(self.nothing, ((), ()))
            yield self.launch(self.nothing, None)
            yield self.launch(self.pair, ((self.out, Pair(3, 4)), (None, None)))

    def wrong(self, memory):
        """Values of other classes and sizes in each place; the first is an address that the kernel writes to."""
        values = self.values(memory)
        for at in range(len(values)):
            numbers = (1 << 31, 1 << 70, -1, True, Number(), driver.CUdeviceptr(4242), c.c_int(3)) if at else ()
            for wrong in (None, "x", 1.5, float("inf"), 1e300, b"b", *numbers):
                yield self.launch(self.seen, ((*values[:at], wrong, *values[at + 1 :]), TYPES))
                yield self.launch(
                    self.seen, ((*values[:at], wrong, *values[at + 1 :]), (*TYPES[:at], None, *TYPES[at + 1 :]))
                )
        yield self.launch(self.seen, (values[:-1], TYPES))
        yield self.launch(self.seen, (values[:-1], TYPES[:-1]))
        yield self.launch(self.seen, [values, TYPES])
        yield self.launch(self.seen, (list(values), TYPES))
        yield self.launch(self.seen, ((), ()))
        yield self.launch(self.pair, ((self.out, Pair(3, 4), 5), (None, None, c.c_int)))

    def arrays(self, memory):
        """Addresses in buffers."""
        cells: list[Any] = [ctype(value) for ctype, value in zip(TYPES, self.values(memory), strict=True)]
        addresses = [c.addressof(cell) for cell in cells]
        array = (c.c_void_p * len(cells))(*addresses)
        for parameters in (
            array, numpy.array(addresses, numpy.uint64), bytes(array), numpy.array(addresses[:3], numpy.uint64),
            numpy.zeros(28, numpy.uint64)[::2], (c.c_char * 9)(), b"", 5.0,
        ):  # fmt: skip
            yield self.launch(self.seen, parameters).partition(" [")[2]


def buffers(memory):
    """Numpy's arrays of every layout, and other objects that stand for memory."""
    array, small, empty = numpy.arange(16, dtype=numpy.int32), numpy.zeros(()), numpy.zeros(0)
    fixed = array.copy()
    fixed.flags.writeable = False
    view = memoryview(array)  # type: ignore[arg-type]
    sources = array, fixed, array[::2], array.reshape(4, 4).T, small, empty, numpy.int64(memory), view
    for source in (*sources, *sources, driver.CUdeviceptr(memory)):
        size = 0 if source is empty or source is small else 16
        yield f"{label(source)} {shown(runtime.cudaMemcpy, memory, source, size, KIND.cudaMemcpyDefault)}"
        back = shown(runtime.cudaMemcpy, array[4:], memory, 16, KIND.cudaMemcpyDeviceToHost)
        yield f"{back} {array}"


def copies(memory):
    """Structs as arguments: right ones, ones with constants that HIP lacks, other objects; and the results."""
    kinds = driver.CUmemorytype
    host = numpy.arange(64, dtype=numpy.uint8)
    back = numpy.zeros(64, numpy.uint8)
    for source, target in itertools.product(kinds.__members__.values(), repeat=2):
        copy = driver.CUDA_MEMCPY2D()
        copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcPitch = source, host.ctypes.data, memory + 1, 16
        copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstPitch = target, back.ctypes.data, memory, 16
        copy.WidthInBytes, copy.Height, copy.srcXInBytes = 8, 3, 2
        places = (source, target) == (kinds.CU_MEMORYTYPE_HOST, kinds.CU_MEMORYTYPE_DEVICE)
        yield f"{places} {shown(driver.cuMemcpy2D, copy)} {shown(driver.cuMemcpy2DUnaligned, copy)}"
        ok(runtime.cudaMemcpy(back, memory, 64, KIND.cudaMemcpyDeviceToHost))
        yield f"{source} {target} {back[:24]}"
    odd = (
        driver.CUDA_MEMCPY2D(),
        driver.CUDA_MEMCPY3D(),
        driver.CUDA_ARRAY_DESCRIPTOR(),
        None,
        0,
        memory,
        b"12",
        "x",
        [copy],
    )
    for given in odd:
        yield f"{label(type(given))} {shown(driver.cuMemcpy2D, given)}"
    array = driver.CUDA_ARRAY_DESCRIPTOR()
    for form in driver.CUarray_format.__members__.values():
        array.Width, array.Height, array.NumChannels, array.Format = 8, 4, 1, form
        error, made = driver.cuArrayCreate(array)
        yield f"{form.name} {error}"
        if not error:
            described = ok(driver.cuArrayGetDescriptor(made))
            yield f"{described.Width} {described.Height} {described.NumChannels} {described.Format}"
            ok(driver.cuArrayDestroy(made))
    for given in odd:
        yield f"{label(type(given))} {shown(driver.cuArrayCreate, given)}"


def questions(memory):
    """Structs and attributes."""
    properties = ok(runtime.cudaGetDeviceProperties(0))
    yield f"{properties.name} {properties.warpSize} {properties.maxThreadsPerBlock}"
    array = numpy.arange(16)
    places = (
        memory,
        memory + 64,
        77,
        None,
        array,
        array.ctypes.data,
        bytes(64),
        driver.CUdeviceptr(memory),
        "x",
        1 << 64,
    )
    for place in places:
        text = shown(runtime.cudaPointerGetAttributes, place)
        yield re.sub(r"hostPointer : \w+", "", text)
        for attribute in driver.CUpointer_attribute.__members__.values():
            yield shown(driver.cuPointerGetAttribute, attribute, place)
    for attribute in driver.CUdevice_attribute.__members__.values():
        yield f"{attribute.name} " + shown(driver.cuDeviceGetAttribute, attribute, 0)


def main():
    """Print whether the library of calls is loaded, and the answers."""
    ok(runtime.cudaFree(0))
    stream, event, memory = ok(runtime.cudaStreamCreate()), ok(runtime.cudaEventCreate()), ok(runtime.cudaMalloc(4096))
    own = driver.CUstream(int(stream))
    own.getPtr()  # it has memory of its own now
    kernels = Kernels()
    lines = [
        *calls(memory, stream, own, event), *kernels.right(memory, stream), *kernels.wrong(memory),
        *kernels.arrays(memory), *buffers(memory), *copies(memory), *questions(memory),
    ]  # fmt: skip
    resized = bytearray(64)
    ok(runtime.cudaMemcpy(memory, resized, 64, KIND.cudaMemcpyHostToDevice))
    resized.append(1)  # no view holds its memory any more
    library = bool(re.search("/calls/[0-9a-f]{8}-.*/calls.so", Path("/proc/self/maps").read_text(encoding="utf-8")))
    print(json.dumps([library, [re.sub("0x[0-9a-f]+|[0-9]{9,}", "#", line) for line in lines]]))


if __name__ == "__main__":
    main()

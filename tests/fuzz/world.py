"""Things that a random program has at hand: modules, rows of the tables, memory, and the objects that calls gave it."""

from __future__ import annotations

import ctypes
import importlib
import mmap
import os
from types import ModuleType
from typing import Any

from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import FunctionRow, Row

#: Host memory that any call may write: every size that `arguments` gives and that is not absurd fits in.
HOST_BYTES = 1 << 30
MODULES = ("driver", "runtime", "nvrtc")
KEPT = 16  # objects of a class; the ones before them are forgotten

KERNELS = b"""
__device__ int variable[16];
__constant__ float factor = 2;
extern "C" __global__ void nothing() {}
extern "C" __global__ void fill(int *target, int value) { target[threadIdx.x] = value; }
struct Three { double x, y, z; };
extern "C" __global__ void many(int *target, char a, short b, Three c, float d) { *target = int(a + b + c.x + d); }
extern "C" __global__ void meeting(float *target) {
    extern __shared__ float line[];
    line[threadIdx.x] = threadIdx.x;
    __syncthreads();
    target[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x] * factor + variable[0];
}
"""

#: A header of the program's own, by a relative and an absolute name: it has to be translated, and stays as it is.
INCLUDING = b"""
#include "%b"
#include "../outside/mine.h"
extern "C" __global__ void kernel(int *target) { *target = mine(); }
"""

_HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@_HostFunction
def host_function(data: int | None) -> None:
    """A callback for streams, graphs and user objects; it takes any arguments."""


class KeptRows(Catalogue):
    """A catalogue that builds each row once, as random arguments ask for the same rows in every call."""

    def __init__(self, cuda: str, module_names: dict[str, str]) -> None:
        super().__init__(cuda, module_names)
        self._rows: dict[tuple[str, str], Row | None] = {}

    def row(self, table: str, name: str) -> Row | None:
        """Return the row of `name` in a table, None where this layout has no such name."""
        if (table, name) not in self._rows:
            self._rows[table, name] = super().row(table, name)
        return self._rows[table, name]


class World:
    """The modules of a layout, and a pool of objects that calls returned."""

    def __init__(self, cuda: str) -> None:
        self.modules: dict[str, ModuleType] = {n: importlib.import_module(f"cuda.bindings.{n}") for n in MODULES}
        self.catalogue = KeptRows(cuda, dict.fromkeys(MODULES, "fuzzed"))
        self.host = mmap.mmap(-1, HOST_BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.host_address = ctypes.addressof(ctypes.c_char.from_buffer(self.host))
        self.host_function = ctypes.cast(host_function, ctypes.c_void_p).value or 0
        outside = os.path.abspath("../outside")
        self.paths = (os.fsencode(outside), os.fsencode(f"{outside}/mine.h"), b"../outside/mine.h")
        self.pool: dict[str, list[Any]] = {}
        self.images: list[bytes] = []
        self.rows = {
            (module, name): row
            for module in MODULES
            for name in sorted(store.load(module).names(cuda))
            if isinstance(row := store.load(module).row(name, cuda), FunctionRow)
        }

    def keep(self, name: str, value: Any) -> None:
        """Remember an object under the name of its type in C."""
        kept = self.pool.setdefault(name, [])
        kept.append(value)
        del kept[:-KEPT]

    def family(self, base: str, table: str) -> str:
        """Return one name for a type and its aliases, so that the runtime's streams are the driver's."""
        _, row = self.catalogue.base_row(base, table)
        return base if row is None else row.name

    def class_of(self, base: str, table: str) -> Any:
        """The served class of a type."""
        home = self.catalogue.home(base, table)
        return getattr(self.modules[home or table], base)

    def prepare(self) -> None:
        """The first objects, of a program that does everything right."""
        driver, nvrtc = self.modules["driver"], self.modules["nvrtc"]
        ok(driver.cuInit(0))
        device = ok(driver.cuDeviceGet(0))
        ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(device))))
        program = ok(nvrtc.nvrtcCreateProgram(KERNELS, b"fuzz.cu", 0, [], []))
        ok(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_80"]))
        image = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
        ok(nvrtc.nvrtcGetPTX(program, image))
        code = b" " * ok(nvrtc.nvrtcGetCUBINSize(program))
        ok(nvrtc.nvrtcGetCUBIN(program, code))
        self.images += [image, code]
        self.load_kernels()
        self.keep("nvrtcProgram", program)
        self.keep("CUstream", ok(driver.cuStreamCreate(0)))
        self.keep("CUevent", ok(driver.cuEventCreate(0)))
        self.keep("CUgraph", ok(driver.cuGraphCreate(0)))

    def include_header(self) -> None:
        """Compile a program with a header of its own, and keep it."""
        nvrtc = self.modules["nvrtc"]
        outside, header = self.paths[:2]
        program = ok(nvrtc.nvrtcCreateProgram(INCLUDING % header, b"including.cu", 0, [], []))
        ok(nvrtc.nvrtcCompileProgram(program, 1, [b"-I" + outside]))
        self.keep("nvrtcProgram", program)

    def load_kernels(self) -> None:
        """Load the kernels, also again after a reset; after a fault that sticks there are none."""
        driver = self.modules["driver"]
        status, module = driver.cuModuleLoadData(self.images[0])
        if status:
            return
        self.keep("CUmodule", module)
        for name in (b"nothing", b"fill", b"many", b"meeting"):
            status, function = driver.cuModuleGetFunction(module, name)
            if not status:
                self.keep("CUfunction", function)
        for _ in range(2):
            status, pointer = driver.cuMemAlloc(1 << 16)
            if not status:
                self.keep("CUdeviceptr", pointer)


def ok(result: tuple[Any, ...]) -> Any:
    """Return the outputs of a call; raise AssertionError unless it succeeded."""
    status, *values = result
    assert status == 0, status
    return values[0] if len(values) == 1 else values

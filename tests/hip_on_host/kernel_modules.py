"""Kernel modules written by hand (modules/*.cpp) and short functions for loading and launching them.

They follow the contract between modules and the runtime without the compiler of kernels, so that a failing test points
to the engine.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from cuda_shim import settings
from cuda_shim.backends import compilers

HERE = Path(__file__).resolve().parent
RUNTIME = HERE.parents[1] / "hip_on_host/src"
#: The number of kernels in modules/basic.cpp.
BASIC_KERNELS = (HERE / "modules/basic.cpp").read_text(encoding="utf-8").count("kernel<")
#: The machine's C++ compiler, else the one that the shim would use.
COMPILER = (
    shlex.split(os.environ.get("CXX", "c++"))
    if "CXX" in os.environ or shutil.which("c++")
    else list(compilers.find(settings.current()).command)
)
#: A module has no functions of the host, such as those that guard the first values of static variables, and no start files.
FLAGS = ["-O2", "-std=c++17", "-fPIC", "-fno-threadsafe-statics", "-nostdlib", "-Wall", "-Wextra", f"-I{RUNTIME}"]


@functools.cache
def folder() -> Path:
    """The folder for this process's compiled modules."""
    made = tempfile.TemporaryDirectory(prefix="cuda_shim-test-modules-")
    atexit.register(made.cleanup)
    return Path(made.name)


@functools.cache
def compile_module(name: str, *flags: str) -> Path:
    """Compile modules/<name>.cpp and return the shared object."""
    target = folder() / f"{name}{'-'.join(flags)}.so"
    source = HERE / "modules" / f"{name}.cpp"
    words = [*COMPILER, *FLAGS, *flags, "-shared", "-fvisibility=hidden", str(source), "-o", str(target)]
    subprocess.run(words, check=True)
    return target


def check(result: tuple[Any, ...]) -> Any:
    """The output of a hip-python call that must succeed."""
    assert int(result[0]) == 0, result[0]
    return result[1] if len(result) > 1 else None


class Kernels:
    """One hip module and the tests' operations on it."""

    def __init__(self, hip: ModuleType) -> None:
        self.hip = hip

    def load(self, path: Path | str) -> Any:
        """Load a compiled module from memory."""
        return check(self.hip.hipModuleLoadData(Path(path).read_bytes()))

    def function(self, module: Any, name: str) -> Any:
        return check(self.hip.hipModuleGetFunction(module, name.encode()))

    def launch(
        self, kernel: Any, grid: Any, block: Any, *arguments: Any, shared: int = 0, stream: Any = None,
        cooperative: bool = False,
    ) -> Any:  # fmt: skip
        """Launch with ctypes values as arguments; returns the call's result."""
        grid, block = ((size, 1, 1) if isinstance(size, int) else size for size in (grid, block))
        pointers = (ctypes.c_void_p * (len(arguments) + 1))(*(ctypes.addressof(one) for one in arguments))
        params = ctypes.addressof(pointers) if arguments else None
        if cooperative:
            return self.hip.hipModuleLaunchCooperativeKernel(kernel, *grid, *block, shared, stream, params)
        return self.hip.hipModuleLaunchKernel(kernel, *grid, *block, shared, stream, params, None)

    def device(self, array: Any) -> ctypes.c_void_p:
        """Device memory that holds the array's bytes; freed with the process."""
        pointer = check(self.hip.hipMalloc(array.nbytes))
        kind = self.hip.hipMemcpyKind.hipMemcpyHostToDevice
        check(self.hip.hipMemcpy(pointer, array, array.nbytes, kind))
        return ctypes.c_void_p(int(pointer))

    def fetch(self, pointer: ctypes.c_void_p, like: Any) -> Any:
        """An array like the given one, filled from device memory once the device is idle."""
        array = np.empty_like(like)
        kind = self.hip.hipMemcpyKind.hipMemcpyDeviceToHost
        check(self.hip.hipMemcpy(array, pointer.value, array.nbytes, kind))
        return array

"""Contenders: a HIP runtime, an OpenCL one, and plain C++ loops. Each returns a call that runs a kernel and waits."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

HERE = Path(__file__).resolve().parent

Array = npt.NDArray[Any]
Size = tuple[int, int]

#: Meanings of the kernels' words: first in CUDA, then in OpenCL.
WORDS = {
    "DEVICE": ("__device__", ""),
    "KERNEL": ('extern "C" __global__', "__kernel"),
    "GLOBAL": ("", "__global"),
    "SHARED": ("__shared__", "__local"),
    "BARRIER": ("__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE)"),
    "LOCAL_X": ("threadIdx.x", "((int)get_local_id(0))"),
    "LOCAL_Y": ("threadIdx.y", "((int)get_local_id(1))"),
    "GROUP_X": ("blockIdx.x", "((int)get_group_id(0))"),
    "GROUP_Y": ("blockIdx.y", "((int)get_group_id(1))"),
    "GLOBAL_X": ("(blockIdx.x * blockDim.x + threadIdx.x)", "((int)get_global_id(0))"),
    "GLOBAL_Y": ("(blockIdx.y * blockDim.y + threadIdx.y)", "((int)get_global_id(1))"),
    "THREADS_X": ("(gridDim.x * blockDim.x)", "((int)get_global_size(0))"),
    "EXP": ("expf", "exp"),
    "SIN": ("sinf", "sin"),
    "RSQRT": ("rsqrtf", "rsqrt"),
    "SQRT": ("sqrtf", "sqrt"),
    "SQRT_OF_DOUBLE": ("sqrt", "sqrt"),
    "EXP_OF_DOUBLE": ("exp", "exp"),
    "SIN_OF_DOUBLE": ("sin", "sin"),
    "LOG": ("logf", "log"),
    "ERFC": ("erfcf", "erfc"),
    "SHARED_ADD": ("atomicAdd", "atomic_add"),
    "GLOBAL_ADD": ("atomicAdd", "atomic_add"),
    "FLOAT4": ("make_float4", "(float4)"),
    "TEXTURE": ("cudaTextureObject_t", "__read_only image2d_t"),
}
POCL = "Portable Computing Language"
BLOCK = re.compile(r"BLOCK\((\d+), (\d+)\)")  # the size of a kernel's blocks, which helps PoCL


def kernel_text(language: int) -> str:
    """The kernels in CUDA (0) or OpenCL (1)."""
    text = (HERE / "kernels.cu").read_text(encoding="utf-8")
    text = BLOCK.sub(("", r"__attribute__((reqd_work_group_size(\1, \2, 1)))")[language], text)
    return re.sub(r"\b(" + "|".join(WORDS) + r")\b", lambda word: WORDS[word[0]][language], text)


class _Pitched(ctypes.Structure):
    """hipResourceDesc of floats in linear memory, row behind row."""

    _fields_ = (
        ("kind", ctypes.c_int), ("memory", ctypes.c_void_p), ("channels", ctypes.c_int * 5), ("width", ctypes.c_size_t),
        ("height", ctypes.c_size_t), ("pitch", ctypes.c_size_t),
    )  # fmt: skip


class _Sampling(ctypes.Structure):
    """hipTextureDesc."""

    _fields_ = (("beyond", ctypes.c_int * 3), ("filter", ctypes.c_int), ("rest", ctypes.c_int * 12))


class HipRuntime:
    """The libraries in `folder`, called as C: two of them can be compared in one process.

    `compiler` is the command that compiles the kernels, in a process of its own; without it, this process does that
    with the compiler of the settings.
    """

    def __init__(self, folder: Path, compiler: str = "") -> None:
        self.hip = ctypes.CDLL(str(folder / "libamdhip64.so"))
        self.hiprtc = ctypes.CDLL(str(folder / "libhiprtc.so"))
        self.module = ctypes.c_void_p()
        # Another build compiles with its own headers: a library reads its settings when it is asked for the first time.
        own = folder.parent / "device"
        told = os.environ.pop("CUDA_SHIM_CPU_DEVICE_HEADERS", None)
        if own.is_dir() or told:
            os.environ["CUDA_SHIM_CPU_DEVICE_HEADERS"] = str(own if own.is_dir() else told)
        code = compile_elsewhere(folder, compiler) if compiler else self.compile(kernel_text(0))
        self.must(self.hip.hipModuleLoadData(ctypes.byref(self.module), code))

    @staticmethod
    def must(status: int) -> None:
        if status != 0:
            raise RuntimeError(f"HIP status {status}")

    def compile(self, source: str) -> bytes:
        """The code object of a program."""
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        rtc = self.hiprtc
        self.must(rtc.hiprtcCreateProgram(ctypes.byref(program), source.encode(), b"speed.cu", 0, None, None))
        status = rtc.hiprtcCompileProgram(program, 0, None)
        if status != 0:
            log = ctypes.create_string_buffer(100_000)
            rtc.hiprtcGetProgramLog(program, log)
            raise RuntimeError(log.value.decode())
        self.must(rtc.hiprtcGetCodeSize(program, ctypes.byref(size)))
        code = ctypes.create_string_buffer(size.value)
        self.must(rtc.hiprtcGetCode(program, code))
        return code.raw

    def upload(self, array: Array) -> ctypes.c_void_p:
        memory = ctypes.c_void_p()
        self.must(self.hip.hipMalloc(ctypes.byref(memory), ctypes.c_size_t(array.nbytes)))
        self.must(self.hip.hipMemcpy(memory, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), 1))
        return memory

    def texture(self, array: Array) -> tuple[ctypes.c_void_p, ctypes.c_uint64]:
        """The memory, and the texture over it: filtered linearly, clamped to the edge."""
        memory, made = self.upload(array), ctypes.c_uint64()
        height, width = array.shape
        desc = _Pitched(3, memory, (ctypes.c_int * 5)(32, 0, 0, 0, 2), width, height, array.strides[0])
        sampling = _Sampling((ctypes.c_int * 3)(1, 1, 1), 1)
        create = self.hip.hipCreateTextureObject
        self.must(create(ctypes.byref(made), ctypes.byref(desc), ctypes.byref(sampling), None))
        return memory, made

    def copier(self, memory: ctypes.c_void_p, array: Array) -> Callable[[], None]:
        size = ctypes.c_size_t(array.nbytes)
        return lambda: self.must(self.hip.hipMemcpy(memory, ctypes.c_void_p(array.ctypes.data), size, 1))

    def fetch(self, memory: ctypes.c_void_p, like: Array) -> Array:
        out = np.empty_like(like)
        self.must(self.hip.hipMemcpy(ctypes.c_void_p(out.ctypes.data), memory, ctypes.c_size_t(out.nbytes), 2))
        return out

    def free(self, memory: ctypes.c_void_p) -> None:
        self.must(self.hip.hipFree(memory))

    def call(self, name: str, grid: Size, block: Size, arguments: Sequence[Any]) -> Callable[[], None]:
        function = ctypes.c_void_p()
        self.must(self.hip.hipModuleGetFunction(ctypes.byref(function), self.module, name.encode()))
        addresses = (ctypes.c_void_p * (len(arguments) + 1))(*(ctypes.addressof(one) for one in arguments))
        launch, wait = self.hip.hipModuleLaunchKernel, self.hip.hipStreamSynchronize

        def run(_kept: Sequence[Any] = arguments) -> None:  # the addresses are theirs
            self.must(launch(function, *grid, 1, *block, 1, 0, None, addresses, None))
            self.must(wait(None))

        return run


def compile_elsewhere(folder: Path, compiler: str) -> bytes:
    """The code object of the kernels from a process with another compiler: a library chooses its own only once."""
    words = [sys.executable, str(HERE / "compile_kernels.py"), str(folder)]
    return subprocess.check_output(words, env={**os.environ, "CUDA_SHIM_CPU_CXX": compiler})


class OpenCl:
    """An installed PoCL of any version. Raises ImportError or RuntimeError where there is none.

    Where there are several, the OpenCL loader's first one is used: `OCL_ICD_VENDORS` chooses another.
    """

    def __init__(self) -> None:
        import pyopencl

        try:
            platforms = [one for one in pyopencl.get_platforms() if one.name == POCL]
            device = platforms[0].get_devices()[0]
        except (pyopencl.Error, IndexError) as error:
            raise RuntimeError(f"no OpenCL platform {POCL!r}: {error}") from None
        version = re.search(r"PoCL (\d+(?:\.\d+)*)", platforms[0].version)
        #: The column's title, such as "PoCL 7.1".
        self.name = version[0] if version else "PoCL"
        self.cl = pyopencl
        self.context = pyopencl.Context([device])
        self.queue = pyopencl.CommandQueue(self.context)
        self.program = pyopencl.Program(self.context, kernel_text(1)).build()
        self.kept: list[Any] = []  # pyopencl crashes when a kernel's buffers are collected

    def upload(self, array: Array) -> Any:
        flags = self.cl.mem_flags
        memory = self.cl.Buffer(self.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)
        self.kept.append(memory)
        return memory

    def texture(self, array: Array) -> tuple[Any, Any]:
        """The image, twice."""
        cl = self.cl
        made = cl.Image(
            self.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR,
            cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT), array.shape[::-1], hostbuf=array,
        )  # fmt: skip
        self.kept.append(made)
        return made, made

    def copier(self, memory: Any, array: Array) -> Callable[[], None]:
        def run() -> None:
            self.cl.enqueue_copy(self.queue, memory, array)
            self.queue.finish()

        return run

    def fetch(self, memory: Any, like: Array) -> Array:
        out = np.empty_like(like)
        self.cl.enqueue_copy(self.queue, out, memory)
        return out

    def free(self, memory: Any) -> None:
        memory.release()

    def call(self, name: str, grid: Size, block: Size, arguments: Sequence[Any]) -> Callable[[], None]:
        kernel = self.cl.Kernel(self.program, name)
        scalars = [np.float32(one.value) if isinstance(one, ctypes.c_float) else one for one in arguments]
        scalars = [np.int32(one.value) if isinstance(one, ctypes.c_int) else one for one in scalars]
        kernel.set_args(*scalars)
        whole = (grid[0] * block[0], grid[1] * block[1])

        def run() -> None:
            self.cl.enqueue_nd_range_kernel(self.queue, kernel, whole, block)
            self.queue.finish()

        return run


class HostLoops:
    """The loops of host.cpp and the launching threads of launchers.cpp, compiled for this machine."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))

    @staticmethod
    def compile(compiler: Sequence[str], folder: Path) -> Path:
        """Compile the library into a folder."""
        library = folder / "host.so"
        flags = ["-O3", "-march=native", "-ffast-math", "-std=c++17", "-shared", "-fPIC", "-pthread"]
        sources = [str(HERE / name) for name in ("host.cpp", "launchers.cpp")]
        subprocess.run([*compiler, *flags, *sources, "-o", str(library)], check=True)
        return library

    def call(self, name: str, arguments: Sequence[Any]) -> Callable[[], None]:
        function = self.library[name]
        given = [ctypes.c_void_p(one.ctypes.data) if isinstance(one, np.ndarray) else one for one in arguments]

        def run(_kept: Sequence[Any] = arguments) -> None:  # the arrays whose addresses are given
            function(*given)

        return run

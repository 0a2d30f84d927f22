"""libhiprtc of the CPU-hosted runtime: building it, loading hip-python's hiprtc on it, and compiling kernels with it."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import platform
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cuda_shim.backends import compilers, host

RUNTIME = Path(__file__).resolve().parents[2] / "hip_on_host/src"
FLAGS = ["-O1", "-std=c++17", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", f"-I{RUNTIME}"]

READERS = [program for program, *_ in host.COMPILER_SEARCH if program.startswith(("clang++", "zig"))]
#: Tests of kernels' forms that need a Clang to read the kernels, whichever compiler compiles them.
needs_reader = pytest.mark.skipif(
    # By their names: a trial of each compiler would take long while tests are collected.
    not (compilers.find_ziglang() or any(compilers.which(name) for name in READERS)),
    reason="no Clang is there that reads kernels: pip install ziglang==0.14.1",
)

Grid = int | tuple[int, int, int]


def load(folder: str | Path) -> ModuleType:
    """hip-python's hiprtc module, whichever generation is installed, on the library in ``folder/lib``."""
    folder = Path(folder)
    os.environ["ROCM_PATH"] = str(folder)
    try:
        from rocm.bindings import hiprtc
    except ImportError:
        import hip.chiprtc
        import hip.hiprtc

        hip.chiprtc.DLL = os.fsencode(folder / "lib/libhiprtc.so")
        return hip.hiprtc
    return hiprtc


def value(result: tuple[Any, ...]) -> Any:
    """The output of a call that must succeed."""
    assert int(result[0]) == 0, result[0]
    return result[1] if len(result) > 1 else None


def text(string: Any) -> str:
    """A C string of either generation of hip-python."""
    return bytes(string).decode() if isinstance(string, bytes | bytearray) else str(string.decode())


def find_compiler(name: str) -> str:
    """The command of a compiler that is installed, or "". zig comes in a Python package too.

    "newer zig" has headers of its own for the C library, of a newer one than most machines have.
    """
    if name == "newer zig":
        from tests import newer_zig  # benchmarks run without the packages that install it

        return f"'{newer_zig.program()}' c++ -target {platform.machine()}-linux-gnu"
    if name != "zig":
        return name if shutil.which(name) else ""
    packaged = find_spec("ziglang")
    if packaged and packaged.origin:
        return f"'{Path(packaged.origin).parent / 'zig'}' c++"
    return "zig c++" if shutil.which("zig") else ""


class CompileError(Exception):
    """A program that hiprtc refused: its status and its log."""

    def __init__(self, status: str, log: str) -> None:
        super().__init__(log)
        self.status = status
        self.log = log


@dataclasses.dataclass
class Compiled:
    """The results of hiprtc for a program."""

    code: bytes
    lowered: dict[str, str]
    log: str


def compile_program(
    hiprtc: ModuleType, source: str, options: Iterable[str] = (), names: Sequence[str] = (),
    headers: Mapping[str, str] | None = None, program_name: str = "kernel.cu",
) -> Compiled:  # fmt: skip
    """Compile through hip-python; raises CompileError."""
    headers = headers or {}
    contents = [part.encode() for part in headers.values()]
    include_names = [part.encode() for part in headers]
    program = value(
        hiprtc.hiprtcCreateProgram(
            source.encode(), program_name.encode(), len(headers), contents or None, include_names or None
        )
    )
    try:
        for name in names:
            value(hiprtc.hiprtcAddNameExpression(program, name.encode()))
        encoded = [option.encode() for option in options]
        status = hiprtc.hiprtcCompileProgram(program, len(encoded), encoded)[0]
        log = bytearray(value(hiprtc.hiprtcGetProgramLogSize(program)))
        value(hiprtc.hiprtcGetProgramLog(program, log))
        written = log.rstrip(b"\0").decode()
        if int(status) != 0:
            raise CompileError(status.name, written)
        lowered = {name: text(value(hiprtc.hiprtcGetLoweredName(program, name.encode()))) for name in names}
        code = bytearray(value(hiprtc.hiprtcGetCodeSize(program)))
        value(hiprtc.hiprtcGetCode(program, code))
        return Compiled(bytes(code), lowered, written)
    finally:
        hiprtc.hiprtcDestroyProgram(program.createRef())


class Module:
    """A loaded program and its kernels."""

    def __init__(self, hip: ModuleType, compiled: Compiled) -> None:
        self.hip = hip
        self.lowered = compiled.lowered
        self.code = compiled.code
        self.module = value(hip.hipModuleLoadData(self.code))

    def reset_device(self) -> None:
        """Reset the device, which ends the module, and load it again."""
        value(self.hip.hipDeviceReset())
        self.module = value(self.hip.hipModuleLoadData(self.code))

    def function(self, name: str) -> Any:
        return value(self.hip.hipModuleGetFunction(self.module, self.lowered.get(name, name).encode()))

    def variable(self, name: str) -> tuple[Any, int]:
        """Address and bytes of a variable."""
        pointer, size = self.hip.hipModuleGetGlobal(self.module, self.lowered.get(name, name).encode())[1:]
        return pointer, int(size)

    def launch(self, name: str, grid: Grid, block: Grid, *arguments: Any, shared: int = 0) -> None:
        """Launch and wait. Arrays go to the device and come back; other arguments are ctypes values."""
        whole = [(size, 1, 1) if isinstance(size, int) else size for size in (grid, block)]
        arrays = [(argument, self.upload(argument)) for argument in arguments if isinstance(argument, np.ndarray)]
        devices = iter(device for _, device in arrays)
        values = [
            ctypes.c_void_p(int(next(devices))) if isinstance(argument, np.ndarray) else argument
            for argument in arguments
        ]
        pointers = (ctypes.c_void_p * (len(values) + 1))(*(ctypes.addressof(one) for one in values))
        value(
            self.hip.hipModuleLaunchKernel(
                self.function(name), *whole[0], *whole[1], sharedMemBytes=shared, stream=None,
                kernelParams=pointers, extra=None,
            )
        )  # fmt: skip
        value(self.hip.hipDeviceSynchronize())
        for array, device in arrays:
            value(self.hip.hipMemcpy(array, device, array.nbytes, self.hip.hipMemcpyKind.hipMemcpyDeviceToHost))
            value(self.hip.hipFree(device))

    def upload(self, array: npt.NDArray[Any]) -> Any:
        device = value(self.hip.hipMalloc(max(array.nbytes, 1)))
        value(self.hip.hipMemcpy(device, array, array.nbytes, self.hip.hipMemcpyKind.hipMemcpyHostToDevice))
        return device


class Kernels:
    """Compiles and loads programs."""

    def __init__(self, hip: ModuleType, hiprtc: ModuleType) -> None:
        self.hip = hip
        self.hiprtc = hiprtc

    def compile(self, source: str, *options: str, **more: Any) -> Compiled:
        return compile_program(self.hiprtc, source, options, **more)

    def load(self, source: str, *options: str, **more: Any) -> Module:
        return Module(self.hip, self.compile(source, *options, **more))


class Symbol(ctypes.Structure):
    """A row of a module's table, as abi/kernel_module.h has it."""

    _fields_ = (
        ("source_name", ctypes.c_char_p), ("lowered_name", ctypes.c_char_p), ("kind", ctypes.c_uint32),
        ("parameter_count", ctypes.c_uint32), ("sizes", ctypes.c_void_p), ("aligns", ctypes.c_void_p),
        ("offsets", ctypes.c_void_p), ("kinds", ctypes.c_void_p), ("parameter_names", ctypes.c_char_p),
        ("run_threads", ctypes.c_void_p), ("run_split", ctypes.c_void_p),
        ("has_barriers", ctypes.c_uint32), ("whole_runs", ctypes.c_uint32), ("form", ctypes.c_char_p), ("reason", ctypes.c_char_p),
        ("static_shared_bytes", ctypes.c_uint32), ("max_threads_per_block", ctypes.c_uint32),
        ("address", ctypes.c_void_p), ("size", ctypes.c_uint64), ("may_wait", ctypes.c_uint32),
        ("cluster", ctypes.c_uint32 * 3), ("local_bytes", ctypes.c_uint32),
    )  # fmt: skip


class Table(ctypes.Structure):
    """A module's table."""

    _fields_ = (("version", ctypes.c_uint32), ("count", ctypes.c_uint32), ("symbols", ctypes.POINTER(Symbol)))


def rows(compiled: Compiled) -> dict[str, Symbol]:
    """Every kernel of a module, by lowered name, read from the module's own table."""
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(compiled.code)
        file.flush()
        library = ctypes.CDLL(file.name)
    library.cuda_shim_kernel_module.restype = ctypes.POINTER(Table)
    table = library.cuda_shim_kernel_module(None).contents
    kernels = [table.symbols[i] for i in range(table.count)]
    return {row.lowered_name.decode(): row for row in kernels if row.kind == 1}


def forms(compiled: Compiled) -> dict[str, tuple[bool, bool]]:
    """Return, for each kernel, whether it has barriers, and whether it has a split form."""
    return {name: (bool(row.has_barriers), bool(row.run_split)) for name, row in rows(compiled).items()}


def reasons(compiled: Compiled) -> dict[str, str]:
    """Return the reasons of kernels with barriers that are not split."""
    found = rows(compiled).items()
    return {name: row.reason.decode() for name, row in found if row.reason and row.has_barriers and not row.run_split}

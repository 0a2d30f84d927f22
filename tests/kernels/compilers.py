"""NVIDIA's and AMD's runtime compilers, called directly: both compile without a GPU."""

from __future__ import annotations

import atexit
import concurrent.futures
import ctypes
import ctypes.util
import functools
import importlib.metadata
import multiprocessing
import os
import resource
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

#: Wheels that hold NVRTC, with the layout whose NVRTC it is.
WHEELS = {"nvidia-cuda-nvrtc-cu11": "11.8", "nvidia-cuda-nvrtc-cu12": "12.9", "nvidia-cuda-nvrtc": "13.5"}
#: Wheels that hold headers of the toolkit of the newest layout.
HEADER_WHEELS = ("nvidia-cuda-runtime", "nvidia-cuda-cccl", "nvidia-cuda-crt")

#: The locale of the process, as uselocale() takes it.
_GLOBAL_LOCALE = ctypes.c_void_p(-1)


class Outcome(NamedTuple):
    """A compilation's status, 0 for success, its log, the size of its image, and the image where that was asked for."""

    status: int
    log: str
    size: int
    image: bytes = b""


class RuntimeCompiler:
    """A library with NVRTC's functions, by their prefix."""

    def __init__(self, path: str, prefix: str) -> None:
        self.path = path
        self._prefix = prefix

    @functools.cached_property
    def _library(self) -> ctypes.CDLL:
        return ctypes.CDLL(self.path)

    def compile(
        self, source: bytes, name: bytes, options: Sequence[bytes], headers: Mapping[bytes, bytes] | None = None,
        expressions: Sequence[bytes] = (), with_image: bool = False,
    ) -> Outcome:  # fmt: skip
        """Compile a program of one source and its headers (name: text), with name expressions."""
        headers = headers or {}
        program = ctypes.c_void_p()
        stack = resource.getrlimit(resource.RLIMIT_STACK)
        names, texts = _strings(list(headers)), _strings(list(headers.values()))
        status = self._call("CreateProgram", ctypes.byref(program), source, name, len(headers), texts, names)
        assert status == 0, f"{self.path}: no program could be made: {status}"
        try:
            for expression in expressions:
                assert self._call("AddNameExpression", program, expression) == 0, expression
            status = self._call("CompileProgram", program, len(options), _strings(options))
            size = ctypes.c_size_t()
            what = "Code" if self._prefix == "hiprtc" else "PTX"
            if status == 0:
                self._call(f"Get{what}Size", program, ctypes.byref(size))
            image = ctypes.create_string_buffer(size.value if with_image else 0)
            if len(image):
                self._call(f"Get{what}", program, image)
            return Outcome(status, self._log(program), size.value, image.raw)
        finally:
            self._call("DestroyProgram", ctypes.byref(program))
            # NVRTC leaves the thread in the locale C, where Python takes every program's output for ASCII.
            ctypes.CDLL(None).uselocale(_GLOBAL_LOCALE)
            # And, when a program does not compile, the process without a limit to its stack, which children inherit.
            resource.setrlimit(resource.RLIMIT_STACK, stack)

    def ptx(
        self,
        source: bytes,
        name: bytes,
        options: Sequence[bytes],
        headers: Mapping[bytes, bytes],
        expressions: Sequence[bytes],
    ) -> tuple[bytes, dict[bytes, str]] | None:
        """A program's PTX and the lowered name of each name expression; None where it does not compile."""
        program = ctypes.c_void_p()
        stack = resource.getrlimit(resource.RLIMIT_STACK)
        names, texts = _strings(list(headers)), _strings(list(headers.values()))
        assert self._call("CreateProgram", ctypes.byref(program), source, name, len(headers), texts, names) == 0
        try:
            for expression in expressions:
                assert self._call("AddNameExpression", program, expression) == 0, expression
            if self._call("CompileProgram", program, len(options), _strings(options)):
                return None
            lowered = {}
            for expression in expressions:
                found = ctypes.c_char_p()
                self._call("GetLoweredName", program, expression, ctypes.byref(found))
                lowered[expression] = (found.value or b"").decode()
            size = ctypes.c_size_t()
            self._call("GetPTXSize", program, ctypes.byref(size))
            text = ctypes.create_string_buffer(size.value)
            self._call("GetPTX", program, text)
            return text.value, lowered
        finally:
            self._call("DestroyProgram", ctypes.byref(program))
            ctypes.CDLL(None).uselocale(_GLOBAL_LOCALE)
            resource.setrlimit(resource.RLIMIT_STACK, stack)

    def _log(self, program: ctypes.c_void_p) -> str:
        size = ctypes.c_size_t()
        self._call("GetProgramLogSize", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value + 1)
        self._call("GetProgramLog", program, buffer)
        return buffer.value.decode(errors="replace")

    def _call(self, function: str, *arguments: object) -> int:
        return int(getattr(self._library, self._prefix + function)(*arguments))


def _strings(items: Sequence[bytes]) -> ctypes.Array[ctypes.c_char_p] | None:
    return (ctypes.c_char_p * len(items))(*items) if items else None


def _files(wheel: str, ending: str) -> list[Path]:
    """The files of an installed wheel whose path holds `ending`."""
    try:
        files = importlib.metadata.distribution(wheel).files or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())) for file in files if ending in f"/{file}"]


@functools.cache
def nvrtc() -> dict[str, RuntimeCompiler]:
    """NVRTC of each layout that is installed as a wheel, or that NVRTC_LIBRARIES names as `12.9=/path:13.5=/path`."""
    found: dict[str, str] = {}
    for wheel, layout in WHEELS.items():
        for file in _files(wheel, "/libnvrtc.so"):
            found[layout] = str(file)
    for pair in filter(None, os.environ.get("NVRTC_LIBRARIES", "").split(os.pathsep)):
        layout, _, path = pair.partition("=")
        found[layout] = path
    return {layout: RuntimeCompiler(path, "nvrtc") for layout, path in found.items()}


@functools.cache
def toolkit_folders(layout: str) -> tuple[str, ...]:
    """Return the folders with headers of a CUDA toolkit that NVRTC of `layout` takes.

    CUDA_INCLUDE names those of the newest; else installed wheels hold them, or a toolkit in its usual place.
    """
    if layout != max(WHEELS.values()):
        return ()
    given = [folder for folder in os.environ.get("CUDA_INCLUDE", "").split(os.pathsep) if folder]
    if given:
        return tuple(given)
    found: set[str] = set()
    for wheel in HEADER_WHEELS:
        for marker in ("cuda_fp16.h", "cuda/std/version", "crt/host_defines.h"):
            found.update(str(path)[: -len(marker) - 1] for path in _files(wheel, "/" + marker))
    toolkit = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda")) / "include"
    if not found and (toolkit / "cuda_fp16.h").exists():
        found.update({str(toolkit), str(toolkit / "cccl")})
    return tuple(sorted(found))


def nvcc() -> str | None:
    """NVIDIA's compiler driver: the one of NVCC, of the installed wheel, or in the path; None where there is none."""
    found = os.environ.get("NVCC") or next(map(str, _files("nvidia-cuda-nvcc", "/bin/nvcc")), None)
    return found or shutil.which("nvcc")


@functools.cache
def amd() -> RuntimeCompiler | None:
    """AMD's hiprtc of ROCm 5.2, as Debian's libamdhip64-5 has it; None where it is not installed.

    Nothing is opened until it compiles: a process that has opened AMD's library uses it for all of HIP.
    """
    name = ctypes.util.find_library("amdhip64")
    return None if name is None else RuntimeCompiler(name, "hiprtc")


def compile_with_amd(source: bytes, name: bytes, options: Sequence[bytes], headers: Mapping[bytes, bytes]) -> Outcome:
    """`amd().compile` in a process of its own, which is kept for the next one."""
    return _process().submit(_compile_with_amd, source, name, options, headers).result()


@functools.cache
def _process() -> concurrent.futures.ProcessPoolExecutor:
    folder = tempfile.TemporaryDirectory(prefix="cuda_shim-amd-")
    executor = concurrent.futures.ProcessPoolExecutor(
        1, multiprocessing.get_context("spawn"), initializer=_write_to, initargs=(folder.name,)
    )
    atexit.register(folder.cleanup)
    atexit.register(executor.shutdown)
    return executor


def _write_to(folder: str) -> None:
    """Let AMD's compiler write its sources into `folder`: it leaves some of its own folders behind."""
    os.environ["TMPDIR"] = folder


def _compile_with_amd(source: bytes, name: bytes, options: Sequence[bytes], headers: Mapping[bytes, bytes]) -> Outcome:
    compiler = amd()
    assert compiler is not None
    return compiler.compile(source, name, options, headers)

"""Compiles the known programs under the shim and prints how each kernel runs.

    python -m cuda_shim run --backend cpu tests/kernels/forms/collect.py FOLDERS [BEGINNING...]

FOLDERS are those of CUDA's C++ core libraries, with the system's separator of paths between them. Behind them may stand
beginnings of names, such as corpus/ or benchmark/saxpy; behind "hostile", the programs declare types of common names. A line has the program, the kernel, the form and the reason for it,
with tabs between them. The output for all programs, compiled by Clang 19, is kept in forms.tsv beside this file. The programs
are compiled as other tests do it, whose modules are in the cache then.
"""

from __future__ import annotations

import os
import sys
import unittest.mock
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cuda.bindings import driver, nvrtc

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/kernels")]
sys.path.append(str(ROOT))  # behind an installed cuda_shim

from cuda_shim.adapters.ptx import CompiledPtx  # noqa: E402 - the paths come first
from hip_on_host.kernel_list import Kernel, read_module  # noqa: E402
from tests.kernels.forms.sources import Source, sources  # noqa: E402
from tests.kernels.hostile_names import with_types  # noqa: E402


def check(result: tuple[Any, ...]) -> Any:
    assert int(result[0]) == 0, result[0]
    return result[1] if len(result) == 2 else result[1:]


def of_cuda(source: Source, text: str, folders: str) -> list[Kernel]:
    """Return the kernels of a program in CUDA C++, whose text may differ from the source's."""
    names, texts = [name.encode() for name, _ in source.headers], [text.encode() for _, text in source.headers]
    program = check(nvrtc.nvrtcCreateProgram(text.encode(), source.file.encode(), len(names), texts, names))
    for expression in source.expressions:
        check((*nvrtc.nvrtcAddNameExpression(program, expression.encode()), None))
    options = ["--gpu-architecture=sm_80", *source.options]
    options += [f"-I{folder}" for folder in folders.split(os.pathsep) if folder and source.core]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    log = b"  " * check(nvrtc.nvrtcGetProgramLogSize(program))
    check((*nvrtc.nvrtcGetProgramLog(program, log), None))
    assert int(status) == 0, log.partition(b"\0")[0].decode(errors="replace")
    code = b" " * check(nvrtc.nvrtcGetCUBINSize(program))
    check((*nvrtc.nvrtcGetCUBIN(program, code), None))
    check((*nvrtc.nvrtcDestroyProgram(program), None))
    return read_module(code)


class LoadedPtx:
    """The kernels of PTX texts: the code objects that they become while they are loaded."""

    def __init__(self) -> None:
        """Keep each code object that is compiled from now on."""
        self._codes: list[bytes] = []
        initialise = CompiledPtx.__init__

        def keep(compiled: CompiledPtx, code: bytes | None, log: str, status: str) -> None:
            initialise(compiled, code, log, status)
            self._codes.append(code or b"")

        unittest.mock.patch.object(CompiledPtx, "__init__", keep).start()

    def kernels(self, text: str) -> list[Kernel]:
        """Load a PTX text and return its kernels."""
        self._codes.clear()
        module = check(driver.cuModuleLoadData(text.encode()))
        check((*driver.cuModuleUnload(module), None))
        (code,) = self._codes
        return read_module(code)


def lines(words: list[str]) -> Iterator[str]:
    folders, *beginnings = words or [""]
    hostile = "hostile" in beginnings[:1]
    beginnings = beginnings[hostile:]
    check((*driver.cuInit(0), None))
    check((*driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(check(driver.cuDeviceGet(0))))), None))
    loaded = LoadedPtx()
    for source in sources():
        if beginnings and not source.name.startswith(tuple(beginnings)):
            continue
        text = with_types(source.text) if hostile else source.text
        try:
            kernels = loaded.kernels(text) if source.is_ptx else of_cuda(source, text, folders)
        except AssertionError as failure:
            yield f"{source.name}\t-\tdoes not compile\t{str(failure).strip().splitlines()[0]}"
            continue
        for kernel in kernels:
            yield f"{source.name}\t{kernel.name}\t{kernel.form}\t{kernel.reason}"


if __name__ == "__main__":
    for line in lines(sys.argv[1:]):
        print(line, flush=True)

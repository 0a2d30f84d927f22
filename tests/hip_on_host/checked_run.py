"""Kernels of one source launched in checked mode, each on a device that was reset."""

from __future__ import annotations

import functools
import re
import shutil
from pathlib import Path

from tests.hip_on_host import hip_program

__all__ = ["COMPILERS", "outcomes"]

COMPILERS = [name for name in ("clang++-19", "clang++", "g++") if shutil.which(name)]


@functools.cache
def outcomes(
    folder: Path, program: str, compiler: str, **variables: str
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return, for each kernel that a program launches, the results of launching and waiting, and its log.

    Args:
        folder: the folder of the runtime.
        program: prints `[kernel]` on stderr before each launch, and the kernel with both results on stdout behind it.
        compiler: the kernels' compiler.
        variables: further variables of the environment.
    """
    settings = {"CUDA_SHIM_CPU_CHECK": "1", "CUDA_SHIM_CPU_CXX": compiler, **variables}
    done = hip_program.run(folder, program, **settings)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    logs = re.split(r"^\[(\w+)\]$", done.stderr, flags=re.MULTILINE)[1:]
    return {kernel: results for kernel, *results in lines}, dict(zip(logs[::2], logs[1::2], strict=True))

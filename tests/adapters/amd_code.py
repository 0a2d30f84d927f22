"""Code objects for AMD GPUs, compiled by the Clang within ziglang from HIP's bare language: no header, no ROCm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = """
#define GLOBAL __attribute__((global))
struct Pair { double a; char b; };
extern "C" GLOBAL void saxpy(float* a, const float* b, float factor, Pair pair, int n) { a[n] += factor * b[n] + pair.a; }
extern "C" GLOBAL void nothing() {}
template <class T> GLOBAL void fill(T value, T* out) { *out = value; }
template GLOBAL void fill<short>(short, short*);
"""

#: The kernels of SOURCE with the bytes of each parameter.
KERNELS = [("_Z4fillIsEvT_PS0_", [2, 8]), ("nothing", []), ("saxpy", [8, 8, 4, 16, 4])]


def build(target: str, folder: Path, source: str = SOURCE) -> bytes:
    """The code object of a program for a target such as "gfx90a:sramecc+:xnack-"."""
    pytest.importorskip("ziglang")
    program, assembly, relocatable, linked = (folder / f"program.{ending}" for ending in ("hip", "s", "o", "co"))
    program.write_text(source, encoding="utf-8")
    hip = ["-x", "hip", "--cuda-device-only", f"--offload-arch={target}", "-nogpuinc", "-nogpulib", "-O2"]
    for command in (
        ["clang", *hip, "-S", "-o", assembly, program],
        ["clang", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-c", "-o", relocatable, assembly],
        ["ld.lld", "-shared", "-o", linked, relocatable],
    ):
        subprocess.run([sys.executable, "-m", "ziglang", *map(str, command)], check=True, timeout=100)
    return linked.read_bytes()

"""Code objects for AMD GPUs, compiled by the Clang within ziglang from HIP's bare language: no header, no ROCm."""

from __future__ import annotations

from pathlib import Path

from tests.amd import zig

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
    program, assembly = folder / "program.hip", folder / "program.s"
    program.write_text(source, encoding="utf-8")
    zig.output("clang", *zig.device_words(target), "-O2", "-S", "-o", assembly, program)
    return zig.code_object(assembly, target)

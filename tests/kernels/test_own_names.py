"""Kernels and device functions with names of the C library's or CUDA's functions, where NVRTC takes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernels import compilers

WORKER = Path(__file__).with_name("own_names_worker.py")
C_LIBRARY = ["abort", "abs", "accept", "atoi", "bsearch", "calloc", "clock", "close", "connect", "div", "dup", "environ", "exit", "fork", "free", "fwrite", "gamma", "getenv", "index", "isalpha", "j1", "jn", "kill", "labs", "link", "listen", "malloc", "memchr", "memcmp", "memmove", "open", "pause", "pipe", "poll", "printf", "putchar", "puts", "qsort", "raise", "rand", "random", "read", "realloc", "recv", "remove", "rename", "rewind", "rindex", "select", "send", "signal", "sleep", "socket", "stat", "stderr", "strlen", "system", "time", "toupper", "uname", "wait", "write", "y0", "yn"]  # fmt: skip
CUDA = ["acosf", "atan2f", "atomicAdd", "atomicCAS", "ceil", "clock64", "cosf", "erfinv", "exp10", "expf", "fabs", "fma", "fminf", "hypot", "isnan", "ldexp", "log1pf", "make_float4", "max", "min", "norm", "norm3d", "normcdf", "powf", "rcbrt", "rnorm3df", "round", "rsqrt", "saturate", "sin", "sincos", "sinf", "sinpi", "sqrt", "surf2Dread", "tex2D", "truncf", "__ballot_sync", "__cvta_generic_to_constant", "__cvta_generic_to_shared", "__cvta_global_to_generic", "__expf", "__ffs", "__float_as_int", "__fmaf_rn", "__half2float", "__ldg", "__nanosleep", "__popc", "__shfl_sync", "__syncthreads", "__threadfence"]  # fmt: skip
NAMES = [*C_LIBRARY, *CUDA]
#: Programs with two functions, so that each name stands for two kinds of arguments.
KERNEL = "__global__ void {name}(float* x, int k = (1 < 2, 7)) {{ x[0] = {number}; }}\n"
C_KERNEL = 'extern "C" __global__ void {name}(float* x) {{ x[0] = {number}; }}\n'
OTHER_SIGNATURE = "__device__ float* {name}(short* a, float* b, char c) {{ return b + c; }}\n"
SAME_SIGNATURE = "__device__ float {name}(float x) {{ return x + {number}; }}\n"
TWO_NUMBERS = "__device__ float {name}(float x, float y) {{ return x + y + {number}; }}\n"
CALLED = {
    OTHER_SIGNATURE: "  x[{at}] = *{name}(nullptr, x, {at}) + {number};\n",
    SAME_SIGNATURE: "  x[{at}] = {name}(x[{at}]);\n",
    TWO_NUMBERS: "  x[{at}] = {name}(x[{at}], 0.0f);\n",
}


def program(form: str, names: list[str]) -> tuple[str, list[str], int, list[list[float]]]:
    """Return a program's source, its kernels, the length of their array, and the array after each."""
    text = "".join(form.format(name=name, number=at + 100) for at, name in enumerate(names))
    if form not in CALLED:
        kernels = [f"_Z{len(name)}{name}Pfi" for name in names] if form is KERNEL else names
        return text, kernels, 1, [[at + 100.0] for at in range(len(names))]
    calls = "".join(CALLED[form].format(name=name, at=at, number=at + 100) for at, name in enumerate(names))
    text += f'extern "C" __global__ void calling(float* x) {{\n{calls}}}\n'
    return text, ["calling"], len(names), [[2 * at + 100.0 for at in range(len(names))]]


def taken(form: str) -> list[str]:
    """Return the names with which NVRTC takes a program of this form."""
    nvrtc = compilers.nvrtc()
    if "13.5" not in nvrtc:
        pytest.skip("the wheel nvidia-cuda-nvrtc is not installed")

    def takes(names: list[str]) -> bool:
        return nvrtc["13.5"].compile(program(form, names)[0].encode(), b"names.cu", [b"-arch=compute_75"]).status == 0

    def sifted(names: list[str]) -> list[str]:
        if not names or takes(names):
            return names
        half = len(names) // 2
        return [*sifted(names[:half]), *sifted(names[half:])] if half else []

    return sifted(NAMES)


def test_names_that_nvrtc_takes_are_the_programs_own(tmp_path: Path) -> None:
    least = {KERNEL: len(NAMES), C_KERNEL: 60, OTHER_SIGNATURE: 100, SAME_SIGNATURE: 100, TWO_NUMBERS: 100}
    programs = []
    for form, number in least.items():
        names = taken(form)
        assert len(names) >= number, form
        programs.append(program(form, names))
    listed = tmp_path / "programs.json"
    listed.write_text(json.dumps([described[:3] for described in programs]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", WORKER, listed],
        env={**os.environ, "CUDA_SHIM_QUIET": "1"}, capture_output=True, encoding="utf-8", timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for described, written in zip(programs, json.loads(done.stdout), strict=True):
        assert written == described[3], described[0][:200]

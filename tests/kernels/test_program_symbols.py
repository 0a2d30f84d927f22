"""Symbols of programs with names that the C library, a compiler, a linker or the loader knows, with each compiler.

None of them is bound by anything but the program, and loading a module runs nothing of it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.environments import ROOT
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.kernels import compilers

FOLDER = Path(__file__).parent
ABI = FOLDER.parents[1] / "hip_on_host/src/abi/types"
COMPILERS = ["clang++-19", "g++", "zig"]
NAMES = [
    "memcpy", "memset", "memmove", "memcmp", "vprintf", "puts", "strlen", "strcpy", "exit", "_exit", "abort", "alloca", "calloc",
    "setjmp", "dlopen", "environ", "errno", "stdout", "_init", "_fini", "_start", "_end", "__bss_start", "_DYNAMIC",
    "_GLOBAL_OFFSET_TABLE_", "__dso_handle", "__cxa_atexit", "__cxa_finalize", "__libc_start_main", "__tls_get_addr",
    "__stack_chk_fail",
]  # fmt: skip
#: Compilers that take long get one program of so many.
EVERY = {"g++": 6, "zig": 8}
NOT_FOR_VARIABLES = {"memcpy", "memset"}  # NVRTC has functions of these names
KERNEL = 'extern "C" __global__ void k(float* x) '
BIG = "struct Big { float c[5000]; }; __device__ Big a, b;\n"

#: Programs with their kernels, the length of the array that each kernel gets, and the array after each.
PROGRAMS: dict[str, tuple[str, list[str], int, list[list[float]]]] = {
    "compilers' own memcpy and memset": (
        BIG + 'extern "C" __global__ void memcpy(float* x) { x[0] = 1; }\n'
        'extern "C" __global__ void memset(float* x) { x[0] = 2; }\n'
        + KERNEL + "{ a.c[1] = 7; b = a; a = Big(); x[0] = b.c[1] + a.c[1]; float y[2] = {3, 4}; memcpy(x + 1, y, 4); }",
        ["k", "memcpy", "memset"], 2, [[7, 3], [1, 1], [2, 1]],
    ),
    "compilers' own memmove": (
        BIG + 'extern "C" __device__ __noinline__ void* memmove(void* to, const void*, size_t) { *(float*)to = -1; return to; }\n'
        + KERNEL + "{ a.c[1] = 7; b = a; memmove(x + 1, x, 4); x[0] = b.c[1]; }",
        ["k"], 2, [[7, -1]],
    ),
    "memcpy, a shared variable": (
        BIG.replace("a, b", "b[2]") + "__shared__ int memmove;\n" + KERNEL
        + "{ memmove = 4; __syncthreads(); b[0].c[1] = 7; b[1] = b[0]; x[0] = b[1].c[1] + memmove; }",
        ["k"], 1, [[11]],
    ),
    "printf": (  # NVRTC takes the definition, and calls CUDA's
        'extern "C" __device__ int printf(const char*, ...) { return 5; }\n' + KERNEL + '{ x[0] = printf("%d", 3); }',
        ["k"], 1, [[1]],
    ),
    "malloc and free": (
        'extern "C" __device__ void* malloc(size_t n) { return n == 3 ? (void*)16 : nullptr; }\n'
        'extern "C" __device__ void free(void*) {}\n' + KERNEL + "{ x[0] = malloc(3) == (void*)16; free(x); }",
        ["k"], 1, [[1]],
    ),
    "strlen": ('extern "C" __device__ size_t strlen(const char*) { return 9; }\n' + KERNEL + '{ x[0] = strlen("ab"); }', ["k"], 1, [[9]]),
    "labels": (
        '__device__ int one asm("_init"), two[2] asm("memcpy") = {4, 5};\n__device__ int f() asm("_fini");\n'
        '__device__ int f() { return 2; }\n' + KERNEL + '{ static int q asm("memmove"); q = 1; x[0] = f() + two[1] + q + one; }',
        ["k"], 1, [[8]],
    ),
    "starts and sections": (
        'asm(".init_array");\n__device__ __attribute__((constructor)) void c() { *(int*)0 = 1; }\n'
        "__device__ __attribute__((destructor)) void d() { *(int*)0 = 1; }\n"
        '__device__ __attribute__((section(".init_array"))) long z = 1;\n'
        '[[gnu::section("foo"), gnu::used]] __device__ int w = 3;\n' + KERNEL + "{ x[0] = w + z; }",
        ["k"], 1, [[4]],
    ),
    "pragmas": (
        '#pragma weak other = k\n#pragma redefine_extname k _init\n#pragma comment(lib, "foo")\n'
        'extern "C" __device__ float (*fp)(float);\nextern "C" { __device__ float g(float v) noexcept { return v + 1; } }\n'
        'extern "C" __device__ auto h(float v, float w = 2) -> float;\n'
        'extern "C" __device__ auto h(float v, float w) -> float { return v + w; }\n' + KERNEL + "{ fp = g; x[0] = fp(h(1)); }",
        ["k"], 1, [[4]],
    ),
    "bounds and shared variables": (
        ('extern "C" __global__ void __launch_bounds__(128) _init(float* x) '
        "{ __shared__ float t[8]; t[threadIdx.x] = 3; __syncthreads(); x[0] = t[0]; }\n"
        'extern "C" __global__ void _fini(float* x) { x[0] = 1; }'),
        ["_init", "_fini"], 1, [[3], [1]],
    ),
    "namespaces": (
        'namespace n { extern "C" __global__ void exit(float* x) { x[0] = 4; }\nnamespace { __device__ int errno = 2; }\n'
        'extern "C" { __device__ int environ = 6; __constant__ float stdout[2][2] = {{1, 2}, {3, 4}}; }\n'
        "__device__ float *stderr, **stdin; __device__ int (*table[2])(int); }\n"
        'extern "C++" { __device__ int ov(int a) { return a; } __device__ int ov(float) { return 2; } }\n'
        + KERNEL + "{ x[0] = n::errno + n::environ + n::stdout[1][1] + ov(1) + ov(1.f) + !n::stderr + !n::table[1]; }",
        ["k", "exit"], 1, [[17], [4]],
    ),
}  # fmt: skip


def named_programs() -> dict[str, tuple[str, list[str], int, list[list[float]]]]:
    """Return programs in which each name is a kernel's, a function's, a variable's, a constant's."""
    numbered = [(name, at + 100) for at, name in enumerate(NAMES)]
    variables = [pair for pair in numbered if pair[0] not in NOT_FOR_VARIABLES]
    values = [float(number) for _, number in numbered]
    kernels = "".join(
        f'extern "C" __global__ void {name}(float* x) {{ x[0] = {number}; }}\n' for name, number in numbered
    )
    functions = "".join(
        f'extern "C" __device__ __noinline__ float {name}(float* x) {{ return x[0] + {number}; }}\n'
        for name, number in numbered
    )
    calls = "".join(f"x[{at}] = 0; x[{at}] = {name}(x + {at});\n" for at, name in enumerate(NAMES))
    reads = "".join(f"x[{at}] = {name}[1] + b.c[3];\n" for at, (name, _) in enumerate(variables))
    programs = {
        "kernels": (kernels, NAMES, 1, [[value] for value in values]),
        "functions": (functions + KERNEL + f"{{\n{calls}}}", ["k"], len(NAMES), [values]),
    }
    for space in ("__device__", "__constant__"):
        declared = "".join(f"{space} float {name}[2] = {{0, {number}}};\n" for name, number in variables)
        source = BIG + declared + KERNEL + f"{{ b = a;\n{reads}}}"
        programs[space] = (source, ["k"], len(variables), [[float(number) for _, number in variables]])
    return programs


def hip_names() -> list[str]:
    """Return the names of HIP's types and constants, and its words for a thread's place."""
    names = {f"hip{word}_{axis}" for word in ("ThreadIdx", "BlockIdx", "BlockDim", "GridDim") for axis in "xyz"}
    for header in ABI.glob("*.h"):
        names |= set(re.findall(r"\b(?:hip|HIP_)\w+\b", re.sub(r"//.*", "", header.read_text(encoding="utf-8"))))
    return sorted(names)


def program_with_hip_names() -> tuple[str, list[str], int, list[list[float]]]:
    declarations, reads = [], []
    for at, name in enumerate(hip_names()):
        forms = [
            (f"enum {name} {{ own_{name} = {at} }};", f"(int)own_{name}"),
            (f"__device__ int {name} = {at};", name),
            (f"__device__ int {name}(int a) {{ return a + {at}; }}", f"{name}(0)"),
            (f"typedef char {name}[{at + 1}];", f"(int)sizeof({name}) - 1"),
        ]
        declaration, read = forms[at % len(forms)]
        declarations.append(declaration)
        reads.append(read)
    cuda = "__device__ cudaTextureObject_t texture_; __device__ cudaError_t status = cudaErrorNotReady;"
    body = f"{{ x[0] = {' + '.join(reads)}; x[1] = status; }}"
    total = float(sum(range(len(reads))))
    return "\n".join([cuda, *declarations, KERNEL + body]), ["k"], 2, [[total, 600.0]]


def run(compiler: str, worker: str, *words: Any) -> Any:
    command = find_compiler(compiler)
    if not command:
        pytest.skip(f"there is no {compiler}")
    environment = {**os.environ, "CXX": command, "CUDA_SHIM_QUIET": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / worker, *words],
        env=environment, capture_output=True, encoding="utf-8", timeout=400, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1].removeprefix("3"))  # a program prints a number


def judged(programs: dict[str, tuple[str, list[str], int, list[list[float]]]]) -> None:
    """NVRTC takes each program."""
    nvrtc = compilers.nvrtc()
    if "13.5" not in nvrtc:
        pytest.skip("the wheel nvidia-cuda-nvrtc is not installed")
    for name, (source, *_) in programs.items():
        outcome = nvrtc["13.5"].compile(source.encode(), b"names.cu", [b"-arch=compute_75"])
        assert outcome.status == 0, (name, outcome.log[:400])


def test_nvrtc_takes_the_programs() -> None:
    assert len(hip_names()) > 900
    judged({**named_programs(), **PROGRAMS, "hip": program_with_hip_names()})


@pytest.mark.parametrize("compiler", COMPILERS)
def test_names_are_the_program_s_alone(compiler: str, tmp_path: Path) -> None:
    every = EVERY.get(compiler, 1)
    named = dict(list(named_programs().items())[::every])
    programs = {**named, **PROGRAMS, "HIP's names": program_with_hip_names()}
    listed = tmp_path / "programs.json"
    listed.write_text(json.dumps([program[:3] for program in programs.values()]), encoding="utf-8")
    for name, written in zip(programs, run(compiler, "own_names_worker.py", listed), strict=True):
        assert written == programs[name][3], name


@pytest.mark.parametrize("compiler", COMPILERS)
def test_names_in_ptx(compiler: str) -> None:
    results = run(compiler, "ptx_symbols_worker.py")
    assert results["kernels"] == [[float(at + 1)] for at in range(len(results["names"]))]
    assert results["names"] == results["told"]
    assert results["variables"] == [10.0, 0]
    assert results["linked"] == [42.0]
    assert results["unresolved"] == "CUDA_ERROR_INVALID_SOURCE"

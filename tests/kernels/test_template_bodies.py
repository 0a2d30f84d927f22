"""NVRTC reads the body of a template where it is instantiated alone: such programs compile here where they do there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.kernels import compilers

WORKER = Path(__file__).with_name("log_worker.py")
FUNCTION = "template <class T> __device__ int f(T x) {{ {} }}\n"
KERNEL = "__global__ void k(int* out) {{ {} }}\n"
CALLED = KERNEL.format("*out = f(1);")
MEMBER = "template <class T> struct c {{ {} }};\n"

#: Statements of a template's body, by name: errors whatever its parameters are.
WRONG = {
    "call": "return missing(3);",
    "qualified": "return ::missing;",
    "type": "missing y; return 0;",
    "member": "struct s { int a; } v; return v.b;",
    "syntax": "return 3 +;",
    "branch": "if constexpr (false) { missing(3); } return 0;",
    "lambda": "auto l = [](int i) { return missing(i); }; return 0;",
    "assertion": 'static_assert(sizeof(int) == 8, "no"); return 0;',
    "constant": "const int a = 1; a = 2; return a;",
    "typename": "T::type y; return 0;",
    "initialiser": "int* p = 3.5; return 0;",
}
#: Programs that NVRTC takes, with a wrong body that is not instantiated.
TAKEN = {
    "other kernel": FUNCTION.format("return missing;")
    + KERNEL.format(
        "__shared__ int s[32]; s[threadIdx.x] = 1; __syncthreads(); for (int i = 0; i < 4; ++i) *out += s[i];"
    ),
    "method": MEMBER.format("__device__ int f() { return missing; }") + KERNEL.format(""),
    "method outside": MEMBER.format("__device__ int f();")
    + "template <class T> __device__ int c<T>::f() { return missing; }\n"
    + KERNEL.format(""),
    "template of a template": MEMBER.format("template <class U> __device__ int f(U);")
    + "template <class T> template <class U> __device__ int c<T>::f(U) { return missing; }\n"
    + KERNEL.format(""),
    "constructor": MEMBER.format("int x; __device__ c() : x(1) {}\n __device__ c(int a) : x{a} {\n missing; }")
    + KERNEL.format("c<int> a; *out = a.x;"),
    "kernel template": "template <class T> __global__ void g(T* x) { missing(3); }\n" + KERNEL.format(""),
    "through another": FUNCTION.format("return missing;")
    + "template <class T> __device__ int g(T x) { return f(x); }\n"
    + KERNEL.format(""),
    "unevaluated": FUNCTION.format("return missing;") + KERNEL.format("decltype(f(1)) a = 3; *out = a;"),
    "overload": "__device__ int g(double) { return 1; }\n"
    + FUNCTION.format("return g(3);")
    + "__device__ int g(int x) { return 2; }\n"
    + "template <class T> __device__ int h(T x) { return missing; }\n"
    + CALLED,
}
#: Programs that NVRTC refuses.
REFUSED = {
    "called": FUNCTION.format("return missing;") + CALLED,
    "called where it never runs": FUNCTION.format("return missing;") + KERNEL.format("if (0) *out = f(1);"),
    "addressed": FUNCTION.format("return missing;") + KERNEL.format("*(void**)out = (void*)&f<int>;"),
    "instantiated": FUNCTION.format("return missing;") + "template __device__ int f<int>(int);\n" + KERNEL.format(""),
    "specialised": FUNCTION.format("return 1;")
    + "template <> __device__ int f<int>(int x) { return missing; }\n"
    + KERNEL.format(""),
    "declared later": FUNCTION.format("return later(3);") + "__device__ int later(int x) { return x; }\n" + CALLED,
    "parameter": "template <class T> __device__ int f(missing x) { return 0; }\n" + KERNEL.format(""),
    "default": "template <class T> __device__ int f(T x, int y = missing()) { return 0; }\n" + KERNEL.format(""),
    "member's type": MEMBER.format("missing a;") + KERNEL.format(""),
    "method": MEMBER.format("__device__ int f() { return missing; }") + KERNEL.format("c<int> a; *out = a.f();"),
    "destructor": MEMBER.format("__device__ ~c() { missing; }") + KERNEL.format("c<int> a;"),
    "virtual": MEMBER.format("__device__ virtual int f() { return missing; }") + KERNEL.format("c<int> a;"),
    "friend": MEMBER.format("friend __device__ int h(c) { return missing; }") + KERNEL.format("c<int> a;"),
    "shared memory": KERNEL.format("__shared__ alignas(16) int s[4];\n s[0] = missing;"),
    "kernel as well": FUNCTION.format("return missing;") + KERNEL.format("*out = other;"),
}
PROGRAMS = {
    "taken": "".join(
        f"namespace n{number} {{\n{text}}}\n"
        for number, text in enumerate([*(FUNCTION.format(body) for body in WRONG.values()), *TAKEN.values()])
    ),
    **REFUSED,
}
OPTIONS = (b"-arch=compute_80", b"-std=c++17")


@pytest.mark.parametrize("layout", sorted(compilers.nvrtc()))
def test_nvrtc_takes_them(layout):
    compiler = compilers.nvrtc()[layout]
    taken = {name for name, text in PROGRAMS.items() if not compiler.compile(text.encode(), b"t.cu", OPTIONS).status}
    assert taken == {"taken"}


@pytest.mark.parametrize("compiler", ["", "g++"])
def test_host_cores_take_them(any_shim_python, tmp_path, compiler):
    if compiler and shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    files = {f"{number}.cu": name for number, name in enumerate(PROGRAMS)}
    for file, name in files.items():
        (tmp_path / file).write_text(PROGRAMS[name])
    paths = [tmp_path / file for file in files]
    setting = {"CUDA_SHIM_CPU_CXX": compiler} if compiler else {}
    logs = json.loads(any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", WORKER, *paths, **setting))
    assert {files[file] for file, (status, _) in logs.items() if not status} == {"taken"}, logs["0.cu"]
    for file, (status, log) in logs.items():
        assert not status or "missing" in log or "later" in log, (files[file], log)
        assert "attribute" not in log  # __shared__ may stand before alignas, as in CUDA

"""Parameters of functions of CUDA C++, for PTX that calls them."""

from __future__ import annotations

import pytest

from cuda_shim.translate.ptx.signatures import declared_in, functions_of, texts_of
from cuda_shim.translate.ptx.writer import translate
from tests.ptx.texts import HEAD


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('extern "C" __device__ int f(float* to, float x, double y) { return 0; }', ("u32", ("u64", "f32", "f64"))),
        ('extern "C" { __device__ void f(void) {} }', ("", ())),
        ('extern "C" __device__ unsigned long long f(short, const char c, std::size_t n) { return n; }', ("u64", ("u32", "u32", "u64"))),
        ('typedef long long wide; typedef wide* many; using real = float;\nextern "C" __device__ real f(wide n, many m) { return 0; }', ("f32", ("u64", "u64"))),
        ('extern "C" __device__ int f(float x); extern "C" __device__ int f(float x) { return x; }', ("u32", ("f32",))),
        ('extern "C" __device__ int f(float4 x) { return 0; }', None),
        ('extern "C" __device__ int f(float x);', None),
        ('extern "C" __global__ void f(float x) {}', None),
        ("__device__ int f(float x) { return 0; }", None),
        ('// extern "C" __device__ int f(float x) { return 0; }', None),
    ],
)  # fmt: skip
def test_what_is_read(source, expected):
    functions = functions_of(source.encode())
    assert functions == ({} if expected is None else {"f": expected})
    assert declared_in(texts_of(functions).encode()) == functions


def test_a_call_passes_what_the_definition_takes():
    text = HEAD + (
        ".extern .func (.param .b32 r) f(.param .b64 a, .param .b32 b, .param .b32 c);\n"
        ".visible .entry k(.param .u64 p) { .reg .b32 %r<4>; .reg .b64 %rd; ld.param.u64 %rd, [p]; mov.u32 %r1, %tid.x;\n"
        "{ .param .b64 a; .param .b32 b; .param .b32 c; .param .b32 r; st.param.b64 [a], %rd; st.param.b32 [b], %r1;\n"
        "st.param.b32 [c], %r1; call (r), f, (a, b, c); ld.param.b32 %r2, [r]; } st.global.u32 [%rd], %r2; ret; }\n"
    )
    source = translate(text, functions={"f": ("u32", ("u64", "f32", "u32"))}).source
    assert 'extern "C" __device__ unsigned f(unsigned long long, float, unsigned);' in source
    assert "unsigned f(unsigned long long, unsigned, unsigned);" in translate(text).source

"""Device functions with barriers, called where the order of evaluation matters: inlined, they give the same results."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Kernels

FUNCTIONS = """
const int far = 2;
__device__ int other(int v) { return __shfl_xor_sync(~0u, v, 1); }
__device__ int next(int* s, int v) { __syncthreads(); int r = s[(threadIdx.x + 1) % 64] + v; __syncthreads(); return r; }
__device__ int further(int v) { return __shfl_xor_sync(~0u, v, far); }
template <unsigned char N> __device__ int narrow(int v) { return __shfl_xor_sync(~0u, v, 1) + N; }
"""

#: Bodies of `k(int* x)`, the value that thread t leaves in x[t], and whether the kernel is split all the same.
BODIES: dict[str, tuple[str, Callable[[int], int], bool | None]] = {
    "a declarator that needs the one before": (
        "int a = threadIdx.x * 2, b = other(a); x[threadIdx.x] = a + b;", lambda t: 2 * t + 2 * (t ^ 1), True),
    "declarators of several kinds": (
        "int a = other(x[threadIdx.x]), b = other(a) + 1, *p = &b; x[threadIdx.x] = *p;", lambda t: t + 1, True),
    "behind a comma": (
        "int a = 0, r; a = threadIdx.x, r = other(a), a = r + 1; x[threadIdx.x] = a;", lambda t: (t ^ 1) + 1, True),
    "behind a comma in parentheses": (
        "int a = 0, r; r = (a = threadIdx.x, other(a)); x[threadIdx.x] = r;", lambda t: t ^ 1, False),
    "behind a comma in braces": (
        "int a = 0; int r[2] = {a = threadIdx.x, other(a)}; x[threadIdx.x] = r[1];", lambda t: t ^ 1, False),
    "shared memory written before": (
        "__shared__ int s[64]; s[threadIdx.x] = 3; int r = (s[threadIdx.x] = threadIdx.x, next(s, 1)); x[threadIdx.x] = r;",
        lambda t: (t + 1) % 64 + 1, False),
    "what is assigned is read first": (
        ("__shared__ int s[64]; s[threadIdx.x] = threadIdx.x; __syncthreads(); int a[128] = {};"
         "a[next(s, s[threadIdx.x] = 5)] = s[threadIdx.x] * 2; x[threadIdx.x] = a[10];"),
        lambda t: 2 * t, True),
    "a call on both sides": (
        "int a[65] = {}; a[other(threadIdx.x)] += other(threadIdx.x + 1); x[threadIdx.x] = a[threadIdx.x ^ 1];",
        lambda t: (t ^ 1) + 1, True),
    "a condition that declares": (
        "if (int r = other(threadIdx.x)) x[threadIdx.x] = r + 3;", lambda t: (t ^ 1) + 3 if t != 1 else 1, True),
    "an operand that is not evaluated": (
        "x[threadIdx.x] = sizeof(other(0)) + other(threadIdx.x);", lambda t: 4 + (t ^ 1), False),
    "a name that the kernel has too": (
        "int far = 1; x[threadIdx.x] = further(threadIdx.x) + far;", lambda t: (t ^ 2) + 1, False),
    "a lambda of its name": (
        "auto other = [&](int v) { return v + 7; }; x[threadIdx.x] = other(threadIdx.x);", lambda t: t + 7, None),
    "inside a lambda": (
        "auto f = [&](int v) { v += 2; return other(v); }; x[threadIdx.x] = f(threadIdx.x);", lambda t: (t ^ 1) + 2, False),
    "an argument of a template with a type": (
        "x[threadIdx.x] = narrow<(unsigned char)300>(threadIdx.x);", lambda t: (t ^ 1) + 44, True),
    "shifted in place": (
        "int n = threadIdx.x * 4; int m = (n >>= 1); n += other(m); x[threadIdx.x] = n;", lambda t: 2 * t + 2 * (t ^ 1), True),
}  # fmt: skip


@pytest.mark.parametrize("place", BODIES)
def test_the_order_is_kept(programs: Kernels, place: str) -> None:
    body, left, split = BODIES[place]
    compiled = programs.compile(FUNCTIONS + f'extern "C" __global__ void k(int* x) {{ {body} }}')
    # None: no thread waits at all.
    assert hiprtc_program.forms(compiled)["k"] == (split is not None, bool(split)), hiprtc_program.reasons(compiled)
    x = np.arange(64, dtype=np.int32)
    hiprtc_program.Module(programs.hip, compiled).launch("k", 1, 64, x)
    assert x.tolist() == [left(t) for t in range(64)]


def test_a_kernel_on_fibres_says_which_name_is_in_the_way(programs: Kernels) -> None:
    body = BODIES["a name that the kernel has too"][0]
    compiled = programs.compile(FUNCTIONS + f'extern "C" __global__ void k(int* x) {{ {body} }}')
    assert hiprtc_program.reasons(compiled) == {
        "k": "further waits for threads and uses far, a name that the kernel declares"
    }

"""Device functions with divergent loops that only compute: the loops run in lanes where a kernel calls them."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt
import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Kernels

# The last two bits of a function's result are the form in which its loop was run: in a round of several lanes the name
# means the lane, anywhere else it is this constant.
SOURCE = """
enum {{ cuda_shim_lane = 99 }};
const unsigned step = 3;
{function}
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned* form, unsigned n, unsigned most) {{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned x = in[t], y = t & 31u, r = 0;
    {call}
    form[t] = r & 3u;
    out[t] = (r >> 2) + 3u * x + 5u * y;
}}"""
HERE = "how |= cuda_shim_lane < 16u ? 1u : 2u;"
# Its address is taken, so the function is not one that only computes, and is called.
AS_WRITTEN = HERE + " (void)&how;"

CALL = "r = f(x, y);"
BY_RETURN = """__device__ unsigned f(unsigned x, unsigned y) {
    unsigned how = 0;
    for (unsigned i = 0; i < 40u + (y & 1u); ++i) { HERE x = x * 5u + y; if ((x & 15u) == 3u) return i << 2 | how; }
    return x << 2 | how;
}"""

FUNCTIONS = {
    "a return at the end": """__device__ unsigned f(unsigned x, unsigned y) {
        unsigned k = 0, how = 0;
        while (k < 40u && (x & 7u) != 3u) { HERE x = x * 5u + y; y ^= x >> 3; k++; }
        return (k + x) << 2 | how;
    }""",
    "a return in the loop": BY_RETURN,
    "a return before": """static __device__ __forceinline__ unsigned f(const unsigned x, unsigned y) {
        if (x & 1u) return y << 2;
        unsigned how = 0;
        do { HERE y = y * 3u + 1u; } while ((y & 15u) != (x & 14u) + 1u && y < 100000u);
        return y << 2 | how;
    }""",
    "a return in each branch": """__device__ unsigned f(unsigned x, unsigned y) {
        unsigned how = 0, k = 0;
        #pragma unroll 2
        while (true) { HERE if (++k > (y & 7u)) break; x ^= x >> 1; }
        if (x & 2u) return (x + k) << 2 | how; else { x /= 3u; return x << 2 | how; }
    }""",
    "returns in two loops": """__device__ unsigned f(unsigned x, unsigned y) {
        unsigned how = 0;
        for (unsigned i = 0; i < y; ++i) { HERE x = x * 7u + i; if ((x & 31u) == 9u) return i << 2 | how; else if (x > 4000000000u) return 77u << 2 | how; }
        const unsigned was = x;
        while (x > 9u) { HERE x = x / 2u; if (x == was / 8u) { y += 1u; return (x + y) << 2 | how; } }
        return (x * 2u) << 2 | how;
    }""",
    "other numbers": """__host__ __device__ inline unsigned f(float x, short y) {
        unsigned how = 0; float z = 0.0f;
        for (int i = 0; i < y; ++i) { HERE z = z * z * 0.001f + x; if (z > 2000.0f) return (unsigned)i << 2 | how; }
        return (unsigned)(int)z << 2 | how;
    }""",
    "a constant of the program's": """__device__ unsigned f(unsigned x, unsigned y) {
        unsigned how = 0;
        while (y < 50u && (x & 3u)) { HERE y += step; x = x * 5u + step; }
        return (x + y) << 2 | how;
    }""",
}  # fmt: skip

CALLS = {
    "assigned": CALL,
    "two declarators": "unsigned a = f(x, 3u), b = f(a >> 2, y); r = ((a >> 2) + (b >> 2)) << 2 | (a & b & 3u);",
    "behind a comma": "x += 3u, r = f(x, y), x ^= r >> 2;",
    "one of the other": "r = f(f(x, 1u) >> 2, y);",
    "a condition": "if ((f(x, y) >> 2) & 1u) x += 9u; r = f(x, y);",
    "in a branch": "if (t & 1u) r = f(x, y); else { r = f(y, x & 31u); y++; }",
    "in a loop": "for (unsigned i = 0; i < most; ++i) { const unsigned a = f(x, i); x += a >> 2; r = a; }",
    "an operand on the left": "unsigned a[2] = {x, y}; a[(r = f(x, y)) & 1u] = x; x += a[0];",
    "converted arguments": "r = f(x * 0.5, y - 1);",
    "one of several of its name": "r = f(x, y); y += (unsigned)f(2.0f, 3.0f);",
}  # fmt: skip


def results(programs: Kernels, function: str, call: str, mark: str) -> tuple[npt.NDArray[np.uint32], set[int]]:
    n = 300
    given = np.random.default_rng(7).integers(0, 1000, n, np.uint32)
    out, form = np.full(n, 7, np.uint32), np.zeros(n, np.uint32)
    loaded = programs.load(SOURCE.format(function=function.replace("HERE", mark), call=call), "--fmad=false")
    loaded.launch("k", 5, 64, given, out, form, ctypes.c_uint(n), ctypes.c_uint(5))
    return out, set(form.tolist())


@pytest.mark.parametrize("shape", FUNCTIONS)
def test_they_give_what_the_function_gives(programs: Kernels, shape: str) -> None:
    out, forms = results(programs, FUNCTIONS[shape], CALL, HERE)
    expected, plain = results(programs, FUNCTIONS[shape], CALL, AS_WRITTEN)
    assert 2 in plain
    assert plain <= {0, 2}
    assert 1 in forms, "it does not run in lanes"
    assert forms <= {0, 1}
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("place", CALLS)
def test_wherever_they_are_called(programs: Kernels, place: str) -> None:
    overload = "__device__ float f(float x, float y) { return x * y; }" if "several" in place else ""
    out, forms = results(programs, BY_RETURN + overload, CALLS[place], HERE)
    expected, _ = results(programs, BY_RETURN + overload, CALLS[place], AS_WRITTEN)
    np.testing.assert_array_equal(out, expected)
    if place != "an operand on the left":
        assert 1 in forms, "it does not run in lanes"


KEPT = {
    "a name that the kernel has too": (FUNCTIONS["a constant of the program's"], "const unsigned step = 5u; r = f(x, y) + step - 5u;"),
    "called or not": (BY_RETURN, "r = t & 1u ? f(x, y) : 0u;"),
    "called after a test": (BY_RETURN, "if (x > 5u && f(x, y) > 9u) y = 1u; r = f(x, t & 1u ? 3u : 4u) & 2u;"),
    "a loop's condition": (BY_RETURN, "while ((f(x, y) >> 2) > 5u) { x = x * 3u + 1u; if (++y > 40u) break; } r = 2u;"),
    "a lambda": (BY_RETURN, "auto g = [&](unsigned x) { x += 1u; return f(x, y); }; r = g(x);"),
    "many calls": (BY_RETURN, "r = f(x, 1u) & f(x, 2u) & f(x, 3u) & f(x, 4u) & f(x, 5u);"),
    "a lambda of its name": (BY_RETURN, "auto f = [&](unsigned x, unsigned y) { return (x + y) << 2; }; r = f(x, y);"),
    "a variable of its name": (BY_RETURN, "{ unsigned f(x + y); r = f << 2; }"),
    "not evaluated": (BY_RETURN, "r = sizeof(f(x, y)) << 2;"),
    "a constant": (BY_RETURN.replace("__device__", "__device__ constexpr"), "constexpr unsigned a = f(3u, 4u); unsigned b[(a & 1u) + 2u] = {x, y}; r = b[t & 1u] << 2;"),
    "an array's size": (BY_RETURN.replace("__device__", "__device__ constexpr"), "unsigned b[f(3u, 4u) & 1u ? 2 : 2] = {x, y}; r = b[t & 1u] << 2;"),
    "a loop in a loop": ("""__device__ unsigned f(unsigned x, unsigned y) {
        unsigned how = 0;
        while (y < 40u) { HERE for (unsigned i = 0; i < y; ++i) { x = x * 3u + i; if ((x & 63u) == 5u) return x << 2 | how; } y++; }
        return x << 2 | how;
    }""", CALL),
    "braces with more behind": ("""__device__ unsigned f(unsigned x, unsigned y) {
        unsigned how = 0;
        if (x & 1u) { while (y < x) { HERE y = y * 2u + 1u; if ((y & 63u) == 7u) return y << 2 | how; } y += 5u; }
        return y << 2 | how;
    }""", CALL),
    "a switch": ("""__device__ unsigned f(unsigned x, unsigned y) {
        unsigned how = 0;
        while (y < x) { HERE y = y * 2u + 1u; }
        switch (y & 3u) { case 0: return how; case 1: y++; break; default: return y << 2 | how; }
        return y << 2 | how;
    }""", CALL),
    "memory": ("""__device__ unsigned table[4] = {1, 2, 3, 4};
    __device__ unsigned f(unsigned x, unsigned y) {
        unsigned how = 0;
        while (y < x) { HERE y = y * 2u + table[y & 3u]; }
        return y << 2 | how;
    }""", CALL),
    "a static variable": ("""__device__ unsigned f(unsigned x, unsigned y) {
        unsigned how = 0; static const unsigned one = 1;
        while (y < x) { HERE y = y * 2u + one; }
        return y << 2 | how;
    }""", CALL),
}  # fmt: skip


@pytest.mark.parametrize("reason", KEPT)
def test_other_calls_stay_as_they_are(programs: Kernels, reason: str) -> None:
    out, forms = results(programs, *KEPT[reason], HERE)
    expected, _ = results(programs, *KEPT[reason], AS_WRITTEN)
    np.testing.assert_array_equal(out, expected)
    assert 1 not in forms


def test_barriers_around_them(programs: Kernels) -> None:
    source = (
        BY_RETURN.replace("HERE", HERE)
        + """
    extern "C" __global__ void k(unsigned* out) {
        __shared__ unsigned s[96];
        unsigned x = threadIdx.x;
        for (int r = 0; r < 4; ++r) {
            s[threadIdx.x] = f(x, r) >> 2;
            __syncthreads();
            x ^= s[(threadIdx.x + 1) % 96] * 3u;
            __syncthreads();
        }
        out[threadIdx.x] = x;
    }"""
    )
    split, whole = np.zeros(96, np.uint32), np.zeros(96, np.uint32)
    enum = "enum { cuda_shim_lane = 99 };\n"
    compiled = programs.compile(enum + source)
    assert hiprtc_program.forms(compiled) == {"k": (True, True)}
    programs.load(enum + source).launch("k", 1, 96, split)
    programs.load(enum + source.replace(HERE, AS_WRITTEN)).launch("k", 1, 96, whole)
    np.testing.assert_array_equal(split, whole)
    assert len(np.unique(split)) > 50

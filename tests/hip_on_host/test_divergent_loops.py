"""Divergent loops: they run in the lanes of registers, several threads at once, until each thread's values end it."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt
import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Kernels
from tests.program_files import read_program

# In a round of several lanes the name means the lane; anywhere else it is this constant.
SOURCE = """
enum {{ cuda_shim_lane = 99 }};
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned* form, unsigned n, unsigned most) {{
    const unsigned t = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    {guard}
    unsigned x = in[t], y = t, k = 0, how = 0;
    float z = x;
    {loop}
    form[t] = how;
    out[t] = x + 3u * y + 5u * k + (unsigned)(int)z;
}}"""
HERE = "how |= cuda_shim_lane < 16u ? 1u : 2u;"
# A volatile variable keeps a loop as it is: the compiler must treat it as memory.
AS_WRITTEN = HERE + " volatile int stays = 0; (void)stays;"

LOOPS = {
    "while": "while (k < 40u && (x & 7u) != 3u) { HERE x = x * 5u + y; y ^= x >> 3; k++; }",
    "do": "do { HERE x += y; y = y * 3u + 1u; } while (++k < (x & 15u));",
    "for": "for (unsigned i = t & 3u; i < (x & 31u); i += 1u + (y & 1u)) { HERE y += i; }",
    "counted by all": "for (unsigned i = 0; i < (x & 31u); ++i) { HERE x = x * 3u + i; }",
    "counted by all, twice": "for (unsigned i = 0, j = t; i < (j & 31u); ++i, j += 3u) { HERE y += i * j; }",
    "counted in the body": "for (unsigned i = 0; i < 9u + (t & 3u);) { HERE i += 1u + (y & 1u); y ^= i; }",
    "endless": "for (;;) { HERE if (++k > (t & 15u)) break; z = z * 0.5f + k; }",
    "counted, with a break": "for (unsigned i = 0; i < most; ++i) { HERE if ((x & 31u) == 5u) break; x = x * 7u + i; k = i; }",
    "counted elsewhere": "for (; k < most; ++k) { HERE if (x > 4000000000u) break; x = x * 3u + 1u; }",
    "continue": "for (unsigned i = t & 3u; i < 20u + (t & 7u); ++i) { HERE if (x & 1u) { x >>= 1; continue; } x = 3u * x + i; y += i; }",
    "branches": "while (k < (t & 31u)) { HERE k++; if (x & 1u) { const unsigned step = x >> 1; x += step; } else if (y & 2u) y *= 3u; else x++; }",
    "return": "while (k < 30u && (x & 127u) != 5u) { HERE k++; x += k; if ((x & 127u) == 77u) return; y ^= x; }",
    "in a branch": "if (t & 1u) while (k < (x & 15u)) { HERE k++; y += k; } else do { HERE y -= 2u; } while (++k < 3u + (t & 2u));",
    "in a loop": "for (unsigned r = 0; r < most; ++r) { k = 0; while (k < (x & 15u)) { HERE k++; y += k; } x += y; }",
    "two": "while (x & 63u) { HERE x -= 1u; k++; } while (y > k) { HERE y /= 2u; }",
    "numbers": "while (k < 50u && z * z > 2.0f) { HERE z = fabsf(0.75f * z - sqrtf(z)) ; k++; } double d = z; do { HERE d = d * 1.5 + t + 1.0; } while (d < 9.0); z += (float)d;",
    "wide numbers": "unsigned long long w = x; signed char s = (signed char)t; while (w > 9u) { HERE w = w / (2u + (t & 3u)) + 1u; s = (signed char)(s + 5); } x = (unsigned)(w >> 3) + (unsigned)s;",
}  # fmt: skip


def results(programs: Kernels, loop: str, guard: str, block: tuple[int, int, int]) -> list[npt.NDArray[np.uint32]]:
    n = 2 * block[0] * block[1]
    given = np.random.default_rng(5).integers(0, 1000, n, np.uint32)
    out, form = np.full(n, 7, np.uint32), np.zeros(n, np.uint32)
    loaded = programs.load(SOURCE.format(loop=loop, guard=guard), "--fmad=false")
    loaded.launch("k", 2, block, given, out, form, ctypes.c_uint(n - 3), ctypes.c_uint(9))
    return [out, form]


@pytest.mark.parametrize("guard", ["", "if (t >= n) return;"], ids=["all", "guarded"])
@pytest.mark.parametrize("shape", LOOPS)
def test_they_give_what_the_loop_gives(programs: Kernels, shape: str, guard: str) -> None:
    """Rows of threads need not be as long as a register has lanes."""
    loop = LOOPS[shape]
    for block in [(64, 1, 1), (50, 1, 1), (5, 7, 1), (16, 16, 1)]:
        out, form = results(programs, loop.replace("HERE", HERE), guard, block)
        expected, plain = results(programs, loop.replace("HERE", AS_WRITTEN), guard, block)
        assert set(plain) <= {0, 2}
        assert form.max() == 1, "it does not run in lanes"
        np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(form != 0, plain != 0)


KEPT = {
    "memory": "while (k < (t & 7u)) { HERE y += in[k]; k++; }",
    "memory through a pointer": "const unsigned* p = in; while (k < (t & 7u)) { HERE y += *p; k++; }",
    "an address": "unsigned* p = &y; while (k < (t & 7u)) { HERE y += 2u; k++; } *p += 1u;",
    "an array": "unsigned a[4] = {1u, 2u, 3u, 4u}; while (k < (t & 3u)) { HERE y += a[k]; k++; }",
    "an array around": "unsigned a[4] = {1u, 2u, 3u, x}; while (k < (t & 7u)) { HERE y += k; k++; } y += a[k & 3u];",
    "a call": "while (k < (t & 7u)) { HERE y += own(k); k++; }",
    "a loop inside": "while (k < (t & 7u)) { HERE for (unsigned i = 0; i < k; ++i) y += i; k++; }",
    "a goto": "while (k < (t & 7u)) { HERE if (y == 70u) goto out; k++; y++; } out:;",
    "a structure": "uint2 p = make_uint2(t, 1u); while (p.y < (t & 7u)) { HERE p.y++; } y += p.y;",
    "the program's variable": "while (k < (t & 7u)) { HERE y += shared_by_all; k++; }",
}


@pytest.mark.parametrize("reason", KEPT)
def test_other_loops_stay_as_they_are(programs: Kernels, reason: str) -> None:
    before = "__device__ unsigned shared_by_all = 3; __device__ unsigned own(unsigned x) { return x * x; }\n"
    source = before + SOURCE.format(loop=KEPT[reason].replace("HERE", HERE), guard="")
    given, out, form = np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32), np.zeros(128, np.uint32)
    programs.load(source).launch("k", 2, 64, given, out, form, ctypes.c_uint(128), ctypes.c_uint(9))
    assert set(form) <= {0, 2}


def test_barriers_around_them(programs: Kernels) -> None:
    """A block that meets between such loops, in a loop of its own."""
    source = read_program(__file__, "divergent_loops_barriers_around_them.cu")
    out = np.zeros(96, np.uint32)
    programs.load(source).launch("k", 1, 96, out)
    xs = list(range(96))
    for _ in range(4):
        xs = [alone(x) for x in xs]
        xs = [(x ^ xs[(t + 1) % 96] * 3) & 0xFFFFFFFF for t, x in enumerate(xs)]
    assert out.tolist() == xs


def alone(x: int) -> int:
    """The loop of the kernel above."""
    k = 0
    while k < (x & 7):
        k += 1
        x = (x + k) & 0xFFFFFFFF
    return x


def test_a_kernel_of_lanes_is_a_loop_over_the_threads(programs: Kernels) -> None:
    """No barrier, no fibres: in doctor's words it stays a loop."""
    compiled = programs.compile(SOURCE.format(loop=LOOPS["while"].replace("HERE", HERE), guard=""))
    assert hiprtc_program.rows(compiled)["k"].run_split is None

"""Forms of inline PTX with two results, addresses of shared memory as numbers, and bytes in one register.

    python -m cuda_shim run --backend cpu tests/ptx/inline_forms_program.py

Compares them with numpy, by the PTX ISA's text; prints each subject.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.kernels.core_worker import begin, run

SOURCE = r"""
extern "C" __global__ void kernel(const int* x, int* out) {
    __shared__ int kept[64];
    const int t = threadIdx.x;
    int* o = out + 16 * t;
    kept[t] = 3 * x[t];
    kept[32 + t] = -1;
    __syncthreads();
    unsigned place, all, same, halves, bytes, chars;
    asm("{.reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t;}" : "=" "r"(place) : "l"(&kept[t]));
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(o[0]) : "r"(place));
    asm volatile("{.reg .pred p; match.all.sync.b32 %0|p, %2, -1; selp.b32 %1, 1, 0, p;}" : "=r"(all), "=r"(same) : "r"(7));
    o[1] = all == ~0u && same == 1;
    asm volatile("{.reg .pred p; match.all.sync.b32 %0|p, %2, -1; selp.b32 %1, 1, 0, p;}" : "=r"(all), "=r"(same) : "r"(t));
    o[2] = all == 0 && same == 0;
    asm("{.reg .pred p, q; setp.lt.f16x2 p|q, %1, %2; selp.b32 %0, 1, 0, p; @q add.u32 %0, %0, 2;}"
        : "=r"(halves) : "r"(t & 1 ? 0x3c004000u : 0x40003c00u), "r"(t & 2 ? 0x40003c00u : 0x40004000u));
    o[3] = halves;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(x[t]), "r"(-x[t]), "r"(t));
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(chars) : "r"(x[t]), "r"(-x[t]), "r"(t));
    o[4] = bytes;
    o[5] = chars;
    float least, most;
    asm("min.xorsign.abs.f32 %0, %1, %2;" : "=f"(least) : "f"((float)x[t]), "f"(-50.f));
    asm("max.xorsign.abs.f32 %0, %1, %2;" : "=f"(most) : "f"((float)x[t]), "f"(-50.f));
    o[6] = (int)least;
    o[7] = (int)most;
    if (t < 8) {
        const unsigned to = (unsigned)__cvta_generic_to_shared(&kept[32 + 4 * t]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(x + 4 * t), "n"(16), "r"(t % 5 * 4));
    }
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    o[8] = kept[32 + t];
}
"""


def main() -> None:
    """Run the kernel and compare each thread's results."""
    begin()
    t = np.arange(32)
    x = np.random.default_rng(5).integers(-300, 300, 32).astype(np.int32)
    out = run(SOURCE, [], 32, x, np.zeros((32, 16), np.int32)).T
    assert (out[0] == 3 * x).all()
    print("shared")
    assert (out[1:3] == 1).all()
    print("match")
    first = np.where(t & 1, 2.0, 1.0) < np.where(t & 2, 1.0, 2.0)
    second = np.where(t & 1, 1.0, 2.0) < 2.0
    assert (out[3] == first + 2 * second).all()
    print("setp")
    for row, (low, high) in ((4, (0, 255)), (5, (-128, 127))):
        upper, lower = (np.clip(value, low, high) & 255 for value in (x, -x))
        assert (out[row] == (t << 16 | upper << 8 | lower)).all()
    print("cvt.pack")
    sign = np.where(x < 0, 1, -1)
    assert (out[6] == sign * np.minimum(abs(x), 50)).all()
    assert (out[7] == sign * np.maximum(abs(x), 50)).all()
    print("xorsign")
    assert (out[8] == np.where(t % 4 < t // 4 % 5, x, 0)).all()
    print("cp.async")


if __name__ == "__main__":
    main()

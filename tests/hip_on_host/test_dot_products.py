"""Dot products of the small integers in vectors, against numpy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.hip_on_host.hiprtc_program import Kernels

SOURCE = """
extern "C" __global__ void dots(const int* a, const int* b, const int* c, int* out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const unsigned sum = (unsigned)c[i];
        out[0 * n + i] = __dp4a(*(const char4*)&a[i], *(const char4*)&b[i], c[i]);
        out[1 * n + i] = (int)__dp4a(*(const uchar4*)&a[i], *(const uchar4*)&b[i], sum);
        out[2 * n + i] = __dp2a_lo(*(const short2*)&a[i], *(const char4*)&b[i], c[i]);
        out[3 * n + i] = (int)__dp2a_lo(*(const ushort2*)&a[i], *(const uchar4*)&b[i], sum);
        out[4 * n + i] = __dp2a_hi(*(const short2*)&a[i], *(const char4*)&b[i], c[i]);
        out[5 * n + i] = (int)__dp2a_hi(*(const ushort2*)&a[i], *(const uchar4*)&b[i], sum);
    }
}
"""


def test_dot_products_of_vectors_are_those_of_numpy(programs: Kernels) -> None:
    n = 200
    rng = np.random.default_rng(5)
    a, b, c = (rng.integers(-(2**31), 2**31, n).astype(np.int32) for _ in range(3))
    c >>= 8
    out = np.zeros((6, n), np.int32)
    programs.load(SOURCE, "--cuda-shim-cuda=12090").launch("dots", 1, 32, a, b, c, out, ctypes.c_int(n))

    def parts(array: npt.NDArray[np.int32], kind: Any) -> npt.NDArray[np.int64]:
        return array.view(kind).reshape(n, -1).astype(np.int64)

    expected = []
    for small, wide in ((np.int8, np.int16), (np.uint8, np.uint16)):
        bytes_of_b = parts(b, small)
        expected.append((parts(a, small) * bytes_of_b).sum(1) + c)
        expected.append((parts(a, wide) * bytes_of_b[:, :2]).sum(1) + c)
        expected.append((parts(a, wide) * bytes_of_b[:, 2:]).sum(1) + c)
    right = np.array([expected[place] for place in (0, 3, 1, 4, 2, 5)])
    np.testing.assert_array_equal(out, right.astype(np.int32))

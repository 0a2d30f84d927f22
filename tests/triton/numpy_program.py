"""Kernels on numpy's arrays, without PyTorch: sums in several types, a reduction, a product, a benchmark."""

from __future__ import annotations

import importlib.util
from typing import Any

import cuda_shim.triton

cuda_shim.triton.enable()

import numpy as np  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def sum_kernel(left, right, result, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    tl.store(result + index, tl.load(left + index, mask=inside) + tl.load(right + index, mask=inside), mask=inside)


@triton.jit
def norms_kernel(source, result, stride, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    value = tl.load(source + tl.program_id(0) * stride + column, mask=column < columns, other=0.0)
    tl.store(result + tl.program_id(0), tl.sqrt(tl.sum(value * value, axis=0)))


def sums() -> None:
    random = np.random.default_rng(1)
    for dtype in (np.float32, np.float16, np.float64, np.int8, np.int32, np.int64, np.uint8, np.uint32):
        left: Any
        right: Any
        left, right = (random.integers(0, 50, 5000).astype(dtype) for _ in range(2))
        result = np.zeros_like(left)
        given = [cuda_shim.triton.wrap(each) for each in (left, right, result)]
        sum_kernel[lambda meta: (triton.cdiv(5000, meta["BLOCK"]),)](*given, 5000, BLOCK=512)
        assert np.array_equal(result, left + right), dtype


def norms() -> None:
    source = np.random.default_rng(2).random((20, 300), np.float32)[:, ::1]
    rows, result = cuda_shim.triton.wrap(source), np.empty(20, np.float32)
    norms_kernel[(20,)](rows, cuda_shim.triton.wrap(result), rows.stride(0), 300, BLOCK=512)
    assert np.allclose(result, np.linalg.norm(source, axis=1), rtol=1e-5)
    assert (rows.shape, rows.numel(), rows.stride(1)) == ((20, 300), 6000, 1)
    assert np.asarray(rows) is source


def benchmark() -> None:
    values = [cuda_shim.triton.wrap(np.ones(4096, np.float32)) for _ in range(3)]
    milliseconds = triton.testing.do_bench(
        lambda: sum_kernel[(8,)](*values, 4096, BLOCK=512), warmup=2, rep=5, return_mode="median"
    )
    assert milliseconds > 0


class Nowhere:
    """A tensor at an address where there is no memory."""

    dtype = np.dtype(np.float32)

    def data_ptr(self) -> int:
        return 0x7000_0000_0000


def a_fault() -> None:
    values = cuda_shim.triton.wrap(np.ones(512, np.float32))
    try:
        norms_kernel[(1,)](values, Nowhere(), 512, 512, BLOCK=512)
    except RuntimeError as error:
        print(error)


if __name__ == "__main__":
    print("torch" if importlib.util.find_spec("torch") else "no torch")
    for run in (sums, norms, benchmark, a_fault):
        run()
        print(run.__name__, flush=True)

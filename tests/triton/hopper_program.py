"""Products of matrices for compute capability 9.0, which Triton makes of wgmma and tensor maps, beside numpy's."""

from __future__ import annotations

from typing import Any

import cuda_shim.triton

cuda_shim.triton.enable(cpu_compute_capability="9.0")

import numpy as np  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402


@triton.jit
def matmul_kernel(left, right, result, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        inside = depth + start < K
        a = tl.load(left + (row % M)[:, None] * K + (depth + start)[None, :], mask=inside[None, :], other=0)
        b = tl.load(right + (depth + start)[:, None] * N + (column % N)[None, :], mask=inside[:, None], other=0)
        sums = tl.dot(a, b, sums)
    place = result + row[:, None] * N + column[None, :]
    tl.store(place, sums.to(result.dtype.element_ty), mask=(row[:, None] < M) & (column[None, :] < N))


@triton.jit
def descriptor_kernel(left, right, result, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        a = left.load([row, start])
        b = right.load([start, column])
        sums = tl.dot(a, b, sums)
    result.store([row, column], sums.to(tl.float16))


@triton.jit
def made_descriptor_kernel(
    left, right, result, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    of_left = tl.make_tensor_descriptor(left, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    of_right = tl.make_tensor_descriptor(right, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    of_result = tl.make_tensor_descriptor(result, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    across = tl.cdiv(N, BLOCK_N)
    for tile in range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * across, tl.num_programs(0)):
        row, column = tile // across * BLOCK_M, tile % across * BLOCK_N
        sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for start in range(0, K, BLOCK_K):
            sums = tl.dot(of_left.load([row, start]), of_right.load([start, column]), sums)
        of_result.store([row, column], sums.to(tl.float16))


@triton.jit
def added_kernel(source, result, depth, rows, columns, BLOCK: tl.constexpr):
    of_source = tl.make_tensor_descriptor(
        source, shape=[depth, rows, columns], strides=[rows * columns, columns, 1], block_shape=[2, BLOCK, BLOCK]
    )
    of_result = tl.make_tensor_descriptor(
        result, shape=[depth, rows, columns], strides=[rows * columns, columns, 1], block_shape=[2, BLOCK, BLOCK]
    )
    place = [tl.program_id(0) * 2, tl.program_id(1) * BLOCK, tl.program_id(2) * BLOCK]
    of_result.store(place, of_source.load(place) + 1.0)


def product(M: int, N: int, K: int) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(M + N + K)
    left, right = (random.integers(-8, 9, shape).astype(np.float16) / 8 for shape in ((M, K), (K, N)))
    return left, right, np.zeros((M, N), np.float16)


def pointers() -> None:
    for warps, stages in ((4, 1), (4, 3), (8, 3)):
        left, right, result = product(150, 100, 136)
        arrays = [cuda_shim.triton.wrap(each) for each in (left, right, result)]
        compiled = matmul_kernel[(2, 2)](
            *arrays, 150, 100, 136, BLOCK_M=128, BLOCK_N=64, BLOCK_K=32, num_warps=warps, num_stages=stages
        )
        assert "wgmma.mma_async" in compiled.asm["ptx"]
        expected = left.astype(np.float32) @ right.astype(np.float32)
        assert np.allclose(result, expected, rtol=2e-3, atol=2e-3), (warps, stages)


def descriptors() -> None:
    for warps, stages in ((4, 2), (8, 3)):
        left, right, result = product(160, 96, 144)
        blocks = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}
        shapes = ([64, 64], [64, 64], [64, 64])
        given = [
            TensorDescriptor(cuda_shim.triton.wrap(array), list(array.shape), [array.shape[1], 1], shape)
            for array, shape in zip((left, right, result), shapes, strict=True)
        ]
        compiled = descriptor_kernel[(3, 2)](*given, 144, **blocks, num_warps=warps, num_stages=stages)
        assert "cp.async.bulk.tensor.2d" in compiled.asm["ptx"]
        expected = left.astype(np.float32) @ right.astype(np.float32)
        assert np.allclose(result, expected, rtol=2e-3, atol=2e-3), (warps, stages)


def made_descriptors() -> None:
    """Descriptors that the kernel makes, in memory that Triton asks the program for."""

    def allocated(size: int, alignment: int, stream: object) -> Any:
        memory = np.full(size + alignment, 0xAB, np.uint8)
        return cuda_shim.triton.wrap(memory[-memory.ctypes.data % alignment :][:size])

    triton.set_allocator(allocated)
    for programs, warps in ((4, 4), (1, 8)):
        left, right, result = product(160, 96, 144)
        arrays = [cuda_shim.triton.wrap(each) for each in (left, right, result)]
        compiled = made_descriptor_kernel[(programs,)](
            *arrays, 160, 96, 144, BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, num_warps=warps
        )
        assert "tensormap.replace" in compiled.asm["ptx"]
        expected = left.astype(np.float32) @ right.astype(np.float32)
        assert np.allclose(result, expected, rtol=2e-3, atol=2e-3), (programs, warps)
    for dtype in (np.float32, np.float16):
        source = np.random.default_rng(7).integers(-99, 99, (5, 20, 40)).astype(dtype)
        result = np.zeros_like(source)
        added_kernel[(3, 2, 3)](*(cuda_shim.triton.wrap(each) for each in (source, result)), *source.shape, BLOCK=16)
        assert np.array_equal(result, source + 1), dtype


if __name__ == "__main__":
    for run in (pointers, descriptors, made_descriptors):
        run()
        print(run.__name__)

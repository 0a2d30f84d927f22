"""Products of matrices on what a GPU has tensor cores for, and attention, held beside PyTorch on the CPU."""

from __future__ import annotations

import math

import cuda_shim.triton

cuda_shim.triton.enable()

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def matmul_kernel(
    left, right, result, M, N, K,
    left_row, left_column, right_row, right_column, result_row, result_column,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    PRECISION: tl.constexpr, ACCUMULATOR: tl.constexpr,
):  # fmt: skip
    # Blocks of some rows of tiles are neighbours, so that they share what they read.
    number, down, across = tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    first = number // (GROUP * across) * GROUP
    height = min(down - first, GROUP)
    tile_m = first + number % (GROUP * across) % height
    tile_n = number % (GROUP * across) // height
    row, column = tile_m * BLOCK_M + tl.arange(0, BLOCK_M), tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a = left + (row % M)[:, None] * left_row + depth[None, :] * left_column
    b = right + depth[:, None] * right_row + (column % N)[None, :] * right_column
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACCUMULATOR)
    for start in range(tl.cdiv(K, BLOCK_K)):
        inside = depth < K - start * BLOCK_K
        sums = tl.dot(
            tl.load(a, mask=inside[None, :], other=0), tl.load(b, mask=inside[:, None], other=0), sums,
            input_precision=PRECISION, out_dtype=ACCUMULATOR,
        )  # fmt: skip
        a += BLOCK_K * left_column
        b += BLOCK_K * right_row
    place = result + row[:, None] * result_row + column[None, :] * result_column
    tl.store(place, sums.to(result.dtype.element_ty), mask=(row[:, None] < M) & (column[None, :] < N))


@triton.jit
def attention_kernel(
    query, key, value, result, scale, length, DEPTH: tl.constexpr, BLOCK: tl.constexpr, CAUSAL: tl.constexpr
):
    start, head = tl.program_id(0) * BLOCK, tl.program_id(1) * length * DEPTH
    row, depth = start + tl.arange(0, BLOCK), tl.arange(0, DEPTH)
    queries = tl.load(query + head + row[:, None] * DEPTH + depth[None, :])
    highest = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    sums = tl.zeros([BLOCK, DEPTH], dtype=tl.float32)
    end = start + BLOCK if CAUSAL else length
    for begin in range(0, end, BLOCK):
        column = begin + tl.arange(0, BLOCK)
        keys = tl.load(key + head + column[None, :] * DEPTH + depth[:, None])
        scores = tl.dot(queries, keys) * scale
        if CAUSAL:
            scores = tl.where(row[:, None] >= column[None, :], scores, -float("inf"))
        peak = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp2(scores - peak[:, None])
        shrink = tl.exp2(highest - peak)
        total = total * shrink + tl.sum(weights, axis=1)
        values = tl.load(value + head + column[:, None] * DEPTH + depth[None, :])
        sums = tl.dot(weights.to(values.dtype), values, sums * shrink[:, None])
        highest = peak
    place = result + head + row[:, None] * DEPTH + depth[None, :]
    tl.store(place, (sums / total[:, None]).to(result.dtype.element_ty))


def multiply(
    left: torch.Tensor, right: torch.Tensor, result: torch.Tensor, precision: str = "ieee", **options: int
) -> None:
    (M, K), N = left.shape, right.shape[1]
    whole = result.dtype is torch.int32
    matmul_kernel[lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)](
        left, right, result, M, N, K, *left.stride(), *right.stride(), *result.stride(),
        BLOCK_M=64, BLOCK_N=32, BLOCK_K=32, GROUP=4, PRECISION=precision, ACCUMULATOR=tl.int32 if whole else tl.float32,
        **options,
    )  # fmt: skip


def halves() -> None:
    for dtype, tolerance in ((torch.float16, 1e-2), (torch.bfloat16, 5e-2)):
        for warps, stages in ((4, 1), (4, 3), (8, 4)):
            left, right = torch.randn(150, 130).to(dtype), torch.randn(130, 100).to(dtype)
            result = torch.empty(150, 100, dtype=dtype)
            multiply(left, right, result, num_warps=warps, num_stages=stages)
            expected = (left.float() @ right.float()).to(dtype)
            torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)


def floats() -> None:
    left, right = torch.randn(100, 90), torch.randn(90, 70).t().contiguous().t()
    for precision, tolerance in (("tf32", 5e-2), ("tf32x3", 1e-4), ("ieee", 1e-4)):
        result = torch.empty(100, 70)
        multiply(left, right, result, precision)
        torch.testing.assert_close(result, left @ right, rtol=tolerance, atol=tolerance)


def whole_numbers() -> None:
    left = torch.randint(-128, 128, (100, 96), dtype=torch.int8)
    right = torch.randint(-128, 128, (96, 64), dtype=torch.int8)
    result = torch.empty(100, 64, dtype=torch.int32)
    multiply(left, right, result)
    assert torch.equal(result, left.int() @ right.int())


def attention() -> None:
    for causal in (False, True):
        query, key, value = (torch.randn(1, 4, 256, 64, dtype=torch.float16) for _ in range(3))
        result = torch.empty_like(query)
        attention_kernel[(256 // 64, 4)](
            query, key, value, result, 0.125 * math.log2(math.e), 256, DEPTH=64, BLOCK=64, CAUSAL=causal, num_stages=2
        )
        expected = torch.nn.functional.scaled_dot_product_attention(
            query.float(), key.float(), value.float(), is_causal=causal
        )
        torch.testing.assert_close(result.float(), expected, rtol=1e-2, atol=1e-2)


if __name__ == "__main__":
    torch.manual_seed(2)
    for run in (halves, floats, whole_numbers, attention):
        run()
        print(run.__name__)

"""Rows and elements: sums, softmax, layer normalisation, dropout, held beside PyTorch on the CPU."""

from __future__ import annotations

import cuda_shim.triton

cuda_shim.triton.enable()

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add_kernel(left, right, result, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    tl.store(result + index, tl.load(left + index, mask=inside) + tl.load(right + index, mask=inside), mask=inside)


@triton.jit
def softmax_kernel(source, result, source_stride, result_stride, rows, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        values = tl.load(source + row * source_stride + column, mask=inside, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(result + row * result_stride + column, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def layer_norm_kernel(source, weight, bias, result, means, deviations, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        sums += tl.load(source + row * columns + column, mask=column < columns, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        value = tl.load(source + row * columns + column, mask=column < columns, other=0.0).to(tl.float32)
        difference = tl.where(column < columns, value - mean, 0.0)
        squares += difference * difference
    inverse = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(deviations + row, inverse)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < columns
        value = tl.load(source + row * columns + column, mask=inside, other=0.0).to(tl.float32)
        scaled = (value - mean) * inverse * tl.load(weight + column, mask=inside) + tl.load(bias + column, mask=inside)
        tl.store(result + row * columns + column, scaled, mask=inside)


@triton.jit
def dropout_kernel(source, result, numbers, count, probability, seed, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    random = tl.rand(seed, index)
    tl.store(numbers + index, random, mask=inside)
    value = tl.load(source + index, mask=inside)
    tl.store(result + index, tl.where(random > probability, value / (1 - probability), 0.0), mask=inside)


@triton.jit
def scan_kernel(source, result, order, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    value = tl.load(source + tl.program_id(0) * BLOCK + index)
    tl.store(result + tl.program_id(0) * BLOCK + index, tl.cumsum(value, axis=0))
    tl.store(order + tl.program_id(0) * BLOCK + index, tl.sort(value))


def philox(seed: int, index: int) -> int:
    """The first number of Philox 4x32 with ten rounds, for a counter."""
    mask = 0xFFFFFFFF
    keys, counters = (seed & mask, seed >> 32), (index, 0, 0, 0)
    for _ in range(10):
        first, second = counters[0] * 0xD2511F53, counters[2] * 0xCD9E8D57
        counters = (
            second >> 32 ^ counters[1] ^ keys[0],
            second & mask,
            first >> 32 ^ counters[3] ^ keys[1],
            first & mask,
        )
        keys = (keys[0] + 0x9E3779B9 & mask, keys[1] + 0xBB67AE85 & mask)
    return counters[0]


def add() -> None:
    left, right = torch.rand(98432, device=DEVICE), torch.rand(98432, device=DEVICE)
    result = torch.empty_like(left)
    add_kernel[lambda meta: (triton.cdiv(left.numel(), meta["BLOCK"]),)](left, right, result, left.numel(), BLOCK=1024)
    torch.testing.assert_close(result, left + right, rtol=0, atol=0)


def softmax() -> None:
    source = torch.randn(183, 781)
    result = torch.empty_like(source)
    softmax_kernel[(8,)](source, result, source.stride(0), result.stride(0), *source.shape, BLOCK=1024, num_warps=8)
    torch.testing.assert_close(result, torch.softmax(source, dim=1))


def layer_norm() -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        source = (torch.randn(75, 1000) * 2.3 - 0.5).to(dtype)
        weight, bias = torch.rand(1000).to(dtype), torch.rand(1000).to(dtype)
        result, means, deviations = torch.empty_like(source), torch.empty(75), torch.empty(75)
        layer_norm_kernel[(75,)](source, weight, bias, result, means, deviations, 1000, 1e-5, BLOCK=256)
        expected = torch.nn.functional.layer_norm(source.float(), (1000,), weight.float(), bias.float(), 1e-5)
        tolerance = 1e-5 if dtype is torch.float32 else 2e-2
        torch.testing.assert_close(result.float(), expected, rtol=tolerance, atol=tolerance)
        torch.testing.assert_close(means, source.float().mean(dim=1), rtol=1e-4, atol=1e-5)


def dropout() -> None:
    source, seed = torch.randn(3000), 0x1234567890AB
    result, numbers = torch.empty_like(source), torch.empty_like(source)
    dropout_kernel[(3,)](source, result, numbers, 3000, 0.4, seed, BLOCK=1024)
    words = torch.tensor([philox(seed, index) for index in range(3000)])
    words = torch.where(
        words >= 2**31, 2**32 - 1 - words, words
    )  # of a word with its sign, `~word` where it is negative
    expected = words.to(torch.float32) * 4.6566127342e-10
    torch.testing.assert_close(numbers, expected, rtol=1e-6, atol=0)
    torch.testing.assert_close(result, torch.where(numbers > 0.4, source / 0.6, torch.zeros(())))


def scan_and_sort() -> None:
    source = torch.randint(-1000, 1000, (16, 256), dtype=torch.int32)
    sums, order = torch.empty_like(source), torch.empty_like(source)
    scan_kernel[(16,)](source, sums, order, BLOCK=256)
    assert torch.equal(sums, source.cumsum(dim=1, dtype=torch.int32))
    assert torch.equal(order, source.sort(dim=1).values)


if __name__ == "__main__":
    torch.manual_seed(1)
    for run in (add, softmax, layer_norm, dropout, scan_and_sort):
        run()
        print(run.__name__)

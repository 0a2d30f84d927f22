"""Atomics, prints, assertions, autotuning, calls of libdevice, descriptors, heuristics, faults, hooks, benchmarks."""

from __future__ import annotations

import cuda_shim.triton

cuda_shim.triton.enable()

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.language.extra import libdevice  # noqa: E402


@triton.jit
def atomics_kernel(bins, values, sums, highest, lowest, bits, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    value = tl.load(values + index, mask=inside, other=0)
    tl.atomic_add(bins + value % 10, 1, mask=inside)
    tl.atomic_add(sums + value % 3, value.to(tl.float32), mask=inside)
    tl.atomic_max(highest + 0 * value, value, mask=inside)
    tl.atomic_min(lowest + 0 * value, value, mask=inside)
    tl.atomic_or(bits + 0 * value, 1 << value % 31, mask=inside)


@triton.jit
def locked_kernel(lock, total, ROUNDS: tl.constexpr):
    for _ in range(ROUNDS):
        while tl.atomic_cas(lock, 0, 1) == 1:
            pass
        tl.store(total, tl.load(total) + 1)
        tl.debug_barrier()
        tl.atomic_xchg(lock, 0)


@triton.jit
def histogram_kernel(values, result, BLOCK: tl.constexpr, BINS: tl.constexpr):
    value = tl.load(values + tl.arange(0, BLOCK))
    tl.store(result + tl.arange(0, BINS), tl.histogram(value, BINS))


@triton.jit
def printing_kernel(values, BLOCK: tl.constexpr):
    tl.device_print("value: ", tl.load(values + tl.arange(0, BLOCK)))


@triton.jit
def asserting_kernel(values, BLOCK: tl.constexpr):
    value = tl.load(values + tl.arange(0, BLOCK))
    tl.device_assert(value > 0, "a value is not positive")


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}, num_warps=2), triton.Config({"BLOCK": 2048}, num_warps=8)], key=["count"]
)
@triton.jit
def scale_kernel(source, result, factor, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(result + index, factor * tl.load(source + index, mask=index < count), mask=index < count)


@triton.jit
def functions_kernel(source, result, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(source + index, mask=index < count)
    tl.store(result + index, libdevice.asin(value), mask=index < count)
    tl.store(result + count + index, libdevice.tgamma(value + 2), mask=index < count)
    tl.store(result + 2 * count + index, tl.erf(value) + tl.sin(value) + tl.log2(value + 2), mask=index < count)


@triton.jit
def transpose_kernel(source, result, M, N, BLOCK: tl.constexpr):
    wide = tl.make_tensor_descriptor(source, shape=[M, N], strides=[N, 1], block_shape=[BLOCK, BLOCK])
    tall = tl.make_tensor_descriptor(result, shape=[N, M], strides=[M, 1], block_shape=[BLOCK, BLOCK])
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    tall.store([column, row], wide.load([row, column]).T)


def atomics() -> None:
    values = torch.randint(1, 1000, (5000,), dtype=torch.int32)
    bins, sums = torch.zeros(10, dtype=torch.int32), torch.zeros(3)
    highest, lowest = torch.zeros(1, dtype=torch.int32), torch.full((1,), 2000, dtype=torch.int32)
    bits = torch.zeros(1, dtype=torch.int32)
    atomics_kernel[(5,)](bins, values, sums, highest, lowest, bits, 5000, BLOCK=1024)
    assert torch.equal(bins, torch.bincount(values % 10, minlength=10).int())
    torch.testing.assert_close(
        sums, torch.tensor([values[values % 3 == rest].sum().item() for rest in range(3)]).float()
    )
    assert (highest.item(), lowest.item(), bits.item()) == (values.max().item(), values.min().item(), 0x7FFFFFFF)


def a_lock() -> None:
    lock, total = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    locked_kernel[(64,)](lock, total, ROUNDS=3)
    assert total.item() == 192


def histogram() -> None:
    values, result = torch.randint(0, 64, (1024,), dtype=torch.int32), torch.empty(64, dtype=torch.int32)
    histogram_kernel[(1,)](values, result, BLOCK=1024, BINS=64)
    assert torch.equal(result, torch.bincount(values, minlength=64).int())


def printing() -> None:
    printing_kernel[(1,)](torch.arange(4, dtype=torch.int32) * 11, BLOCK=4, num_warps=1)


def autotuning() -> None:
    source = torch.rand(100_001)
    result = torch.empty_like(source)
    scale_kernel[lambda meta: (triton.cdiv(source.numel(), meta["BLOCK"]),)](source, result, 3.0, source.numel())
    torch.testing.assert_close(result, source * 3.0)
    assert scale_kernel.best_config in scale_kernel.configs
    assert set(scale_kernel.configs_timings) == set(scale_kernel.configs)


def functions() -> None:
    source = torch.rand(1000) * 1.8 - 0.9
    result = torch.empty(3, 1000)
    functions_kernel[(1,)](source, result, 1000, BLOCK=1024)
    exact = source.double()
    torch.testing.assert_close(result[0], exact.asin().float())
    torch.testing.assert_close(result[1], torch.special.gammaln(exact + 2).exp().float())
    torch.testing.assert_close(result[2], (exact.erf() + exact.sin() + (exact + 2).log2()).float())


def descriptors() -> None:
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8))
    source = torch.randn(96, 160)
    result = torch.empty(160, 96)
    transpose_kernel[(3, 5)](source, result, 96, 160, BLOCK=32)
    assert torch.equal(result, source.t())


def benchmark() -> None:
    source = torch.rand(10_000)
    result = torch.empty_like(source)
    times = triton.testing.do_bench(
        lambda: scale_kernel.fn[(10,)](source, result, 3.0, 10_000, BLOCK=1024), warmup=2, rep=5, quantiles=[0.2, 0.5]
    )
    assert 0 < times[0] <= times[1]


def a_failed_assertion() -> None:
    values = torch.tensor([1, 2, 0, 4], dtype=torch.int32)
    try:
        asserting_kernel[(1,)](values, BLOCK=4, num_warps=1, debug=True)
    except RuntimeError as error:
        print(error)


if __name__ == "__main__":
    torch.manual_seed(3)
    for run in (
        atomics,
        a_lock,
        histogram,
        printing,
        autotuning,
        functions,
        descriptors,
        benchmark,
        a_failed_assertion,
    ):
        run()
        print(run.__name__, flush=True)

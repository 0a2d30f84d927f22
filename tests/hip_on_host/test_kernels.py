"""Kernels as people write them, on the CPU-hosted runtime, checked against numpy."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt
import pytest

from tests.hip_on_host.hiprtc_program import Kernels
from tests.program_files import read_program

RNG = np.random.default_rng(2024)


def i32(number: int) -> ctypes.c_int32:
    return ctypes.c_int32(number)


def f32(number: float) -> ctypes.c_float:
    return ctypes.c_float(number)


def random_floats(*shape: int) -> npt.NDArray[np.float32]:
    return RNG.random(shape, dtype=np.float32)


def test_saxpy_leaves_what_lies_beyond_n(programs: Kernels, form: str) -> None:
    module = programs.load(
        """extern "C" __global__ void saxpy(float a, const float* x, float* y, size_t n) {
            size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = a * x[i] + y[i];
        }""", form)  # fmt: skip
    x, y = random_floats(1000), random_floats(1000)
    expected = y.copy()
    expected[:901] += np.float32(2.5) * x[:901]
    module.launch("saxpy", 4, 256, f32(2.5), x, y, ctypes.c_size_t(901))
    np.testing.assert_allclose(y, expected, rtol=1e-6)


def test_threads_see_their_own_indices_in_three_dimensions(programs: Kernels, form: str) -> None:
    module = programs.load(
        """extern "C" __global__ void where(int* out) {
            int x = blockIdx.x * blockDim.x + threadIdx.x;
            int y = blockIdx.y * blockDim.y + threadIdx.y;
            int z = blockIdx.z * blockDim.z + threadIdx.z;
            int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
            out[(z * height + y) * width + x] += x + 1000 * y + 1000000 * z;
        }""", form)  # fmt: skip
    out = np.zeros((6, 10, 12), np.int32)
    module.launch("where", (3, 2, 2), (4, 5, 3), out)
    z, y, x = np.indices(out.shape)
    assert (out == x + 1000 * y + 1000000 * z).all()


def test_tiled_matrix_product_of_awkward_sizes(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_product.cu"), form)
    a, b, c = random_floats(50, 37), random_floats(37, 61), np.zeros((50, 61), np.float32)
    module.launch("product", (4, 4, 1), (16, 16, 1), a, b, c, i32(50), i32(61), i32(37))
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_block_reduction_with_early_return(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_total.cu"), form)
    x, out = random_floats(5000), np.zeros(10, np.float32)
    module.launch("total", 10, 256, x, out, i32(5000), shared=1024)
    np.testing.assert_allclose(out, np.pad(x, (0, 120)).reshape(10, 512).sum(axis=1), rtol=1e-5)


def test_warp_reduction_in_device_functions(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_sum.cu"), form)
    x, out = random_floats(10000), np.zeros(1, np.float32)
    module.launch("sum", 6, 256, x, out, i32(10000))
    np.testing.assert_allclose(out[0], x.sum(dtype=np.float64), rtol=1e-5)


def test_inclusive_scan_by_shuffles(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_scan.cu"), form)
    data = RNG.integers(0, 100, 512).astype(np.int32)
    expected = data.cumsum(dtype=np.int32)
    module.launch("scan", 1, 512, data)
    assert (data == expected).all()


def test_votes_and_matches(programs: Kernels, form: str) -> None:
    module = programs.load(
        """extern "C" __global__ void vote(const int* x, unsigned* ballots, int* flags, unsigned* same) {
            int t = threadIdx.x, value = x[t];
            unsigned votes = __ballot_sync(0xffffffff, value % 3 == 0);
            ballots[t] = votes;
            int any = __any_sync(0xffffffff, value == 7), all = __all_sync(0xffffffff, value < 50);
            same[t] = __match_any_sync(0xffffffff, value % 4);
            int odd = __syncthreads_count(value & 1);
            int some = __syncthreads_or(value == 99), each = __syncthreads_and(value >= 0);
            flags[t] = any + 2 * all + 4 * some + 8 * each + 16 * odd;
        }""", form)  # fmt: skip
    x = RNG.integers(0, 60, 96).astype(np.int32)
    ballots, same, flags = np.zeros(96, np.uint32), np.zeros(96, np.uint32), np.zeros(96, np.int32)
    module.launch("vote", 1, 96, x, ballots, flags, same)
    odd = int((x & 1).sum())
    for warp in range(3):
        part = x[32 * warp : 32 * warp + 32]
        expected = sum(1 << lane for lane in range(32) if part[lane] % 3 == 0)
        any_all = int((part == 7).any()) + 2 * int((part < 50).all())
        for lane in range(32):
            t = 32 * warp + lane
            assert ballots[t] == expected
            assert flags[t] == any_all + 8 + 16 * odd
            assert same[t] == sum(1 << other for other in range(32) if part[other] % 4 == part[lane] % 4)


@pytest.mark.parametrize(
    ("kind", "word"), [("float", "u4"), ("double", "u8"), ("unsigned long long", "u8"), ("int", "u4")]
)
def test_lanes_match_by_the_bits_of_their_values(programs: Kernels, form: str, kind: str, word: str) -> None:
    module = programs.load(
        f"""extern "C" __global__ void match(const {kind}* x, unsigned* any, unsigned* all, int* flags) {{
            int t = threadIdx.x, flag;
            any[t] = __match_any_sync(0xffffffff, x[t]);
            all[t] = __match_all_sync(0xffffffff, x[t], &flag);
            flags[t] = flag;
        }}""", form)  # fmt: skip
    floats = np.array([0.0, -0.0, np.nan, 1.5, np.inf], "f8" if word == "u8" else "f4")
    values = floats.view(word)[RNG.integers(0, 5, 96)]
    values[64:] = floats.view(word)[2]
    results = np.zeros(96, np.uint32), np.zeros(96, np.uint32), np.zeros(96, np.int32)
    module.launch("match", 1, 96, values, *results)
    for t in range(96):
        warp = values[t // 32 * 32 :][:32]
        expected = sum(1 << lane for lane in range(32) if warp[lane] == values[t])
        everything = 0xFFFFFFFF if expected == 0xFFFFFFFF else 0
        assert [int(result[t]) for result in results] == [expected, everything, int(everything != 0)]


def test_bitonic_sort_in_shared_memory(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_sort.cu"), form)
    data = RNG.integers(-1000, 1000, (5, 256)).astype(np.int32)
    expected = np.sort(data, axis=1)
    module.launch("sort", 5, 256, data)
    assert (data == expected).all()


def test_histogram_with_shared_and_global_atomics(programs: Kernels, form: str) -> None:
    module = programs.load(
        """extern "C" __global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
            __shared__ unsigned local[256];
            for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
            __syncthreads();
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1);
            __syncthreads();
            for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(bins + i, local[i]);
        }""", form)  # fmt: skip
    x, bins = RNG.integers(0, 256, 50000).astype(np.uint8), np.zeros(256, np.uint32)
    module.launch("histogram", 7, 96, x, bins, i32(x.size))
    assert (bins == np.bincount(x, minlength=256)).all()


def test_stencil_with_halo(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_stencil.cu"), form)
    x, out = random_floats(1000), np.zeros(1000, np.float32)
    module.launch("stencil", 8, 128, x, out, i32(1000))
    np.testing.assert_allclose(out, np.convolve(x, np.ones(7, np.float32), "same"), rtol=1e-5)


def test_softmax_rows(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_softmax.cu"), form)
    x = random_floats(17, 777) * 9
    y = np.zeros_like(x)
    module.launch("softmax", 17, 128, x, y, i32(777))
    expected = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(y, expected / expected.sum(axis=1, keepdims=True), rtol=1e-4)


def test_transpose_template_and_naive_product(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_transpose.cu"), form, names=["transpose<32, float>"])
    x, y = random_floats(100, 70), np.zeros((70, 100), np.float32)
    module.launch("transpose<32, float>", (3, 4, 1), (32, 8, 1), x, y, i32(70), i32(100))
    assert (y == x.T).all()
    a, b, c = RNG.random((45, 45)), RNG.random((45, 45)), np.zeros((45, 45))
    module.launch("product", (3, 3, 1), (16, 16, 1), a, b, c, i32(45))
    np.testing.assert_allclose(c, a @ b, rtol=1e-12)


def test_game_of_life_keeps_per_thread_arrays_across_barriers(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_life.cu"), form)
    board = RNG.integers(0, 2, (16, 16)).astype(np.int32)
    cells, seen = board.copy(), np.zeros_like(board)
    for _ in range(7):
        around = sum(np.roll(board, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
        seen += around
        board = ((around == 3) | ((around == 2) & (board == 1))).astype(np.int32)
    module.launch("life", 1, (16, 16, 1), cells, i32(7))
    assert (cells == board + 10 * seen).all()


def test_divergent_exits_from_loops_with_barriers(programs: Kernels, form: str) -> None:
    module = programs.load(read_program(__file__, "kernels_leave.cu"), form)
    out = np.zeros(64, np.int32)
    module.launch("leave", 1, 64, out, i32(5))
    turns, mine = 0, []
    for t in range(64):
        rounds = min(5, t % 5 + 2)
        turns += rounds
        mine.append(sum(r + (100 if r % 2 == t % 2 else 0) for r in range(rounds)))
    assert (out == np.array(mine) + 10000 * turns).all()


@pytest.mark.parametrize("source", ["x % 2 ? __shfl_sync(~0u, x, 3) : x", "x > 0 && __any_sync(~0u, x == 5)"])
def test_warp_operations_in_conditions_still_run(programs: Kernels, form: str, source: str) -> None:
    """Kernels that are not split run on fibres, with the same results."""
    module = programs.load(
        'extern "C" __global__ void k(int* d) { int x = d[threadIdx.x]; int y = %s; __syncthreads(); d[threadIdx.x] = y; }' % source,
        form,
    )  # fmt: skip
    data = np.full(32, 5, np.int32)
    module.launch("k", 1, 32, data)
    assert (data == (5 if "shfl" in source else 1)).all()


def test_intrinsics_where_a_gpu_is_not_exact(programs: Kernels, form: str) -> None:
    """As an H200 answers `fns` and `div.approx` (tests/ptx/recorded_forms.npz): odd offsets, and the greatest divisors."""
    module = programs.load(
        """extern "C" __global__ void found(const unsigned* mask, const unsigned* base, const int* offset, int* out) {
            out[threadIdx.x] = __fns(mask[threadIdx.x], base[threadIdx.x], offset[threadIdx.x]);
        }
        extern "C" __global__ void divided(const float* x, const float* y, float* out) {
            out[threadIdx.x] = __fdividef(x[threadIdx.x], y[threadIdx.x]);
        }""", form)  # fmt: skip
    bits = [
        (0xF0, 3, 1, 4),
        (0xF0, 6, -2, 5),
        (0x10, 4, 0, 4),
        (0x10, 36, 0, -1),
        (0xF0, 40, 1, -1),
        (0, 2, -(2**31), 0),
    ]
    masks, bases, offsets, expected = (np.array(column) for column in zip(*bits, strict=True))
    out = np.zeros(len(bits), np.int32)
    module.launch(
        "found", 1, len(bits), masks.astype(np.uint32), bases.astype(np.uint32), offsets.astype(np.int32), out
    )
    assert out.tolist() == expected.tolist()

    large, most, inf = 2.0**127, np.finfo(np.float32).max, np.inf
    parts = [
        (most, most, 0.0),
        (1, large, 0.0),
        (-1, large, -0.0),
        (1, -large, -0.0),
        (inf, large, np.nan),
        (1, inf, 0.0),
    ]
    parts += [(6, 3, 2.0), (1, 2.0**126, 2.0**-126)]
    x, y, quotients = (np.array(column, np.float32) for column in zip(*parts, strict=True))
    given = np.ones(len(parts), np.float32)
    module.launch("divided", 1, len(parts), x, y, given)
    np.testing.assert_array_equal(given, quotients)
    assert (np.signbit(given) == np.signbit(quotients))[~np.isnan(quotients)].all()

"""Affine guards that are hoisted to rows of threads: conditions of every kind, and loops in tiles."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from tests.clusters import DEVICES_HAVE_CLUSTERS
from tests.hip_on_host.hiprtc_program import Kernels, forms
from tests.program_files import read_program

Ints = npt.NDArray[np.int64]
Predicate = Callable[[Ints, Ints, Ints, int], npt.NDArray[np.bool_]]

#: Hoisted where the condition is one of an if.
PERIODIC = "of an if"

#: A condition on the thread's place in its block (x, y), its number in the grid (g) and n; the threads that it holds
#: for; whether the guard is hoisted to a whole row.
CONDITIONS: list[tuple[str, Predicate, bool | str]] = [
    ("x < n", lambda x, y, g, n: x < n, True),
    ("x <= n", lambda x, y, g, n: x <= n, True),
    ("n > x", lambda x, y, g, n: x < n, True),
    ("x > n", lambda x, y, g, n: x > n, True),
    ("n <= x", lambda x, y, g, n: x >= n, True),
    ("x == n", lambda x, y, g, n: x == n, True),
    ("!(x != n)", lambda x, y, g, n: x == n, True),
    ("x + 3 >= n && x < 2 * n && y != 1", lambda x, y, g, n: (x + 3 >= n) & (x < 2 * n) & (y != 1), True),
    ("!(x < 4 || y < 1 || x >= n + 9)", lambda x, y, g, n: (x >= 4) & (y >= 1) & (x < n + 9), True),
    ("g < 5 * n", lambda x, y, g, n: g < 5 * n, True),
    ("(int)g - n >= 0", lambda x, y, g, n: g >= n, True),
    ("x - n < 4", lambda x, y, g, n: x - n < 4, True),
    # Compared without a sign: negative numbers are large.
    ("x - n < 4u", lambda x, y, g, n: (x - n >= 0) & (x - n < 4), True),
    ("(unsigned)x - 7u > 10u", lambda x, y, g, n: (x < 7) | (x > 17), True),
    ("x < -n", lambda x, y, g, n: np.zeros_like(x, bool), True),
    ("(unsigned char)(x + 250) < n", lambda x, y, g, n: (x + 250) % 256 < n, True),
    ("(long long)x < n + 2ll", lambda x, y, g, n: x < n + 2, True),
    # Conditions that hold for one thread of each period.
    ("x % 32 == 0", lambda x, y, g, n: x % 32 == 0, PERIODIC),
    ("(x & 7) == n", lambda x, y, g, n: (x & 7) == n, PERIODIC),
    ("n == (g & 15)", lambda x, y, g, n: (g & 15) == n, PERIODIC),
    ("!(threadIdx.x % warpSize)", lambda x, y, g, n: x % 32 == 0, PERIODIC),
    ("threadIdx.x % 16 == n - 1", lambda x, y, g, n: x % 16 == n - 1, PERIODIC),
    (
        "(x - n) % 4 == 0 && x > 2 && x < n + 20",
        lambda x, y, g, n: ((x - n) % 4 == 0) & (x > 2) & (x < n + 20),
        PERIODIC,
    ),
    ("((unsigned char)(x + 250) & 63) == 2", lambda x, y, g, n: (x + 250) % 64 == 2, PERIODIC),
    ("x % 128 == 5 && x > 1001", lambda x, y, g, n: (x % 128 == 5) & (x > 1001), PERIODIC),
    ("lane == n && x < 200", lambda x, y, g, n: (x % 32 == n) & (x < 200), PERIODIC),
    ("(x & 31) == 0ull - n", lambda x, y, g, n: (x % 32 == 0) & (n == 0), PERIODIC),
    ("(x & 31) == -n", lambda x, y, g, n: (x % 32 == 0) & (n == 0), PERIODIC),
    ("(x & every - 1) == 3", lambda x, y, g, n: x % 8 == 3, PERIODIC),
    # Numbers that are no short period of all integer types: each thread of the row asks.
    ("x % 24 == 0", lambda x, y, g, n: x % 24 == 0, PERIODIC),
    ("(x & 5) == 4", lambda x, y, g, n: (x & 5) == 4, PERIODIC),
    ("(x & 255) == 4", lambda x, y, g, n: (x & 255) == 4, PERIODIC),
    # Rests that do not come again in each period, or that are not known for a row.
    ("(x - 100) % 32 == -n", lambda x, y, g, n: np.fmod(x - 100, 32) == -n, False),
    ("(x & n) == 0", lambda x, y, g, n: (x & n) == 0, False),
    ("x % 4 == 0 && g % 8 == 0", lambda x, y, g, n: (x % 4 == 0) & (g % 8 == 0), False),
    ("(x * 2) % 32 == 0", lambda x, y, g, n: x * 2 % 32 == 0, False),
    ("(x & 31) != n", lambda x, y, g, n: (x & 31) != n, False),
    # Conversions and parentheses are nothing that would be computed twice.
    (
        "!(((long long)(((long long)(((long long)(int)(((unsigned)(x)))))))) >= ((long long)(((long long)(((int)(((n)))))))))",
        lambda x, y, g, n: x < n,
        True,
    ),
    # Conditions that do not hold for neighbouring threads, or that are not known for a row.
    ("x % 3 == 0", lambda x, y, g, n: x % 3 == 0, PERIODIC),
    ("2 * x < n", lambda x, y, g, n: 2 * x < n, False),
    ("x < n || y == 1", lambda x, y, g, n: (x < n) | (y == 1), False),
    ("(float)x < n", lambda x, y, g, n: x < n, False),
    ("x != n", lambda x, y, g, n: x != n, False),
    ("(__int128)x < n", lambda x, y, g, n: x < n, False),
    ("Place(x) < Place(n)", lambda x, y, g, n: x < n, False),
    ("n - x > 3", lambda x, y, g, n: n - x > 3, False),
]
#: The code under the condition. In rows with a hoisted condition the name is another one than the prelude's.
BODIES = {
    "if": "if ({0}) out[g] += 2 + cuda_shim_all_guards_hold;",
    "guard": "if (!({0})) return; out[g] += 2 + cuda_shim_all_guards_hold;",
    "between barriers": "int v = in[g]; __syncthreads(); if ({0}) out[g] += v + 2 + cuda_shim_all_guards_hold; __syncthreads();",
    "beside others": "int v = 1; if ({0}) v = in[g]; if (g < 1u << 30) v += 2 * (g != ({0})); __syncthreads(); out[g] += v;",
}
PLACE = "const int x = threadIdx.x, y = threadIdx.y, lane = x & 31; const unsigned g = (blockIdx.y * blockDim.y + y) * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + x;"
SHAPES = [
    ((64, 1, 1), (3, 1, 1)),
    ((50, 3, 1), (2, 2, 1)),
    ((5, 7, 1), (2, 1, 1)),
    ((300, 1, 1), (2, 1, 1)),
    ((1024, 1, 1), (1, 1, 1)),
]


@pytest.mark.parametrize("body", BODIES)
def test_active_threads(programs: Kernels, body: str) -> None:
    """Neighbours or not, whichever values wrap around, each thread follows its own condition."""
    source = "enum class Place : int {}; constexpr int every = 8;\n" + "".join(
        f'extern "C" __global__ void k{i}(const int* in, int* out, int n) {{ {PLACE} {BODIES[body].format(condition)} }}\n'
        for i, (condition, _, _) in enumerate(CONDITIONS)
    )
    loaded = programs.load(source)
    for block, grid in SHAPES:
        width, height = block[0] * grid[0], block[1] * grid[1]
        row, column = np.divmod(np.arange(width * height, dtype=np.int64), width)
        x, y, g = column % block[0], row % block[1], row * width + column
        values = (g * 7 % 11).astype(np.int32)
        for i, (condition, predicate, hoisted) in enumerate(CONDITIONS):
            for n in (0, 1, 9, 16, 31):
                out = np.zeros(g.size, np.int32)
                loaded.launch(f"k{i}", grid, block, values, out, ctypes.c_int(n))
                active = predicate(x, y, g, n)
                if body == "beside others":
                    expected = np.where(active, values, 1) + 2 * (g != active)
                    np.testing.assert_array_equal(out, expected, f"{condition}, n = {n}, {block}")
                    continue
                value = 2 + (values if body == "between barriers" else 0)
                guarded = active & (hoisted is True or (hoisted == PERIODIC and body != "guard"))
                np.testing.assert_array_equal(
                    out, np.where(active, value + guarded, 0), f"{condition}, n = {n}, {block}"
                )


MATMUL = """
template <class T> __device__ T part(T a, T b) {{ return a * b; }}
extern "C" __global__ void k(const {type}* a, const {type}* b, {type}* c, int n, int m) {{
    const int row = {row}, column = blockIdx.x * blockDim.x + threadIdx.x;
    {guard} {{
        {type} sum = 0, most = 0;
        for (int k = 0; k < m; k++) {{ sum += a[row * m + k] * b[k * n + column]; {more} }}
        c[row * n + column] = sum + most;
    }}
}}"""


@pytest.mark.parametrize("guard", ["", "if (row < n && column < n)"], ids=["all", "guarded"])
@pytest.mark.parametrize("more", ["", "most = max(most, a[row * m + k]);"], ids=["one", "two"])
def test_loops_in_tiles(programs: Kernels, guard: str, more: str) -> None:
    """Blocks that are made of whole tiles and others, rows in which all threads take part and rows at an edge."""
    for name, kind in (("int", np.int32), ("double", np.float64), ("float", np.float32)):
        plane = programs.load(
            MATMUL.format(type=name, guard=guard, more=more, row="blockIdx.y * blockDim.y + threadIdx.y")
        )
        line = programs.load(MATMUL.format(type=name, guard=guard, more=more, row="blockIdx.y"))
        for n, m in ((64, 33), (256, 1), (60, 17)) if guard else ((64, 33), (256, 0)):
            a = np.random.default_rng(1).integers(-9, 9, (n, m)).astype(kind)
            b = np.random.default_rng(2).integers(-9, 9, (m, n)).astype(kind)
            expected = np.matmul(a, b) + (a.max(1, initial=0)[:, None] if more else kind(0))
            for block in ((16, 16, 1), (32, 8, 1), (8, 8, 1), (16, 4, 1), (64, 1, 1), (128, 1, 1)):
                loaded = plane if block[1] > 1 else line
                if not guard and (n % block[0] or n % block[1]):
                    continue
                c = np.full((n, n), 77, kind)
                grid = (-(-n // block[0]), -(-n // block[1]), 1)
                loaded.launch("k", grid, block, a, b, c, ctypes.c_int(n), ctypes.c_int(m))
                np.testing.assert_array_equal(c, expected, f"{name}, {block}, {n} by {m}")


ATOMICS = """
struct Bin {{ int pad; {type} counts[4][8]; }};
extern "C" __global__ void k(const {type}* in, {type}* out, {type}* before) {{
    __shared__ {type} bins[64];
    __shared__ Bin nested;
    extern __shared__ {type} dynamic[];
    const int t = threadIdx.x;
    bins[t] = dynamic[t] = in[63 - t];
    if (t < 32) nested.counts[t / 8][t % 8] = 0;
    __syncthreads();
    const {type} old = {operation}(&bins[t / 4 * 4], {more}in[t]);
    {operation}(dynamic + t / 2, {more}in[t]);
    {operation}(&nested.counts[t % 4][t % 8], {more}in[t]);
    __syncthreads();
    out[t] = bins[t], out[64 + t] = dynamic[t], before[t] = old;
    out[128 + t] = nested.counts[t % 4][t / 4 % 8];
}}"""
OPERATIONS: dict[str, tuple[list[str], Callable[[int, int], int]]] = {
    "atomicAdd": (["int", "unsigned", "unsigned long long", "float", "double"], lambda old, v: old + v),
    "atomicSub": (["int", "unsigned"], lambda old, v: old - v),
    "atomicExch": (["int", "unsigned", "unsigned long long"], lambda old, v: v),
    "atomicMin": (["int", "unsigned", "long long", "unsigned long long"], min),
    "atomicMax": (["int", "unsigned", "long long", "unsigned long long"], max),
    "atomicAnd": (["int", "unsigned", "unsigned long long"], lambda old, v: old & v),
    "atomicOr": (["int", "unsigned", "unsigned long long"], lambda old, v: old | v),
    "atomicXor": (["int", "unsigned", "unsigned long long"], lambda old, v: old ^ v),
    "atomicCAS": (["int", "unsigned", "unsigned long long"], lambda old, v: v if old == 5 else old),
}
TYPES = {
    "int": np.int32, "unsigned": np.uint32, "long long": np.int64, "unsigned long long": np.uint64, "float": np.float32,
    "double": np.float64,
}  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS)
def test_block_local_atomics(programs: Kernels, operation: str) -> None:
    """Threads run one after the other there: each finds the values that those before it left, as with a lock."""
    types, update = OPERATIONS[operation]
    for name in types:
        kind = TYPES[name]
        more = "5, " if operation == "atomicCAS" else ""
        compiled = programs.compile(ATOMICS.format(type=name, operation=operation, more=more))
        assert forms(compiled)["k"] == (True, True)
        given = np.random.default_rng(4).integers(0, 12, 64).astype(kind)
        out, before = np.zeros(192, kind), np.zeros(64, kind)
        programs.load(ATOMICS.format(type=name, operation=operation, more=more)).launch(
            "k", 1, 64, given, out, before, shared=64 * given.itemsize
        )
        bins = [int(one) for one in given[::-1]]
        dynamic, nested, olds = list(bins), [[0] * 8 for _ in range(4)], []
        for t in range(64):
            value = int(given[t])
            olds.append(bins[t // 4 * 4])
            bins[t // 4 * 4] = update(bins[t // 4 * 4], value)
            dynamic[t // 2] = update(dynamic[t // 2], value)
            nested[t % 4][t % 8] = update(nested[t % 4][t % 8], value)
        expected = [*bins, *dynamic, *(nested[t % 4][t // 4 % 8] for t in range(64))]
        wrapped = [one % 2**32 if name == "unsigned" else one for one in (*expected, *olds)]
        np.testing.assert_array_equal([*out, *before], np.array(wrapped, kind), name)


#: Inside, the name that hiprtc writes before an operation that takes no lock is another one than the prelude's.
OWN_NAME = read_program(__file__, "rows_own_name.cu")


def test_what_only_this_block_can_see_takes_no_lock(programs: Kernels) -> None:
    """Other blocks may read memory elsewhere: the operation is atomic."""
    out = np.zeros(4, np.int32)
    programs.load(OWN_NAME).launch("k", 1, 64, out, ctypes.c_int(1))
    assert out.tolist() == [6400, 64, 64, 0]


CLUSTER = """
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = blockIdx.x;
    __syncthreads();
    for (int i = 0; i < 9; i++) atomicAdd(&count, 1);
    __syncthreads();
    out[blockIdx.x] = count;
}"""


def test_atomics_of_a_block_in_a_cluster(programs: Kernels) -> None:
    """Other blocks may add to the same memory: there the operation is atomic. The result is the same."""
    out = np.zeros(4, np.int32)
    compiled = programs.compile(CLUSTER)
    assert forms(compiled)["k"] == (True, True)
    if not DEVICES_HAVE_CLUSTERS:
        with pytest.raises(AssertionError):
            programs.load(CLUSTER).launch("k", 4, 64, out)
        assert not out.any()
        return
    programs.load(CLUSTER).launch("k", 4, 64, out)
    np.testing.assert_array_equal(out, 9 * 64 + np.arange(4))

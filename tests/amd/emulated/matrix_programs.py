"""Programs with matrices that a warp holds: mma, ldmatrix and stmatrix of inline PTX, and nvcuda::wmma.

The arguments of those with inline PTX are laid out as the PTX ISA documents the fragments.
"""

from __future__ import annotations

import numpy as np

from tests.amd.emulated.small_programs import Arrays, Build, SmallProgram

LANES = np.arange(32)
ROW, QUARTER = LANES // 4, LANES % 4


def product(opcode: str, a: str, b: str, words: int) -> str:
    """A kernel of one warp that multiplies: types of a's and b's registers, and the words of c and d."""
    kind, constraint = ("float", "f") if opcode.endswith(".f32") else ("unsigned", "r")
    of_a, of_b = (list("xyzw")[: int(name[-1]) if name[-1].isdigit() else 1] for name in (a, b))
    member = {1: [""]}
    inputs = [f'"r"(a{m})' for m in (member.get(len(of_a)) or [f".{x}" for x in of_a])]
    inputs += [f'"r"(b{m})' for m in (member.get(len(of_b)) or [f".{x}" for x in of_b])]
    places = iter(range(words, words + len(inputs)))
    groups = [", ".join(f"%{next(places)}" for _ in part) for part in (of_a, of_b)]
    sums = ", ".join(f"%{i}" for i in range(words))
    outputs = ", ".join(f'"+{constraint}"(d[{i}])' for i in range(words))
    text = f"{opcode} {{{sums}}}, {{{groups[0]}}}, {{{groups[1]}}}, {{{sums}}};"
    return (
        f'extern "C" __global__ void k(const {a}* as, const {b}* bs, {kind}* c) {{\n'
        f"    const {a} a = as[threadIdx.x]; const {b} b = bs[threadIdx.x]; {kind}* d = c + {words} * threadIdx.x;\n"
        f'    asm volatile("{text}" : {outputs} : {", ".join(inputs)});\n}}\n'
    )


def fragments(a: np.ndarray, b: np.ndarray, c: np.ndarray, together: int) -> Arrays:
    """Registers of a (16 x K), b (K x 8) and c (16 x 8), with so many elements of a and b in each."""
    of_a = np.zeros((32, a.shape[1] // (2 * together), together), a.dtype)
    of_b = np.zeros((32, b.shape[0] // (4 * together), together), b.dtype)
    for register in range(of_a.shape[1]):
        for i in range(together):
            of_a[:, register, i] = a[ROW + 8 * (register % 2), QUARTER * together + i + 4 * together * (register // 2)]
    for register in range(of_b.shape[1]):
        for i in range(together):
            of_b[:, register, i] = b[QUARTER * together + i + 4 * together * register, ROW]
    return [of_a, of_b, sums(c)]


def sums(c: np.ndarray) -> np.ndarray:
    return np.stack([c[ROW + 8 * (i // 2), QUARTER * 2 + i % 2] for i in range(4)], 1)


def of_halves(rng: np.random.Generator) -> tuple[Arrays, dict[int, np.ndarray]]:
    a, b = rng.normal(size=(16, 16)).astype("f2"), rng.normal(size=(16, 8)).astype("f2")
    c = rng.normal(size=(16, 8)).astype("f4")
    return fragments(a, b, c, 2), {2: sums((a.astype("f8") @ b.astype("f8") + c).astype("f4"))}


def of_halves_in_halves(rng: np.random.Generator) -> tuple[Arrays, dict[int, np.ndarray]]:
    a, b, c = (rng.normal(size=size).astype("f2") for size in ((16, 8), (8, 8), (16, 8)))
    return fragments(a, b, c, 2), {2: sums((a.astype("f8") @ b.astype("f8") + c).astype("f2"))}


def of_bytes(rng: np.random.Generator) -> tuple[Arrays, dict[int, np.ndarray]]:
    a, b = (rng.integers(-128, 128, size).astype("i1") for size in ((16, 32), (32, 8)))
    c = rng.integers(-9, 9, (16, 8)).astype("i4")
    return fragments(a, b, c, 4), {2: sums((a.astype("i8") @ b.astype("i8") + c).astype("i4"))}


def of_tf32(rng: np.random.Generator) -> tuple[Arrays, dict[int, np.ndarray]]:
    a, b = (rng.integers(-64, 64, size).astype("f4") for size in ((16, 8), (8, 8)))
    c = rng.integers(-9, 9, (16, 8)).astype("f4")
    return fragments(a, b, c, 1), {2: sums(a @ b + c)}


def loads(rng: np.random.Generator) -> tuple[Arrays, dict[int, np.ndarray]]:
    """Two warps load four matrices, and two that are transposed, and store them elsewhere."""
    rows = rng.integers(0, 1 << 16, (2, 32, 8)).astype("u2")
    straight, transposed = np.zeros((2, 32, 4, 2), "u2"), np.zeros((2, 32, 2, 2), "u2")
    for matrix in range(4):
        for i in range(2):
            straight[:, :, matrix, i] = rows[:, 8 * matrix + ROW, 2 * QUARTER + i]
            if matrix < 2:
                transposed[:, :, matrix, i] = rows[:, 8 * matrix + 2 * QUARTER + i, ROW]
    outputs = [np.zeros_like(straight), np.zeros_like(transposed), np.zeros_like(rows)]
    return [rows, *outputs], {1: straight, 2: transposed, 3: rows}


LOADS = """extern "C" __global__ void k(const uint4* x, uint4* straight, uint2* transposed, uint4* stored) {
    __shared__ uint4 s[64], t[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    const unsigned row = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]), to = (unsigned)__cvta_generic_to_shared(&t[threadIdx.x]);
    uint4 d;
    uint2 e;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w) : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(e.x), "=r"(e.y) : "r"(row));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :: "r"(to), "r"(d.x), "r"(d.y), "r"(d.z), "r"(d.w));
    __syncthreads();
    straight[threadIdx.x] = d;
    transposed[threadIdx.x] = e;
    stored[threadIdx.x] = t[threadIdx.x];
}
"""


def fragment_program(factor: str, total: str, m: int, n: int, k: int, memory: str = "") -> str:
    """A kernel of one warp that multiplies fragments of nvcuda::wmma, and doubles each element of the product."""
    memory = memory or factor
    return f"""#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const {memory}* x, const {memory}* y, {total}* o) {{
    wmma::fragment<wmma::matrix_a, {m}, {n}, {k}, {factor}, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, {m}, {n}, {k}, {factor}, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, {m}, {n}, {k}, {total}> c, d;
    wmma::load_matrix_sync(a, x, {k});
    wmma::load_matrix_sync(b, y, {k});
    wmma::load_matrix_sync(c, o, {m}, wmma::mem_col_major);
    wmma::mma_sync(d, a, b, c);
    for (int i = 0; i < d.num_elements; ++i) d.x[i] = d.x[i] + d.x[i];
    wmma::store_matrix_sync(o, d, {n}, wmma::mem_row_major);
}}
"""


def of_fragments(factor: str, total: str, m: int, n: int, k: int) -> Build:
    """Factors are small whole numbers, so that every sum is exact in each type."""

    def build(rng: np.random.Generator) -> tuple[Arrays, dict[int, np.ndarray]]:
        a, b = (rng.integers(-8, 9, size).astype(factor) for size in ((m, k), (n, k)))
        c = rng.integers(-8, 9, (n, m)).astype(total)
        d = 2 * (a.astype("f8") @ b.astype("f8").T + c.T.astype("f8"))
        return [a, b, c], {2: d.astype(total)}

    return build


MMA = "mma.sync.aligned.{}"
PROGRAMS = {
    "halves": SmallProgram(product(MMA.format("m16n8k16.row.col.f32.f16.f16.f32"), "uint4", "uint2", 4), 32, of_halves),
    "halves in halves": SmallProgram(product(MMA.format("m16n8k8.row.col.f16.f16.f16.f16"), "uint2", "unsigned", 2), 32, of_halves_in_halves),
    "bytes": SmallProgram(product(MMA.format("m16n8k32.row.col.s32.s8.s8.s32"), "uint4", "uint2", 4), 32, of_bytes),
    "tf32": SmallProgram(product(MMA.format("m16n8k8.row.col.f32.tf32.tf32.f32"), "uint4", "uint2", 4), 32, of_tf32),
    "loads and stores": SmallProgram(LOADS, 64, loads),
    "wmma of halves": SmallProgram(fragment_program("half", "float", 16, 16, 16), 32, of_fragments("f2", "f4", 16, 16, 16)),
    "wmma of halves in halves": SmallProgram(fragment_program("half", "half", 8, 32, 16), 32, of_fragments("f2", "f2", 8, 32, 16)),
    "wmma of bytes": SmallProgram(fragment_program("signed char", "int", 32, 8, 16), 32, of_fragments("i1", "i4", 32, 8, 16)),
    "wmma of tf32": SmallProgram(fragment_program("wmma::precision::tf32", "float", 16, 16, 8, "float"), 32, of_fragments("f4", "f4", 16, 16, 8)),
    "wmma of doubles": SmallProgram(fragment_program("double", "double", 8, 8, 4), 32, of_fragments("f8", "f8", 8, 8, 4)),
}  # fmt: skip

"""Kernels that multiply matrices by a warpgroup, and the layouts of shared memory that they read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PRODUCTS", "Product", "source"]

_HEADER = """\
typedef unsigned long long u64;
static __device__ unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }
"""


@dataclass(frozen=True)
class Product:
    """One kernel, and the descriptors that its matrices have.

    Attributes:
        types: the types of d, a and b.
        n, k: the columns, and the depth.
        layout_a, layout_b: swizzle, leading offset, stride offset and address of a matrix, all in bytes.
        transposed: 1 for each of a and b that is transposed.
        registers: True if a is in registers, False if it is in shared memory.
        negated: -1 for each of a and b whose sign changes in the second product.
        suffix: the rest of the opcode.
    """

    types: tuple[str, str, str]
    n: int
    k: int
    layout_a: tuple[int, int, int, int] = (0, 128, 256, 0)
    layout_b: tuple[int, int, int, int] = (0, 128, 256, 16384)
    transposed: tuple[int, int] = (0, 0)
    registers: bool = False
    negated: tuple[int, int] = (1, 1)
    suffix: str = ""

    @property
    def name(self) -> str:
        """The name of its kernel."""
        words = [*self.types, self.n, *self.layout_a[:3], *self.layout_b[:3], *self.transposed, *self.negated]
        return "_".join(str(word).replace("-", "m") for word in words) + ("_registers" if self.registers else "")

    @property
    def sums(self) -> int:
        """The registers of d of a thread."""
        return self.n // (4 if self.types[0] == "f16" else 2)

    @property
    def is_integer(self) -> bool:
        """Whether it has no sign or transposition of its factors."""
        return self.types[0] == "s32"


def _descriptor(layout: tuple[int, int, int, int]) -> int:
    swizzle, leading, stride, _ = layout
    mode = {0: 0, 128: 1, 64: 2, 32: 3}[swizzle]
    return (leading >> 4) << 16 | (stride >> 4) << 32 | mode << 62


def source(product: Product) -> str:
    """Return the CUDA C++ of one product: d = a b, then d += a b with the second signs."""
    d, a, b = product.types
    count = product.sums
    kind, letter = ("float", "+f") if d == "f32" else ("unsigned", "+r")
    sums = ", ".join(f"%{i}" for i in range(count))
    at = count
    if product.registers:
        a_operand = "{" + ", ".join(f"%{at + i}" for i in range(4)) + "}"
        a_inputs = ", ".join(f'"r"(a[{i}])' for i in range(4))
        at += 4
    else:
        a_operand, a_inputs = f"%{at}", '"l"(left)'
        at += 1
    flags = ""
    if not product.is_integer:
        flags = f", {product.negated[0]}, {product.negated[1]}"
        if a in ("f16", "bf16"):
            flags += (
                f", {product.transposed[1]}"
                if product.registers
                else f", {product.transposed[0]}, {product.transposed[1]}"
            )
    outputs = ", ".join(f'"{letter}"(d[{i}])' for i in range(count))
    opcode = f"wgmma.mma_async.sync.aligned.m64n{product.n}k{product.k}.{d}.{a}.{b}{product.suffix}"
    return f"""{_HEADER}
extern "C" __global__ void __launch_bounds__(128) product(const unsigned char* image, {kind}* out) {{
    extern __shared__ __align__(1024) unsigned char buffer[];
    for (unsigned i = threadIdx.x; i < 40960; i += 128) buffer[i] = image[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const u64 left = {_descriptor(product.layout_a)}ull | (u64)((shared_address(buffer) + {product.layout_a[3]}) & 0x3ffff) >> 4;
    const u64 right = {_descriptor(product.layout_b)}ull | (u64)((shared_address(buffer) + {product.layout_b[3]}) & 0x3ffff) >> 4;
    unsigned a[4];
    for (int i = 0; i < 4; ++i) a[i] = ((const unsigned*)buffer)[threadIdx.x * 4 + i];
    {kind} d[{count}];
    for (int i = 0; i < {count}; ++i) d[i] = 0;
    for (int round = 0; round < 2; ++round) {{
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("{{ .reg .pred p; setp.ne.b32 p, %{at}, 0; {opcode} {{{sums}}}, {a_operand}, %{at + 1}, p{flags}; }}"
                     : {outputs} : {a_inputs}, "r"(round), "l"(right));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }}
    for (int i = 0; i < {count}; ++i) out[threadIdx.x * {count} + i] = d[i];
    (void)left, (void)a;
}}
"""


_SWIZZLED = (128, 16, 1024, 0), (128, 16, 1024, 16384)

PRODUCTS = (
    Product(("f32", "f16", "f16"), 8, 16),
    Product(("f32", "f16", "f16"), 64, 16),
    Product(("f16", "f16", "f16"), 24, 16),
    Product(("f32", "bf16", "bf16"), 32, 16),
    Product(("f32", "tf32", "tf32"), 16, 8),
    Product(("f32", "tf32", "tf32"), 40, 8, *_SWIZZLED),
    Product(("f32", "e4m3", "e5m2"), 16, 32),
    Product(("f16", "e5m2", "e4m3"), 32, 32),
    Product(("f32", "e4m3", "e4m3"), 64, 32, *_SWIZZLED),
    Product(("s32", "s8", "s8"), 16, 32),
    Product(("s32", "u8", "s8"), 32, 32),
    Product(("s32", "s8", "u8"), 64, 32, *_SWIZZLED),
    Product(("s32", "u8", "u8"), 8, 32, suffix=".satfinite"),
    Product(("s32", "b1", "b1"), 16, 256, suffix=".and.popc"),
    # other layouts of shared memory
    Product(("f32", "f16", "f16"), 16, 16, (0, 512, 144, 0), (0, 640, 176, 16384 + 32)),
    Product(("f32", "f16", "f16"), 128, 16, *_SWIZZLED),
    Product(("f32", "f16", "f16"), 256, 16, (128, 16, 1024, 32), (128, 16, 512, 16384 + 64)),
    Product(("f32", "f16", "f16"), 32, 16, (64, 16, 512, 0), (64, 16, 512, 16384)),
    Product(("f32", "f16", "f16"), 32, 16, (32, 16, 256, 0), (32, 16, 256, 16384)),
    Product(("f32", "f16", "f16"), 32, 16, (64, 16, 640, 32), (32, 16, 384, 16384 + 64)),
    # transposed
    Product(("f32", "f16", "f16"), 32, 16, (0, 128, 1024, 0), (0, 256, 1152, 16384), (1, 1)),
    Product(("f32", "f16", "f16"), 64, 16, (128, 2048, 1024, 0), (128, 4096, 1024, 16384), (1, 1)),
    Product(("f32", "f16", "f16"), 128, 16, (128, 16, 1024, 0), (128, 4096, 1024, 16384), (0, 1)),
    Product(("f32", "bf16", "bf16"), 64, 16, (64, 1024, 512, 0), (64, 2048, 512, 16384), (1, 1)),
    Product(("f32", "bf16", "bf16"), 64, 16, (32, 512, 256, 0), (32, 1024, 512, 16384), (1, 1)),
    Product(("f16", "f16", "f16"), 32, 16, (32, 512, 256, 0), (0, 128, 256, 16384), (1, 0)),
    # factors in registers, and signs
    Product(("f32", "f16", "f16"), 32, 16, registers=True, negated=(1, -1)),
    Product(("f32", "bf16", "bf16"), 64, 16, layout_b=(128, 2048, 1024, 16384), transposed=(0, 1), registers=True),
    Product(("f32", "tf32", "tf32"), 16, 8, registers=True, negated=(-1, 1)),
    Product(("s32", "s8", "s8"), 32, 32, registers=True),
    Product(("f32", "f16", "f16"), 16, 16, negated=(-1, -1)),
    Product(("f16", "f16", "f16"), 16, 16, negated=(-1, 1)),
)

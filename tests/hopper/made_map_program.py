"""Have a kernel make a tensor map out of zeros, field by field, and compare the box that it loads with numpy's."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.argv[1:] = ["made"]
from cuda.bindings import driver  # noqa: E402

from tests.hopper import program  # noqa: E402

FIELDS = (
    ("global_address", "b64", '"l"(from)'),
    ("rank", "b32", '"n"(1)'),
    ("box_dim", "b32", '"n"(0), "r"(8)'),
    ("box_dim", "b32", '"n"(1), "r"(6)'),
    ("global_dim", "b32", '"n"(0), "r"(20)'),
    ("global_dim", "b32", '"n"(1), "r"(10)'),
    ("global_stride", "b64", '"n"(0), "l"(96ull)'),
    ("element_stride", "b32", '"n"(0), "r"(1)'),
    ("element_stride", "b32", '"n"(1), "r"(1)'),
    ("elemtype", "b32", '"n"(2)'),
    ("interleave_layout", "b32", '"n"(0)'),
    ("swizzle_mode", "b32", '"n"(0)'),
    ("fill_mode", "b32", '"n"(0)'),
)


def replacement(field: str, kind: str, operands: str) -> str:
    """Return the statement that replaces a field."""
    places = ", ".join(f"%{number + 1}" for number in range(operands.count("(")))
    opcode = f"tensormap.replace.tile.{field}.shared::cta.b1024.{kind}"
    return f'asm volatile("{opcode} [%0], {places};" :: "r"(map), {operands} : "memory");'


SOURCE = f"""
extern "C" __global__ void make(const unsigned* from, unsigned* to, unsigned long long* made) {{
    __shared__ alignas(128) unsigned long long words[16];
    __shared__ alignas(128) unsigned box[48];
    __shared__ alignas(8) unsigned long long barrier;
    const unsigned map = (unsigned)__cvta_generic_to_shared(words), bar = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x < 16) words[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x == 0) {{
        {" ".join(replacement(*field) for field in FIELDS)}
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar) : "memory");
    }}
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" :: "l"(made), "r"(map) : "memory");
    if (threadIdx.x == 0) {{
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(made) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 192;" :: "r"(bar) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {{%2, %3}}], [%4];" :: "r"((unsigned)__cvta_generic_to_shared(box)), "l"(made), "r"(4), "r"(3), "r"(bar) : "memory");
        unsigned done = 0;
        while (!done)
            asm volatile("{{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }}" : "=r"(done) : "r"(bar) : "memory");
    }}
    __syncwarp();
    for (int i = threadIdx.x; i < 48; i += 32) to[i] = box[i];
}}
"""


def main() -> None:
    """Compare the box."""
    program.good(driver.cuInit(0))
    program.good(driver.cuCtxSetCurrent(program.good(driver.cuDevicePrimaryCtxRetain(0))))
    data = program.pattern(10 * 24).reshape(10, 24)
    source, target = program.Memory(data), program.Memory(np.zeros((6, 8), np.uint32))
    made = program.Memory(np.zeros(16, np.uint64))
    program.launch(program.kernel(program.module(SOURCE), "make"), 1, 32, [source, target, made])
    assert np.array_equal(target.read(), data[3:9, 4:12])
    print("right")


if __name__ == "__main__":
    main()

"""Barriers with numbers and counts in a PTX module, through which producers and consumers hand values to each other.

    python -m cuda_shim run --backend cpu tests/ptx/barriers_program.py [NUMBER COUNT]

Prints a line for each kernel. With a number and a count a kernel meets at that barrier alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.kernels.core_worker import begin, check

HEAD = """.version 8.0
.target sm_80
.address_size 64
"""
DECLARED = """.reg .pred %p, %q, %last; .reg .b32 %t, %r<9>, %n, %h; .reg .b64 %a, %x, %o;
  ld.param.u64 %x, [x]; ld.param.u64 %o, [o]; mov.u32 %t, %tid.x; mov.u32 %r8, %ctaid.x; mov.u32 %n, %ntid.x;"""
# Half of a block fills a room ten times, the other half empties it: barrier 1 says that it is full, 2 that it is empty.
PIPED = """
.visible .entry piped(.param .u64 x, .param .u64 o) {
  .shared .align 4 .b8 room[512];
  DECLARED
  shr.u32 %h, %n, 1; mov.u32 %r1, 0; mov.u32 %r7, 0;
  setp.lt.u32 %p, %t, %h; @%p bra PRODUCE;
  sub.u32 %r2, %t, %h; sub.u32 %r3, %h, %r2; sub.u32 %r3, %r3, 1; mul.lo.u32 %r3, %r3, 4;
  mov.u32 %r4, room; add.u32 %r3, %r3, %r4;
CONSUME:
  bar.sync 1, COUNT;
  ld.shared.u32 %r5, [%r3]; mad.lo.u32 %r7, %r7, 3, %r5;
  bar.arrive 2, COUNT;
  add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 10; @%p bra CONSUME;
  mad.lo.u32 %r2, %r8, %h, %r2; mul.wide.u32 %a, %r2, 4; add.u64 %o, %o, %a; st.global.u32 [%o], %r7;
  ret;
PRODUCE:
  mov.u32 %r4, room; mad.lo.u32 %r3, %t, 4, %r4;
  mul.wide.u32 %a, %t, 4; add.u64 %x, %x, %a; ld.global.u32 %r5, [%x]; add.u32 %r5, %r5, %r8;
FILL:
  setp.eq.u32 %p, %r1, 0; @%p bra FIRST;
  barrier.cta.sync 2, COUNT;
FIRST:
  mad.lo.u32 %r5, %r5, 5, %r1; st.shared.u32 [%r3], %r5;
  bar.cta.arrive 1, COUNT;
  add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 10; @%p bra FILL;
  ret;
}
"""
# Warp by warp: each two neighbouring warps count, ask and tell each other by a barrier whose number is computed.
COUNTED = """
.visible .entry counted(.param .u64 x, .param .u64 o) {
  DECLARED
  mul.wide.u32 %a, %t, 4; add.u64 %x, %x, %a; ld.global.u32 %r1, [%x];
  shr.u32 %r2, %t, 6; add.u32 %r2, %r2, 3; mov.u32 %r3, 64;
  and.b32 %r4, %r1, 1; setp.eq.u32 %p, %r4, 1;
  mov.u32 %r7, 0; mov.u32 %h, 0;
AGAIN:
  barrier.cta.red.popc.aligned.u32 %r5, %r2, %r3, %p;
  mad.lo.u32 %r7, %r7, 7, %r5;
  bar.red.and.pred %q, %r2, %r3, %p; selp.u32 %r5, 1, 0, %q; mad.lo.u32 %r7, %r7, 2, %r5;
  barrier.red.or.pred %q, %r2, %r3, !%p; selp.u32 %r5, 1, 0, %q; mad.lo.u32 %r7, %r7, 2, %r5;
  shr.u32 %r1, %r1, 1; and.b32 %r4, %r1, 1; setp.eq.u32 %p, %r4, 1;
  add.u32 %h, %h, 1; setp.lt.u32 %last, %h, 4; @%last bra AGAIN;
  bar.red.popc.u32 %r5, 1, %p; mad.lo.u32 %r7, %r7, 7, %r5;
  mad.lo.u32 %r8, %r8, %n, %t; mul.wide.u32 %a, %r8, 4; add.u64 %o, %o, %a; st.global.u32 [%o], %r7;
  ret;
}
"""
# The last warp hands a barrier on to the first two before the third has read the count of the barrier.
OVERTAKEN = """
.visible .entry overtaken(.param .u64 x, .param .u64 o) {
  DECLARED
  mul.wide.u32 %a, %t, 4; add.u64 %x, %x, %a; ld.global.u32 %r1, [%x]; and.b32 %r1, %r1, 1; setp.eq.u32 %p, %r1, 1;
  setp.lt.u32 %q, %t, 64; @%q bra FIRST;
  bar.red.popc.u32 %r5, 6, 64, %p;
  setp.lt.u32 %q, %t, 96; @%q bra STORE;
  bar.arrive 7, 96; bra STORE;
FIRST:
  bar.sync 7, 96;
  bar.red.popc.u32 %r5, 6, 64, %p;
STORE:
  add.u64 %o, %o, %a; st.global.u32 [%o], %r5;
  ret;
}
"""
# Blocks that wait for each other: the last one sets all free, in the middle of a barrier that the others have half passed.
ASIDE = """
.visible .global .u32 turn;
.func (.param .b32 got) meet(.param .b32 number, .param .b32 count) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [number]; ld.param.b32 %r2, [count]; bar.sync %r1, %r2; st.param.b32 [got], %r1; ret;
}
.visible .entry aside(.param .u64 x, .param .u64 o) {
  .shared .align 4 .b8 room[512];
  DECLARED
  mov.u32 %h, %nctaid.x; sub.u32 %h, %h, 1;
  mov.u32 %r1, room; mad.lo.u32 %r1, %t, 4, %r1; add.u32 %r2, %t, %r8; st.shared.u32 [%r1], %r2;
  setp.ne.u32 %p, %t, 0; @%p bra MEET;
  setp.ne.u32 %p, %r8, %h; @%p bra WAIT;
  st.volatile.global.u32 [turn], 1; bra MEET;
WAIT:
  ld.volatile.global.u32 %r3, [turn]; setp.eq.u32 %p, %r3, 0; @%p bra WAIT;
MEET:
  { .param .b32 number; .param .b32 count; .param .b32 got; st.param.b32 [number], 5; st.param.b32 [count], %n;
    call (got), meet, (number, count); ld.param.b32 %r3, [got]; }
  mov.u32 %r1, room; sub.u32 %r2, %n, %t; sub.u32 %r2, %r2, 1; mad.lo.u32 %r1, %r2, 4, %r1; ld.shared.u32 %r4, [%r1];
  mad.lo.u32 %r4, %r4, 10, %r3;
  mad.lo.u32 %r8, %r8, %n, %t; mul.wide.u32 %a, %r8, 4; add.u64 %o, %o, %a; st.global.u32 [%o], %r4;
  ret;
}
"""
# A number and a count that the assembler does not see.
COMPUTED = """
.visible .entry computed(.param .u64 x, .param .u64 o) {
  DECLARED
  ld.global.u32 %r1, [%x]; ld.global.u32 %r2, [%x+4]; bar.sync %r1, %r2; st.global.u32 [%o], %r1;
  ret;
}
"""


def text(kernel: str, threads: int) -> str:
    """Return a module with one kernel; a barrier counts whole warps."""
    return HEAD + kernel.replace("DECLARED", DECLARED).replace("COUNT", str(-(-threads // 32) * 32))


def run(kernel: str, name: str, blocks: int, threads: int, results: int, x: np.ndarray) -> np.ndarray:
    """Return the values that a kernel writes."""
    module = check(driver.cuModuleLoadData(text(kernel, threads).encode() + b"\0"))
    function = check(driver.cuModuleGetFunction(module, name.encode()))
    out = np.zeros(results, np.uint32)
    arguments = np.array([int(check(driver.cuMemAlloc(array.nbytes))) for array in (x, out)], np.uint64)
    driver.cuMemcpyHtoD(int(arguments[0]), x.ctypes.data, x.nbytes)
    places = np.array([arguments.ctypes.data, arguments.ctypes.data + 8], np.uint64)
    for _ in range(2):  # values that the first launch leaves behind mean nothing to the second
        check((*driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, 0, places.ctypes.data, 0), None))
    check((*driver.cuCtxSynchronize(), None))
    driver.cuMemcpyDtoH(out.ctypes.data, int(arguments[1]), out.nbytes)
    return out


def piped(blocks: int, threads: int, x: np.ndarray) -> np.ndarray:
    """Return the expected results of PIPED."""
    sums = []
    for block in range(blocks):
        value, sum_ = x[: threads // 2] + np.uint32(block), np.zeros(threads // 2, np.uint32)
        for turn in range(10):
            value = value * np.uint32(5) + np.uint32(turn)
            sum_ = sum_ * np.uint32(3) + value[::-1]
        sums.append(sum_)
    return np.concatenate(sums)


def counted(threads: int, x: np.ndarray) -> np.ndarray:
    """Return the expected results of a block of COUNTED."""
    counts = np.zeros(threads, np.uint32)
    for turn in range(4):
        bits = ((x[:threads] >> turn) & 1).reshape(-1, 64)
        counts = counts * np.uint32(7) + np.repeat(bits.sum(1), 64).astype(np.uint32)
        counts = counts * np.uint32(2) + np.repeat(bits.all(1), 64).astype(np.uint32)
        counts = counts * np.uint32(2) + np.repeat((bits == 0).any(1), 64).astype(np.uint32)
    return counts * np.uint32(7) + ((x[:threads] >> 4) & 1).sum().astype(np.uint32)


def main(numbers: list[int]) -> None:
    """Run every kernel and compare with numpy's results."""
    begin()
    if numbers:
        assert run(COMPUTED, "computed", 1, 64, 1, np.array(numbers, np.uint32)).tolist() == numbers[:1]
        return
    x = np.random.default_rng(3).integers(0, 1 << 32, 256, np.uint32)
    for threads in (64, 128, 256):  # whole warps on either side: one that is on both never ends on a GPU
        blocks = 5
        assert (run(PIPED, "piped", blocks, threads, blocks * threads // 2, x) == piped(blocks, threads, x)).all(), (
            threads
        )
    print("piped")
    many = x.copy()
    many[64:128] |= 15
    assert (run(COUNTED, "counted", 3, 256, 3 * 256, many).reshape(3, -1) == counted(256, many)).all()
    print("counted")
    bits = (x[:128] & 1).reshape(2, 64).sum(1)
    assert bits[0] != bits[1]
    assert (run(OVERTAKEN, "overtaken", 1, 128, 128, x) == np.repeat(bits, 64)).all()
    print("overtaken")
    blocks, threads = 12, 96
    expected = [(threads - 1 - t + block) * 10 + 5 for block in range(blocks) for t in range(threads)]
    assert run(ASIDE, "aside", blocks, threads, blocks * threads, x).tolist() == expected
    print("aside")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])

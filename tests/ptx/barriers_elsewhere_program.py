"""Barriers with numbers where PTX modules meet others, barrier 0, and such barriers in checked mode.

    python -m cuda_shim run --backend cpu tests/ptx/barriers_elsewhere_program.py [NAME...]

Runs the programs of these names, or all of RIGHT, and prints a line for each whose results are the expected ones.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.kernels.core_worker import begin, check, compiled
from tests.program_files import read_program

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
DECLARED = """.reg .pred %p; .reg .b32 %t, %r<9>; .reg .b64 %a, %x, %o; .shared .align 4 .b8 room[256];
  ld.param.u64 %x, [x]; ld.param.u64 %o, [o]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 4; add.u64 %x, %x, %a;
  add.u64 %o, %o, %a; mov.u32 %r8, %ctaid.x; mov.u32 %r1, %ntid.x; mul.lo.u32 %r8, %r8, %r1; mul.wide.u32 %a, %r8, 4;
  add.u64 %o, %o, %a; mov.u32 %r1, room; mad.lo.u32 %r2, %t, 4, %r1; sub.u32 %r3, 63, %t; mad.lo.u32 %r3, %r3, 4, %r1;
  ld.global.u32 %r4, [%x]; setp.lt.u32 %p, %t, 32;"""
# The first warp hands its numbers to the second one by barrier 0, then the second one back.
ARRIVED = """.visible .entry kernel(.param .u64 x, .param .u64 o) { DECLARED
  @%p bra GIVE; FIRST 0, 64; ld.shared.u32 %r5, [%r3]; st.shared.u32 [%r2], %r5; bra ALL;
GIVE: st.shared.u32 [%r2], %r4; bar.arrive NUMBER, 64;
ALL: bar.sync 1, 64; bar.sync 0; bar.red.popc.u32 %r6, 0, %p; ld.shared.u32 %r5, [%r3]; mad.lo.u32 %r5, %r5, 100, %r6; st.global.u32 [%o], %r5; ret; }"""
# A barrier without a count does not wait for threads that have returned.
RETURNED = """.visible .entry kernel(.param .u64 x, .param .u64 o) { DECLARED
  @!%p bra END; st.shared.u32 [%r2], %r4; bar.sync 7; sub.u32 %r3, %r3, 128; ld.shared.u32 %r5, [%r3]; st.global.u32 [%o], %r5;
END: ret; }"""
MEET = ".visible .func meet(.param .b32 number) { .reg .b32 %n; ld.param.b32 %n, [number]; barrier.sync %n, 64; bar.sync 3, 64; ret; }"
LINKED = """.extern .func meet(.param .b32 number);
.visible .entry kernel(.param .u64 x, .param .u64 o) { DECLARED
  st.shared.u32 [%r2], %r4; @%p bra HERE;
  { .param .b32 number; st.param.b32 [number], 5; call meet, (number); } bra END;
HERE: bar.sync 5, 64; bar.sync 3, 64;
END: ld.shared.u32 %r5, [%r3]; st.global.u32 [%o], %r5; ret; }"""
# The values for the consumers are written before the arrival (RIGHT) or behind it, or the consumers do not wait.
ASSEMBLY = read_program(__file__, "barriers_elsewhere.cu")
GLOBAL = r"""
extern "C" __global__ void kernel(const int* x, int* o) {
    const int t = threadIdx.x;
    o += blockIdx.x * blockDim.x;
    if (t < 32) { o[t] = x[t]; FIRST }
    else { WAIT o[t] = o[63 - t]; }
}
"""
WRITE_VALUE = "room[t] = x[t];"
ARRIVE, WAIT = 'asm volatile("bar.arrive 9, 64;" ::: "memory");', 'asm volatile("bar.sync 9, 64;" ::: "memory");'


def ptx(text: str) -> bytes:
    return (HEAD + text.replace("DECLARED", DECLARED)).encode() + b"\0"


def linked(*texts: str) -> bytes:
    """Return the image of PTX modules that are linked."""
    link = check(driver.cuLinkCreate(0, [], []))
    for text in texts:
        image = ptx(text)
        check(
            (
                *driver.cuLinkAddData(
                    link, driver.CUjitInputType.CU_JIT_INPUT_PTX, image, len(image), b"part.ptx", 0, [], []
                ),
                None,
            )
        )
    address, size = check(driver.cuLinkComplete(link))
    return ctypes.string_at(int(address), size)


def assembled(source: str, **parts: str) -> bytes:
    """Return the code of CUDA C++, with its parts."""
    for name, part in parts.items():
        source = source.replace(name, part)
    return compiled(source, ["--gpu-architecture=sm_80"], "named.cu")


def run(image: bytes, threads: int, x: np.ndarray) -> np.ndarray:
    """Return the values that each thread of some blocks writes."""
    function = check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(image)), b"kernel"))
    out = np.zeros((BLOCKS, threads), np.int32)
    buffers = np.array([int(check(driver.cuMemAlloc(out.nbytes))) for _ in range(2)], np.uint64)
    driver.cuMemcpyHtoD(int(buffers[0]), x.ctypes.data, 4 * threads)
    places = np.array([buffers.ctypes.data, buffers.ctypes.data + 8], np.uint64)
    check((*driver.cuLaunchKernel(function, BLOCKS, 1, 1, threads, 1, 1, 0, 0, places.ctypes.data, 0), None))
    check((*driver.cuCtxSynchronize(), None))
    driver.cuMemcpyDtoH(out.ctypes.data, int(buffers[1]), out.nbytes)
    return out


BLOCKS = 3
X = np.random.default_rng(5).integers(0, 1000, 96).astype(np.int32)
FIRST, SECOND = X[:32], X[31::-1]
EXCHANGED = [FIRST, SECOND]
ZERO = np.zeros(32, np.int32)
EXCHANGED_TWICE = [2 * SECOND, SECOND, 6 + 2 * SECOND]
PROGRAMS = {
    "arrived": (lambda: ptx(ARRIVED.replace("FIRST", "bar.sync").replace("NUMBER", "0")), [100 * FIRST + 32, 100 * SECOND + 32]),
    "in_a_register": (lambda: ptx(ARRIVED.replace("FIRST", "barrier.sync").replace("GIVE:", "GIVE: mov.u32 %r7, 0;").replace("NUMBER", "%r7")), [100 * FIRST + 32, 100 * SECOND + 32]),
    "returned": (lambda: ptx(RETURNED), [SECOND, ZERO]),
    "linked": (lambda: linked(MEET, LINKED), [X[63:31:-1], SECOND]),
    "assembly": (lambda: assembled(ASSEMBLY, BEFORE=WRITE_VALUE, BEHIND="", WAIT="meet(1);"), EXCHANGED_TWICE),
    "arrives_at_0": (lambda: assembled(ASSEMBLY.replace("arrive(1)", "arrive(0)"), BEFORE=WRITE_VALUE, BEHIND="", WAIT="meet(0);"), EXCHANGED_TWICE),
    "global": (lambda: assembled(GLOBAL, FIRST=ARRIVE, WAIT=WAIT), EXCHANGED),
    "written_behind": (lambda: assembled(ASSEMBLY, BEFORE="", BEHIND=WRITE_VALUE, WAIT="meet(1);"), EXCHANGED_TWICE),
    "not_waited_for": (lambda: assembled(ASSEMBLY, BEFORE=WRITE_VALUE, BEHIND="", WAIT=""), EXCHANGED_TWICE),
    "global_not_waited_for": (lambda: assembled(GLOBAL, FIRST=ARRIVE, WAIT=""), EXCHANGED),
}  # fmt: skip
CORRECT = ["arrived", "in_a_register", "returned", "linked", "assembly", "global"]


def main(names: list[str]) -> None:
    """Run programs and compare with the expected results."""
    begin()
    for name in names or CORRECT:
        image, expected_by_warp = PROGRAMS[name]
        expected = np.concatenate(expected_by_warp)
        results = run(image(), len(expected), X)
        assert (results == expected).all(), (name, results - expected)
        print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

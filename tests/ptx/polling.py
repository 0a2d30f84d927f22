"""Kernels whose blocks wait for each other with one instruction of PTX each, in inline PTX and as PTX modules.

Block `i` of `n` waits until a word in memory is `n - 1 - i`, notes its number, and passes the turn on: the last block goes
first. A compiler that reads the word once, or not at all, lets the blocks run in any order or for ever.
"""

from __future__ import annotations

from tests.ptx.texts import HEAD

__all__ = ["LOADS", "ONLY_VOLATILE", "inline_program", "module", "sources"]

#: The instructions that read the word again and again.
LOADS = (
    "ld.acquire.gpu.global.u32", "ld.global.acquire.gpu.b32", "ld.acquire.sys.u32", "ld.acquire.cta.global.u32",
    "ld.relaxed.gpu.global.u32", "ld.relaxed.sys.u32", "ld.relaxed.cluster.global.u32", "ld.volatile.global.u32",
    "ld.volatile.u32", "ld.global.cg.u32", "ld.global.cv.u32", "ld.global.lu.u32", "ld.global.cs.u32",
)  # fmt: skip
#: Those that only a volatile asm statement repeats.
ONLY_VOLATILE = ("ld.global.u32", "ld.global.ca.u32", "ld.u32")
#: The ways to pass the turn on; a reduction and an atomic operation add one.
PASSES = {
    "store": "st.release.gpu.global.u32 [{at}], {next};",
    "volatile store": "st.volatile.global.u32 [{at}], {next};",
    "reduction": "red.release.gpu.global.add.u32 [{at}], 1;",
    "atomic": "{{.reg .u32 old; atom.acq_rel.sys.global.add.u32 old, [{at}], 1;}}",
}

_INLINE = """extern "C" __global__ void wait(unsigned* turn, unsigned* out) {{
    const unsigned own = gridDim.x - 1 - blockIdx.x;
    unsigned seen;
    do {{
        asm volatile("{load} %0, [%1];" : "=r"(seen) : "l"(turn){memory});
    }} while (seen != own);
    const unsigned place = out[0];
    out[1 + place] = blockIdx.x;
    out[0] = place + 1;
    asm volatile("{passing}" ::"l"(turn), "r"(own + 1) : "memory");
}}
"""
_MODULE = (
    HEAD
    + """.visible .entry wait(.param .u64 turn, .param .u64 out) {{
  .reg .pred %p; .reg .b32 %own, %seen, %next, %place, %block; .reg .b64 %turn, %out, %at;
  ld.param.u64 %turn, [turn]; cvta.to.global.u64 %turn, %turn; ld.param.u64 %out, [out];
  mov.u32 %block, %ctaid.x; mov.u32 %own, %nctaid.x; sub.u32 %own, %own, %block; sub.u32 %own, %own, 1;
WAIT:
  {load} %seen, [%turn];
  setp.ne.u32 %p, %seen, %own;
  @%p bra WAIT;
  ld.u32 %place, [%out]; mad.wide.u32 %at, %place, 4, %out; st.u32 [%at+4], %block;
  add.u32 %place, %place, 1; st.u32 [%out], %place;
  add.u32 %next, %own, 1;
  {passing}
  ret;
}}
"""
)

#: CUTLASS's semaphore in short: the threads of a block meet in each round of the loop, and one of them reads the word.
SEMAPHORE = """
struct Turns {
    int* word;
    bool reads;
    int seen = -1;
    __device__ void look() {
        if (reads) asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(word));
    }
    __device__ void wait(int own) {
        while (__syncthreads_and(seen != own)) look();
        __syncthreads();
    }
    __device__ void pass(int next) {
        __syncthreads();
        if (reads) asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(word), "r"(next));
    }
};
extern "C" __global__ void wait(int* turn, unsigned* out) {
    const int own = gridDim.x - 1 - blockIdx.x;
    Turns turns{turn, threadIdx.x == 0};
    turns.look();
    turns.wait(own);
    if (threadIdx.x == blockDim.x - 1) {
        const unsigned place = out[0];
        out[1 + place] = blockIdx.x;
        out[0] = place + 1;
    }
    turns.pass(own + 1);
}
"""


def inline_program(load: str, passing: str = "store", *, clobbers: bool = False) -> str:
    """Return CUDA C++ that waits with an instruction of inline PTX."""
    passed = PASSES[passing].format(at="%0", next="%1")
    return _INLINE.format(load=load, passing=passed, memory=' : "memory"' if clobbers else "")


def module(load: str, passing: str = "store") -> str:
    """Return a PTX module that waits with an instruction."""
    return _MODULE.format(load=load, passing=PASSES[passing].format(at="%turn", next="%next"))


def sources() -> dict[str, str]:
    """Return all programs by name."""
    programs = {"semaphore": SEMAPHORE}
    for load in (*LOADS, *ONLY_VOLATILE):
        programs[f"inline {load}"] = inline_program(load)
        programs[f"inline {load}, clobbers memory"] = inline_program(load, clobbers=True)
    for load in LOADS:
        programs[f"module {load}"] = module(load)
    for passing in PASSES:
        programs[f"inline, {passing}"] = inline_program(LOADS[0], passing)
        programs[f"module, {passing}"] = module(LOADS[0], passing)
    return programs

"""Atomic operations, clocks, assertions and textures, by the machine code for each family of AMD's GPUs.

One program and one PTX module hold all kernels, so each target compiles them once. The code is judged kernel by kernel,
optimised as hiprtc optimises: helper functions are within the kernels then.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.amd.toolchain import OPTIMISED_CODE, TARGETS, Compiler

# One worker compiles for all tests.
pytestmark = pytest.mark.xdist_group("AMD's hardware")

#: Atomic operations that PCIe carries out in memory of the host: additions of integers, exchanges and compare-and-swap.
EVERYWHERE = r"_atomic_(add|sub)(_x2|_u32|_u64)?\s|_atomic_(cmp)?swap"
#: GPUs on which atomic operations of the device's scope reach memory of the host, as LLVM knows them.
REACHING = ("gfx942", "gfx1201")

OPERATIONS = """
extern "C" __global__ void atomics%(scope)s(float* f, double* d, unsigned* u, unsigned long long* l, int* i) {
    atomicAdd%(scope)s(f, 1.5f);
    atomicAdd%(scope)s(d, 1.5);
    atomicSub%(scope)s(f, 2.5f);
    atomicAdd%(scope)s(u, 3u);
    atomicMin%(scope)s(i, -3);
    atomicMax%(scope)s(l, 4ull);
    atomicAnd%(scope)s(u, 5u);
    atomicOr%(scope)s(u, 6u);
    atomicXor%(scope)s(l, 7ull);
    atomicExch%(scope)s(f, 8.0f);
    atomicCAS%(scope)s(u, 1u, 2u);
}
"""
CLOCK = 'extern "C" __global__ void ticks(long long* out) { *out = clock64(); }'
PROGRAM = f"""
#include <assert.h>
{"".join(OPERATIONS % {"scope": scope} for scope in ("", "_block", "_system"))}
extern "C" __global__ void shared_atomics(unsigned* u, float* f) {{
    __shared__ unsigned whole;
    __shared__ float real;
    if (threadIdx.x == 0) whole = 0, real = 0;
    __syncthreads();
    atomicMax(&whole, threadIdx.x);
    atomicOr(&whole, threadIdx.x);
    atomicAdd(&real, 1.0f);
    __syncthreads();
    *u = whole;
    *f = real;
}}
extern "C" __global__ void clocks(long long* out) {{
    const long long start = clock64();
    while (clock64() - start < 2000000) {{}}
    out[0] = clock();
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(out[1]));
}}
extern "C" __global__ void timer(unsigned long long* out) {{ asm("mov.u64 %0, %%globaltimer;" : "=l"(*out)); }}
extern "C" __global__ void place(unsigned* out) {{
    asm("mov.u32 %0, %%smid;" : "=r"(out[0]));
    asm("mov.u32 %0, %%nsmid;" : "=r"(out[1]));
}}
extern "C" __global__ void asserts(int* a) {{ assert(*a == 3); }}
"""

ENTRY = """
.visible .entry %s(.param .u64 at)
{
    .reg .b32 %%r<4>; .reg .b64 %%rd<6>; .reg .f32 %%f<4>;
    ld.param.u64 %%rd1, [at];
    %s
    ret;
}
"""
PTX = ".version 8.0\n.target sm_80\n.address_size 64\n"
PTX += ENTRY % (
    "atomics",
    "atom.global.or.b32 %r1, [%rd1], 5; red.global.add.f32 [%rd1+4], 0f3F800000; atom.global.inc.u32 %r2, [%rd1], 7;",
)
PTX += ENTRY % (
    "texture",
    ".reg .u64 t; mov.u64 t, %rd1; tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%r1}]; st.global.f32 [%rd1], %f0;",
)


@pytest.fixture(scope="module")
def assembly(compiler: Compiler, tmp_path_factory) -> Callable[..., str]:
    """A function from a CUDA program or PTX module, a target and options to the assembly, which is made once."""
    compiled: dict[tuple[str, str, tuple[bytes, ...]], str] = {}

    def assemble(source: str, target: str, *options: bytes) -> str:
        key = (source, target, options)
        if key not in compiled:
            folder = tmp_path_factory.mktemp(target)
            if source.startswith(".version"):
                assert not options
                done = compiler.compile_ptx(source, b"module.ptx", target, folder=folder, depth=OPTIMISED_CODE)
            else:
                done = compiler.compile(
                    source.encode(), b"hardware.cu", target, folder=folder, options=options, depth=OPTIMISED_CODE
                )
            assert done.status == 0, done.log
            compiled[key] = (folder / "program.s").read_text(encoding="utf-8")
        return compiled[key]

    return assemble


def code_of(kernel: str, assembly: str) -> str:
    """Return a kernel's own lines."""
    label = re.search(rf"^{kernel}:.*\n((?:.*\n)*?)\.Lfunc_end", assembly, re.MULTILINE)
    assert label is not None, f"no kernel {kernel}"
    return label[1]


def instructions(code: str, pattern: str) -> list[str]:
    """Return the lines of machine code that hold a pattern, without their blanks."""
    return [line.strip() for line in code.splitlines() if re.search(pattern, line)]


def lost_on_the_host(code: str) -> list[str]:
    """Return the atomic instructions that memory of the host does not carry out."""
    return [line for line in instructions(code, "(global|flat)_atomic") if not instructions(line, EVERYWHERE)]


@pytest.mark.parametrize("target", TARGETS)
def test_atomics_of_the_whole_system_are_right_in_memory_of_the_host(target, assembly):
    code = code_of("atomics_system", assembly(PROGRAM, target))
    assert lost_on_the_host(code) == []
    assert len(instructions(code, "global_atomic_cmpswap")) >= 9


@pytest.mark.parametrize("target", [target for target in TARGETS if target not in REACHING])
@pytest.mark.parametrize("kernel", ["atomics", "atomics_block"])
def test_so_are_those_of_the_device_and_of_a_block(target, kernel, assembly):
    code = code_of(kernel, assembly(PROGRAM, target))
    assert lost_on_the_host(code) == []
    assert len(instructions(code, "global_atomic_cmpswap")) >= 9


def test_fast_atomics_are_single_instructions(assembly):
    code = code_of("atomics", assembly(OPERATIONS % {"scope": ""}, "gfx90a", b"-DCUDA_ON_HIP_FAST_ATOMICS=1"))
    assert len(lost_on_the_host(code)) == 8
    assert len(instructions(code, "global_atomic_cmpswap")) == 1  # atomicCAS


@pytest.mark.parametrize("target", TARGETS)
def test_shared_memory_has_single_instructions(target, assembly):
    code = code_of("shared_atomics", assembly(PROGRAM, target))
    assert len(instructions(code, r"ds_(max|or|add)_(u32|f32|b32)")) == 3
    assert instructions(code, "cmpst|cmpswap|cmpstore") == []


@pytest.mark.parametrize("target", [target for target in TARGETS if target not in REACHING])
def test_atomics_of_ptx_are_the_same(target, assembly):
    code = code_of("atomics", assembly(PTX, target))
    assert lost_on_the_host(code) == []
    assert len(instructions(code, "global_atomic_cmpswap")) == 3


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "gfx942"])
def test_textures_of_ptx(target, assembly):
    code = code_of("texture", assembly(PTX, target))
    assert instructions(code, "__ockl_image_load_1Db")


@pytest.mark.parametrize(
    ("target", "instruction"),
    [
        ("gfx90a", "s_memtime"),
        ("gfx942", "s_memtime"),
        ("gfx1030", "s_memtime"),
        ("gfx1100", "__ockl_steadyctr_u64"),  # gfx1100's counter of cycles has 20 bits
        ("gfx1201", "HW_REG_SHADER_CYCLES_HI"),
    ],
)
def test_clocks_have_64_bits(target, instruction, assembly):
    code = code_of("clocks", assembly(PROGRAM, target))
    assert instructions(code, instruction)
    assert instructions(code, r"HW_REG_SHADER_CYCLES, 0, 20") == []


def test_ticks_of_gfx11_have_the_rate_of_the_device(assembly):
    """2,500 kHz for each 100 kHz of the constant clock: ticks are multiplied by 25."""
    rates = (b"-DCUDA_ON_HIP_CLOCK_KHZ=2500000", b"-DCUDA_ON_HIP_WALL_CLOCK_KHZ=100000")
    code = code_of("ticks", assembly(CLOCK, "gfx1100", *rates))
    assert instructions(code, r"(mad_u64_u32|mul_.*u32).*\b25\b")


@pytest.mark.parametrize("target", TARGETS)
def test_the_timer_is_the_constant_clock(target, assembly):
    assert instructions(code_of("timer", assembly(PROGRAM, target)), "__ockl_steadyctr_u64")


@pytest.mark.parametrize("target", TARGETS)
def test_the_multiprocessor_is_read_from_the_hardware(target, assembly):
    registers = {"gfx1030": "HW_REG_HW_ID1,", "gfx1100": "HW_REG_HW_ID1,", "gfx1201": "HW_REG_WAVE_HW_ID1,"}
    code = code_of("place", assembly(PROGRAM, target))
    assert len(instructions(code, registers.get(target, "HW_REG_HW_ID,"))) >= 2, instructions(code, "HW_REG")


@pytest.mark.parametrize("target", TARGETS)
def test_assertions_are_written_to_stderr(target, assembly):
    # The function that writes the line is not within the kernel.
    whole = assembly(PROGRAM, target)
    assert instructions(whole, "__ockl_fprintf_stderr_begin")
    assert "thread: [%u,%u,%u] Assertion `%s` failed." in whole
    assert instructions(whole, "s_trap")

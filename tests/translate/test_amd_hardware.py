"""Atomic operations, clocks, assertions and textures, by the machine code for each family of AMD's GPUs."""

import pytest

from tests.translate.amd_assembly import instructions, needs_header, of_program, of_ptx

pytestmark = needs_header

TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")
#: What PCIe carries out in memory of the host: additions of integers, exchanges and compare-and-swap.
EVERYWHERE = r"_atomic_(add|sub)(_x2|_u32|_u64)?\s|_atomic_(cmp)?swap"
#: GPUs on which atomic operations of the device's scope reach memory of the host, as LLVM knows them.
REACHING = ("gfx942", "gfx1201")

OPERATIONS = """
extern "C" __global__ void k(float* f, double* d, unsigned* u, unsigned long long* l, int* i) {
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
SHARED = """
extern "C" __global__ void k(unsigned* u, float* f) {
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
}
"""


def lost_on_the_host(assembly):
    """Atomic instructions that memory of the host does not carry out."""
    return [line for line in instructions(assembly, "(global|flat)_atomic") if not instructions(line, EVERYWHERE)]


@pytest.mark.parametrize("target", TARGETS)
def test_atomics_of_the_whole_system_are_right_in_memory_of_the_host(target, tmp_path):
    assembly = of_program(OPERATIONS % {"scope": "_system"}, target, tmp_path)
    assert lost_on_the_host(assembly) == []
    assert len(instructions(assembly, "global_atomic_cmpswap")) >= 9


@pytest.mark.parametrize("target", [target for target in TARGETS if target not in REACHING])
@pytest.mark.parametrize("scope", ["", "_block"])
def test_so_are_those_of_the_device_and_of_a_block(target, scope, tmp_path):
    assert lost_on_the_host(of_program(OPERATIONS % {"scope": scope}, target, tmp_path)) == []


def test_fast_atomics_are_single_instructions(tmp_path):
    assembly = of_program(OPERATIONS % {"scope": ""}, "gfx90a", tmp_path, "-DCUDA_ON_HIP_FAST_ATOMICS=1")
    assert len(lost_on_the_host(assembly)) == 8
    assert len(instructions(assembly, "global_atomic_cmpswap")) == 1  # atomicCAS


@pytest.mark.parametrize("target", TARGETS)
def test_shared_memory_has_single_instructions(target, tmp_path):
    assembly = of_program(SHARED, target, tmp_path)
    assert len(instructions(assembly, r"ds_(max|or|add)_(u32|f32|b32)")) == 3
    assert instructions(assembly, "cmpst|cmpswap|cmpstore") == []


PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 at)
{
    .reg .b32 %%r<4>; .reg .b64 %%rd<6>; .reg .f32 %%f<4>;
    ld.param.u64 %%rd1, [at];
    %s
    ret;
}
"""


@pytest.mark.parametrize("target", ["gfx90a", "gfx1100"])
def test_atomics_of_ptx_are_the_same(target, tmp_path):
    body = "atom.global.or.b32 %r1, [%rd1], 5; red.global.add.f32 [%rd1+4], 0f3F800000; atom.global.inc.u32 %r2, [%rd1], 7;"
    assembly = of_ptx(PTX % body, target, tmp_path)
    assert lost_on_the_host(assembly) == []
    assert len(instructions(assembly, "global_atomic_cmpswap")) == 3


CLOCKS = """
extern "C" __global__ void k(long long* out) {
    const long long start = clock64();
    while (clock64() - start < 2000000) {}
    out[0] = clock();
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(out[1]));
}
"""


@pytest.mark.parametrize(
    ("target", "instruction"),
    [
        ("gfx90a", "s_memtime"),
        ("gfx942", "s_memtime"),
        ("gfx1030", "s_memtime"),
        ("gfx1100", "__ockl_steadyctr_u64"),  # whose counter of cycles has 20 bits
        ("gfx1201", "HW_REG_SHADER_CYCLES_HI"),
    ],
)
def test_clocks_have_64_bits(target, instruction, tmp_path):
    assembly = of_program(CLOCKS, target, tmp_path)
    assert instructions(assembly, instruction)
    assert instructions(assembly, r"HW_REG_SHADER_CYCLES, 0, 20") == []


def test_ticks_of_gfx11_have_the_rate_of_the_device(tmp_path):
    """2,500 kHz for each 100 kHz of the constant clock: ticks are multiplied by 25."""
    source = 'extern "C" __global__ void k(long long* out) { *out = clock64(); }'
    rates = ("-DCUDA_ON_HIP_CLOCK_KHZ=2500000", "-DCUDA_ON_HIP_WALL_CLOCK_KHZ=100000")
    assembly = of_program(source, "gfx1100", tmp_path, *rates)
    assert instructions(assembly, r"(mad_u64_u32|mul_.*u32).*\b25\b")


TIMER = 'extern "C" __global__ void k(unsigned long long* out) { asm("mov.u64 %0, %%globaltimer;" : "=l"(*out)); }'
PLACE = """
extern "C" __global__ void k(unsigned* out) {
    asm("mov.u32 %0, %%smid;" : "=r"(out[0]));
    asm("mov.u32 %0, %%nsmid;" : "=r"(out[1]));
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_the_timer_is_the_constant_clock(target, tmp_path):
    assert instructions(of_program(TIMER, target, tmp_path), "__ockl_steadyctr_u64")


@pytest.mark.parametrize("target", TARGETS)
def test_the_multiprocessor_is_read_from_the_hardware(target, tmp_path):
    registers = {"gfx1030": "HW_REG_HW_ID1,", "gfx1100": "HW_REG_HW_ID1,", "gfx1201": "HW_REG_WAVE_HW_ID1,"}
    register = registers.get(target, "HW_REG_HW_ID,")
    assembly = of_program(PLACE, target, tmp_path)
    assert len(instructions(assembly, register)) >= 2, instructions(assembly, "HW_REG")


def test_assertions_are_written_to_stderr(tmp_path):
    source = '#include <assert.h>\nextern "C" __global__ void k(int* a) { assert(*a == 3); }'
    assembly = of_program(source, "gfx942", tmp_path)
    assert instructions(assembly, "__ockl_fprintf_stderr_begin")
    assert "thread: [%u,%u,%u] Assertion `%s` failed." in assembly
    assert instructions(assembly, "s_trap")


TEXTURE = ".reg .u64 t; mov.u64 t, %rd1; tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%r1}]; st.global.f32 [%rd1], %f0;"


@pytest.mark.parametrize("target", ["gfx90a", "gfx1030", "gfx1100", "gfx1201"])
def test_textures_of_ptx(target, tmp_path):
    assert instructions(of_ptx(PTX % TEXTURE, target, tmp_path), "__ockl_image_load_1Db")

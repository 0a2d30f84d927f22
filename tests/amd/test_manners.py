"""Usual code of CUDA programs that HIP's header takes otherwise: small programs, for every kind of target."""

from __future__ import annotations

import re

import pytest

from tests.amd.toolchain import INTERMEDIATE_CODE, NAMES_AND_TYPES, TARGETS
from tests.program_files import read_program

INDICES = read_program(__file__, "manners_indices.cu")

BOUNDS = """
template <int Threads> __global__ void __launch_bounds__(Threads, 2) of_template(float* x) { x[threadIdx.x] *= 2; }
template __global__ void of_template<256>(float*);
extern "C" __global__ void __launch_bounds__(256) one(float* x) { x[threadIdx.x] *= 2; }
extern "C" __global__ void __launch_bounds__(256, 1, 1) three(float* x) { x[threadIdx.x] *= 2; }
extern "C" __global__ void __launch_bounds__(64, 16) small_blocks(float* x) { x[threadIdx.x] *= 2; }
extern "C" __global__ void __launch_bounds__(33, 3) odd_size(float* x) { x[threadIdx.x] *= 2; }
extern "C" __global__ void __launch_bounds__(1024, 32) too_many(float* x) { x[threadIdx.x] *= 2; }
"""
#: Waves for each SIMD unit, by kernel: as many blocks as are asked for in waves of 64 on 4 units, and of 32 on 2 units.
WAVES = {
    64: {"_Z11of_templateILi256EEvPf": 2, "one": 0, "three": 1, "small_blocks": 4, "odd_size": 1, "too_many": 8},
    32: {"_Z11of_templateILi256EEvPf": 8, "one": 0, "three": 4, "small_blocks": 16, "odd_size": 3, "too_many": 16},
}

INTEGERS = """
#include <{header}>
template <class A, class B> struct same {{ static constexpr bool value = false; }};
template <class A> struct same<A, A> {{ static constexpr bool value = true; }};
extern "C" __global__ void integers(uint32_t* a, const int64_t* b, uint8_t c, uint_fast16_t d, uintptr_t e, std::size_t f) {{
    std::uint32_t x = a[0];
    cuda::std::uint64_t y = b[0];
    using std::int16_t;
    const int16_t z = c;
    static_assert(same<uint32_t, std::uint32_t>::value && same<int64_t, cuda::std::int64_t>::value, "one type");
    static_assert(sizeof(intmax_t) == 8 && sizeof(int_least16_t) == 2 && (int8_t)-1 < 0, "sizes");
    static_assert(INT64_C(1) << 62 < INT64_MAX && UINT8_MAX == 255 && SIZE_MAX > 0, "limits");
    a[1] = x + (uint32_t)y + z + d + (uint32_t)e + f + (ptrdiff_t)1 + sizeof(std::ptrdiff_t);
}}
"""

#: As PyTorch writes it for NVRTC: without headers, with the types and functions that it needs.
OWN_HALF = read_program(__file__, "manners_own_half.cu")

STANDARD = """
#include <cuda/std/cstddef>
#include <cuda/std/type_traits>
#include <cuda/std/cstdint>
#include <math_constants.h>
extern "C" __global__ void standard(float* x, cuda::std::size_t n, std::size_t m, cuda::std::nullptr_t, uint16_t k) {
    x[n + m + k] = CUDART_INF_F + CUDART_PI_F + (cuda::std::is_same<std::size_t, cuda::std::size_t>::value ? 1 : 0);
    x[0] = (float)CUDART_INF;
}
"""

GROUPS = read_program(__file__, "manners_groups.cu")
#: Objects as CUDA's type, as a number, and as a class that converts to one, which CuPy has.
TEXTURES = read_program(__file__, "manners_textures.cu")

PROGRAMS = {
    "indices": INDICES,
    "bounds": BOUNDS,
    **{f"integers of {header}": INTEGERS.format(header=header) for header in ("stdint.h", "cstdint", "cuda/std/cstdint", "cstddef")},
    "own half": OWN_HALF,
    "standard": STANDARD,
    "groups": GROUPS,
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_compiles(name, target, compiler, tmp_path):
    done = compiler.compile(PROGRAMS[name].encode(), b"manners.cu", target, folder=tmp_path, depth=INTERMEDIATE_CODE)
    assert done.status == 0, done.log
    assert done.log == ""


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "gfx942"])
def test_texture_objects_may_be_numbers(target, compiler, tmp_path):
    done = compiler.compile(TEXTURES.encode(), b"textures.cu", target, folder=tmp_path, depth=INTERMEDIATE_CODE)
    assert done.status == 0, done.log


def test_a_gpu_without_image_units_is_named_as_such_in_the_program_s_lines(compiler, tmp_path):
    done = compiler.compile(TEXTURES.encode(), b"textures.cu", "gfx942", folder=tmp_path, depth=NAMES_AND_TYPES)
    errors = [line for line in done.log.splitlines() if " error: " in line]
    assert len(errors) == 7
    for line in errors:
        assert line.startswith("textures.cu:")
        assert "is unavailable: this GPU has no image units, which textures and surfaces need" in line


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_compiles_with_the_next_header(name, next_compiler, tmp_path):
    done = next_compiler.compile(
        PROGRAMS[name].encode(), b"manners.cu", "gfx942", folder=tmp_path, depth=NAMES_AND_TYPES
    )
    assert done.status == 0, done.log
    assert done.log == ""


@pytest.mark.parametrize(
    ("target", "wave"), [("gfx90a", 64), ("gfx942", 64), ("gfx1030", 32), ("gfx1100", 32), ("gfx1201", 32)]
)
def test_blocks_of_a_multiprocessor_become_waves_of_its_units(target, wave, compiler, tmp_path):
    done = compiler.compile(BOUNDS.encode(), b"bounds.cu", target, folder=tmp_path, depth=INTERMEDIATE_CODE)
    assert done.status == 0, done.log
    text = (tmp_path / "program.s").read_text()
    attributes = dict(re.findall(r"attributes #(\d+) = \{(.*)\}", text))
    waves = {}
    for kernel, number in re.findall(r"define .*amdgpu_kernel void @(\w+)\(.* #(\d+)", text):
        asked = re.search(r'"amdgpu-waves-per-eu"="(\d+)"', attributes[number])
        waves[kernel] = int(asked[1]) if asked else 0
        assert '"amdgpu-flat-work-group-size"="1,' in attributes[number]
    assert waves == WAVES[wave]

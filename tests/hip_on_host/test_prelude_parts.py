"""Parts of the prelude that only programs with one of their names get, wherever and however the name stands."""

from __future__ import annotations

import numpy as np
import pytest

from tests.hip_on_host.hiprtc_program import CompileError, Kernels

ROUNDED = np.array([1.0, 1.0 + 2.0**-23], np.float32)


@pytest.mark.parametrize(
    ("source", "headers", "options"),
    [
        ("__global__ void k(float* out) { out[0] = __fadd_rd(1, 1e-10f); out[1] = __fadd_ru(1, 1e-10f); }", {}, []),
        (
            "#define ADD(way) __f##add_##way(1, 1e-10f)\n__global__ void k(float* out) { out[0] = ADD(rd); out[1] = ADD(ru); }",
            {},
            [],
        ),
        (
            "__global__ void k(float* out) { out[0] = DOWN(1, 1e-10f); out[1] = __fadd_ru(1, 1e-10f); }",
            {},
            ["-DDOWN=__fadd_rd"],
        ),
        (
            '#include "sums.h"\n__global__ void k(float* out) { sums(out); }',
            {
                "sums.h": "__device__ void sums(float* out) { out[0] = __fadd_rd(1, 1e-10f); out[1] = __fadd_ru(1, 1e-10f); }"
            },
            [],
        ),
    ],
    ids=["in a kernel", "put together by a macro", "in an option", "in a header"],
)
def test_a_name_is_known_wherever_it_stands(
    programs: Kernels, source: str, headers: dict[str, str], options: list[str]
) -> None:
    out = np.zeros(2, np.float32)
    programs.load(source, *options, headers=headers, names=["k"]).launch("k", 1, 1, out)
    np.testing.assert_array_equal(out, ROUNDED)


def test_an_error_beside_such_a_name_is_reported_with_the_programs_line(programs: Kernels) -> None:
    source = "__global__ void k(double* out, cudaTextureObject_t t) {\n    out[0] = tex2D<double>(t, 0, 0);\n}\n"
    with pytest.raises(CompileError) as error:
        programs.compile(source)
    assert "kernel.cu:2:" in error.value.log
    assert "please report it" not in error.value.log


def test_standard_headers_stand_beside_every_part(programs: Kernels) -> None:
    source = """#include <cmath>
        #include <ctime>
        #include <mutex>
        __global__ void k(float* out) {
            out[0] = __isGlobal(out) + std::scalbln(norm3df(2, 3, 6), 1L) + __fadd_rd(1, 1) + __vimax3_s32(1, 2, 3);
            out[1] = clock() >= 0 && cudaSuccess == 0;
        }"""
    out = np.zeros(2, np.float32)
    programs.load(source, names=["k"]).launch("k", 1, 1, out)
    np.testing.assert_array_equal(out, [20, 1])

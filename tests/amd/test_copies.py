"""Copies into shared memory that NVIDIA's GPUs make by themselves are loads and stores of AMD's machine code."""

from __future__ import annotations

import re

import pytest

from tests.amd.toolchain import OPTIMISED_CODE

SHARED = "__shared__ float4 s[64]; const int t = threadIdx.x;"
INLINE = f"""extern "C" __global__ void k(const float4* x, float4* o) {{ {SHARED}
    const unsigned place = (unsigned)__cvta_generic_to_shared(&s[t]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(place), "l"(x + t));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" :: "n"(0));
    __syncthreads();
    o[t] = s[63 - t];
}}
"""
PIPELINE = f"""#include <cuda_pipeline.h>
extern "C" __global__ void k(const float4* x, float4* o) {{ {SHARED}
    __pipeline_memcpy_async(&s[t], x + t, sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    o[t] = s[63 - t];
}}
"""
PARTLY = INLINE.replace("[%1], 16;", "[%1], 16, %2;").replace('"l"(x + t));', '"l"(x + t), "r"(t));')
PROGRAMS = {"inline": INLINE, "pipeline": PIPELINE, "partly": PARTLY}


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_are_loads_and_stores(name, target, compiler, tmp_path):
    done = compiler.compile(PROGRAMS[name].encode(), b"copy.cu", target, folder=tmp_path, depth=OPTIMISED_CODE)
    assert done.status == 0, done.log
    code = (tmp_path / "program.s").read_text(encoding="utf-8")
    if name != "partly":  # the whole of 16 bytes at once
        assert re.search(r"global_load_(dwordx4|b128)", code)
        assert re.search(r"ds_(write|store)_b128", code)
    assert re.search(r"ds_(read|load)_b128", code)


@pytest.mark.parametrize("name", PROGRAMS)
def test_nvrtc_takes_the_programs(name, newest_nvrtc):
    done = newest_nvrtc(PROGRAMS[name], b"-arch=compute_80")
    assert done.status == 0, done.log

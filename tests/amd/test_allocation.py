"""new and delete in kernels for AMD GPUs: the operators are defined, since no library of the device has them."""

from __future__ import annotations

import re

import pytest

from tests.amd.toolchain import OPTIMISED_CODE

S = "struct S { int a; __device__ S(int v) : a(v) {} virtual __device__ ~S() {} };\n"
KERNEL = 'extern "C" __global__ void k(int* o) '
PROGRAMS = {
    "arrays": KERNEL + "{ int* p = new int[4](); p[0] = o[0]; o[1] = p[0] + p[1]; delete[] p; }",
    "objects": S + KERNEL + "{ S* s = new S(o[0]); o[1] = s->a; delete s; }",
    "a place": S + KERNEL + "{ S* s = new (o) S(3); o[1] = s->a; S* t = new (o + 8) S[1]{4}; o[2] = t->a; }",
    "its own": "__device__ void* operator new(size_t) { return (void*)16; }\n" + KERNEL + "{ o[0] = *new int(3); }",
    "a class's own": "struct A { int v; static __device__ void* operator new(size_t n) { return malloc(n); } };\n"
    + KERNEL + "{ o[0] = (new A)->v; o[1] = *new int(3); }",
    "a deleted function": "struct A { A() = delete; int v; };\n" + KERNEL + "{ o[0] = sizeof(A); }",
}  # fmt: skip


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_operators_are_defined(name, target, compiler, tmp_path):
    done = compiler.compile(PROGRAMS[name].encode(), b"new.cu", target, folder=tmp_path, depth=OPTIMISED_CODE)
    assert done.status == 0, done.log
    code = (tmp_path / "program.s").read_text(encoding="utf-8")
    defined = set(re.findall(r"^(_Z(?:n|d)[aw]\w+|_Zdl\w+):", code, re.MULTILINE))
    assert set(re.findall(r"\b_Z(?:n[aw]|d[al])\w+", code)) <= defined


@pytest.mark.parametrize("name", PROGRAMS)
def test_nvrtc_takes_the_programs(name, newest_nvrtc):
    done = newest_nvrtc(PROGRAMS[name])
    assert done.status == 0, done.log

"""Names that a program declares in the global namespace."""

from __future__ import annotations

import pytest

from cuda_shim.translate.lexer import Text
from cuda_shim.translate.own_names import global_declarations
from cuda_shim.translate.source import to_hip


def names(source):
    return [(found.name, found.kind) for found in global_declarations(Text(source))]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"typedef struct { int a; } half2, *pointer; typedef int (*call)(int), row[3];",
         [("half2", "type"), ("pointer", "type"), ("call", "type"), ("row", "type")]),
        (b"using lane_mask = unsigned; using namespace std; using std::size_t;", [("lane_mask", "type")]),
        (b"struct __align__(8) texture { int a; struct inside {}; void f() {} } made;",
         [("texture", "type"), ("made", "variable")]),
        (b"class later; enum class Kind : int { a, b }; enum { unnamed }; union U { int x; };",
         [("later", "type"), ("Kind", "type"), ("U", "type")]),
        (b"namespace mine { struct inside {}; int g; } namespace short_one = mine;",
         [("mine", "namespace"), ("short_one", "namespace")]),
        (b"namespace mine { struct inside {}; } using namespace mine;", [("mine", "namespace"), ("inside", "type")]),
        (b"namespace { __device__ int hidden; }", [("hidden", "variable")]),
        (b"__device__ int a = 3, *p, table[3][4] = {{1}, {2}}, brace{4}; __constant__ float c[8];",
         [("a", "variable"), ("p", "variable"), ("table", "variable"), ("brace", "variable"), ("c", "variable")]),
        (b"template <class T, int N = (3 > 2)> __device__ T f(T x) { struct local {}; return x; }", [("f", "function")]),
        (b"template <class A, template <class> class B> struct Pair : A<B<int>> { int y; };", [("Pair", "type")]),
        (b"typedef Vector<half, 3> triple; __device__ Vector<half, 3> v;", [("triple", "type"), ("v", "variable")]),
        (b"__device__ float Own::method(int a) { return a; } MACRO(float) __device__ int after;", [("after", "variable")]),
        (b"__device__ bool operator==(const U& a, const U& b) { return true; } constexpr int N = 4;", [("N", "variable")]),
        (b"#define X struct nothing {};\nstruct fwd* make(int a, struct fwd b);", [("make", "function")]),
    ],
)  # fmt: skip
def test_declarations(source, expected):
    assert names(source) == expected


def test_functions_with_c_s_linkage():
    source = (
        b'extern "C" __global__ void __launch_bounds__(256, 2) a(float* x) { int b; } extern "C" { int c(); } int d();'
    )
    found = list(global_declarations(Text(source)))
    assert [(one.name, one.linked_as_c) for one in found] == [("a", True), ("c", True), ("d", False)]


def on_amd(source):
    return to_hip(source, b"k.cu", [], architecture="gfx1100").source


def test_a_variable_keeps_its_symbol():
    source = on_amd(b"__device__ int lane_mask[3], other;\n")
    assert b"#define lane_mask cuda_on_hip_own_lane_mask\n" in source
    assert b'lane_mask[3] __asm__("lane_mask")' in source
    assert b"other __asm__" not in source


def test_a_kernel_keeps_its_symbol():
    source = on_amd(b'extern "C" __global__ void texture(float* x) {}\n')
    assert b"#pragma redefine_extname cuda_on_hip_own_texture texture\n" in source


def test_an_overload_of_what_is_included_is_none_of_the_program_s_own_names():
    function = b"struct Own {}; __device__ Own __habs(Own x) { return x; }\n"
    assert b"#define __habs " in on_amd(function)
    assert b"#define __habs " not in on_amd(b"#include <cuda_fp16.h>\n" + function)


def test_what_is_used_and_not_declared_is_amd_s():
    assert b"#define" not in on_amd(b"__global__ void k(half* x, uint n) { x[n] = 0; }\n")

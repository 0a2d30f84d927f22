"""Declarations that give names of C, CUDA and the C library other meanings, as NVRTC lets a program do.

Code that is generated for a kernel stands beside them: it may name nothing but the prelude's own.
"""

from __future__ import annotations

__all__ = ["MACROS", "PARAMETERS", "TYPES", "with_types"]

TYPES = """struct uint8_t { char bytes[3]; };
struct uint32_t { char bytes[5]; };
typedef double uint64_t;
typedef float* uintptr_t;
enum int32_t { none };
template <class A> __device__ void swap(A&, A&);
template <class A> __device__ A move(A);
struct index { int x; };
namespace std { struct size_t {}; }
"""
#: Macros that the program itself must not name.
MACROS = """#define value 7
#define lane this is no lane
#define warp [[[
#define block )
#define begin {
#define end }
#define size 3 +
#define width height
#define type int
#define Word short
#define By 5
"""
#: Parameters that hide types of CUDA in the whole kernel, behind others.
PARAMETERS = (
    ", int uint3 = 0, int size_t = 0, int dim3 = 0, int float4 = 0, int memcpy = 0, int memset = 0, int abs = 0"
)


def with_types(source: str) -> str:
    """Return a program with the types behind the last of its first includes."""
    lines = source.split("\n")
    behind = max((number for number, line in enumerate(lines, 1) if line.startswith("#include")), default=0)
    return "\n".join([*lines[:behind], TYPES, *lines[behind:]])

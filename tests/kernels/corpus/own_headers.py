import numpy as np

from . import Run, case

HEADERS = {
    "own/shapes.h": """#pragma once
#include "own/base.h"
namespace own {
struct Rectangle : Base {
    float a, b;
    __device__ Rectangle(float x, float y) : a(x), b(y) {}
    __device__ float area() const { return a * b + unit(); }
};
}
""",
    "own/base.h": "#pragma once\nnamespace own { struct Base { __device__ float unit() const { return 1.0f; } }; }\n",
    "own_math.h": "template <class T> __device__ T cubed(T x) { return x * x * x; }\n",
}
OPTIONS = (
    "-D", "FACTOR=4.0f", "-DOFFSET=0.5f", "--define-macro=NAMED=double", "-DREMOVED", "-UREMOVED", "-DSET_TWICE=1", "-D SET_TWICE=2",
    "-default-device", "-std=c++17", "--restrict", "-lineinfo", "--extra-device-vectorization", "-w", "--ftz=false", "--maxrregcount=64",
)  # fmt: skip


@case(headers=HEADERS, options=OPTIONS)
def with_headers(rng):
    values = rng.integers(0, 8, 100).astype(np.float32)
    expected = values * 4 + 1 + 0.5 + 2 * values**3 + np.arange(100) + 3
    return Run([values, np.zeros(100, np.float32), np.int32(100)], {1: expected.astype(np.float32)}, block=128)


@case(headers=HEADERS, options=OPTIONS)
def by_macros(rng):
    return Run([np.zeros(5, np.int32)], {0: np.array([1, 1, 26, 2, 8], np.int32)}, block=1)

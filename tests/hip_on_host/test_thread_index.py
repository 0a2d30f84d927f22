"""The thread's index for functions: it follows a kernel's loops where a function may read it, whatever others do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.hip_on_host.hiprtc_program import Kernels

#: Kernels of 64 threads, and what they leave in an array of zeros. Each module has functions that read the index.
FUNCTIONS = """
__device__ int index() { return threadIdx.x; }
__device__ int twice(int x) { return x * 2; }
__device__ __noinline__ int through(int x) { return index() + x; }
struct Holder {
    int value;
    __device__ Holder() : value(index()) {}
    __device__ ~Holder() {}
    __device__ int operator()(int x) const { return x + index(); }
    __device__ operator int() const { return value + index(); }
};
__device__ int (*pointer)(int) = through;
template <class F> __device__ int apply(F f) { return f(); }
"""
BODIES = {
    "none": ("o[threadIdx.x] = threadIdx.x + 1;", lambda t: t + 1),
    "a vector": ("float4 v = make_float4(threadIdx.x, 1, 2, 3); float4 w = v; o[threadIdx.x] = (int)(w.x + w.w);", lambda t: t + 3),
    "one": ("o[threadIdx.x] = index();", lambda t: t),
    "one that does not read it": ("o[threadIdx.x] = twice(threadIdx.x);", lambda t: 2 * t),
    "through another": ("o[threadIdx.x] = through(3);", lambda t: t + 3),
    "a pointer": ("o[threadIdx.x] = pointer(4);", lambda t: t + 4),
    "a constructor": ("Holder h; o[threadIdx.x] = h.value;", lambda t: t),
    "a conversion": ("Holder h; o[threadIdx.x] = h;", lambda t: 2 * t),
    "an operator": ("Holder h; o[threadIdx.x] = h(5);", lambda t: t + 5),
    "a lambda": ("o[threadIdx.x] = apply([] { return index() + 6; });", lambda t: t + 6),
}  # fmt: skip
FORMS = {
    "loop": "{body}",
    "guard": "if (threadIdx.x < 64u) {{ {body} }}",
    "split": "__shared__ int s[64]; s[threadIdx.x] = threadIdx.x; __syncthreads(); {body} __syncthreads(); o[threadIdx.x] += s[threadIdx.x ^ 1] * 0;",
}


@pytest.mark.parametrize("form", FORMS)
def test_functions_read_the_index_of_their_thread(programs: Kernels, form: str) -> None:
    source = FUNCTIONS
    for number, (body, _) in enumerate(BODIES.values()):
        source += f'extern "C" __global__ void k{number}(int* o) {{ {FORMS[form].format(body=body)} }}\n'
    module = programs.load(source)
    for number, (_, expected) in enumerate(BODIES.values()):
        out = np.zeros(64, np.int32)
        module.launch(f"k{number}", 1, 64, out)
        assert out.tolist() == [expected(t) for t in range(64)], number


def test_templates_are_judged_by_their_instances(programs: Kernels) -> None:
    source = (
        FUNCTIONS
        + """template <class F> __global__ void k(int* o) { o[threadIdx.x] = F()(1) + threadIdx.x; }
        struct Plus { __device__ int operator()(int x) const { return x; } };
        template __global__ void k<Plus>(int*); template __global__ void k<Holder>(int*);
        extern "C" __global__ void plain(int* o) { o[threadIdx.x] = threadIdx.x; }"""
    )
    module = programs.load(source)
    names = {"k<Plus>": [t + 1 for t in range(64)], "k<Holder>": [2 * t + 1 for t in range(64)], "plain": [*range(64)]}
    for name, expected in names.items():
        out = np.zeros(64, np.int32)
        module.launch({"k<Plus>": "_Z1kI4PlusEvPi", "k<Holder>": "_Z1kI6HolderEvPi"}.get(name, name), 1, 64, out)
        assert out.tolist() == expected, name

"""A launch returns whatever its kernel does: which kernels may run on the thread that asks for them."""

from __future__ import annotations

import pytest

from . import hiprtc_program

NEVER_WAITS = 2

ENDS = {
    "nothing": "",
    "no loop": "p[threadIdx.x] = 1;",
    "a counting loop": "for (int i = 0; i < n; ++i) p[i] = i;",
    "a grid-stride loop": "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) p[i]++;",
    "a loop that halves": "for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) { p[s] = s; __syncthreads(); }",
    "a call of a function that ends": "p[0] = twice(n);",
}
MAY_WAIT = {
    "while": "while (*(volatile int*)p == 0) {}",
    "do": "do { n--; } while (p[n]);",
    "goto": "again: if (!p[0]) goto again;",
    "for ever": "for (;;) { if (p[0]) break; }",
    "a condition in memory": "for (int i = 0; i < *(volatile int*)p; i++) {}",
    "a condition on an element": "for (int i = 0; i < p[0]; i++) {}",
    "a step in memory": "for (int i = 0; i < 9; i += p[0]) {}",
    "a counter that is set back": "for (int i = 0; i < 9; i++) { if (!p[0]) i = 0; }",
    "a counter that is counted back": "for (int i = 0; i < 9; i++) if (!p[0]) --i;",
    "a counter whose address is taken": "for (int i = 0; i < 9; i++) { int* at = &i; *at = p[0]; }",
    "a counter of somebody else's": "int i = 0; int& same = i; for (i = 0; i < 9; i++) same = p[0];",
    "a call in the condition": "for (int i = 0; i < twice(n); i++) {}",
    "a function that waits": "polling(p);",
    "a function that calls itself": "itself(p);",
    "a counter handed to a function": "for (int i = 0; i < 9; i++) back(i);",
    "a lambda": "auto f = [=]() { for (;;) if (p[0]) return; }; f();",
    "a step that is a device variable": "for (int i = 0; i < 9; i += width) {}",
}  # fmt: skip
FUNCTIONS = {
    "twice": "__device__ int twice(int a) { return 2 * a; }",
    "polling": "__device__ void polling(volatile int* p) { while (!*p) {} }",
    "itself": "__device__ void itself(volatile int* p) { if (!*p) itself(p); }",
    "back": "__device__ void back(int& i) { i = 0; }",
    "width": "__device__ int width = 1;",
}


def kernels(programs, bodies: dict[str, str]) -> dict[str, int]:
    """The traits of kernels with these bodies, of one program with the functions that they name."""
    own = [text for name, text in FUNCTIONS.items() if any(name in body for body in bodies.values())]
    written = [
        f'extern "C" __global__ void k{at}(int* p, int n) {{ {body} }}' for at, body in enumerate(bodies.values())
    ]
    rows = hiprtc_program.rows(hiprtc_program.compile_program(programs.hiprtc, "\n".join([*own, *written])))
    return {name: rows[f"k{at}"].traits for at, name in enumerate(bodies)}


def test_kernels_that_end_by_themselves(programs):
    assert [name for name, traits in kernels(programs, ENDS).items() if not traits & NEVER_WAITS] == []


def test_kernels_that_might_wait(programs):
    alone = {name: body for name, body in MAY_WAIT.items() if not any(word in body for word in FUNCTIONS)}
    assert len(alone) > 8
    assert [name for name, traits in kernels(programs, alone).items() if traits & NEVER_WAITS] == []


@pytest.mark.parametrize("word", FUNCTIONS)
def test_kernels_that_might_wait_in_a_function(programs, word):
    found = {name: body for name, body in MAY_WAIT.items() if word in body}
    assert found
    assert [name for name, traits in kernels(programs, found).items() if traits & NEVER_WAITS] == []

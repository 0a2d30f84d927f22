"""Prefetches of the memory that a later block, or a loop's next round, begins with: where they are, and that they do nothing else."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Kernels

#: The body of a kernel with its index `g` in the grid, and the number of accesses that are prefetched. The last
#: statement of each is `out[g] = v;`, which is one of them.
BODIES = {
    "a read": ("s[t] = x[g]; __syncthreads(); v = s[t ^ 1];", 2),
    "reads at a distance": ("s[t] = x[g] + x[g + 1]; __syncthreads(); v = s[t ^ 1];", 3),
    "one place twice": ("s[t] = x[g] * x[g]; __syncthreads(); v = s[t ^ 1];", 2),
    "under a condition": ("if (g < n) s[t] = x[g]; else s[t] = 0; __syncthreads(); v = s[t ^ 1];", 2),
    "the element of the block": ("s[t] = x[blockIdx.x]; __syncthreads(); v = s[t ^ 1];", 1),
    "the thread's element": ("s[t] = x[t]; __syncthreads(); v = s[t ^ 1];", 1),
    "an index from memory": ("if (order) s[t] = x[order[g]]; else s[t] = x[g]; __syncthreads(); v = s[t ^ 1];", 3),
    "a null pointer": ("if (order) s[t] = order[g - 192]; else s[t] = x[g]; __syncthreads(); v = s[t ^ 1];", 3),
    "an index that divides": ("s[t] = none ? x[g / none] : 1; __syncthreads(); v = s[t ^ 1];", 1),
    "an index of the region's own": (
        "{ const int own = g * 2 % n; s[t] = x[own]; } __syncthreads(); v = s[t ^ 1];",
        1,
    ),
    "a pointer that moves": ("const int* p = x; p += t; s[t] = p[g - t]; __syncthreads(); v = s[t ^ 1];", 1),
    "another pointer's memory": ("s[t] = both[0][g]; __syncthreads(); v = s[t ^ 1];", 1),
    "no barrier": ("v = x[g];", 0),
    "in a loop": ("for (int k = 0; k < 2; ++k) { s[t] = x[g]; __syncthreads(); v += s[t ^ 1]; __syncthreads(); }", 1),
    "a strided loop": (
        "for (int i = g; i < n; i += gridDim.x * blockDim.x) v += x[i]; s[t] = v; __syncthreads(); v = s[t ^ 1];",
        2,
    ),
    "a strided loop's other element": (
        "for (int i = g; i < n; i += gridDim.x * blockDim.x) v += x[g]; s[t] = v; __syncthreads(); v = s[t ^ 1];",
        1,
    ),
}
KERNEL = """extern "C" __global__ void k{0}(const int* x, int* out, const int* order, int* const* both, int n, int none) {{
    __shared__ int s[64];
    const int t = threadIdx.x, g = blockIdx.x * blockDim.x + threadIdx.x;
    int v = 0;
    {1}
    out[g] = v;
}}
"""
SOURCE = "".join(KERNEL.format(i, body) for i, (body, _) in enumerate(BODIES.values()))


@hiprtc_program.needs_reader
def test_accesses_that_a_later_block_or_round_makes_are_prefetched(
    run_hip: Callable[..., str], runtime_folder: Path, tmp_path: Path
) -> None:
    """An index that reads memory, divides or belongs to the region is not computed for threads that do not get there."""
    compile_it = f"""
hiprtc_program = __import__("hiprtc_program")
hiprtc_program.compile_program(hiprtc_program.load({str(runtime_folder)!r}), {SOURCE!r})"""
    run_hip(compile_it, CUDA_SHIM_CPU_KEEP="1", CUDA_SHIM_CACHE_DIR=str(tmp_path))
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.cpp")]
    kept = max(texts, key=lambda text: text.count("cuda_shim_prefetch<"))
    counts = {}
    for i, name in enumerate(BODIES):
        split = re.search(rf"cuda_shim_split_k{i}\(.*?#pragma GCC diagnostic pop", kept, re.DOTALL)
        counts[name] = split[0].count("cuda_shim_prefetch<") if split else None
    assert counts == {name: count for name, (_, count) in BODIES.items()}


@pytest.mark.parametrize("grid", [1, 2, 5])
def test_prefetches_change_nothing(programs: Kernels, form: str, grid: int) -> None:
    """Memory ends with the last block, `order` is null and `none` is 0: computing more than the kernel does would fault."""
    loaded = programs.load(SOURCE, form)
    width = 64
    n = grid * width
    x = np.random.default_rng(4).integers(0, 9, n + 1).astype(np.int32)
    own, across = x[:n], np.arange(n) ^ 1
    expected = {
        "reads at a distance": (x[:n] + x[1:])[across],
        "one place twice": (own * own)[across],
        "the element of the block": np.repeat(x[:grid], width),
        "the thread's element": np.tile(x[:width], grid)[across],
        "an index that divides": np.ones(n),
        "an index of the region's own": x[np.arange(n) * 2 % n][across],
        "no barrier": own,
        "in a loop": 2 * own[across],
    }
    addresses = np.zeros(1, np.uint64)
    device = loaded.upload(x)
    addresses[0] = int(device)
    for i, name in enumerate(BODIES):
        out = np.zeros(n, np.int32)
        loaded.launch(f"k{i}", grid, width, x, out, ctypes.c_void_p(0), addresses, ctypes.c_int(n), ctypes.c_int(0))
        np.testing.assert_array_equal(out, expected.get(name, own[across]), name)
    loaded.hip.hipFree(device)

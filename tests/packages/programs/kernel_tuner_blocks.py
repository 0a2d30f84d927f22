"""Four block sizes of a vector addition are tried, and the results of each compared."""

import numpy as np
from kernel_tuner import tune_kernel

KERNEL = """
extern "C" __global__ void add(float* c, const float* a, const float* b, int n) {
    int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
"""
size = np.int32(100_000)
a, b = (np.random.default_rng(seed).random(size, dtype=np.float32) for seed in (1, 2))
arguments = [np.zeros_like(a), a, b, size]
results, _ = tune_kernel(
    "add", KERNEL, int(size), arguments, {"block_size_x": [32, 64, 128, 256]}, lang="nvcuda",
    answer=[a + b, None, None, None], iterations=3, verbose=True,
)  # fmt: skip
assert [result["block_size_x"] for result in results] == [32, 64, 128, 256], results
assert all(isinstance(result["time"], float) for result in results), results
print("works: four block sizes with lang='nvcuda'")

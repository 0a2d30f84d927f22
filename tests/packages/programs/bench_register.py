"""A benchmark is registered, with cuda.bench."""

import cuda.bench

cuda.bench.register(print)
print("works: a benchmark")

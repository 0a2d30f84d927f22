"""Elementwise kernels, reductions, a kernel in CUDA C++, and a product, which is cuBLAS's."""

import cupy
import numpy as np

host = np.random.default_rng(0).random((64, 33))
device = cupy.asarray(host)
np.testing.assert_allclose((2 * device - cupy.sin(device)).get(), 2 * host - np.sin(host))
np.testing.assert_allclose(device.sum(axis=0).get(), host.sum(axis=0))
np.testing.assert_allclose(device.sum().get(), host.sum())  # CUB's, which is linked into CuPy
assert int(device.argmax()) == host.argmax()

squares = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squares")
np.testing.assert_allclose(squares(device, 1.0).get(), (host - 1) ** 2)
length = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
np.testing.assert_allclose(length(device, axis=1).get(), np.sqrt((host**2).sum(axis=1)))

source = 'extern "C" __global__ void triple(float *x) { x[threadIdx.x] *= 3; }'
values = cupy.arange(32, dtype="f")
cupy.RawKernel(source, "triple")((1,), (32,), (values,))
np.testing.assert_array_equal(values.get(), 3 * np.arange(32, dtype="f"))

whole = (host.ravel() * 1000).astype(np.int32)
numbers = cupy.asarray(whole)
np.testing.assert_array_equal(cupy.sort(numbers).get(), np.sort(whole))  # Thrust's and CUB's
np.testing.assert_array_equal(numbers[cupy.argsort(numbers)].get(), np.sort(whole))
np.testing.assert_array_equal(cupy.unique(numbers).get(), np.unique(whole))
print("works: elementwise kernels, reductions, a RawKernel, sort and unique")
device @ device.T

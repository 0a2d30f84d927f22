"""A product of matrices, a softmax and a gradient on tinygrad's device CUDA."""

import numpy as np
from tinygrad import Tensor

values = np.random.default_rng(0).random((64, 64), dtype=np.float32)
matrix = Tensor(values, device="CUDA")
product = (matrix @ matrix).softmax()
expected = np.exp(values @ values - (values @ values).max(axis=1, keepdims=True))
expected /= expected.sum(axis=1, keepdims=True)
assert np.allclose(product.numpy(), expected, atol=1e-5)
(matrix * matrix).sum().backward()
assert np.allclose(matrix.grad.numpy(), 2 * values)
print("works: a product, a softmax and a gradient on the device CUDA")

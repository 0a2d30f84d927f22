"""A product of matrices with nvmath."""

import numpy as np
import nvmath

nvmath.linalg.advanced.matmul(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
print("works: a product")

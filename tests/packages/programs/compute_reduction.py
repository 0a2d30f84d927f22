"""A sum of a device array by cuda.compute."""

import cuda.compute
import numpy as np
from cuda.compute import OpKind
from cuda.core import Device

device = Device()
device.set_current()
stream = device.create_stream()
values = device.memory_resource.allocate(4 * 8, stream=stream)
total = device.memory_resource.allocate(8, stream=stream)


class Described:
    """A device array of 64-bit integers, by CUDA's array interface."""

    def __init__(self, buffer, count):
        self.__cuda_array_interface__ = {
            "shape": (count,), "typestr": "<i8", "data": (int(buffer.handle), False), "version": 3, "strides": None,
        }  # fmt: skip


described, result = Described(values, 4), Described(total, 1)
zero = np.array([0], np.int64)
cuda.compute.reduce_into(d_in=described, d_out=result, num_items=4, op=OpKind.PLUS, h_init=zero)
print("works: a sum")

"""kernelParams in every form that passes values."""

import ctypes
from typing import Any

import numpy
from _device import context, function
from _show import call, show
from cuda.bindings import driver

SOURCE = """
struct Pair { int a; short b; double c; };
extern "C" __global__ void keep(double *to, int i, float f, double d, bool b, signed char c, short s,
                                long long l, unsigned u, size_t z, Pair p, int e) {
  to[0] = i; to[1] = f; to[2] = d; to[3] = b; to[4] = c; to[5] = s; to[6] = l; to[7] = u; to[8] = z;
  to[9] = p.a; to[10] = p.b; to[11] = p.c; to[12] = e;
}
extern "C" __global__ void one(int *to, int by) { *to = by; }
"""


class Pair(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_short), ("c", ctypes.c_double))


context()
keep = function(SOURCE, b"keep")
one = function(SOURCE, b"one")
pointer = driver.cuMemAlloc(256)[1]
result = numpy.zeros(13, dtype=numpy.float64)
types = (ctypes.c_int, ctypes.c_float, ctypes.c_double, ctypes.c_bool, ctypes.c_byte, ctypes.c_short,
         ctypes.c_longlong, ctypes.c_uint, ctypes.c_size_t, None, None)  # fmt: skip
enum = driver.CUresult.CUDA_ERROR_INVALID_VALUE


def keeps(note: str, *values: Any, first: tuple[Any, Any] = (pointer, None)) -> None:
    packed = ((first[0], *values, Pair(1, 2, 3.5), enum), (first[1], *types))
    call(driver.cuLaunchKernel, keep, 1, 1, 1, 1, 1, 1, 0, 0, packed, 0, note=note)
    driver.cuMemcpyDtoH(result, pointer, 104)
    show(note, result.tolist())


keeps("python values", -3, 0.5, 0.25, True, -4, -5, -(2**40), 2**31, 2**33)
keeps("python ints", 1, 2, 3, 0, 4, 5, 6, 7, 8)
keeps("ctypes objects", *(t(2) for t in types[:9] if t))
keeps(
    "numpy scalars",
    numpy.int32(9),
    numpy.float32(1.5),
    numpy.float64(2.5),
    True,
    numpy.int8(3),
    numpy.int16(4),
    numpy.int64(5),
    numpy.uint32(6),
    numpy.uint64(7),
)
keeps("pointer as int", 1, 2, 3, 0, 4, 5, 6, 7, 8, first=(int(pointer), ctypes.c_void_p))
keeps("pointer as c_void_p", 1, 2, 3, 0, 4, 5, 6, 7, 9, first=(ctypes.c_void_p(int(pointer)), ctypes.c_void_p))
keeps("unsigned wraps", 1, 2, 3, 0, 4, 5, 6, 2**33 + 1, 9)

number = numpy.zeros(1, dtype=numpy.int32)


def ones(note: str, packed: Any, extra: Any = 0) -> None:
    call(driver.cuLaunchKernel, one, 1, 1, 1, 1, 1, 1, 0, 0, packed, extra, note=note)
    driver.cuMemcpyDtoH(number, pointer, 4)
    show(note, number.tolist())


slot = ctypes.c_void_p(int(pointer))
value = ctypes.c_int(21)
addresses = (ctypes.c_void_p * 2)(ctypes.addressof(slot), ctypes.addressof(value))
ones("ctypes array of addresses", addresses)
value.value = 22
ones("address of addresses", ctypes.addressof(addresses))
value.value = 23
ones("numpy array of addresses", numpy.array([ctypes.addressof(slot), ctypes.addressof(value)], dtype=numpy.uint64))
value.value = 24
ones("memoryview", memoryview(addresses))
ones("lists inside a tuple", ([pointer, 25], [None, ctypes.c_int]))
ones("numpy scalar of another type", ((pointer, numpy.int64(26)), (None, ctypes.c_int)))
ones("array of no dimension", ((pointer, numpy.array(27, dtype=numpy.int32)), (None, ctypes.c_int)))

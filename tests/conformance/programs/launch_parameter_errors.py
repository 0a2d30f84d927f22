"""kernelParams that are refused, each with its error."""

import ctypes
import enum
from typing import Any

import numpy
from _device import context, function
from _show import call
from cuda.bindings import driver


class Number(enum.IntEnum):
    ONE = 1


context()
one = function('extern "C" __global__ void one(int *to, int by) { *to = by; }', b"one")
pointer = driver.cuMemAlloc(256)[1]


def refused(note: str, packed: Any, extra: Any = 0) -> None:
    call(driver.cuLaunchKernel, one, 1, 1, 1, 1, 1, 1, 0, 0, packed, extra, note=note)


def value(note: str, given: Any, kind: Any) -> None:
    refused(note, ((pointer, given), (None, kind)))


refused("list", [pointer, 1])
refused("list of lists", [[pointer, 1], [None, ctypes.c_int]])
refused("str", "parameters")
refused("float", 1.5)
refused("lengths differ", ((pointer, 1), (None,)))
refused("one tuple", ((pointer, 1),))
refused("three tuples", ((pointer, 1), (None, ctypes.c_int), ()))
value("int for None", 1, None)
value("c_int for None", ctypes.c_int(1), None)
value("IntEnum for None", Number.ONE, None)
value("str for c_int", "1", ctypes.c_int)
value("float for c_int", 1.5, ctypes.c_int)
value("None for c_int", None, ctypes.c_int)
value("c_int too large", 2**31, ctypes.c_int)
value("c_byte too large", 300, ctypes.c_byte)
value("c_short too large", 2**15, ctypes.c_short)
value("c_longlong too large", 2**63, ctypes.c_longlong)
value("c_size_t negative", -1, ctypes.c_size_t)
value("c_ulonglong too large", 2**64, ctypes.c_ulonglong)
value("str for c_float", "1", ctypes.c_float)
value("int type", 1, int)
value("numpy type", 1, numpy.int32)
value("c_longdouble", 1.0, ctypes.c_longdouble)
value("None for c_void_p", None, ctypes.c_void_p)
value("numpy for c_void_p", numpy.uint64(1), ctypes.c_void_p)
value("array for c_void_p", numpy.zeros(1), ctypes.c_void_p)
value("array for None", numpy.zeros(1), None)
refused("extra None", None, None)
refused("extra str", None, "extra")
refused("extra list", None, [1])
call(driver.cuLaunchKernel, one, 1, 1, 1, 1, 1, 1, 0, 0, None, note="too few")
call(driver.cuLaunchKernel, "one", 1, 1, 1, 1, 1, 1, 0, 0, None, 0, note="function str")
call(driver.cuLaunchKernel, one, "1", 1, 1, 1, 1, 1, 0, 0, None, 0, note="grid str")
call(driver.cuLaunchKernel, one, -1, 1, 1, 1, 1, 1, 0, 0, None, 0, note="grid negative")
call(driver.cuLaunchKernel, one, None, 1, 1, 1, 1, 1, 0, 0, None, 0, note="grid None")
call(driver.cuLaunchKernel, one, 1, 1, 1, 1, 1, 1, "0", 0, None, 0, note="shared str")
call(driver.cuLaunchKernel, one, 1, 1, 1, 1, 1, 1, 0, "0", None, 0, note="stream str")

"""Numbers that are no numbers, or too large ones."""

import fractions

import numpy
from _device import context
from _show import call, show
from cuda.bindings import driver, runtime

context()
for note, given in {
    "bool": True, "float": 64.7, "numpy int": numpy.int32(64), "numpy float": numpy.float64(64.5),
    "fraction": fractions.Fraction(129, 2), "array of one": numpy.array(64), "handle": driver.CUdeviceptr(64),
}.items():  # fmt: skip
    call(driver.cuMemAlloc, given, note=note)
for note, given in {
    "str": "64",
    "bytes": b"64",
    "None": None,
    "list": [64],
    "complex": 64j,
    "negative": -1,
    "2**64": 1 << 64,
    "nan": float("nan"),
}.items():
    call(driver.cuMemAlloc, given, note=note)
    call(driver.cuInit, given, note=note)
    call(runtime.cudaSetDevice, given, note=note)
call(driver.cuInit, 1 << 32, note="2**32")
call(runtime.cudaSetDevice, 1 << 31, note="2**31")
call(runtime.cudaSetDevice, -(1 << 31) - 1, note="below int")
call(driver.cuDeviceGet, "0", note="str")
call(driver.cuDeviceGetName, 64, "0", note="device str")
call(driver.cuDeviceGetName, 64, None, note="device None")
call(driver.cuDeviceGetName, 64.5, 0, note="length float")
show("handle", lambda: driver.CUstream("5"))
show("handle negative", lambda: driver.CUstream(-1))
show("handle None", lambda: driver.CUstream(None))
show("device", lambda: int(driver.CUdevice(-1)))

"""Every form of a `void*` argument: addresses, handles, buffers, and objects that are none of these."""

import array
import ctypes

from _device import context
from _show import call, show
from cuda.bindings import driver


class Address:
    def __init__(self, number: int) -> None:
        self.number = number

    def __int__(self) -> int:
        return self.number


context()
pointer = driver.cuMemAlloc(64)[1]
source = array.array("f", range(16))
call(driver.cuMemcpyHtoD, pointer, source, 64)
targets = {
    "array": array.array("f", bytes(64)),
    "bytearray": bytearray(64),
    "bytes": bytes(bytearray(64)),
    "memoryview": memoryview(bytearray(64)),
    "read-only memoryview": memoryview(bytes(bytearray(64))),
    "two dimensions": memoryview(bytearray(64)).cast("B", (8, 8)),
    "ctypes array": (ctypes.c_float * 16)(),
    "ctypes structure": type("Words", (ctypes.Structure,), {"_fields_": (("words", ctypes.c_int * 16),)})(),
}
for note, target in targets.items():
    call(driver.cuMemcpyDtoH, target, pointer, 64, note=note)
    show(note, bytes(target)[4:12].hex())
word = ctypes.c_void_p()
call(driver.cuMemcpyDtoH, word, pointer, 8, note="c_void_p")
show("c_void_p", hex(word.value or 0))
place = source.buffer_info()[0]
for note, address in (("int", place), ("object with __int__", Address(place)), ("float", float(place))):
    source[0] += 1
    call(driver.cuMemcpyHtoD, int(pointer) + 4, address, 4, note=note)
    call(driver.cuMemcpyDtoH, targets["array"], pointer, 64, note=note)
    show(note, float(targets["array"][1]))
for note, wrong in (("str", "x"), ("list", [1]), ("class", Address), ("slice", memoryview(source)[::2])):
    call(driver.cuMemcpyHtoD, pointer, wrong, 4, note=note)
call(driver.cuMemcpyHtoD, pointer, None, 0, note="None, no bytes")

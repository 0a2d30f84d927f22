"""Images of modules in every kind of buffer, none of them an image."""

import ctypes

from _device import context
from _show import call
from cuda.bindings import driver

context()
nonsense = b"no image of any kind" + bytes(64)
for note, image in (("bytes", nonsense), ("bytearray", bytearray(nonsense)), ("memoryview", memoryview(nonsense)),
                    ("ctypes array", ctypes.create_string_buffer(nonsense))):  # fmt: skip
    call(driver.cuModuleLoadData, image, note=note)
    call(driver.cuLibraryLoadData, image, None, None, 0, [], [], 0, note=note)

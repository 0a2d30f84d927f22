"""Objects of ctypes as addresses of every function that takes one."""

import contextlib
import ctypes
import inspect

from cuda.bindings import driver, nvrtc, runtime

LEFT_OUT = ("LaunchHostFunc", "DeviceReset", "PrimaryCtxReset", "Synchronize")


class Struct(ctypes.Structure):
    _fields_ = (("number", ctypes.c_int),)


OBJECTS = [
    ctypes.py_object(), ctypes.py_object(5), ctypes.c_char_p(None), ctypes.c_wchar_p(), ctypes.c_longdouble(1), Struct(),
    ctypes.POINTER(ctypes.c_int)(), ctypes.CFUNCTYPE(None)(), ctypes.byref(ctypes.c_int()), (ctypes.py_object * 2)(),
]  # fmt: skip

assert driver.cuInit(0)[0] == 0
assert runtime.cudaFree(0)[0] == 0
unset = ctypes.py_object()
answers = driver.cuMemHostUnregister(unset)[0].name, runtime.cudaHostUnregister(unset)[0].name
room, source = ctypes.py_object(), (ctypes.c_uint64 * 1)(id(answers))
copied = runtime.cudaMemcpy(room, source, 8, runtime.cudaMemcpyKind.cudaMemcpyHostToHost)[0] == 0
print(*answers, copied and ctypes.c_uint64.from_address(ctypes.addressof(room)).value == id(answers))

served = 0
for module in (driver, runtime, nvrtc):
    for name in dir(module):
        function = getattr(module, name)
        if not inspect.isfunction(function) or any(part in name for part in LEFT_OUT):
            continue
        count = len(inspect.signature(function).parameters)
        for at in range(count):
            for value in OBJECTS:
                arguments: list[object] = [0] * count
                arguments[at] = value
                with contextlib.suppress(TypeError, ValueError, OverflowError, AttributeError):
                    served += isinstance(function(*arguments), tuple)
print(served > 500)

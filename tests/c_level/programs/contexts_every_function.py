import ctypes
import json
import sys

import cuda_shim

cuda_shim.enable(cuda="13.5", backend="cpu")
from cuda_shim.c_level import library
from cuda_shim.c_level.interface import functions

opened, answers = library.load("13.5"), {}
room = (ctypes.c_uint64 * 512)()
no_context = opened._opened.cuCtxSetCurrent
if sys.argv[1] == "initialized":
    assert opened._opened.cuInit(0) == 0
for function in functions("13.5"):
    if function.table != "driver" or function.layout != "13.5" or function.row is None or function.name == "cuInit":
        continue
    own = [parameter for parameter in function.row.parameters if parameter.mode != "spare"]
    if any(
        parameter.mode == "inout" or kind.endswith(")")
        for parameter, kind in zip(own, function.arguments, strict=False)
    ):
        continue
    given = [
        ctypes.addressof(room) if parameter.mode == "out" or "char" in kind else 0
        for parameter, kind in zip(own, function.arguments, strict=False)
    ]
    given += [0] * (len(function.arguments) - len(given))
    ctypes.memset(room, 0, ctypes.sizeof(room))
    print(function.symbol, file=sys.stderr)
    call = ctypes.CFUNCTYPE(ctypes.c_int)(opened.address(function.symbol))
    answers[function.name] = call(*map(ctypes.c_uint64, given))
    if sys.argv[1] == "initialized":
        no_context(None)
print(json.dumps(answers))

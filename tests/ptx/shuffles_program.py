"""Shuffles of PTX with any clamp and segment; prints each lane's value and predicate as JSON.

Each lane's value is 100 and its number. A case is a mode, with the operands b and c in registers or as constants.
"""

import json

import numpy as np
from cuda.bindings import driver

MODES = ("up", "down", "idx", "bfly")
DISTANCES = (0, 1, 3, 8, 17, 31)
#: Clamps at and before the end of segments of 32, 16, 8 and 4 lanes.
SEGMENTS = (31, 0, 9, 19, 0x101F, 0x1000, 0x1009, 0x181F, 0x1805, 0x1C1F, 0x1C01)
HEADER = ".version 7.8\n.target sm_80\n.address_size 64\n"
FORMS = {
    "in registers": ("%b", "%c"),
    "constants": ("{b}", "{c}"),
}


def kernel(name, mode, form, b=0, c=0):
    operands = ", ".join(FORMS[form]).format(b=b, c=c)
    return f""".visible .entry {name}(.param .u64 out, .param .u32 by, .param .u32 segment) {{
.reg .b32 %b, %c, %v, %w, %t, %r; .reg .b64 %o, %a; .reg .pred %p;
ld.param.u64 %o, [out]; ld.param.u32 %b, [by]; ld.param.u32 %c, [segment];
mov.u32 %t, %tid.x; add.s32 %v, %t, 100;
shfl.sync.{mode}.b32 %w|%p, %v, {operands}, -1;
selp.b32 %r, 1000, 0, %p; add.s32 %w, %w, %r;
mul.wide.u32 %a, %t, 4; add.s64 %a, %o, %a; st.global.b32 [%a], %w;
ret; }}
"""


def checked(result):
    assert not int(result[0]), result
    return result[1] if len(result) == 2 else result[1:]


def shuffled(function, b, c):
    memory = checked(driver.cuMemAlloc(128))
    place, numbers = np.array([int(memory)], np.uint64), np.array([b, c], np.uint32)
    addresses = np.array([place.ctypes.data, numbers.ctypes.data, numbers[1:].ctypes.data], np.uint64)
    checked(driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, addresses.ctypes.data, 0))
    values = np.zeros(32, np.int32)
    checked(driver.cuMemcpyDtoH(values.ctypes.data, memory, 128))
    checked(driver.cuMemFree(memory))
    return values.tolist()


def main():
    checked(driver.cuInit(0))
    checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(0))))
    cases = [(mode, b, c) for mode in MODES for b in DISTANCES for c in SEGMENTS]
    constants = {case: f"c_{at}" for at, case in enumerate(cases) if at % 25 in (0, 2)}
    text = HEADER + "".join(kernel(mode, mode, "in registers") for mode in MODES)
    text += "".join(kernel(name, case[0], "constants", *case[1:]) for case, name in constants.items())
    module = checked(driver.cuModuleLoadData(text.encode() + b"\0"))
    results = {}
    for case in cases:
        mode, b, c = case
        results[f"{mode} {b} {c:#x}"] = shuffled(checked(driver.cuModuleGetFunction(module, mode.encode())), b, c)
        if case in constants:
            function = checked(driver.cuModuleGetFunction(module, constants[case].encode()))
            results[f"{mode} {b} {c:#x} constants"] = shuffled(function, b, c)
    print(json.dumps(results))


main()

"""The carry flag: each instruction that reads it behind each that writes it, on values at their edges.

On an NVIDIA GPU, with NVIDIA's own CUDA Python, the results are recorded:

    python tests/ptx/carries.py tests/ptx/recorded_carries.npz

and with the shim in its place they are found in the same way:

    python -m cuda_shim run --backend cpu tests/ptx/carries.py found.npz
"""

import ctypes
import itertools
import sys

import numpy as np
from cuda.bindings import driver

TYPES = ("u32", "s32", "u64", "s64")
SUMS = ("add", "sub", "mad.lo", "mad.hi")
WRITERS = [f"{op}.cc" for op in SUMS] + [f"{op.replace('.', 'c.', 1) if '.' in op else op + 'c'}.cc" for op in SUMS]
READERS = [each for op in ("addc", "subc", "madc.lo", "madc.hi") for each in (op, f"{op}.cc")]
EDGES = (0, 1, 5, 1 << 31, 0xFFFFFFFF, 1 << 63, (1 << 64) - 1)
PAIRS = [(a, b) for a, b in itertools.product(EDGES, EDGES)]
#: Results of a reader and of the flag behind it, for either flag in front of the writer.
COLUMNS = len(READERS) * 4


def statement(op, kind, target, a, b):
    """An instruction on the registers `a` and `b` of its type; the third operand of a product's sum is `a`."""
    return f"{op}.{kind} {target}, {a}, {b}{f', {a}' if 'mad' in op else ''};"


def kernel(number, writer, kind, other):
    """A kernel: the writer with operands of one type, and behind it each reader with operands of another."""
    body = []
    for place, (reader, flag) in enumerate(itertools.product(READERS, (0, 1))):
        body.append(f"add.cc.u32 %f, %m{flag}, 1;")
        body.append(statement(writer, kind, f"%d{kind[1:]}", f"%a{kind[1:]}", f"%b{kind[1:]}"))
        body.append(statement(reader, other, f"%r{other[1:]}", f"%b{other[1:]}", f"%c{other[1:]}"))
        body.append("addc.u32 %f, %z, 0;")
        body.append(
            f"st.global.u{other[1:]} [%o+{16 * place}], %r{other[1:]}; st.global.u32 [%o+{16 * place + 8}], %f;"
        )
    lines = "\n".join(body)
    return f""".visible .entry k{number}(.param .u64 out, .param .u64 in) {{
.reg .b32 %t, %f, %z, %m<2>, %a32, %b32, %c32, %d32, %r32; .reg .b64 %o, %i, %x, %a64, %b64, %c64, %d64, %r64;
ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; mov.u32 %t, %tid.x;
mul.wide.u32 %x, %t, 16; add.s64 %i, %i, %x; mul.wide.u32 %x, %t, {8 * COLUMNS}; add.s64 %o, %o, %x;
ld.global.u64 %a64, [%i]; ld.global.u64 %b64, [%i+8]; not.b64 %c64, %a64;
cvt.u32.u64 %a32, %a64; cvt.u32.u64 %b32, %b64; cvt.u32.u64 %c32, %c64;
mov.u32 %z, 0; mov.u32 %m0, 0; mov.u32 %m1, 0xffffffff;
{lines}
ret;
}}
"""


def ok(result):
    """Return the outputs of a call, whose first value is its status."""
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def forms():
    """Each writer with its type, and the type of the readers behind it."""
    return list(itertools.product(WRITERS, TYPES, TYPES))


def results():
    """By writer and types, a row for each pair of values."""
    head = ".version 7.0\n.target sm_80\n.address_size 64\n"
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    pairs = np.array(PAIRS, np.uint64)
    inputs = ok(driver.cuMemAlloc(pairs.nbytes))
    ok(driver.cuMemcpyHtoD(inputs, pairs.ctypes.data, pairs.nbytes))
    outputs = {}
    for writer in WRITERS:
        writer_forms = [form for form in forms() if form[0] == writer]
        text = head + "".join(kernel(number, *form) for number, form in enumerate(writer_forms))
        module = ok(driver.cuModuleLoadData(text.encode() + b"\0"))
        for number, form in enumerate(writer_forms):
            out = np.zeros((len(PAIRS), COLUMNS), np.uint64)
            output = ok(driver.cuMemAlloc(out.nbytes))
            ok(driver.cuMemcpyHtoD(output, out.ctypes.data, out.nbytes))
            pointers_to = [ctypes.c_void_p(int(output)), ctypes.c_void_p(int(inputs))]
            pointers = (ctypes.c_void_p * 2)(*(ctypes.addressof(value) for value in pointers_to))
            function = ok(driver.cuModuleGetFunction(module, f"k{number}".encode()))
            ok(driver.cuLaunchKernel(function, 1, 1, 1, len(PAIRS), 1, 1, 0, 0, ctypes.addressof(pointers), 0))
            ok(driver.cuMemcpyDtoH(out.ctypes.data, output, out.nbytes))
            ok(driver.cuMemFree(output))
            outputs["-".join(form)] = out
    return outputs


if __name__ == "__main__":
    outputs = results()
    name = bytes(ok(driver.cuDeviceGetName(64, 0))).partition(b"\0")[0].decode()
    np.savez_compressed(sys.argv[1], device=np.array(f"{name}, CUDA {driver.CUDA_VERSION}"), **outputs)

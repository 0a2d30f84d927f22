"""Instructions of PTX on values at their edges: one kernel each, whose results are bits.

On an NVIDIA GPU, with NVIDIA's own CUDA Python, the results are recorded:

    python tests/ptx/edges.py tests/ptx/recorded_edges.npz

and with the shim in its place they are compared:

    python -m cuda_shim run --backend cpu tests/ptx/edges.py --compare tests/ptx/recorded_edges.npz
"""

from __future__ import annotations

import ctypes
import itertools
import sys

import numpy as np
from cuda.bindings import driver

HEAD = ".version 7.0\n.target sm_80\n.address_size 64\n"
F32 = [0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x3F800000, 0xBF800001, 0x4B000001, 0x4F000000, 0xCF000000,
       0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x3F000000, 0x40200000]  # fmt: skip
F64 = [
    int(np.float64(value).view(np.uint64))
    for value in (0, -0.0, 5e-324, 1.5, -2.5, 2.0**31, -(2.0**63), 1e308, np.inf, -np.inf, np.nan, 0.1)
]
S32 = [
    0,
    1,
    2,
    5,
    31,
    32,
    33,
    64,
    0x7FFFFFFF,
    0x80000000,
    0x80000001,
    0xFFFFFFFF,
    0xFFFFFFFE,
    0x12345678,
    0x0000FF80,
    0x00FF00FF,
]
VALUES = {"f32": F32, "f64": F64, "s32": S32, "u32": S32, "b32": S32}
# Results are exact on a GPU; a NaN only has to be a NaN.
TWO = {
    "f32": "add.rn add.rz add.rm add.rp sub.rn mul.rn mul.rz add.rn.ftz mul.rn.ftz add.rn.sat min max min.NaN max.ftz div.rn div.rz copysign",
    "f64": "add.rn mul.rn mul.rp div.rn min max",
    "s32": "add add.sat sub.sat mul.lo mul.hi div rem min max",
    "u32": "mul.hi div rem min max",
    "b32": "and or xor shl shr",
}  # fmt: skip
ONE = {
    "f32": "neg abs rcp.rn sqrt.rn sqrt.rz abs.ftz", "f64": "neg abs sqrt.rn rcp.rn", "s32": "neg abs bfind", "b32": "not clz popc brev cnot",
}  # fmt: skip
CONVERSIONS = [
    f"cvt.{mode}.{to}.f32" for mode, to in itertools.product(("rni", "rzi", "rmi", "rpi"), ("s32", "u32", "s8", "u16", "f32"))
] + ["cvt.rn.f32.s32", "cvt.rz.f32.u32", "cvt.sat.u8.s32", "cvt.sat.s16.s32", "cvt.sat.f32.f32", "cvt.rn.f16.f32", "cvt.rz.bf16.f32"]  # fmt: skip


def forms():
    """Each opcode with the type of its operands, how many it has, and the width of its result."""
    for count, table in ((2, TWO), (1, ONE)):
        for kind, names in table.items():
            for name in names.split():
                yield f"{name}.{kind}", kind, count, int(kind[1:])
    for opcode in CONVERSIONS:
        target = opcode.split(".")[-2]
        yield opcode, opcode.split(".")[-1], 1, 16 if target in ("f16", "bf16") else max(32, int(target[1:]))


def kernel(number, opcode, kind, count, bits):
    """A kernel that applies an instruction to the pairs that its threads find in `in`."""
    wide = int(kind[1:])
    second = "%u" if opcode.startswith(("shl", "shr")) else "%b"
    operands = f"%d, %a{', ' + second if count == 2 else ''}"
    register = "f" if kind[0] == "f" else "b"
    result = f"b{bits}"
    return f"""
.visible .entry k{number}(.param .u64 out, .param .u64 in, .param .u32 n) {{
  .reg .pred %p; .reg .b32 %t, %n, %u; .reg .b64 %o, %i, %x; .reg .{register}{wide} %a, %b; .reg .{result} %d;
  ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; setp.ge.u32 %p, %t, %n; @%p bra E;
  mul.wide.u32 %x, %t, 16; add.s64 %i, %i, %x; mul.wide.u32 %x, %t, 8; add.s64 %o, %o, %x;
  ld.global.{register}{wide} %a, [%i]; ld.global.{register}{wide} %b, [%i+8]; ld.global.u32 %u, [%i+8];
  {opcode} {operands};
  st.global.{result} [%o], %d;
E: ret;
}}
"""


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def results():
    """Return the results' bits by opcode."""
    all_forms = list(forms())
    text = HEAD + "".join(kernel(number, *form) for number, form in enumerate(all_forms))
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    module = ok(driver.cuModuleLoadData(text.encode() + b"\0"))
    outputs = {}
    for number, (opcode, kind, count, _) in enumerate(all_forms):
        pairs = pairs_of(kind, count)
        out = np.zeros(len(pairs), np.uint64)
        inputs, output = ok(driver.cuMemAlloc(pairs.nbytes)), ok(driver.cuMemAlloc(out.nbytes))
        ok(driver.cuMemcpyHtoD(inputs, pairs.ctypes.data, pairs.nbytes))
        ok(driver.cuMemcpyHtoD(output, out.ctypes.data, out.nbytes))
        arguments = [ctypes.c_void_p(int(output)), ctypes.c_void_p(int(inputs)), ctypes.c_uint(len(pairs))]
        pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in arguments))
        ok(
            driver.cuLaunchKernel(
                ok(driver.cuModuleGetFunction(module, f"k{number}".encode())),
                1,
                1,
                1,
                256,
                1,
                1,
                0,
                0,
                ctypes.addressof(pointers),
                0,
            )
        )
        ok(driver.cuMemcpyDtoH(out.ctypes.data, output, out.nbytes))
        outputs[opcode] = out
    return outputs


def pairs_of(kind, count):
    """The operands of every thread, as words of 64 bits; the second one is 0 where there is one operand."""
    return np.array(list(itertools.product(VALUES[kind], VALUES[kind] if count == 2 else [0])), np.uint64)


def main(words):
    outputs = results()
    if words[0] != "--compare":
        np.savez_compressed(words[0], **outputs)
        return 0
    # Only with the shim: on NVIDIA's GPUs this file may be alone.
    from cuda_shim.verify.compare import wrong_bits

    wrong = 0
    recorded = np.load(words[1])
    for opcode, kind, count, _ in forms():
        bits = outputs[opcode]
        operands = pairs_of(kind, count).ravel().tolist()
        places = wrong_bits(opcode, operands, list(zip(recorded[opcode].tolist(), bits.tolist(), strict=True)))
        if places:
            wrong += 1
            print(f"{opcode}: {bits[places[0]]:#x} instead of {recorded[opcode][places[0]]:#x} at {places[0]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

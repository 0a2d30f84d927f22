"""Every form of an instruction on values at their edges: a kernel for each, whose results are bits.

On an NVIDIA GPU, with NVIDIA's own CUDA Python, from the checkout's root, the results are recorded:

    python -m tests.ptx.forms_program record tests/ptx/recorded_forms.npz

and with the shim in its place they are compared:

    python -m cuda_shim run --backend cpu tests/ptx/forms_program.py compare tests/ptx/recorded_forms.npz
"""

from __future__ import annotations

import ctypes
import itertools
import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.ptx.documented import DEVIATIONS, may_differ
from tests.ptx.forms import HEAD, judged_forms, register_of

S32 = [0, 1, 2, 5, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678, 0x00FF80FF]
F32 = [0, 0x80000000, 1, 0x807FFFFF, 0x3F800000, 0xBFC00000, 0x4B000001, 0x4F000000, 0xCF000000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x40200000]  # fmt: skip
F64 = [
    int(np.float64(x).view(np.uint64))
    for x in (0, -0.0, 5e-324, 1.5, -2.5, 2.0**31, -(2.0**63), 1e308, np.inf, -np.inf, np.nan, 0.1)
]
F16 = [0, 0x8000, 1, 0x83FF, 0x3C00, 0xBE00, 0x6401, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x4100]
BF16 = [0, 0x8000, 1, 0x807F, 0x3F80, 0xBFC0, 0x4B01, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0, 0x4020]
VALUES = {
    "pred": [0, 1], "8": [0, 1, 2, 0x7F, 0x80, 0xFF], "16": [0, 1, 2, 15, 16, 17, 0x7FFF, 0x8000, 0xFFFF, 0x1234], "32": S32,
    "64": [0, 1, 2, 63, 64, 65, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 0x123456789ABCDEF0, 0xFFFFFFFF, 0x80000000],
    "f32": F32, "f64": F64, "f16": F16, "bf16": BF16, "tf32": F32,
    "f16x2": [a | b << 16 for a, b in zip(F16, F16[3:] + F16[:3], strict=True)],
    "bf16x2": [a | b << 16 for a, b in zip(BF16, BF16[3:] + BF16[:3], strict=True)],
    "s16x2": [*S32, 0x80007FFF, 0x7FFF8000], "u16x2": [*S32, 0x80007FFF, 0x7FFF8000],
}  # fmt: skip
MOST, IN_ONE, STRIDE = 160, 150, 32


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def values_of(kind):
    return VALUES.get(kind) or VALUES[kind.lstrip("bus")]


def inputs(form):
    """Return the operands of each thread; a sample of them if there are many."""
    rows = list(itertools.product(*(values_of(kind) for kind in form.operands)))
    if form.opcode.startswith("lop3"):
        rows = [(a, b, c, 0) for a, b, c, _ in rows]
    step = len(rows) / MOST
    return rows if step <= 1 else [rows[int(number * step)] for number in range(MOST)]


def kernel(number, form):
    lines = [f".visible .entry k{number}(.param .u64 out, .param .u64 in, .param .u32 n) {{",
             "  .reg .pred %p, %c; .reg .b32 %t, %n, %w; .reg .b64 %o, %i, %x;"]  # fmt: skip
    body, names = [], []
    for place, kind in enumerate(form.operands):
        body_name, register = f"%a{place}", register_of(kind)
        lines.append(f"  .reg .{register} {body_name};")
        if kind == "pred":
            body.append(f"ld.global.u32 %w, [%i+{8 * place}]; setp.ne.u32 {body_name}, %w, 0;")
        else:
            body.append(f"ld.global.{register} {body_name}, [%i+{8 * place}];")
        names.append(body_name)
    if form.opcode.startswith("lop3"):
        names[3] = "0x5A"
    result = register_of(form.result)
    lines.append(f"  .reg .{result} %d;")
    lines.append("  ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;")
    lines.append("  setp.ge.u32 %p, %t, %n; @%p bra E;")
    lines.append(f"  mul.wide.u32 %x, %t, {STRIDE}; add.s64 %i, %i, %x; mul.wide.u32 %x, %t, 8; add.s64 %o, %o, %x;")
    lines.append("  " + " ".join(body))
    pairs = form.name == "setp" and form.operands[0].endswith("x2")
    lines.append(f"  mov.pred %c, 0; {form.opcode} {', '.join(('%d|%c' if pairs else '%d', *names))};")
    lines.append(
        "  selp.u32 %w, 1, 0, %d; selp.u32 %t, 2, 0, %c; or.b32 %w, %w, %t; st.global.u32 [%o], %w;"
        if form.result == "pred"
        else f"  st.global.{result} [%o], %d;"
    )
    return "\n".join((*lines, "E: ret;", "}\n"))


def results(every=1):
    """Return the results' bits by opcode, of one form of each `every`."""
    forms = judged_forms()[::every]
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    inputs_on_device, outputs_on_device = ok(driver.cuMemAlloc(STRIDE * MOST)), ok(driver.cuMemAlloc(8 * MOST))
    outputs = {}
    for first in range(0, len(forms), IN_ONE):
        some = forms[first : first + IN_ONE]
        module = ok(
            driver.cuModuleLoadData((HEAD + "".join(itertools.starmap(kernel, enumerate(some)))).encode() + b"\0")
        )
        for number, form in enumerate(some):
            rows = inputs(form)
            table = np.zeros((len(rows), STRIDE // 8), np.uint64)
            table[:, : len(form.operands)] = np.array(rows, np.uint64)
            out = np.zeros(len(rows), np.uint64)
            ok(driver.cuMemcpyHtoD(inputs_on_device, table.ctypes.data, table.nbytes))
            ok(driver.cuMemsetD8(outputs_on_device, 0, 8 * MOST))
            arguments = [
                ctypes.c_void_p(int(outputs_on_device)),
                ctypes.c_void_p(int(inputs_on_device)),
                ctypes.c_uint(len(rows)),
            ]
            pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in arguments))
            function = ok(driver.cuModuleGetFunction(module, f"k{number}".encode()))
            ok(driver.cuLaunchKernel(function, 1, 1, 1, 192, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
            ok(driver.cuMemcpyDtoH(out.ctypes.data, outputs_on_device, out.nbytes))
            outputs[form.opcode] = canonical(form.result, out)
    return outputs


def canonical(kind, bits):
    """NaNs of the result's type as one: their payloads are not compared. A result of 8 bits fills a register of 16."""
    if kind.endswith("x2") and "f" in kind:
        low, high = canonical(kind[:-2], bits & np.uint64(0xFFFF)), canonical(kind[:-2], bits >> np.uint64(16))
        return low | high << np.uint64(16)
    if kind == "f16":
        return np.where(np.isnan(bits.astype(np.uint16).view(np.float16)), np.uint64(0x7FFF), bits)
    if kind == "bf16":
        return np.where((bits & np.uint64(0x7FFF)) > 0x7F80, np.uint64(0x7FFF), bits)
    if kind in ("f32", "tf32"):
        return np.where(np.isnan(bits.astype(np.uint32).view(np.float32)), np.uint64(0x7FC00000), bits)
    return np.where(np.isnan(bits.view(np.float64)), np.uint64(0x7FF8 << 48), bits) if kind == "f64" else bits


def defined(form):
    """Return a mask of the inputs whose answer PTX defines: division of integers by zero is not."""
    rows = inputs(form)
    if form.name in ("div", "rem") and form.operands[0][0] in "us":
        least = 1 << (int(form.operands[0][1:]) - 1)
        return np.array([b != 0 and (a, b) != (least, 2 * least - 1) for a, b in rows])
    return np.ones(len(rows), bool)


def floats(kind, bits):
    if kind == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    word = {"f16": (np.uint16, np.float16), "f32": (np.uint32, np.float32), "f64": (np.uint64, np.float64)}[kind]
    return bits.astype(word[0]).view(word[1]).astype(np.float64)


def near(form, a, b):
    """Return a mask of the results that agree within the error that PTX states for them."""
    kind = form.result.removesuffix("x2")
    greatest = np.array(inputs(form), np.uint64)
    pair = form.result.endswith("x2")
    part = np.uint64(0xFFFF if pair else 0xFFFFFFFFFFFFFFFF)
    right = np.ones(len(a), bool)
    with np.errstate(all="ignore"):
        for shift in (0, 16) if pair else (0,):
            x, y = (floats(kind, bits >> np.uint64(shift) & part) for bits in (a, b))
            operands = abs(floats(kind, greatest >> np.uint64(shift) & part)).max(1)
            right &= (x == y) | (np.isnan(x) & np.isnan(y)) | (abs(x - y) <= may_differ(form.opcode, kind, operands, y))
    return right


def compare(file, every):
    recorded, wrong = np.load(file), 0
    outputs = results(every)
    for form in judged_forms()[::every]:
        if form.opcode not in recorded:
            wrong += 1
            print(f"{form.opcode}: not recorded")
            continue
        a, b = outputs[form.opcode], recorded[form.opcode].astype(np.uint64)
        right = (a == b) if form.exact else near(form, a, b)
        bad = np.nonzero(~right & defined(form))[0]
        if form.opcode in DEVIATIONS:
            if not len(bad):
                wrong += 1
                print(f"{form.opcode}: as recorded, though it is listed as deviating")
            continue
        if len(bad):
            wrong += 1
            operands = " ".join(f"{value:#x}" for value in inputs(form)[bad[0]])
            print(f"{form.opcode} {operands}: {int(a[bad[0]]):#x} instead of {int(b[bad[0]]):#x}, {len(bad)} times")
    print(f"{len(outputs)} forms, {wrong} differ")
    return wrong


def main(what, file, every=1):
    if what == "compare":
        return compare(file, int(every))
    outputs = results()
    widths = {form.opcode: 8 if form.result == "pred" else int(register_of(form.result)[1:]) for form in judged_forms()}
    np.savez_compressed(file, **{name: bits.astype(f"u{widths[name] // 8}") for name, bits in outputs.items()})
    print(f"{len(outputs)} forms are recorded")
    return 0


if __name__ == "__main__":
    raise SystemExit(1 if main(*sys.argv[1:]) else 0)

"""The carry flag in inline PTX, and the arithmetic of 128 bits that NVIDIA's compiler builds on it."""

from __future__ import annotations

import ctypes
import itertools
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.adapters.answers import ok
from tests.adapters.kernels import compile_code, loaded_function
from tests.kernels import compilers

PTX = Path(__file__).resolve().parents[1] / "ptx"
WIDE = b"""
typedef unsigned __int128 wide;
typedef __int128 signed_wide;
extern "C" __global__ void divide(const wide* in, wide* out) {
    const wide a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
    wide* to = out + 6 * threadIdx.x;
    to[0] = a / b, to[1] = a % b, to[2] = a + b, to[3] = a - b;
    to[4] = (wide)((signed_wide)a / (signed_wide)b), to[5] = (wide)((signed_wide)a % (signed_wide)b);
}
"""
VALUES = [
    1,
    3,
    7,
    1 << 32,
    (1 << 64) - 1,
    1 << 64,
    0x123456789ABCDEF0FEDCBA987654321,
    (1 << 127) - 1,
    1 << 127,
    (1 << 128) - 5,
]


def run(cuda, name, code, inputs, outputs, threads):
    """Launch a kernel of one block with a buffer of inputs, and return the contents of its buffer of outputs."""
    with loaded_function(cuda, name, code) as function:
        given, made = (int(ok(cuda.driver.cuMemAlloc(array.nbytes))) for array in (inputs, outputs))
        ok(cuda.driver.cuMemcpyHtoD(given, inputs.ctypes.data, inputs.nbytes))
        ok(
            cuda.driver.cuLaunchKernel(
                function, 1, 1, 1, threads, 1, 1, 0, 0, ((given, made), (ctypes.c_void_p,) * 2), 0
            )
        )
        ok(cuda.driver.cuMemcpyDtoH(outputs.ctypes.data, made, outputs.nbytes))
        ok(cuda.driver.cuMemFree(given))
        ok(cuda.driver.cuMemFree(made))
    return outputs


def signed(value):
    return value - (1 << 128) if value >> 127 else value


def expected_of(a, b):
    """Return C++'s results for two numbers of 128 bits: quotients are rounded to zero."""
    left, right = signed(a), signed(b)
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    results = (a // b, a % b, a + b, a - b, quotient, left - quotient * right)
    return [result % (1 << 128) for result in results]


@pytest.mark.parametrize("layout", ["12.9", "13.5", "here"])
def test_128_bits(cuda, layout):
    if layout == "here":
        code = compile_code(cuda.nvrtc, WIDE, b"-device-int128")
    else:
        nvrtc = compilers.nvrtc().get(layout)
        if nvrtc is None:
            pytest.skip(f"NVRTC {layout} is not installed")
        done = nvrtc.compile(WIDE, b"wide.cu", [b"-arch=compute_80", b"-device-int128"], with_image=True)
        assert done.status == 0, done.log
        assert b"subc.cc" in done.image
        # The CUDA that is served takes no PTX of a later one.
        code = re.sub(rb"\.version \d\.\d", b".version 8.8", done.image)
    pairs = list(itertools.product(VALUES, VALUES))
    inputs = np.frombuffer(b"".join(value.to_bytes(16, "little") for pair in pairs for value in pair), np.uint8).copy()
    found = run(cuda, b"divide", code, inputs, np.zeros(len(pairs) * 96, np.uint8), len(pairs)).tobytes()
    for number, (a, b) in enumerate(pairs):
        row = [int.from_bytes(found[at : at + 16], "little") for at in range(96 * number, 96 * number + 96, 16)]
        assert row == expected_of(a, b), (hex(a), hex(b))


@pytest.fixture(scope="module")
def carries(cuda):
    """The program that recorded the flag's values, as a module; it imports the modules that the session serves."""
    names = runpy.run_path(str(PTX / "carries.py"))
    assert names["driver"] is sys.modules["cuda.bindings.driver"]
    return names


@pytest.mark.parametrize("kind", ["u32", "s32", "u64", "s64"])
def test_inline(cuda, carries, kind):
    """Each reader behind each writer in one statement, with the flag set in front of the writer."""
    bits, constraint = kind[1:], "r" if kind.endswith("32") else "l"
    c_type = {"u": "unsigned ", "s": ""}[kind[0]] + ("int" if bits == "32" else "long long")
    recorded = np.load(PTX / "recorded_carries.npz")
    lines, expected = [], []
    for writer in carries["WRITERS"]:
        for place, reader in enumerate(carries["READERS"]):
            write = carries["statement"](writer, kind, "d", "%2", "%3")
            read = carries["statement"](reader, kind, "%0", "%3", "%4")
            lines.append(
                f'asm("{{ .reg .b32 x; .reg .b{bits} d; add.cc.u32 x, %5, 1; {write} {read} addc.u32 %1, 0, 0; }}"'
                f' : "={constraint}"(r), "=r"(f) : "{constraint}"(a), "{constraint}"(b), "{constraint}"(c), "r"(~0u));'
                f" *out++ = (unsigned {'int' if bits == '32' else 'long long'})r, *out++ = f;"
            )
            columns = recorded[f"{writer}-{kind}-{kind}"][:, 4 * place + 2 : 4 * place + 4]
            expected.append(columns)
    count = 2 * len(lines)
    source = f"""extern "C" __global__ void k(const unsigned long long* in, unsigned long long* out) {{
    in += 2 * threadIdx.x, out += {count} * threadIdx.x;
    const {c_type} a = ({c_type})in[0], b = ({c_type})in[1], c = ({c_type})~in[0]; {c_type} r; unsigned f;
    {chr(10).join(lines)} }}"""
    pairs = np.array(carries["PAIRS"], np.uint64)
    found = run(
        cuda,
        b"k",
        compile_code(cuda.nvrtc, source.encode()),
        pairs,
        np.zeros((len(pairs), count), np.uint64),
        len(pairs),
    )
    np.testing.assert_array_equal(found, np.hstack(expected))


def test_the_flag_of_another_statement_is_refused(cuda):
    source = b'extern "C" __global__ void k(unsigned* x) { asm("addc.u32 %0, 0, 0;" : "=r"(*x)); }'
    program = ok(cuda.nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], []))
    assert int(cuda.nvrtc.nvrtcCompileProgram(program, 0, [])[0]) != 0
    log = bytes(ok(cuda.nvrtc.nvrtcGetProgramLogSize(program)))
    ok(cuda.nvrtc.nvrtcGetProgramLog(program, log))
    assert re.search(rb"'addc.u32' reads the carry flag of another asm statement", log)
    ok(cuda.nvrtc.nvrtcDestroyProgram(program))

"""Device functions that are written out for AMD GPUs have the values that an NVIDIA GPU has.

Functions of plain numbers are plain C++: Clang compiles them for the host, where hiprtc would take them for a GPU.
"""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pytest

from cuda_shim.mapping.text_tables import load_text
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT
from tests.kernels import values
from tests.kernels.corpus import cases, verify
from tests.kernels.test_values import RECORDED
from tests.kernels.value_differences import differences

FOLDERS = (PACKAGE_ROOT / "cuda_shim" / "translate" / "headers", PACKAGE_ROOT / "hip_on_host" / "device")
DECLARED_BY_HIP = "#define __device__\n#include <cmath>\n" + "".join(
    f"struct alignas(4) {name} {{ {members}; }};\n"
    for name, members in {
        "char4": "char x, y, z, w",
        "uchar4": "unsigned char x, y, z, w",
        "short2": "short x, y",
        "ushort2": "unsigned short x, y",
    }.items()
)
CHOSEN = ("cuda_shim/rounding.h", "cuda_shim/integers.h", "cuda_shim/minima_maxima.h", "cuda_shim/simd.h")


def _functions():
    table = load_text("device")["functions"]
    for function in values.functions():
        target, header = table.get(function.name, ("", ""))
        if header in CHOSEN:
            yield function, target


def _compiled(folder, source):
    """A shared library of a program that includes the headers."""
    compiler = find_compiler("clang++-19")
    if not compiler:
        pytest.skip("clang++-19 is not installed")
    program, library = folder / "functions.cpp", folder / "functions.so"
    program.write_text(DECLARED_BY_HIP + source, encoding="utf-8")
    command = [
        compiler, "-std=c++17", "-O2", "-ffp-contract=fast", "-march=haswell", "-fPIC", "-shared", *(f"-I{folder}" for folder in FOLDERS), program, "-o", library,
    ]  # fmt: skip
    done = subprocess.run(list(map(str, command)), capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def _loop(number, function, target):
    parameters = "".join(f"const {type_}* a{place}, " for place, type_ in enumerate(function.arguments))
    call = ", ".join(f"a{place}[i]" for place in range(len(function.arguments)))
    return (
        f'extern "C" void k{number}({parameters}{function.result}* out, int n) {{\n'
        f"    for (int i = 0; i < n; ++i) out[i] = {target}({call});\n}}\n"
    )


def _pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def _other_bits(expected, results):
    """Return the number of results with other bits, as text: no tolerance hides a zero of the other sign."""
    bits = np.dtype(f"u{expected.itemsize}")
    other = (expected.view(bits) != results.view(bits)) & ~((expected != expected) & (results != results))
    return f"{np.count_nonzero(other)} results have other bits" if other.any() else ""


def test_they_are_as_recorded(tmp_path):
    functions = list(_functions())
    assert {function.name for function, _ in functions} >= {
        "__fadd_rd",
        "__dsqrt_rz",
        "__fma_ru",
        "__frsqrt_rn",
        "__sad",
    }
    source = "".join(f"#include <{header}>\n" for header in CHOSEN)
    library = _compiled(tmp_path, source + "".join(_loop(n, *pair) for n, pair in enumerate(functions)))
    recorded, found = np.load(RECORDED), {}
    for number, (function, _) in enumerate(functions):
        arrays = values.inputs(function)
        out = np.zeros(arrays[0].size, values.TYPES[function.result])
        getattr(library, f"k{number}")(*map(_pointer, arrays), _pointer(out), out.size)
        expected = recorded[str(function)]
        found[str(function)] = differences(function, arrays, expected, out) or _other_bits(expected, out)
    assert {name: said for name, said in found.items() if said} == {}


@pytest.mark.parametrize("name", ["floats", "doubles", "reciprocal_root"])
def test_directed_rounding_is_exact(tmp_path, name):
    """The corpus' program, beside exact fractions: results that overflow, vanish or are exact are among them."""
    case = cases()[f"rounding.{name}"]
    defines = "".join(
        f"#define {cuda} {target}\n"
        for cuda, (target, header) in load_text("device")["functions"].items()
        if header == "cuda_shim/rounding.h"
    )
    sequence = "#define __global__\nstatic struct { int x; } threadIdx, blockIdx, blockDim;\n"
    loop = f"""extern "C" void run(void* a, void* b, void* c, void* d, int n) {{
        for (threadIdx.x = 0; threadIdx.x < n; ++threadIdx.x) {_call(case, name)};
    }}"""
    library = _compiled(tmp_path, f"#include <cuda_shim/rounding.h>\n{defines}{sequence}{case.source}\n{loop}")
    run = case.run()
    arrays = [argument.copy() for argument in run.args if argument.ndim]
    library.run(*(_pointer(arrays[min(place, len(arrays) - 1)]) for place in range(4)), int(run.args[-1]))
    verify(run, [*arrays, run.args[-1]], {})


def _call(case, name):
    if name == "reciprocal_root":
        return f"{case.kernel}((float*)a, (float*)b, n)"
    of = f"({name[:-1]}*)"
    return f"{case.kernel}({of}a, {of}b, {of}c, {of}d, n)"

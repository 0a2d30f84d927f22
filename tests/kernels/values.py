"""Every device function of numbers that NVIDIA's headers declare, on numbers at their edges and on random ones.

The functions are listed from the headers of the installed wheels:

    python -m tests.kernels.values list

On an NVIDIA GPU, with NVIDIA's own CUDA Python, their values are recorded:

    python -m tests.kernels.values record tests/kernels/values.npz

With the shim in its place each function that is not as recorded is printed:

    python -m cuda_shim run --backend cpu -m tests.kernels.values compare tests/kernels/values.npz [without-casts]
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

LISTED = Path(__file__).with_name("values.txt")
HEADERS = (
    "crt/device_functions.h", "crt/device_double_functions.h", "crt/math_functions.h", "sm_61_intrinsics.h",
    "sm_32_intrinsics.h", "sm_30_intrinsics.h", "sm_20_intrinsics.h",
)  # fmt: skip
TYPES = {
    "int": np.int32, "unsigned int": np.uint32, "long long": np.int64, "unsigned long long": np.uint64,
    "float": np.float32, "double": np.float64, "long": np.int64,
}  # fmt: skip
#: Functions of a host's C library, of whole warps, of more than their arguments, or of tables as long as an argument.
LEFT_OUT = re.compile(
    r"\w*_sync|__syncthreads\w*|_[A-Z]\w*|_hypotf?|__(DOUBLE|FLOAT)_BITS|__(is)?(finite|inf|nan|signbit)[dfl]?|__nv\w*|__(shfl|any|all|ballot|pm|lane)\w*"
    r"|\w*clock\w*|\w*sleep|__prof\w*|__fmaf_ieee\w*|__(cos|sin)2pif|[jy]nf?|__activemask|__cuda\w*|__gnu\w*|nanf?|_f?dsign"
)
#: Declared for the host alone; a kernel converts the second one.
MISTAKEN = "float scalbn(float, float)"
#: Conversions of numbers that an integer has no room for: C++ leaves a GPU's results open.
CASTS = [(to, of) for to in ("int", "unsigned int", "long long", "unsigned long long") for of in ("float", "double")]
#: The number of values of each argument of a function, by the number of arguments.
COUNTS = {1: 400, 2: 48, 3: 16, 4: 8}
IN_ONE = 60
_DECLARED = re.compile(r"(?m)^(\w+_DECL__|__device__)\s+(?:_\w+\s+)*([\w ]+?)\s*\b(\w+)\s*\(([^()]*)\)")


class Function(NamedTuple):
    """A function and its types, in C++'s words."""

    result: str
    name: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.result} {self.name}({', '.join(self.arguments)})"


def declared(text: str) -> Iterator[Function]:
    """Return the functions of numbers that a header declares."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\\\n", "", text, flags=re.DOTALL)
    text = re.sub(
        r"\b(__cudart_builtin__|__device_builtin__|__NV_TL\w*|__host__|__cdecl|extern|static|__inline__|const)\b",
        "",
        text,
    )
    text = re.sub(r"\bsigned (int|long)", r"\1", text).replace("long long int", "long long").replace("long int", "long")
    text = re.sub(r"\bunsigned (?!int\b|long\b|short\b|char\b)", "unsigned int ", text)
    text = "\n".join(" ".join(line.split()) for line in text.splitlines())
    for found in _DECLARED.finditer(text):
        result, name = " ".join(found[2].split()), found[3]
        arguments = tuple(
            re.sub(r"\s*\b(?!int\b|long\b|float\b|double\b)\w+$", "", part.strip()) for part in found[4].split(",")
        )
        function = Function(result, name, arguments)
        if (
            result in TYPES
            and set(arguments) <= set(TYPES)
            and not LEFT_OUT.fullmatch(name)
            and str(function) != MISTAKEN
        ):
            yield function


def functions() -> list[Function]:
    """Return the listed functions, and casts."""
    lines = LISTED.read_text(encoding="utf-8").splitlines()
    found = [re.fullmatch(r"([\w ]+) (\w+)\((.*)\)", line) for line in lines]
    listed = [Function(line[1], line[2], tuple(line[3].split(", "))) for line in found if line]
    return listed + [Function(to, f"({to})", (of,)) for to, of in CASTS]


def values(type_: str, count: int) -> Any:
    """Numbers of a type: those at its edges first."""
    numpy_type, chance = np.dtype(TYPES[type_]), np.random.default_rng(20)
    bits = np.dtype(f"u{numpy_type.itemsize}")
    random = chance.integers(0, 1 << (8 * bits.itemsize), count, bits).view(numpy_type)
    if numpy_type.kind != "f":
        edges = [
            0, 1, -1, 2, -2, 5, 31, 32, 33, 63, -64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0xFFFFFF, 0x1000000, 0x01020304,
            0x80808080, 0x7F7F7F7F, 0x00FF00FF, 0xFF00FF00, 0x80007FFF, 0x7FFFFFFF, 0x80000000, -1 << 63, (1 << 63) - 1,
        ]  # fmt: skip
        whole = np.array([edge & ((1 << (8 * bits.itemsize)) - 1) for edge in edges], np.uint64)
        return np.concatenate((whole.astype(bits).view(numpy_type), random))[:count]
    limits: Any = np.finfo(np.float32 if type_ == "float" else np.float64)
    few = [
        0.0, -0.0, 1, -1, 0.5, -0.5, np.inf, -np.inf, np.nan, limits.max, -limits.max, limits.tiny, -limits.tiny,
        limits.smallest_subnormal, -3 * limits.smallest_subnormal, 1.5, 2.5, -2.5, 2, 3, -3, 0.1, -0.3, np.pi, -1000 * np.pi,
        2.0**23, 2.0**31, 2.0**32, 2.0**63, -(2.0**63), 2.0**64, 1e5, -87.34, 88.73, 709.7, -745.2, 1e-5, -1e-10,
        1 + float(limits.eps), 1 - float(limits.epsneg), 1e30, -7.0, 0.99, -33.5,
    ]  # fmt: skip
    spread = chance.standard_normal(count) * 10.0 ** chance.integers(-3, 4, count)
    mixed = np.ravel(np.column_stack((spread.astype(numpy_type), random)))
    return np.concatenate((np.array(few, numpy_type), mixed))[:count]


def inputs(function: Function) -> list[Any]:
    """Every combination of the arguments' values."""
    count = COUNTS[len(function.arguments)]
    grid = np.meshgrid(*(values(type_, count) for type_ in function.arguments), indexing="ij")
    return [np.ascontiguousarray(part.ravel()) for part in grid]


def source(chosen: list[Function]) -> str:
    """Return a program with a kernel for each function."""
    return "\n".join(kernel(number, function) for number, function in enumerate(chosen))


def kernel(number: int, function: Function) -> str:
    """Return the kernel k0, k1, ... that calls a function for each element."""
    parameters = "".join(f"const {type_}* a{place}, " for place, type_ in enumerate(function.arguments))
    call = ", ".join(f"a{place}[i]" for place in range(len(function.arguments)))
    return (
        f'extern "C" __global__ void k{number}({parameters}{function.result}* out, int n) {{\n'
        f"    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = {function.name}({call});\n}}"
    )


def results(chosen: list[Function]) -> Iterator[tuple[Function, Any]]:
    """Run functions here."""
    from cuda.bindings import driver

    from tests.kernels.core_worker import begin, check

    begin()
    for first in range(0, len(chosen), IN_ONE):
        part = chosen[first : first + IN_ONE]
        module = check(driver.cuModuleLoadData(compiled_for_device(source(part), "values.cu")))
        for number, function in enumerate(part):
            arrays = inputs(function)
            arrays.append(np.zeros(arrays[0].size, TYPES[function.result]))
            places = [int(check(driver.cuMemAlloc(array.nbytes))) for array in arrays]
            for place, array in zip(places, arrays, strict=True):
                check((*driver.cuMemcpyHtoD(place, array.ctypes.data, array.nbytes), None))
            entry = check(driver.cuModuleGetFunction(module, f"k{number}".encode()))
            given = (*places, arrays[0].size), (*(ctypes.c_void_p,) * len(places), ctypes.c_int)
            blocks = -(-arrays[0].size // 256)
            check((*driver.cuLaunchKernel(entry, blocks, 1, 1, 256, 1, 1, 0, 0, given, 0), None))
            check((*driver.cuMemcpyDtoH(arrays[-1].ctypes.data, places[-1], arrays[-1].nbytes), None))
            for place in places:
                driver.cuMemFree(place)
            yield function, arrays[-1]


def compiled_for_device(text: str, name: str, *options: str) -> bytes:
    """Return the code of a program for the device that is current."""
    from cuda.bindings import driver

    from tests.kernels.core_worker import check, compiled

    attribute = driver.CUdevice_attribute
    major, minor = (
        check(driver.cuDeviceGetAttribute(getattr(attribute, f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{which}"), 0))
        for which in ("MAJOR", "MINOR")
    )
    return compiled(text, [f"-arch=sm_{major}{minor}", *options], name)


def main(what: str, file: str = "", without: str = "") -> int:
    """Run the command; return the number of functions that differ."""
    if what == "list":
        from tests.kernels import compilers

        folders = [Path(folder) for folder in compilers.toolkit_folders(max(compilers.WHEELS.values()))]
        texts = [folder / header for header in HEADERS for folder in folders if (folder / header).exists()]
        found = {str(function) for text in texts for function in declared(text.read_text(encoding="utf-8"))}
        LISTED.write_text(
            "\n".join(sorted(found, key=lambda line: line.partition("(")[0].split()[-1] + line)) + "\n",
            encoding="utf-8",
        )
        print(f"{len(found)} functions are listed")
        return 0
    if what == "record":
        recorded = {str(function): found for function, found in results(functions())}
        np.savez_compressed(file, **recorded)
        print(f"{len(recorded)} functions are recorded")
        return 0
    from tests.kernels.value_differences import differences

    wanted, different = np.load(file), 0
    chosen = [function for function in functions() if without != "without-casts" or not function.name.startswith("(")]
    for function, found in results(chosen):
        said = differences(function, inputs(function), wanted[str(function)], found)
        different += bool(said)
        if said:
            print(f"{function}: {said}")
    print(f"{len(chosen)} functions, {different} differ")
    return different


if __name__ == "__main__":
    raise SystemExit(1 if main(*sys.argv[1:]) else 0)

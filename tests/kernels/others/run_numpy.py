"""Runs CuPy's drawn ufuncs and reductions on the backend that is served, and compares their results with numpy's.

    python -m cuda_shim run --backend cpu --cuda 13.5 -m tests.kernels.others.run_numpy FOLDER [-n COUNT] [-I FOLDER]...

FOLDER holds the files of `draw_cupy.py`. COUNT programs are taken at random, always the same ones; all of them by
default. A program counts where numpy has a function of its name that takes its types.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cuda.bindings import driver, nvrtc

from tests.kernels.core_worker import begin, built, check

#: CuPy's names of numpy's functions where they differ by more than a prefix.
NAMES = {
    "round_neg_uint": "", "rsqrt": "", "clip": "", "linspace": "", "arange": "", "copy": "", "is_close": "",
    "fix": "trunc", "max": "max", "min": "min", "count_nonzero": "count_nonzero", "conjugate": "conjugate",
}  # fmt: skip
KINDS = {
    "bool": "?", "signed char": "b", "char": "b", "unsigned char": "B", "short": "h", "unsigned short": "H", "int": "i",
    "unsigned int": "I", "long": "q", "unsigned long": "Q", "long long": "q", "unsigned long long": "Q", "float16": "e",
    "float": "f", "double": "d", "complex<float>": "F", "complex<double>": "D",
}  # fmt: skip
_TYPES = re.compile(r"typedef (?:thrust::)?([\w<> ]+?) (?:(in|out)\d+_type|type_(in|out)\d+_raw);")
_KERNEL = re.compile(r'extern "C" __global__ void (\w+)\(')
#: Tolerances of results: the last places that CUDA documents for its functions, and some more.
TOLERANCE = {"e": 2e-3, "f": 4e-6, "d": 1e-13, "F": 2e-5, "D": 1e-12}


class Program(NamedTuple):
    """A drawn program that numpy can judge."""

    file: Path
    kind: str
    function: str
    kernel: str
    inputs: list[str]
    outputs: list[str]
    source: bytes
    options: list[str]


def programs(folder: Path) -> Iterator[Program]:
    """The ufuncs and reductions whose function numpy has."""
    for file in sorted(folder.glob("cupy-*.json")):
        found = re.match(r"cupy-(ufunc|reduction)-cupy_(\w+?)-\d+-(?:(flat|strided)-)?", file.name)
        if found is None:
            continue
        function = NAMES.get(found[2], found[2])
        content = json.loads(file.read_text(encoding="utf-8"))
        types: dict[str, list[str]] = {"in": [], "out": []}
        for ctype, of_ufunc, of_reduction in _TYPES.findall(content["source"]):
            types[of_ufunc or of_reduction].append(KINDS.get(ctype, ""))
        name = _KERNEL.search(content["source"])
        if not hasattr(np, function or "nothing") or not all((*types["in"], *types["out"])) or name is None:
            continue
        kind = found[3] or "reduction"
        source = content["source"].encode()
        yield Program(file, kind, function, name[1], types["in"], types["out"], source, content["options"])


def numbers(kind: str, seed: int, shape: tuple[int, ...], function: str) -> Any:
    """Numbers of a type: some of every size, none that the function is not for."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(kind)
    if dtype.kind in "?biu":
        high = {"?": 2}.get(kind, 8 if "shift" in function or function in ("power", "prod", "nanprod") else 100)
        low = 1 if dtype.kind == "u" or function in ("power", "lcm", "gcd") or "shift" in function else -high
        return rng.integers(0 if kind == "?" else low, high, shape).astype(dtype)
    spread = 0.5 if function in ("prod", "nanprod") else 3.0
    drawn = rng.standard_normal(shape) * spread
    if dtype.kind == "c":
        return (drawn + 1j * rng.standard_normal(shape)).astype(dtype)
    if function.startswith(("arccos", "arcsin", "arctanh")) and function not in ("arcsinh", "arccosh"):
        drawn = np.tanh(drawn)
    if function in ("arccosh", "log", "log2", "log10", "log1p", "sqrt", "power", "float_power"):
        drawn = np.abs(drawn) + 1
    return drawn.astype(dtype)


def described(array: Any, place: int) -> bytes:
    """A CArray: where the array is, its size, shape and strides."""
    return np.array([place, array.size, *array.shape, *array.strides], np.int64).tobytes()


def indexer(shape: tuple[int, ...]) -> bytes:
    return np.array([int(np.prod(shape)), *shape, *(0 for _ in shape)], np.int64).tobytes()


class Device:
    """Copies arrays to the device and back, strides and all."""

    def __init__(self) -> None:
        begin()
        self._made: list[int] = []

    def holds(self, array: Any) -> int:
        base = array if array.base is None else array.base
        place = int(check(driver.cuMemAlloc(base.nbytes)))
        self._made.append(place)
        driver.cuMemcpyHtoD(place, base.ctypes.data, base.nbytes)
        return place

    def reads(self, array: Any, place: int) -> None:
        base = array if array.base is None else array.base
        driver.cuMemcpyDtoH(base.ctypes.data, place, base.nbytes)

    def forget(self) -> None:
        for place in self._made:
            driver.cuMemFree(place)
        self._made.clear()


def array(shape: tuple[int, ...], strided: bool, values: Any) -> Any:
    """The values in an array of this shape, with gaps where it is to be strided."""
    if not strided:
        return np.ascontiguousarray(values)
    made = np.zeros((shape[0], shape[1] + 3, shape[2] * 2), values.dtype)[:, 3:, ::2]
    made[...] = values
    return made


def options_here(given: list[str], includes: list[str]) -> list[str]:
    """A program's options, without folders that are not on this machine."""
    options = [option for option in given if not option.startswith("-I") or os.path.isdir(option[2:])]
    return [*options, *(f"-I{folder}" for folder in includes), "-arch=compute_80"]


def compiled(program: Program, includes: list[str]) -> Any:
    """The kernel of a program. Raises AssertionError with the log where it does not compile."""
    made = check(nvrtc.nvrtcCreateProgram(program.source, b"drawn.cu", 0, None, None))
    code = built(made, options_here(program.options, includes))
    nvrtc.nvrtcDestroyProgram(made)
    return check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(code)), program.kernel.encode()))


def launched(kernel: Any, parameters: list[bytes], blocks: int, threads: int = 512) -> None:
    """Launch a kernel with structures as its parameters, and wait for it."""
    kept = [np.frombuffer(parameter, np.uint8) for parameter in parameters]
    places = np.array([one.ctypes.data for one in kept] + [0], np.uint64)
    assert int(driver.cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, 0, places.ctypes.data, 0)[0]) == 0
    check((*driver.cuCtxSynchronize(), None))


def of_ufunc(program: Program, kernel: Any, device: Device) -> tuple[list[Any], list[Any]]:
    """Return the results of a ufunc's kernel, and numpy's."""
    shape = (1000,) if program.kind == "flat" else (7, 11, 13)
    strided = program.kind == "strided"
    given = [numbers(kind, seed, shape, program.function) for seed, kind in enumerate(program.inputs)]
    inputs = [array(shape, strided, values) for values in given]
    outputs = [array(shape, strided, np.zeros(shape, kind)) for kind in program.outputs]
    places = [device.holds(one) for one in (*inputs, *outputs)]
    parameters = [described(one, place + offset(one)) for one, place in zip((*inputs, *outputs), places, strict=True)]
    launched(kernel, [*parameters, indexer(shape)], 2)
    for one, place in zip(outputs, places[len(inputs) :], strict=True):
        device.reads(one, place)
    wanted = getattr(np, program.function)(*given)
    return outputs, list(wanted) if isinstance(wanted, tuple) else [wanted]


def offset(array: Any) -> int:
    """Bytes from where the memory of an array begins to its first element."""
    return 0 if array.base is None else int(array.ctypes.data - array.base.ctypes.data)


def of_reduction(program: Program, kernel: Any, device: Device) -> tuple[list[Any], list[Any]]:
    """Return the results of a reduction's kernel along the first axis, and numpy's."""
    given = numbers(program.inputs[0], 1, (37, 20), program.function)
    result = np.zeros(20, program.outputs[0])
    places = [device.holds(given), device.holds(result)]
    parameters = [described(given, places[0]), described(result, places[1]), indexer((37, 20)), indexer((20,))]
    launched(kernel, [*parameters, np.int32(16).tobytes()], 2)
    device.reads(result, places[1])
    wanted = getattr(np, program.function)(given, axis=0)
    return [result], [wanted]


def differs(got: Any, wanted: Any) -> str:
    """Return the difference of results from numpy's, empty where there is none."""
    expected = np.asarray(wanted).astype(got.dtype)
    if got.dtype.kind in "?biu":
        wrong = got != expected
    else:
        near = max(TOLERANCE[got.dtype.char], TOLERANCE.get(np.asarray(wanted).dtype.char, 0))
        wrong = ~np.isclose(got, expected, rtol=near, atol=near, equal_nan=True)
    if not wrong.any():
        return ""
    at = tuple(axis[0] for axis in np.nonzero(wrong))
    return f"{int(wrong.sum())} of {got.size}, first {got[at]!r}, numpy {expected[at]!r}"


def main() -> None:
    """Run the programs and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-n", dest="count", type=int)
    parser.add_argument("-I", dest="includes", action="append", default=[])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    every = list(programs(asked.folder))
    chosen = random.Random(7).sample(every, min(asked.count or len(every), len(every)))  # noqa: S311 - the same ones
    device, outcomes = Device(), collections.Counter[str]()
    for program in chosen:
        run = of_reduction if program.kind == "reduction" else of_ufunc
        try:
            kernel = compiled(program, asked.includes)
            got, wanted = run(program, kernel, device)
        except TypeError as error:  # numpy has no such function for these types
            outcomes["not for numpy"] += 1
            print(f"{program.file.name}: {error}"[:200])
            continue
        except AssertionError as error:
            outcomes["failed"] += 1
            print(f"{program.file.name}: {error}"[:400])
            continue
        finally:
            device.forget()
        difference = [differs(*pair) for pair in zip(got, wanted, strict=True)]
        outcomes["other results" if any(difference) else "numpy's results"] += 1
        if any(difference):
            print(f"{program.file.name}: {' '.join(program.inputs)}: {'; '.join(difference)}")
    print(
        ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())),
        f"of {len(every)} that numpy has",
    )


if __name__ == "__main__":
    main()

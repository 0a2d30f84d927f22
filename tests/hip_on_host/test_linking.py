"""Linking: several programs in one module, which call each other's functions and share variables."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path

import numpy as np
import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Compiled, Kernels, Module
from tests.program_files import read_program

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
INVALID, INVALID_CONFIGURATION = 1, 9
RELOCATABLE = "-fgpu-rdc"

CALLER = read_program(__file__, "linking_caller.cu")
CALLED = read_program(__file__, "linking_called.cu")


class Linker:
    """hipLink* through C: hip-python's generations differ in the options' lists."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.c, self.state = library, P()
        assert library.hipLinkCreate(0, None, None, ctypes.byref(self.state)) == 0

    def add(self, code: bytes) -> int:
        return self.c.hipLinkAddData(self.state, 0, code, SIZE(len(code)), b"part", 0, None, None)

    def add_file(self, path: Path) -> int:
        return self.c.hipLinkAddFile(self.state, 0, str(path).encode(), 0, None, None)

    def complete(self) -> tuple[int, bytes]:
        code, size = P(), SIZE()
        status = self.c.hipLinkComplete(self.state, ctypes.byref(code), ctypes.byref(size))
        return status, ctypes.string_at(code.value, size.value) if status == 0 and code.value else b""

    def destroy(self) -> int:
        return self.c.hipLinkDestroy(self.state)


def link(library: ctypes.CDLL, *parts: Compiled) -> tuple[int, bytes]:
    linker = Linker(library)
    for part in parts:
        assert linker.add(part.code) == 0
    done = linker.complete()
    assert linker.destroy() == 0
    return done


def linked_module(library: ctypes.CDLL, programs: Kernels, *parts: Compiled) -> Module:
    status, code = link(library, *parts)
    assert status == 0
    lowered = {name: low for part in parts for name, low in part.lowered.items()}
    return Module(programs.hip, Compiled(code, lowered, ""))


@pytest.fixture(scope="module")
def parts(programs: Kernels) -> tuple[Compiled, Compiled]:
    return programs.compile(CALLER, RELOCATABLE, names=["fill<short>", "offset"]), programs.compile(CALLED, RELOCATABLE)


@pytest.fixture(scope="module")
def both(library: ctypes.CDLL, programs: Kernels, parts: tuple[Compiled, Compiled]) -> Module:
    return linked_module(library, programs, *parts)


def test_functions_and_variables_of_another_program(both: Module):
    x, y, calls = np.arange(64, dtype=np.float32), np.zeros(64, np.float32), np.zeros(1, np.int32)
    both.launch("scaled", 2, 32, x, y)
    assert (y == 3 * x).all()
    both.launch("count", 1, 1, calls)
    assert calls[0] == 101
    assert both.variable("offset")[1] == 4
    assert both.variable("calls")[1] == 4


def test_functions_of_another_program_know_their_thread(both: Module):
    out = np.zeros(96, np.int32)
    both.launch("places", 3, 32, out)
    assert (out == np.arange(96) // 32 * 1000 + np.arange(96) % 32).all()


def test_functions_of_another_program_may_wait_for_the_block(both: Module):
    out = np.zeros(200, np.int32)
    both.launch("sums", 2, 100, out)
    assert (out == 4950).all()


def test_functions_of_the_mathematical_library_are_there(library: ctypes.CDLL, programs: Kernels):
    calling = 'extern __device__ float wave(float); extern "C" __global__ void one(float* x) { *x = wave(*x); }'
    called = "__device__ float wave(float x) { return cosf(x) + erff(x) + tgammaf(x); }"
    module = linked_module(library, programs, *(programs.compile(text, RELOCATABLE) for text in (calling, called)))
    x = np.array([1.5], np.float32)
    module.launch("one", 1, 1, x)
    assert x[0] == pytest.approx(math.cos(1.5) + math.erf(1.5) + math.gamma(1.5), rel=1e-6)


def test_name_expressions_keep_their_lowered_names(both: Module):
    out = np.zeros(40, np.int16)
    both.launch("fill<short>", 1, 40, out, ctypes.c_short(-7))
    assert (out == -7).all()


def test_the_order_of_the_parts_does_not_matter(
    library: ctypes.CDLL, programs: Kernels, parts: tuple[Compiled, Compiled]
):
    module = linked_module(library, programs, *reversed(parts))
    out = np.zeros(32, np.int32)
    module.launch("places", 1, 32, out)
    assert (out == np.arange(32)).all()


def test_parts_that_need_nobody_are_modules_too(programs: Kernels, parts: tuple[Compiled, Compiled]):
    source = '__device__ int twice(int x) { return 2 * x; } extern "C" __global__ void f(int* x) { *x = twice(*x); }'
    alone = programs.load(source, "--relocatable-device-code=true")
    x = np.full(1, 21, np.int32)
    alone.launch("f", 1, 1, x)
    assert x[0] == 42
    assert programs.hip.hipModuleLoadData(parts[0].code)[0].name == "hipErrorSharedObjectInitFailed"


def test_a_part_comes_out_of_the_cache_as_it_went_in(programs: Kernels, parts: tuple[Compiled, Compiled]):
    again = programs.compile(CALLER, RELOCATABLE, names=["fill<short>", "offset"])
    assert (again.code, again.lowered) == (parts[0].code, parts[0].lowered)


def test_shared_memory_of_a_part_is_counted(library: ctypes.CDLL, programs: Kernels):
    source = 'extern "C" __global__ void f(int* x) { __shared__ int all[25]; all[threadIdx.x] = 1; *x = all[0]; }'
    other = programs.compile("__device__ int nothing;", RELOCATABLE)
    module = linked_module(library, programs, programs.compile(source, "-dc"), other)
    shared = programs.hip.hipFunction_attribute.HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
    assert hiprtc_program.value(programs.hip.hipFuncGetAttribute(shared, module.function("f"))) == 100


def test_files(library: ctypes.CDLL, programs: Kernels, parts: tuple[Compiled, Compiled], tmp_path: Path):
    linker = Linker(library)
    for number, part in enumerate(parts):
        (tmp_path / str(number)).write_bytes(part.code)
        assert linker.add_file(tmp_path / str(number)) == 0
    assert linker.add_file(tmp_path / "none") == INVALID_CONFIGURATION
    status, code = linker.complete()
    assert status == 0
    assert linker.complete() == (0, code)
    assert linker.add(parts[0].code) == INVALID  # too late
    assert linker.destroy() == 0
    assert linker.destroy() == INVALID


def test_one_part_is_handed_on(library: ctypes.CDLL, programs: Kernels):
    whole = programs.compile('extern "C" __global__ void f(int* x) { *x = 5; }')
    assert link(library, whole) == (0, whole.code)


@pytest.mark.parametrize("first, second, options", [
    ("__device__ int same;", "__device__ int same;", [RELOCATABLE]),
    ("__device__ int f() { return 1; }", "__device__ int f() { return 2; }", [RELOCATABLE]),
    ('extern __device__ int gone(); extern "C" __global__ void f(int* x) { *x = gone(); }', "int a;", [RELOCATABLE]),
    ("__device__ int one;", "__device__ int two;", []),  # whole modules
], ids=["variable", "function", "undefined", "whole"])  # fmt: skip
def test_what_cannot_be_linked(library: ctypes.CDLL, programs: Kernels, first: str, second: str, options: list[str]):
    parts = [programs.compile(source, *options) for source in (first, second)]
    assert link(library, *parts) == (INVALID_CONFIGURATION, b"")


def test_what_is_no_part(library: ctypes.CDLL):
    linker = Linker(library)
    assert linker.add(b"// no code\n.version 7.0\n" * 4) == INVALID_CONFIGURATION
    assert linker.complete()[0] == INVALID_CONFIGURATION  # nothing
    assert linker.destroy() == 0
    assert library.hipLinkCreate(0, None, None, None) == INVALID

"""Libraries: code that belongs to no context, and its kernels as handles of their own."""

from __future__ import annotations

import ctypes
import os
from types import ModuleType

import numpy as np
import pytest

from tests.hip_on_host.kernel_modules import BASIC_KERNELS, Kernels, compile_module

INVALID_VALUE, INVALID_HANDLE, NOT_FOUND = 1, 400, 500


class Native:
    """The C functions of the library: hip-python's own binding mistakes their option lists for outputs."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)

    def __call__(self, function: str, *arguments: object) -> int:
        return int(getattr(self.library, function)(*arguments))


@pytest.fixture(scope="module")
def native(hip: ModuleType, runtime_folder) -> Native:
    hip.hipGetDevice()
    return Native(os.fspath(runtime_folder / "lib/libamdhip64.so"))


def load(native: Native, image: bytes) -> tuple[int, ctypes.c_void_p]:
    handle = ctypes.c_void_p()
    nothing = (None, None, ctypes.c_uint(0)) * 2
    return native("hipLibraryLoadData", ctypes.byref(handle), image, *nothing), handle


@pytest.fixture
def library(native: Native):
    status, handle = load(native, compile_module("basic").read_bytes())
    assert status == 0
    yield handle
    native("hipLibraryUnload", handle)


def kernel_of(native: Native, library: ctypes.c_void_p, name: bytes) -> ctypes.c_void_p:
    kernel = ctypes.c_void_p()
    assert native("hipLibraryGetKernel", ctypes.byref(kernel), library, name) == 0
    return kernel


def test_kernels_of_a_library_launch(native, library, hip):
    kernels = Kernels(hip)
    x, y = np.arange(100, dtype="f4"), np.zeros(100, "f4")
    device_x, device_y = kernels.device(x), kernels.device(y)
    kernel = kernel_of(native, library, b"saxpy")
    function = ctypes.c_void_p()
    assert native("hipKernelGetFunction", ctypes.byref(function), kernel) == 0
    for handle in (function, kernel):  # CUDA allows the one where the other is expected
        values = (ctypes.c_float(1), device_x, device_y, ctypes.c_uint64(100))
        params = (ctypes.c_void_p * 4)(*(ctypes.addressof(value) for value in values))
        assert native("hipModuleLaunchKernel", handle, 1, 1, 1, 128, 1, 1, 0, None, params, None) == 0
    assert (kernels.fetch(device_y, y) == 2 * x).all()


def test_what_is_in_a_library(native, library):
    count = ctypes.c_uint()
    assert native("hipLibraryGetKernelCount", ctypes.byref(count), library) == 0
    assert count.value == BASIC_KERNELS
    kernels = (ctypes.c_void_p * BASIC_KERNELS)()
    assert native("hipLibraryEnumerateKernels", kernels, ctypes.c_uint(BASIC_KERNELS), library) == 0
    names = set()
    for kernel in kernels:
        text, owner = ctypes.c_char_p(), ctypes.c_void_p()
        assert native("hipKernelGetName", ctypes.byref(text), ctypes.c_void_p(kernel)) == 0
        assert native("hipKernelGetLibrary", ctypes.byref(owner), ctypes.c_void_p(kernel)) == 0
        assert owner.value == library.value
        names.add(text.value)
    assert {b"empty", b"saxpy", b"reverse"} < names
    assert len(names) == BASIC_KERNELS


def test_globals_and_managed_variables(native, library):
    pointer, size = ctypes.c_void_p(), ctypes.c_size_t()
    both = ctypes.byref(pointer), ctypes.byref(size)
    assert native("hipLibraryGetGlobal", *both, library, b"scale") == 0
    assert size.value == 16
    assert native("hipLibraryGetManaged", *both, library, b"shared_value") == 0
    assert size.value == 8
    assert ctypes.c_long.from_address(pointer.value or 0).value == 11  # managed: the host may read it
    assert native("hipLibraryGetManaged", *both, library, b"scale") == NOT_FOUND
    assert native("hipLibraryGetGlobal", *both, library, b"nothing") == NOT_FOUND


def test_parameters_of_a_kernel(native, library):
    kernel = kernel_of(native, library, b"mixed")
    offset, size = ctypes.c_size_t(), ctypes.c_size_t()
    found = []
    for index in range(5):
        both = ctypes.byref(offset), ctypes.byref(size)
        assert native("hipKernelGetParamInfo", kernel, ctypes.c_size_t(index), *both) == 0
        found.append((offset.value, size.value))
    assert found == [(0, 1), (8, 8), (16, 16), (32, 2), (40, 8)]
    assert native("hipKernelGetParamInfo", kernel, ctypes.c_size_t(5), *both) == INVALID_VALUE


def test_attributes_of_a_kernel(native, library):
    kernel = kernel_of(native, library, b"bounded")
    value = ctypes.c_int()
    assert native("hipKernelGetAttribute", ctypes.byref(value), 0, kernel, 0) == 0
    assert value.value == 64
    assert native("hipKernelSetAttribute", 8, 2048, kernel, 0) == 0
    assert native("hipKernelGetAttribute", ctypes.byref(value), 8, kernel, 0) == 0
    assert value.value == 2048
    assert native("hipKernelSetAttribute", 0, 2048, kernel, 0) == INVALID_VALUE
    assert native("hipKernelGetAttribute", ctypes.byref(value), 0, kernel, 99) == 101  # no such device


def test_load_from_a_file(native, tmp_path):
    path = tmp_path / "library.bin"
    path.write_bytes(compile_module("basic").read_bytes())
    handle = ctypes.c_void_p()
    nothing = (None, None, ctypes.c_uint(0)) * 2
    assert native("hipLibraryLoadFromFile", ctypes.byref(handle), os.fsencode(path), *nothing) == 0
    kernel_of(native, handle, b"empty")
    assert native("hipLibraryUnload", handle) == 0
    assert native("hipLibraryLoadFromFile", ctypes.byref(handle), b"/no/such/file", *nothing) == 301


def test_bad_arguments(native, library):
    handle = ctypes.c_void_p()
    assert load(native, b"nothing of the sort")[0] == 200
    assert native("hipLibraryGetKernel", ctypes.byref(handle), library, b"nothing") == NOT_FOUND
    assert native("hipLibraryGetKernel", ctypes.byref(handle), None, b"empty") == INVALID_HANDLE
    assert native("hipLibraryGetKernel", None, library, b"empty") == INVALID_VALUE
    assert native("hipLibraryUnload", None) == INVALID_HANDLE
    kernel = kernel_of(native, library, b"empty")
    assert native("hipLibraryUnload", library) == 0
    assert native("hipLibraryUnload", library) == INVALID_HANDLE
    assert native("hipKernelGetFunction", ctypes.byref(handle), kernel) == INVALID_HANDLE

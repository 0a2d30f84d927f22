"""Loading modules: from memory and from files, their functions and variables, and images that are none."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.hip_on_host.hip_program import check, name
from tests.hip_on_host.kernel_modules import BASIC_KERNELS, COMPILER, Kernels, compile_module


def elf_with_machine(machine: int) -> bytes:
    image = bytearray(compile_module("basic").read_bytes())
    struct.pack_into("<H", image, 18, machine)
    return bytes(image)


def counter_of(kernels: Kernels, module) -> int:
    pointer, size = check(kernels.hip.hipModuleGetGlobal(module, b"counter"))
    assert size == 4
    return int(kernels.fetch(ctypes.c_void_p(int(pointer)), np.empty(1, "i4"))[0])


def test_load_from_memory_runs(kernels, basic):
    n = 1000
    x, y = np.arange(n, dtype="f4"), np.ones(n, "f4")
    device_x, device_y = kernels.device(x), kernels.device(y)
    saxpy = kernels.function(basic, "saxpy")
    check(kernels.launch(saxpy, 4, 256, ctypes.c_float(2), device_x, device_y, ctypes.c_uint64(n)))
    assert (kernels.fetch(device_y, y) == 2 * x + 1).all()


def test_images_padded_with_blanks_and_without_a_length_load(kernels):
    image = compile_module("basic").read_bytes()
    for padded in (image + b" " * 4096, image + b"\0"):
        buffer = np.frombuffer(padded, dtype="u1")
        module = check(kernels.hip.hipModuleLoadData(buffer.ctypes.data))
        check(kernels.hip.hipModuleGetFunction(module, b"empty"))
        check(kernels.hip.hipModuleUnload(module))


def test_the_image_is_not_needed_after_loading(kernels):
    image = bytearray(compile_module("basic").read_bytes())
    module = check(kernels.hip.hipModuleLoadData(image))
    image[:] = bytes(len(image))
    check(kernels.launch(kernels.function(module, "add_counter"), 1, 5))
    assert counter_of(kernels, module) == 12
    check(kernels.hip.hipModuleUnload(module))


def test_load_from_a_file(kernels, tmp_path):
    path = tmp_path / "kernels.bin"
    path.write_bytes(compile_module("basic").read_bytes())
    module = check(kernels.hip.hipModuleLoad(os.fsencode(path)))
    path.unlink()
    check(kernels.launch(kernels.function(module, "empty"), 1, 1))
    check(kernels.hip.hipDeviceSynchronize())


def test_every_load_has_variables_of_its_own(kernels):
    first, second = (kernels.load(compile_module("basic")) for _ in range(2))
    check(kernels.launch(kernels.function(first, "add_counter"), 3, 1))
    assert (counter_of(kernels, first), counter_of(kernels, second)) == (10, 7)


def test_modules_loaded_and_unloaded_in_turn_do_not_mix(kernels):
    """The loader knows modules by path, and the paths of memory files come back once a file is closed."""
    basic_image, faulty_image = (compile_module(one).read_bytes() for one in ("basic", "faulty"))
    for _ in range(20):
        module = check(kernels.hip.hipModuleLoadData(basic_image))
        assert counter_of(kernels, module) == 7
        check(kernels.launch(kernels.function(module, "add_counter"), 1, 1))
        assert counter_of(kernels, module) == 8
        check(kernels.hip.hipModuleUnload(module))
        module = check(kernels.hip.hipModuleLoadData(faulty_image))
        assert name(kernels.hip.hipModuleGetFunction(module, b"add_counter")) == "hipErrorNotFound"
        check(kernels.hip.hipModuleUnload(module))


def test_globals_can_be_read_and_written(kernels):
    module = kernels.load(compile_module("basic"))
    pointer, size = check(kernels.hip.hipModuleGetGlobal(module, b"scale"))
    assert size == 16
    values = np.array([5, 0, 0, 0], "f4")
    check(kernels.hip.hipMemcpy(int(pointer), values, 16, kernels.hip.hipMemcpyKind.hipMemcpyHostToDevice))
    check(kernels.launch(kernels.function(module, "add_counter"), 1, 2))
    assert counter_of(kernels, module) == 7 + 2 * 5


def test_variables_are_known_to_pointer_queries_until_the_module_goes(kernels):
    hip = kernels.hip
    module = kernels.load(compile_module("basic"))
    pointer, _ = check(hip.hipModuleGetGlobal(module, b"scale"))
    base, size = check(hip.hipMemGetAddressRange(int(pointer) + 4))
    assert (int(base), size) == (int(pointer), 16)
    check(hip.hipModuleUnload(module))
    assert name(hip.hipMemGetAddressRange(int(pointer))) != "hipSuccess"


def test_names_that_are_not_there(kernels, basic):
    hip = kernels.hip
    assert name(hip.hipModuleGetFunction(basic, b"nothing")) == "hipErrorNotFound"
    assert name(hip.hipModuleGetFunction(basic, b"counter")) == "hipErrorNotFound"
    assert name(hip.hipModuleGetFunction(basic, b"")) == "hipErrorInvalidValue"
    assert name(hip.hipModuleGetFunction(None, b"empty")) == "hipErrorInvalidHandle"
    assert name(hip.hipModuleGetGlobal(basic, b"empty")) == "hipErrorNotFound"
    assert name(hip.hipModuleGetGlobal(basic, b"nothing")) == "hipErrorNotFound"
    assert name(hip.hipModuleGetTexRef(basic, b"counter")) == "hipErrorNotFound"
    check(hip.hipModuleGetTexRef(basic, b"image"))


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (b"not a module at all" + bytes(64), "hipErrorInvalidImage"),
        (b".version 7.0\n.target sm_70\n" + bytes(64), "hipErrorInvalidImage"),
        (b"//\n// Generated by NVIDIA NVVM Compiler\n//\n\n.version 8.0\n" + bytes(64), "hipErrorInvalidImage"),
        (struct.pack("<I", 0xBA55ED50) + b" " * 64, "hipErrorInvalidImage"),
        (struct.pack("<I", 0x7F4E43ED) + b" " * 64, "hipErrorInvalidImage"),
        (b"BC\xc0\xde" + b" " * 64, "hipErrorInvalidImage"),
        (b"__CLANG_OFFLOAD_BUNDLE__" + bytes(64), "hipErrorNoBinaryForGpu"),
        (b"\x7fELF\x02\x01\x01" + bytes(100), "hipErrorNoBinaryForGpu"),
        (b"\0" * 100, "hipErrorInvalidImage"),
    ],
)
def test_images_of_other_kinds(kernels, image, expected):
    assert name(kernels.hip.hipModuleLoadData(image)) == expected


@pytest.mark.parametrize(
    ("machine", "expected"),
    [(224, "hipErrorNoBinaryForGpu"), (190, "hipErrorInvalidImage"), (243, "hipErrorNoBinaryForGpu")],
)
def test_code_for_other_machines(kernels, machine, expected):
    assert name(kernels.hip.hipModuleLoadData(elf_with_machine(machine))) == expected


def test_damaged_images_are_refused(kernels, tmp_path):
    image = compile_module("basic").read_bytes()
    cut = tmp_path / "cut.so"
    for length in (0, 10, 64, 1000, len(image) // 2, len(image) - 1):
        cut.write_bytes(image[:length])
        assert name(kernels.hip.hipModuleLoad(os.fsencode(cut))) == "hipErrorInvalidImage", length
    broken = bytearray(image)
    struct.pack_into("<Q", broken, 40, 1 << 40)  # the section table is beyond the image
    assert name(kernels.hip.hipModuleLoadData(bytes(broken))) == "hipErrorInvalidImage"


def test_a_shared_object_that_is_no_kernel_module_is_not_even_mapped(kernels):
    library = Path(kernels.hip.__file__)
    assert name(kernels.hip.hipModuleLoad(os.fsencode(library))) == "hipErrorInvalidImage"


def test_a_module_of_another_version_is_refused_with_a_line(run_hip):
    path = compile_module("basic", "-DMODULE_ABI_VERSION=99")
    out = run_hip(f"""
os.dup2(1, 2)
print(name(hip.hipModuleLoadData(open({str(path)!r}, "rb").read())))
""")
    assert "hipErrorInvalidImage" in out
    assert "version 99 of the kernel interface" in out


def test_bad_arguments(kernels):
    hip = kernels.hip
    assert name(hip.hipModuleLoadData(None)) == "hipErrorInvalidValue"
    assert name(hip.hipModuleLoad(b"/there/is/no/such/file")) == "hipErrorFileNotFound"
    assert name(hip.hipModuleLoad(b"/")) == "hipErrorFileNotFound"
    assert name(hip.hipModuleUnload(None)) == "hipErrorInvalidHandle"


def test_handles_of_an_unloaded_module_are_refused(kernels):
    hip = kernels.hip
    module = kernels.load(compile_module("basic"))
    empty = kernels.function(module, "empty")
    check(hip.hipModuleUnload(module))
    assert name(hip.hipModuleUnload(module)) == "hipErrorInvalidHandle"
    assert name(hip.hipModuleGetFunction(module, b"empty")) == "hipErrorInvalidHandle"
    assert name(kernels.launch(empty, 1, 1)) == "hipErrorInvalidHandle"


def test_unloading_waits_for_nobody_and_breaks_nothing(kernels):
    """A launch that still waits in a stream keeps its code."""
    hip = kernels.hip
    module = kernels.load(compile_module("basic"))
    out = kernels.device(np.zeros(1, "u8"))
    stream = check(hip.hipStreamCreate())
    slow = kernels.function(module, "slow")
    for value in (1, 2, 3):
        check(kernels.launch(slow, 1, 1, ctypes.c_uint64(30), out, ctypes.c_uint64(value), stream=stream))
    check(hip.hipModuleUnload(module))
    check(hip.hipStreamSynchronize(stream))
    assert kernels.fetch(out, np.zeros(1, "u8"))[0] == 3


def test_function_count(kernels, basic):
    assert check(kernels.hip.hipModuleGetFunctionCount(basic)) == BASIC_KERNELS
    assert name(kernels.hip.hipModuleGetFunctionCount(None)) == "hipErrorInvalidHandle"


# The loader refuses the paths of memory files where such files may not hold code, and where /proc is missing.
REFUSE_MEMORY_FILES = """
#include <dlfcn.h>
#include <string.h>
extern "C" void* dlopen(const char* path, int flags) {
    using Open = void* (*)(const char*, int);
    static Open next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
    return path && strncmp(path, "/proc/", 6) == 0 ? nullptr : next(path, flags);
}
"""


def test_a_private_file_serves_where_memory_files_do_not(run_hip, tmp_path):
    source = tmp_path / "refuse.cpp"
    source.write_text(REFUSE_MEMORY_FILES)
    library = tmp_path / "refuse.so"
    subprocess.run([*COMPILER, "-shared", "-fPIC", str(source), "-o", str(library), "-ldl"], check=True)
    out = run_hip(f"""
os.dup2(1, 2)
image = open({str(compile_module("basic"))!r}, "rb").read()
for module in [check(hip.hipModuleLoadData(image)) for _ in range(3)]:
    print(name(hip.hipModuleGetFunction(module, b"empty")))
folder = os.path.join(os.environ["CUDA_SHIM_CACHE_DIR"], "modules")
print(oct(os.stat(folder).st_mode & 0o777), os.listdir(folder))
os.chmod(folder, 0o777)
print(name(hip.hipModuleLoadData(image)))
""", CUDA_SHIM_CACHE_DIR=str(tmp_path / "cache"), LD_PRELOAD=str(library))  # fmt: skip
    *loaded, folder, refusal, refused = out.splitlines()
    assert loaded == ["hipSuccess"] * 3
    assert folder == "0o700 []"
    assert "cache/modules" in refusal
    assert "set CUDA_SHIM_CACHE_DIR" in refusal
    assert refused == "hipErrorSharedObjectInitFailed"

"""PTX through every loading call of the driver and the runtime, with its logs, and the result of nvrtcGetPTX."""

from __future__ import annotations

import ctypes
import struct
import sys
import uuid

import numpy as np
import pytest

from tests.adapters.answers import failed, ok
from tests.adapters.kernels import SOURCE, compile_code
from tests.interpreters import PACKAGE_ROOT, start
from tests.ptx.texts import HEAD, SAXPY, kernel

BROKEN = SAXPY.replace("fma.rn.f32 	%f4", "fma.rn.f32 	%f4;;,")
LINKED = (
    HEAD
    + ".visible .func (.param .b32 r) twice (.param .b32 a) { .reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }"
)
CALLER = kernel(
    "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), twice, (a); ld.param.b32 %r2, [r]; }\nst.global.u32 [%rd1], %r2;",
    outside=".extern .func (.param .b32 r) twice (.param .b32 a);",
)


def run_saxpy(cuda, module):
    driver = cuda.driver
    function = ok(driver.cuModuleGetFunction(module, b"saxpy"))
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    places = [ok(driver.cuMemAlloc(array.nbytes)) for array in (x, y)]
    for place, array in zip(places, (x, y), strict=True):
        ok(driver.cuMemcpyHtoD(place, array.ctypes.data, array.nbytes))
    values = [ctypes.c_void_p(int(places[0])), ctypes.c_void_p(int(places[1])), ctypes.c_float(2), ctypes.c_uint(1000)]
    pointers = (ctypes.c_void_p * 4)(*(ctypes.addressof(value) for value in values))
    ok(driver.cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
    ok(driver.cuMemcpyDtoH(y.ctypes.data, places[1], y.nbytes))
    for place in places:
        ok(driver.cuMemFree(place))
    assert (y == 2 * x + 1).all()


def test_modules(cuda, tmp_path):
    driver = cuda.driver
    text = SAXPY.encode()
    file = tmp_path / "saxpy.ptx"
    file.write_bytes(text)
    held = ctypes.create_string_buffer(text)
    loads = [
        lambda: driver.cuModuleLoadData(text + b"\0"),
        lambda: driver.cuModuleLoadData(ctypes.addressof(held)),
        lambda: driver.cuModuleLoadDataEx(text, 0, [], []),
        lambda: driver.cuModuleLoad(str(file).encode()),
        lambda: driver.cuModuleLoadFatBinary(fat_binary((1, 80, text, False))),
        lambda: driver.cuModuleLoadFatBinary(fat_binary((2, 75, b"\x7fELF", False), (1, 80, text, True))),
        lambda: driver.cuModuleLoadFatBinary(fat_binary((1, 80, text, "zstd"))),
    ]
    for load in loads:
        module = ok(load())
        run_saxpy(cuda, module)
        ok(driver.cuModuleUnload(module))


def test_libraries(cuda, tmp_path):
    driver, runtime = cuda.driver, cuda.runtime
    file = tmp_path / "saxpy.ptx"
    file.write_text(SAXPY)
    for load, unload in (
        (lambda: driver.cuLibraryLoadData(SAXPY.encode(), [], [], 0, [], [], 0), driver.cuLibraryUnload),
        (lambda: driver.cuLibraryLoadFromFile(str(file).encode(), [], [], 0, [], [], 0), driver.cuLibraryUnload),
        (lambda: runtime.cudaLibraryLoadData(SAXPY.encode(), [], [], 0, [], [], 0), runtime.cudaLibraryUnload),
    ):
        library = ok(load())
        ok(unload(library))


def test_a_mistake_is_reported_with_its_place(cuda):
    option = cuda.driver.CUjit_option
    log = b" " * 400
    options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    failed(cuda.driver.cuModuleLoadDataEx(BROKEN.encode(), 2, options, [log, 400]), "CUDA_ERROR_INVALID_PTX", 1)
    said = log.partition(b"\0")[0].decode()
    line = BROKEN[: BROKEN.index(";;,")].count("\n") + 1
    assert f"ptxas ptx_input, line {line}, column " in said
    assert "aborted due to errors" in said


@pytest.mark.parametrize(
    ("change", "status", "reason"),
    [
        (("8.0", "99.0"), "UNSUPPORTED_PTX_VERSION", "fatal   : Unsupported .version 99.0; current version is '8.8'\n"),
        (("8.0", "9.0"), "UNSUPPORTED_PTX_VERSION", "fatal   : Unsupported .version 9.0; current version is '8.8'\n"),
        (("sm_80", "sm_999"), "INVALID_PTX", "error   : Unsupported .target 'sm_999'\n"),
        (("sm_80", "sm_110"), "INVALID_PTX", "error   : Unsupported .target 'sm_110'\n"),
        (("sm_80", "sm_100"), "INVALID_PTX", "error   : PTX .version 8.0 does not support .target sm_100\n"),
        ((".target sm_80", ""), "INVALID_PTX", "error   : Missing .target directive after .version\n"),
        ((".version 8.0", ""), "INVALID_IMAGE", ""),
    ],
)
def test_versions_and_targets_that_cuda_lacks_are_refused(cuda, change, status, reason):
    driver, runtime = cuda.driver, cuda.runtime
    text = SAXPY.replace(*change).encode()
    log = bytearray(400)
    options = [driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER, driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    failed(driver.cuModuleLoadDataEx(text, 2, options, [log, 400]), f"CUDA_ERROR_{status}", 1)
    assert reason.encode() in log
    failed(driver.cuModuleLoadData(text), f"CUDA_ERROR_{status}", 1)
    link = ok(driver.cuLinkCreate(0, [], []))
    failed(
        driver.cuLinkAddData(link, driver.CUjitInputType.CU_JIT_INPUT_PTX, text, len(text), b"my.ptx", 0, [], []),
        f"CUDA_ERROR_{status}",
    )
    ok(driver.cuLinkDestroy(link))
    of_runtime = {
        "UNSUPPORTED_PTX_VERSION": "UnsupportedPtxVersion",
        "INVALID_PTX": "InvalidPtx",
        "INVALID_IMAGE": "InvalidKernelImage",
    }
    failed(runtime.cudaLibraryLoadData(text, [], [], 0, [], [], 0), f"cudaError{of_runtime[status]}", 1)


def test_the_log_is_cut_to_its_buffer(cuda):
    option = cuda.driver.CUjit_option
    log = b"x" * 20
    options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    failed(cuda.driver.cuModuleLoadDataEx(BROKEN.encode(), 2, options, [log, 10]), "CUDA_ERROR_INVALID_PTX", 1)
    assert log == b"ptxas ptx\0" + b"x" * 10


def test_what_has_no_translation_is_named(cuda, caplog):
    text = kernel("multimem.red.global.add.u32 [%rd1], %r1;")
    failed(cuda.driver.cuModuleLoadData(text.encode()), "CUDA_ERROR_INVALID_PTX", 1)
    assert "multimem.red.global.add.u32" in caplog.text
    assert "line 21" in caplog.text
    failed(cuda.runtime.cudaLibraryLoadData(text.encode(), [], [], 0, [], [], 0), "cudaErrorInvalidPtx", 1)


def test_what_is_called_must_be_there(cuda, caplog):
    failed(cuda.driver.cuModuleLoadData(CALLER.encode()), "CUDA_ERROR_INVALID_PTX", 1)
    assert "Unresolved extern function 'twice'" in caplog.text


def test_cubins_say_what_they_are_built_for(cuda, caplog):
    cubin = b"\x7fELF".ljust(18, b"\0") + b"\xbe\0" + bytes(28) + (0x560556).to_bytes(4, "little") + bytes(12)
    failed(cuda.driver.cuModuleLoadData(cubin), "CUDA_ERROR_NO_BINARY_FOR_GPU", 1)
    assert "machine code for sm_86" in caplog.text
    failed(cuda.driver.cuModuleLoadData(fat_binary((2, 90, cubin, False))), "CUDA_ERROR_NO_BINARY_FOR_GPU", 1)
    assert "machine code for sm_90 and no PTX" in caplog.text


def test_compressed_ptx_without_a_library_names_the_package(cuda, caplog, monkeypatch):
    image = fat_binary((2, 75, b"\x7fELF", "zstd"), (1, 80, SAXPY.encode(), "zstd"))
    package = "compression" if sys.version_info >= (3, 14) else "backports"
    monkeypatch.setitem(sys.modules, package, None)
    failed(cuda.driver.cuModuleLoadFatBinary(image), "CUDA_ERROR_NOT_SUPPORTED", 1)
    assert "its PTX is compressed with Zstandard" in caplog.text
    assert ("compression.zstd" if package == "compression" else 'pip install "cuda-shim[zstd]"') in caplog.text
    # Its machine code is not unpacked.
    without_ptx = fat_binary((2, 75, b"\x7fELF", "zstd"))
    failed(cuda.driver.cuModuleLoadFatBinary(without_ptx), "CUDA_ERROR_NO_BINARY_FOR_GPU", 1)


@pytest.mark.parametrize("cut", [0, 3, 20, 60, 90])
def test_damaged_fat_binaries_are_refused(cuda, cut):
    image = fat_binary((1, 80, SAXPY.encode(), True))
    status = cuda.driver.cuModuleLoadData(image[:17] + bytes([cut + 1]) * 8 + image[25 + cut : 200 + cut])[0]
    assert status.name in ("CUDA_ERROR_INVALID_IMAGE", "CUDA_ERROR_NO_BINARY_FOR_GPU", "CUDA_ERROR_INVALID_PTX")


def test_linking(cuda):
    driver = cuda.driver
    kind = driver.CUjitInputType.CU_JIT_INPUT_PTX
    link = ok(driver.cuLinkCreate(0, [], []))
    for text in (LINKED, CALLER):
        ok(driver.cuLinkAddData(link, kind, text.encode(), len(text), b"part.ptx", 0, [], []))
    image, size = ok(driver.cuLinkComplete(link))
    module = ok(driver.cuModuleLoadData(ctypes.string_at(image, size)))
    function = ok(driver.cuModuleGetFunction(module, b"test"))
    results = ok(driver.cuMemAlloc(8 * 32))
    values = (ctypes.c_void_p * 2)(int(results), int(results))
    pointers = (ctypes.c_void_p * 2)(*(ctypes.addressof(values) + 8 * place for place in range(2)))
    ok(driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
    found = np.empty(64, np.uint32)
    ok(driver.cuMemcpyDtoH(found.ctypes.data, results, found.nbytes))
    assert (found[::2] == 2 * np.arange(32)).all()
    ok(driver.cuMemFree(results))
    ok(driver.cuModuleUnload(module))
    ok(driver.cuLinkDestroy(link))


def test_short_numbers_are_wrapped_before_they_are_something_else(cuda):
    """C++ computes with them as ints: a value that is read as a half, or is made wider, must be one of 16 bits."""
    driver = cuda.driver
    body = """cvt.u16.u32 %rs1, %r1; mov.b16 %rs9, 0;
    add.u16 %rs2, 15360, %rs1; add.rn.f16 %rs3, %rs2, %rs9; cvt.u32.u16 %r2, %rs3;
    xor.b16 %rs4, %rs1, -32768; sub.s16 %rs5, 0, %rs4; cvt.s32.s16 %r3, %rs5;
    st.global.v2.u32 [%rd1], {%r2, %r3};"""
    module = ok(driver.cuModuleLoadData(kernel(body).encode()))
    results = ok(driver.cuMemAlloc(8 * 32))
    values = (ctypes.c_void_p * 2)(int(results), int(results))
    pointers = (ctypes.c_void_p * 2)(*(ctypes.addressof(values) + 8 * place for place in range(2)))
    function = ok(driver.cuModuleGetFunction(module, b"test"))
    ok(driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
    found = np.empty((32, 2), np.int32)
    ok(driver.cuMemcpyDtoH(found.ctypes.data, results, found.nbytes))
    assert found[:, 0].tolist() == [15360 + thread for thread in range(32)]
    assert found[:, 1].tolist() == [-32768, *(32768 - thread for thread in range(1, 32))]
    ok(driver.cuMemFree(results))
    ok(driver.cuModuleUnload(module))


def test_a_mistake_is_reported_when_it_is_added_to_a_link(cuda, caplog):
    driver = cuda.driver
    link = ok(driver.cuLinkCreate(0, [], []))
    kind = driver.CUjitInputType.CU_JIT_INPUT_PTX
    failed(
        driver.cuLinkAddData(link, kind, BROKEN.encode(), len(BROKEN), b"my.ptx", 0, [], []), "CUDA_ERROR_INVALID_PTX"
    )
    assert "ptxas my.ptx, line" in caplog.text
    ok(driver.cuLinkDestroy(link))


def test_nvrtc_gives_text(cuda):
    text = compile_code(cuda.nvrtc, SOURCE, b"--gpu-architecture=compute_86")
    assert text.endswith(b"\0")
    assert text.count(b"\0") == 1
    said = text[:-1].decode("ascii")
    for line in (".target sm_86", ".visible .entry put(", "\t.param .u64 put_param_0,", "\t.param .u32 put_param_1"):
        assert line in said.splitlines()
    driver = cuda.driver
    for image in (text, text[:-1], said.encode(), said.replace("\n", "\r\n").encode()):
        module = ok(driver.cuModuleLoadData(image))
        ok(driver.cuModuleGetFunction(module, b"first"))
        ok(driver.cuModuleUnload(module))


def test_a_changed_text_is_not_run(cuda, caplog):
    text = compile_code(cuda.nvrtc)
    place = text.index(b"//$ ", text.index(b"//$ crc32") + 4) + 40
    other = b"A" if text[place : place + 1] != b"A" else b"B"
    changed = text[:place] + other + text[place + 1 :]
    failed(cuda.driver.cuModuleLoadData(changed), "CUDA_ERROR_INVALID_PTX", 1)
    # A function logs it once, so the test uses another one, to which no other test gives such a text.
    failed(cuda.driver.cuLibraryLoadData(changed, [], [], 0, [], [], 0), "CUDA_ERROR_INVALID_PTX", 1)
    assert "the code object is not complete" in caplog.text


LOAD = """
import sys
from cuda.bindings import driver
driver.cuInit(0)
_, context = driver.cuDevicePrimaryCtxRetain(0)
driver.cuCtxSetCurrent(context)
print(driver.cuModuleLoadData(sys.argv[1].encode())[0].name)
"""


@pytest.mark.parametrize(("kernels", "shown"), [(1, "{}: read in "), (2, "{} and 1 more: read in ")])
def test_the_runtime_reports_on_a_text_by_its_kernels(kernels, shown):
    names = [f"saxpy_{uuid.uuid4().hex}" for _ in range(kernels)]
    body = SAXPY[len(HEAD) :]
    text = HEAD + "".join(body.replace("saxpy", name) for name in names)
    words = ("-m", "cuda_shim", "run", "--backend=cpu", "--cpu-log=info", "-c", LOAD, text)
    done = start(*words, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.stdout == "CUDA_SUCCESS\n", done.stderr
    assert shown.format(names[0]) in done.stderr


def fat_binary(*entries):
    """A fat binary of (kind, architecture, data, packed) as fatbinary writes it; packed is True for LZ4, or "zstd"."""
    body = b""
    for kind, architecture, data, packed in entries:
        content = zstd(data + b"\0") if packed == "zstd" else lz4(data + b"\0") if packed else data
        padded = content.ljust(-(-len(content) // 8) * 8, b"\0")
        flags = {False: 0x11, True: 0x2011, "zstd": 0x8011}[packed]
        body += struct.pack(
            "<HHIIIIIIIIIQQQ", kind, 0x101, 64, len(padded), 0, len(content) if packed else 0, 0, 0, architecture, 64, 0, flags, 0,
            len(data) + 1 if packed else 0,
        ) + padded  # fmt: skip
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def zstd(data):
    if sys.version_info >= (3, 14):
        from compression.zstd import compress
    else:
        from backports.zstd import compress
    return compress(data)


def lz4(data):
    """A block of LZ4's format: one run of literals, then a match where the text repeats itself."""
    half = len(data) // 2
    again = data.rfind(data[half : half + 8], 0, half)
    first, count = (data[:half], 8) if again >= 0 else (data, 0)
    block = bytes([0xF0 | (count - 4 if count else 0)]) + _more(len(first) - 15) + first
    if not count:
        return block
    rest = data[half + 8 :]
    return block + struct.pack("<H", half - again) + bytes([0xF0]) + _more(len(rest) - 15) + rest


def _more(count):
    return b"\xff" * (count // 255) + bytes([count % 255])

"""Linking: code that nvrtc compiled goes through it, with the options that programs pass."""

import ctypes

import numpy as np
import pytest

from tests.adapters.answers import failed, not_a_list, ok, raising
from tests.adapters.kernels import compile_code


@pytest.fixture(scope="module")
def code(cuda):
    return compile_code(cuda.nvrtc)


@pytest.fixture
def link(cuda):
    state = ok(cuda.driver.cuLinkCreate(0, [], []))
    yield state
    ok(cuda.driver.cuLinkDestroy(state))


def add(cuda, state, image, size=None, name=b"image", kind="PTX"):
    kinds = cuda.driver.CUjitInputType
    length = len(image) if size is None else size
    return cuda.driver.cuLinkAddData(state, getattr(kinds, f"CU_JIT_INPUT_{kind}"), image, length, name, 0, [], [])


def test_what_was_compiled_can_be_linked_and_loaded(cuda, link, code):
    assert type(link) is cuda.driver.CUlinkState
    ok(add(cuda, link, code))
    address, size = ok(cuda.driver.cuLinkComplete(link))
    assert type(address) is int
    assert 0 < size < len(code)  # the code object that the text carries
    module = ok(cuda.driver.cuModuleLoadData(ctypes.string_at(address, size)))
    assert int(ok(cuda.driver.cuModuleGetFunction(module, b"put")))
    ok(cuda.driver.cuModuleUnload(module))
    again = ok(cuda.driver.cuModuleLoadData(address))
    ok(cuda.driver.cuModuleUnload(again))
    failed(cuda.driver.cuLinkComplete(link), "CUDA_ERROR_INVALID_HANDLE", 2)


def test_files_can_be_linked(cuda, link, code, tmp_path):
    path = tmp_path / "image"
    path.write_bytes(code)
    kind = cuda.driver.CUjitInputType.CU_JIT_INPUT_CUBIN
    failed(cuda.driver.cuLinkAddFile(link, kind, b"/no/such", 0, [], []), "CUDA_ERROR_FILE_NOT_FOUND")
    ok(cuda.driver.cuLinkAddFile(link, kind, str(path).encode(), 0, [], []))
    assert 0 < ok(cuda.driver.cuLinkComplete(link))[1] < len(code)


@pytest.mark.parametrize("kind", ["PTX", "CUBIN"])
def test_what_is_no_code_object(cuda, link, kind):
    failed(add(cuda, link, b"garbage\0", kind=kind), "CUDA_ERROR_INVALID_IMAGE")


@pytest.mark.parametrize(
    "image, status, kind",
    [
        (b"\xed\x43\x4e\x7f" + bytes(60), "CUDA_ERROR_INVALID_PTX", "LTO-IR"),
        (b"\x7fELF".ljust(18, b"\0") + b"\xbe\0" + bytes(44), "CUDA_ERROR_NO_BINARY_FOR_GPU", "a cubin"),
        (b"\x50\xed\x55\xba\1\0\x10\0" + bytes(56), "CUDA_ERROR_NO_BINARY_FOR_GPU", "a fatbin"),
    ],
)
def test_what_nvidias_compilers_made_is_refused_as_modules_are(cuda, link, caplog, image, status, kind):
    failed(add(cuda, link, image), status)
    assert f"the image is {kind}" in caplog.text
    failed(cuda.driver.cuModuleLoadData(image), status, 1)


def test_two_complete_code_objects_cannot_be_one(cuda, link, code):
    for _ in range(2):
        ok(add(cuda, link, code))
    failed(cuda.driver.cuLinkComplete(link), "CUDA_ERROR_INVALID_SOURCE", 2)


CALLER = b'extern "C" __device__ int next(int); extern "C" __global__ void put(int* x) { *x = next(*x); }'
PTX_CALLER = b""".version 7.0
.target sm_52
.address_size 64
.extern .func (.param .b32 result) next (.param .b32 x);
.visible .entry put(.param .u64 out) {
 .reg .b32 %r<3>;
 .reg .b64 %rd<2>;
 ld.param.u64 %rd1, [out];
 { .param .b32 x; .param .b32 y; st.param.b32 [x], 3; call.uni (y), next, (x); ld.param.b32 %r1, [y]; }
 st.global.u32 [%rd1], %r1;
 ret;
}
\0"""

OTHER = b'extern "C" __device__ int other(int x) { return x + 1; }'
PTX_OTHER = b""".version 7.0
.target sm_52
.address_size 64
.visible .func (.param .b32 result) other (.param .b32 x) { ret; }
\0"""


@pytest.mark.parametrize("inputs", [1, 2])
@pytest.mark.parametrize("form", ["code object", "PTX"])
def test_undefined_functions_fail_when_the_link_is_completed(cuda, form, inputs):
    """The status and the error log of an H100 (cuda-bindings 13.5.0)."""
    options = cuda.driver.CUjit_option
    log = bytearray(1000)
    names = [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    state = ok(cuda.driver.cuLinkCreate(2, names, [log, len(log)]))
    caller = compile_code(cuda.nvrtc, CALLER, b"--relocatable-device-code=true") if form != "PTX" else PTX_CALLER
    ok(add(cuda, state, caller, name=b"input0"))
    if inputs == 2:
        code = compile_code(cuda.nvrtc, OTHER, b"--relocatable-device-code=true") if form != "PTX" else PTX_OTHER
        ok(add(cuda, state, code, name=b"input1"))
    failed(cuda.driver.cuLinkComplete(state), "CUDA_ERROR_INVALID_SOURCE", 2)
    assert bytes(log).partition(b"\0")[0].strip() == b"error   : Undefined reference to 'next' in 'input0'"
    ok(cuda.driver.cuLinkDestroy(state))


def test_the_error_log_says_what_is_no_image(cuda):
    options = cuda.driver.CUjit_option
    log = bytearray(1000)
    names = [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    state = ok(cuda.driver.cuLinkCreate(2, names, [log, len(log)]))
    failed(add(cuda, state, b"no image at all, but text\0", name=b"input0"), "CUDA_ERROR_INVALID_IMAGE")
    assert b"'input0' is no image" in log
    ok(cuda.driver.cuLinkDestroy(state))


def test_programs_with_relocatable_code_become_one(cuda, link):
    called = b'extern "C" __device__ int next(int x) { return x + 1; }'
    for source in (CALLER, called):
        ok(add(cuda, link, compile_code(cuda.nvrtc, source, b"--relocatable-device-code=true")))
    module = ok(cuda.driver.cuModuleLoadData(ok(cuda.driver.cuLinkComplete(link))[0]))
    put, memory = ok(cuda.driver.cuModuleGetFunction(module, b"put")), ok(cuda.driver.cuMemAlloc(4))
    value = np.full(1, 41, np.int32)
    ok(cuda.driver.cuMemcpyHtoD(memory, value, 4))
    ok(cuda.driver.cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, 0, ((memory,), (None,)), 0))
    ok(cuda.driver.cuMemcpyDtoH(value, memory, 4))
    assert value[0] == 42
    ok(cuda.driver.cuMemFree(memory))
    ok(cuda.driver.cuModuleUnload(module))


def test_what_is_added_is_checked(cuda, link, code):
    failed(add(cuda, link, code, size=0), "CUDA_ERROR_INVALID_VALUE")
    with raising(TypeError, "expected bytes, NoneType found"):
        add(cuda, link, code, name=None)
    ok(cuda.driver.cuLinkAddData(link, 1, code, len(code), b"image", 0, None, None))


def test_no_link_is_no_handle(cuda, code):
    failed(cuda.driver.cuLinkDestroy(0), "CUDA_ERROR_INVALID_HANDLE")
    failed(cuda.driver.cuLinkComplete(0), "CUDA_ERROR_INVALID_HANDLE", 2)
    failed(add(cuda, 0, code), "CUDA_ERROR_INVALID_HANDLE")


def test_options_are_taken_and_checked(cuda):
    options = cuda.driver.CUjit_option
    names = [options.CU_JIT_INFO_LOG_BUFFER, options.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, options.CU_JIT_WALL_TIME]
    ok(cuda.driver.cuLinkDestroy(ok(cuda.driver.cuLinkCreate(3, names, [bytearray(256), 256, 0.0]))))
    ok(cuda.driver.cuLinkDestroy(ok(cuda.driver.cuLinkCreate(0, None, None))))
    with raising(RuntimeError, "List is too small: 1 < 2"):
        cuda.driver.cuLinkCreate(2, names[:1], [256])
    with raising(TypeError, not_a_list("options", "cydriver.CUjit_option")):
        cuda.driver.cuLinkCreate(1, [4], [256])
    with raising(TypeError, "an integer is required"):
        cuda.driver.cuLinkCreate(1, [options.CU_JIT_MAX_REGISTERS], ["a"])

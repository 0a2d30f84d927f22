"""NVRTC's programs: what they answer before, and without, a compilation that worked."""

import pytest

from tests.adapters.answers import failed, ok

SIZES = ("nvrtcGetPTXSize", "nvrtcGetCUBINSize")


@pytest.fixture
def program(cuda):
    made = ok(cuda.nvrtc.nvrtcCreateProgram(b'extern "C" __global__ void k() { missing(); }', b"k.cu", 0, [], []))
    yield made
    ok(cuda.nvrtc.nvrtcDestroyProgram(made))


@pytest.mark.parametrize("size", SIZES)
def test_a_program_without_code_has_no_bytes_of_it(cuda, program, size):
    assert ok(getattr(cuda.nvrtc, size)(program)) == 0
    assert cuda.nvrtc.nvrtcCompileProgram(program, 0, [])[0].name == "NVRTC_ERROR_COMPILATION"
    assert ok(getattr(cuda.nvrtc, size)(program)) == 0


@pytest.mark.parametrize("call", [*SIZES, "nvrtcGetProgramLogSize", "nvrtcGetLTOIRSize"])
def test_no_program_is_an_invalid_one(cuda, call):
    failed(getattr(cuda.nvrtc, call)(cuda.nvrtc.nvrtcProgram()), "NVRTC_ERROR_INVALID_PROGRAM", 1)


@pytest.mark.parametrize("call, filled", [("nvrtcGetLTOIR", b" "), ("nvrtcGetOptiXIR", b" ")])
def test_forms_that_no_program_here_has(cuda, program, call, filled):
    failed(getattr(cuda.nvrtc, call)(program, filled), "NVRTC_ERROR_INVALID_PROGRAM")

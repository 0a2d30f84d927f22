"""NVRTC's programs: their answers before, and without, a compilation that worked."""

import ctypes
import re

import pytest

from cuda_shim import settings
from cuda_shim.adapters import nvrtc
from cuda_shim.errors import SettingError
from tests.adapters.answers import failed, ok
from tests.kernels import compilers

SIZES = ("nvrtcGetPTXSize", "nvrtcGetCUBINSize")


@pytest.fixture
def program(cuda):
    made = ok(cuda.nvrtc.nvrtcCreateProgram(b'extern "C" __global__ void k() { missing(); }', b"k.cu", 0, [], []))
    yield made
    ok(cuda.nvrtc.nvrtcDestroyProgram(made))


@pytest.mark.parametrize("size", SIZES)
def test_a_program_without_code_has_no_bytes_of_it(cuda, program, size):
    def check():
        # A text is its closing NUL at least, and code is not there at all: so NVRTC 11.8, 12.9 and 13.5 answer.
        expected = b"\0xx" if size == "nvrtcGetPTXSize" else b"xxx"
        filled = bytearray(b"xxx")
        assert ok(getattr(cuda.nvrtc, size)(program)) == expected.count(0)
        ok(getattr(cuda.nvrtc, size.removesuffix("Size"))(program, filled))
        assert filled == expected

    check()
    assert cuda.nvrtc.nvrtcCompileProgram(program, 0, [])[0].name == "NVRTC_ERROR_COMPILATION"
    check()
    assert cuda.nvrtc.nvrtcCompileProgram(program, 1, [b"-Dmissing=int"])[0].name == "NVRTC_SUCCESS"
    assert ok(getattr(cuda.nvrtc, size)(program)) > 1
    assert cuda.nvrtc.nvrtcCompileProgram(program, 1, [b"--no-such-option"])[0].name == "NVRTC_ERROR_INVALID_OPTION"
    check()


@pytest.mark.parametrize(
    ("count", "names"),
    [(2, [b"a.h", b"a.h"]), (3, [b"a.h", b"b.h", b"a.h"]), (2, [b"a.h", b"a.h\0b"]), (-1, [])],
)
def test_two_headers_of_one_name_are_invalid(cuda, count, names):
    answer = cuda.nvrtc.nvrtcCreateProgram(KERNEL, b"k.cu", count, [b"//"] * len(names), names)
    failed(answer, "NVRTC_ERROR_INVALID_INPUT", 1)
    for name, compiler in compilers.nvrtc().items():
        texts, strings = ((ctypes.c_char_p * len(names))(*parts) for parts in ([b"//"] * len(names), names))
        status = compiler._call(
            "CreateProgram", ctypes.byref(ctypes.c_void_p()), KERNEL, b"k.cu", count, texts, strings
        )
        assert status == int(cuda.nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_INPUT), name


def test_texts_end_at_a_zero(cuda):
    """In a folder's name a zero would be an error of Python's own."""
    source = b'#include "a.h"\n__device__ int n = N;'
    made = ok(cuda.nvrtc.nvrtcCreateProgram(source, b"k.cu", 1, [b"#define N M\0#error"], [b"a.h\0.b"]))
    ok(cuda.nvrtc.nvrtcCompileProgram(made, 2, [b"-I/no/folder\0of/this/name", b"-DM=1\0x"]))
    ok(cuda.nvrtc.nvrtcDestroyProgram(made))


def test_headers_beyond_the_count_are_none(cuda):
    nvrtc = cuda.nvrtc
    for count, status in ((1, "NVRTC_SUCCESS"), (0, "NVRTC_ERROR_COMPILATION")):
        headers = [b"#define N 1", b"#error this is not passed"]
        source = b'#include "a.h"\n__device__ int n = N;'
        made = ok(nvrtc.nvrtcCreateProgram(source, b"k.cu", count, headers, [b"a.h", b"a.h"]))
        assert nvrtc.nvrtcCompileProgram(made, 0, [])[0].name == status
        ok(nvrtc.nvrtcDestroyProgram(made))


def test_lowered_names_outlive_a_compilation_that_fails(cuda):
    nvrtc = cuda.nvrtc
    source = b"#ifdef WRONG\n#error wrong\n#endif\ntemplate <int N> __global__ void k() {}"
    made = ok(nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], []))
    ok(nvrtc.nvrtcAddNameExpression(made, b"k<3>"))
    early = nvrtc.nvrtcGetLoweredName(made, b"k<3>")
    failed(early, "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION", 1)
    for option in (b"-DRIGHT", b"-DWRONG", b"--no-such-option"):
        nvrtc.nvrtcCompileProgram(made, 1, [option])
        assert ok(nvrtc.nvrtcGetLoweredName(made, b"k<3>")) == b"_Z1kILi3EEvv"
    ok(nvrtc.nvrtcDestroyProgram(made))


def test_a_destroyed_program_is_an_invalid_one(cuda):
    nvrtc = cuda.nvrtc
    made = ok(nvrtc.nvrtcCreateProgram(KERNEL, b"k.cu", 0, [], []))
    ok(nvrtc.nvrtcAddNameExpression(made, b"k"))
    ok(nvrtc.nvrtcCompileProgram(made, 0, []))
    ok(nvrtc.nvrtcDestroyProgram(made))
    for call in (*SIZES, "nvrtcGetProgramLogSize", "nvrtcGetLTOIRSize"):
        failed(getattr(nvrtc, call)(made), "NVRTC_ERROR_INVALID_PROGRAM", 1)
    for call in ("nvrtcGetPTX", "nvrtcGetCUBIN", "nvrtcGetProgramLog"):
        filled = bytearray(b"xxx")
        failed(getattr(nvrtc, call)(made, filled), "NVRTC_ERROR_INVALID_PROGRAM")
        assert filled == b"xxx"
    failed(nvrtc.nvrtcGetLoweredName(made, b"k"), "NVRTC_ERROR_INVALID_PROGRAM", 1)
    failed(nvrtc.nvrtcAddNameExpression(made, b"k"), "NVRTC_ERROR_INVALID_PROGRAM")
    failed(nvrtc.nvrtcCompileProgram(made, 0, []), "NVRTC_ERROR_INVALID_PROGRAM")
    failed(nvrtc.nvrtcDestroyProgram(made), "NVRTC_ERROR_INVALID_PROGRAM")


@pytest.mark.parametrize("call", [*SIZES, "nvrtcGetProgramLogSize", "nvrtcGetLTOIRSize"])
def test_no_program_is_an_invalid_one(cuda, call):
    failed(getattr(cuda.nvrtc, call)(cuda.nvrtc.nvrtcProgram()), "NVRTC_ERROR_INVALID_PROGRAM", 1)


@pytest.mark.parametrize("form", ["LTOIR", "OptiXIR"])
def test_a_form_that_no_option_asks_for_is_empty(cuda, program, form):
    assert ok(getattr(cuda.nvrtc, f"nvrtcGet{form}Size")(program)) == 0
    buffer = bytearray(b"xyz")
    ok(getattr(cuda.nvrtc, f"nvrtcGet{form}")(program, buffer))
    assert buffer == b"xyz"


def test_code_for_nvidias_linker_is_not_made(cuda):
    made = ok(cuda.nvrtc.nvrtcCreateProgram(KERNEL, b"k.cu", 0, [], []))
    ok(cuda.nvrtc.nvrtcCompileProgram(made, 1, [b"-dlto"]))
    failed(cuda.nvrtc.nvrtcGetLTOIRSize(made), "NVRTC_ERROR_INVALID_PROGRAM", 1)
    failed(cuda.nvrtc.nvrtcGetLTOIR(made, bytearray(4)), "NVRTC_ERROR_INVALID_PROGRAM")
    ok(cuda.nvrtc.nvrtcCompileProgram(made, 0, []))
    assert ok(cuda.nvrtc.nvrtcGetLTOIRSize(made)) == 0
    ok(cuda.nvrtc.nvrtcDestroyProgram(made))


@pytest.mark.parametrize("blank", [b"", b" \t"])
def test_a_blank_name_is_refused_by_the_compilation(cuda, blank):
    """NVRTC 13.5 answers so."""
    nvrtc = cuda.nvrtc
    made = ok(nvrtc.nvrtcCreateProgram(b"template <class T> __global__ void k(T) {}", b"k.cu", 0, [], []))
    for name in (b"k<int>", blank):
        ok(nvrtc.nvrtcAddNameExpression(made, name))
    assert nvrtc.nvrtcCompileProgram(made, 0, [])[0].name == "NVRTC_ERROR_COMPILATION"
    log = bytearray(ok(nvrtc.nvrtcGetProgramLogSize(made)))
    ok(nvrtc.nvrtcGetProgramLog(made, log))
    assert b"error: expected an expression" in log
    assert b'error detected in the compilation of "k.cu".' in log
    for name in (b"k<int>", blank):
        failed(nvrtc.nvrtcGetLoweredName(made, name), "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION", 1)
    ok(nvrtc.nvrtcDestroyProgram(made))


def log_of(cuda, source, *options):
    made = ok(cuda.nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], []))
    status = cuda.nvrtc.nvrtcCompileProgram(made, len(options), list(options))[0].name
    log = bytearray(ok(cuda.nvrtc.nvrtcGetProgramLogSize(made)))
    ok(cuda.nvrtc.nvrtcGetProgramLog(made, log))
    ok(cuda.nvrtc.nvrtcDestroyProgram(made))
    return status, log.decode()


KERNEL = b'extern "C" __global__ void k() {}'


@pytest.mark.parametrize("option", [b"-arch=gfx942", b"--gpu-architecture=gfx90a:sramecc+:xnack-"])
def test_the_cpu_backend_compiles_for_no_amd_gpu(cuda, option):
    status, log = log_of(cuda, KERNEL, option)
    assert status == "NVRTC_ERROR_INVALID_OPTION"
    assert f"{option.decode()}: gfx targets are AMD GPUs" in log
    assert "CUDA_SHIM_BACKEND=rocm" in log


def test_the_cpu_backend_does_not_pass_over_the_setting(cuda, monkeypatch):
    chosen = settings.read({"gfx": "gfx942"})
    monkeypatch.setattr(settings, "current", lambda: chosen)
    status, log = log_of(cuda, KERNEL)
    assert status == "NVRTC_ERROR_INVALID_OPTION"
    assert "gfx='gfx942': the CPU backend compiles for host cores" in log


@pytest.mark.parametrize("value", ["gfx", "sm_80", "gfx90a:fast+"])
def test_targets_of_the_setting_are_checked(value):
    with pytest.raises(SettingError, match="use a target of AMD's compiler, such as gfx942"):
        settings.read({"gfx": value})


def test_a_failure_always_has_a_log():
    assert nvrtc._explained(b"\0", "NVRTC_ERROR_COMPILATION", "gfx90a") == (
        b"nvrtc: error: hiprtc failed with NVRTC_ERROR_COMPILATION and says nothing more\n\0"
    )
    assert nvrtc._explained(b"k.cu:1:1: error: no\n\0", "NVRTC_ERROR_COMPILATION", "gfx90a") is None
    assert nvrtc._explained(None, "NVRTC_ERROR_INVALID_PROGRAM", "gfx90a") is None


TEXTURES = b"error: 'tex2D' is unavailable: The image/texture API not supported on the device\n\0"


def test_targets_without_image_units_are_named():
    explained = nvrtc._explained(TEXTURES, "NVRTC_ERROR_COMPILATION", "gfx942:sramecc+:xnack-")
    assert explained is not None
    assert explained.startswith(TEXTURES[:-1])
    assert explained.endswith(
        b"note: gfx942:sramecc+:xnack- has no image units, so textures and surfaces do not compile for it: "
        b"read the array by its address\n\0"
    )
    assert nvrtc._explained(TEXTURES, "NVRTC_ERROR_COMPILATION", "gfx1100") is None


def of_one_compilation(log):
    """Return a log of times with its phases and times left out, and how many rows there are."""
    header, *rows = log.lstrip("\n").splitlines()
    assert all(re.fullmatch(r"k\.cu, [^,]+, \d+, ms", row) for row in rows), log
    return len(log) - len(log.lstrip("\n")), header, len(rows) > 0


def nvrtc_itself(layout):
    if layout not in compilers.nvrtc():
        pytest.skip(f"NVRTC {layout} is not installed")
    return compilers.nvrtc()[layout]


@pytest.mark.parametrize("layout", ["12.9", "13.5"])
def test_times_are_logged_as_nvrtc_logs_them(cuda, layout):
    judge = nvrtc_itself(layout).compile(KERNEL, b"k.cu", [b"-time=-"])
    status, log = log_of(cuda, KERNEL, b"-time=-")
    assert status == "NVRTC_SUCCESS"
    assert of_one_compilation(log.rstrip("\0")) == of_one_compilation(judge.log)


def test_no_times_are_logged_of_a_program_that_fails(cuda):
    assert "HIP Compiler" not in log_of(cuda, b"__global__ void k() { y; }", b"-time=-")[1]


def test_times_are_added_to_a_file_as_nvrtc_adds_them(cuda, tmp_path):
    ours, theirs, missing = (tmp_path / name for name in ("ours.csv", "theirs.csv", "missing/times.csv"))
    judge = nvrtc_itself("12.9")
    for _ in range(2):
        assert log_of(cuda, KERNEL, f"-time={ours}".encode())[0] == "NVRTC_SUCCESS"
        assert judge.compile(KERNEL, b"k.cu", [f"-time={theirs}".encode()]).status == 0
        assert of_one_compilation(ours.read_text()) == of_one_compilation(theirs.read_text())
    assert len(ours.read_text().splitlines()) == 3
    status, log = log_of(cuda, KERNEL, f"--time={missing}".encode())
    outcome = judge.compile(KERNEL, b"k.cu", [f"--time={missing}".encode()])
    assert int(cuda.nvrtc.nvrtcResult.__members__[status]) == outcome.status
    assert log.rstrip("\0\n") == outcome.log

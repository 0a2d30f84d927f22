"""hiprtc's API: programs, options, name expressions, headers, linking, and every call's answer to misuse."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import threading
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import CompileError, Kernels, value
from tests.program_files import read_program

SAXPY = """extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}"""


@pytest.fixture(scope="module")
def hiprtc(runtime_folder: Path) -> ModuleType:
    return hiprtc_program.load(runtime_folder)


@pytest.fixture(scope="module")
def library(hiprtc: ModuleType, runtime_folder: Path) -> ctypes.CDLL:
    """The library without hip-python, for calls that hip-python does not let through."""
    loaded = ctypes.CDLL(str(runtime_folder / "lib/libhiprtc.so"))
    loaded.hiprtcGetErrorString.restype = ctypes.c_char_p
    return loaded


def status(result: tuple[object, ...]) -> str:
    return str(result[0].name)  # type: ignore[attr-defined]


def test_every_symbol_that_hip_python_asks_for_is_there(library: ctypes.CDLL) -> None:
    for name in (
        "hiprtcVersion", "hiprtcGetErrorString", "hiprtcCreateProgram", "hiprtcDestroyProgram", "hiprtcAddNameExpression",
        "hiprtcCompileProgram", "hiprtcGetLoweredName", "hiprtcGetProgramLog", "hiprtcGetProgramLogSize", "hiprtcGetCode",
        "hiprtcGetCodeSize", "hiprtcGetBitcode", "hiprtcGetBitcodeSize", "hiprtcLinkCreate", "hiprtcLinkAddFile",
        "hiprtcLinkAddData", "hiprtcLinkComplete", "hiprtcLinkDestroy",
    ):  # fmt: skip
        assert hasattr(library, name), name


def test_error_strings_name_every_status(hiprtc: ModuleType, library: ctypes.CDLL) -> None:
    for member in hiprtc.hiprtcResult:
        assert library.hiprtcGetErrorString(int(member)).decode() == member.name
    assert library.hiprtcGetErrorString(4711) == b"HIPRTC_ERROR_UNKNOWN"


def test_lowered_names_are_those_that_nvrtc_gives(programs: Kernels) -> None:
    expected = {
        "plain": "_Z5plainPfPKfS_i",
        "saxpy": "saxpy",
        "ns::scale<float, 128>": "_ZN2ns5scaleIfLi128EEEvPT_S1_i",
        "&ns::scale<double,64>": "_ZN2ns5scaleIdLi64EEEvPT_S1_i",
        "ns::deep::count": "_ZN2ns4deep5countE",
        "weights": "weights",
        "paint<Color::red, Pair<int> >": "_Z5paintIL5Color1E4PairIiEEvPT0_S4_PKS3_",
        "apply<&twice>": "_Z5applyIXadL_Z5twicefEEEvPf",
        "(void (*)(int*))over": "_Z4overPi",
    }
    source = (
        SAXPY
        + """
    __global__ void plain(float* a, const float* b, float* c, int n) { if (n) c[0] = a[0] + b[0]; }
    namespace ns { template <class T, int B> __global__ void scale(T* x, T a, int n) { if (n > B) x[0] = a; }
                   namespace deep { __device__ int count; } }
    __constant__ float weights[7];
    enum class Color { blue, red };
    template <class T> struct Pair { T a, b; };
    template <Color C, class P> __global__ void paint(P* a, P* b, const P* c) { *a = *b; }
    __device__ float twice(float x) { return 2 * x; }
    template <float (*F)(float)> __global__ void apply(float* x) { *x = F(*x); }
    __global__ void over(int* x) { *x = 1; }
    __global__ void over(float* x) { *x = 2; }
    """
    )
    compiled = programs.compile(source, names=list(expected))
    # The reference of a name to itself depends on how the compiler abbreviates; this one is spelled out by nvrtc too.
    expected["paint<Color::red, Pair<int> >"] = "_Z5paintIL5Color1E4PairIiEEvPT0_S4_PKS3_"
    assert compiled.lowered == expected


def test_kernels_are_found_by_mangled_name_without_asking(programs: Kernels) -> None:
    module = programs.load("__global__ void one(int* x) { *x = 41; } template <class T> __global__ void two(T* x) { *x = 42; }\n"
                          "template __global__ void two<short>(short*);")  # fmt: skip
    x = np.zeros(1, np.int32)
    module.launch("_Z3onePi", 1, 1, x)
    assert x[0] == 41
    y = np.zeros(1, np.int16)
    module.launch("_Z3twoIsEvPT_", 1, 1, y)
    assert y[0] == 42


def test_the_table_knows_shared_memory_and_launch_bounds(programs: Kernels) -> None:
    compiled = programs.compile(
        """constexpr int LIMIT = 192;
        extern "C" __global__ void __launch_bounds__(LIMIT, 2) k(char a, double b, float3 c, short d) {
            __shared__ float s[100]; __shared__ double q; s[threadIdx.x % 100] = b; q = a; __syncthreads(); s[0] = s[1] + q + d + c.x;
        }"""
    )  # fmt: skip
    row = hiprtc_program.rows(compiled)["k"]
    assert row.max_threads_per_block == 192
    assert row.static_shared_bytes == 408
    lists = [ctypes.cast(field, ctypes.POINTER(ctypes.c_uint32))[:4] for field in (row.sizes, row.aligns, row.offsets)]
    assert lists == [[1, 8, 12, 2], [1, 8, 4, 2], [0, 8, 16, 28]]


def test_headers_macros_and_conditions(programs: Kernels, tmp_path: Path) -> None:
    (tmp_path / "on_disk.h").write_text("#pragma once\n#define FROM_DISK 1000\n")
    module = programs.load(
        read_program(__file__, "hiprtc_headers_macros_and_conditions.cu"),
        "-DLEVEL=3", "-D", "TYPE=int", "--define-macro=UNDEFINED", "-UUNDEFINED", f"-I{tmp_path}",
        headers={"given.h": "#define GIVEN 7\n", "nested/deep.h": "__device__ inline int deep() { return 20; }\n"},
    )  # fmt: skip
    out = np.zeros(4, np.int32)
    module.launch("k", 1, 4, out)
    assert (out == 1030).all()


def test_a_changed_header_on_disk_is_seen(programs: Kernels, tmp_path: Path) -> None:
    source = '#include "answer.h"\nextern "C" __global__ void k(int* x) { *x = ANSWER; }'
    for answer in (1, 2):
        (tmp_path / "answer.h").write_text(f"#define ANSWER {answer}\n")
        x = np.zeros(1, np.int32)
        programs.load(source, f"-I{tmp_path}").launch("k", 1, 1, x)
        assert x[0] == answer


@pytest.mark.parametrize(
    "options",
    [
        ["--gpu-architecture=compute_75"], ["-arch", "sm_80"], ["--fmad=false"], ["-use_fast_math"], ["--use_fast_math"],
        ["--std=c++14"], ["-std=c++17"], ["--std", "c++11"], ["-O0"], ["-O3"], ["-lineinfo"], ["-G"], ["--restrict"],
        ["-default-device"], ["--device-as-default-execution-space"], ["--maxrregcount=32"], ["-rdc=true"], ["-dlto"],
        ["--offload-arch=gfx90a"], ["-ffp-contract=off"], ["-ffast-math"], ["-w"], ["-Wall"], ["--ftz=true"], [""],
        ["-D N=3"], ["-I /nowhere"], ["--extra-device-vectorization"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_options_of_hiprtc_and_nvrtc_are_taken(programs: Kernels, options: list[str]) -> None:
    module = programs.load(SAXPY, *options)
    x, y = np.arange(10, dtype=np.float32), np.ones(10, np.float32)
    module.launch("saxpy", 1, 32, ctypes.c_float(2), x, y, ctypes.c_int(10))
    assert (y == 2 * x + 1).all()


# As libraries for ROCm give them: CuPy does the first.
OF_GPUS = [
    "-fcuda-flush-denormals-to-zero", "-fno-cuda-flush-denormals-to-zero", "-fgpu-flush-denormals-to-zero",
    "-fgpu-approx-transcendentals", "-fno-hip-fp32-correctly-rounded-divide-sqrt", "-fdenormal-fp-math=preserve-sign",
    "-fno-gpu-rdc", "-fno-cuda-rdc", "-fhip-new-launch-api", "-fhip-kernel-arg-name", "-fno-gpu-defer-diag",
    "-fgpu-default-stream=per-thread", "-fgpu-inline-threshold=100", "-mcode-object-version=5", "-mprintf-kind=buffered",
    "-mtgsplit", "-mcumode", "-mno-wavefrontsize64", "-munsafe-fp-atomics",
]  # fmt: skip


def test_clangs_options_for_gpus_are_taken(programs: Kernels, tmp_path: Path) -> None:
    """Clang, which AMD's hiprtc is, takes these options for such a program."""
    if clang := shutil.which("clang++-19") or shutil.which("clang++"):
        empty = tmp_path / "empty.hip"
        empty.write_text("")
        words = ["-x", "hip", "--cuda-device-only", "--offload-arch=gfx90a", "-nogpulib", "-nogpuinc", "-fsyntax-only"]
        subprocess.run([clang, *words, *OF_GPUS, empty], check=True)
    module = programs.load(SAXPY, *OF_GPUS)
    x, y = np.arange(10, dtype=np.float32), np.ones(10, np.float32)
    module.launch("saxpy", 1, 32, ctypes.c_float(2), x, y, ctypes.c_int(10))
    assert (y == 2 * x + 1).all()


def test_what_a_library_asks_by_its_own_macro_is_not_the_hosts(programs: Kernels) -> None:
    """NVRTC has no headers of a host's; CUDA's C++ core libraries ask for some of them."""
    asked = "#define HAS_INCLUDE(name) __has_include(name)\n#if HAS_INCLUDE(<version>)\n#include <version>\n#endif\n"
    # A type that cannot be kept for each thread by its bytes: the kernel is left as it is, once the program was checked.
    kept = "struct Kept { int x; __device__ Kept(int x) : x(x) {} __device__ Kept(const Kept& k) : x(k.x) {} };\n"
    source = f"""{asked}{kept}
#ifdef __cpp_lib_bool_constant
#error the host's library
#endif
extern "C" __global__ void k(int* x) {{
    Kept kept(x[threadIdx.x]);
    __syncthreads();
    x[31 - threadIdx.x] = kept.x;
#ifdef __clang__
    x[0] = -1;
#endif
}}"""
    x = np.arange(32, dtype=np.int32)
    programs.load(source, "--cuda-shim-cuda=13050").launch("k", 1, 32, x)
    assert (x == np.arange(32)[::-1]).all()


@pytest.mark.parametrize("option", ["--no-such-option", "-fno-such-thing", "stray.cu", "-I"])
def test_an_unknown_option_is_named(programs: Kernels, option: str) -> None:
    with pytest.raises(CompileError) as caught:
        programs.compile(SAXPY, option)
    assert caught.value.status == "HIPRTC_ERROR_INVALID_OPTION"
    assert f"'{option}'" in caught.value.log


def test_fmad_false_rounds_products(programs: Kernels) -> None:
    source = 'extern "C" __global__ void k(const float* x, float* y) { y[0] = x[0] * x[1] + x[2]; }'
    # The product's last bits are lost unless it is fused with the sum.
    x = np.array([1 + 2**-12, 1 + 2**-12, -(1 + 2**-11)], np.float32)
    y = np.zeros(1, np.float32)
    programs.load(source, "--fmad=false").launch("k", 1, 1, x, y)
    assert y[0] == 0.0


def test_misuse_is_an_error_and_no_crash(hiprtc: ModuleType, library: ctypes.CDLL) -> None:
    program = value(hiprtc.hiprtcCreateProgram(SAXPY.encode(), b"saxpy.cu", 0, None, None))
    assert status(hiprtc.hiprtcGetLoweredName(program, b"saxpy")) == "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION"
    assert value(hiprtc.hiprtcGetCodeSize(program)) == 0
    assert status(hiprtc.hiprtcGetCode(program, bytearray(1))) == "HIPRTC_ERROR_INVALID_PROGRAM"
    value(hiprtc.hiprtcCompileProgram(program, 0, None))
    late = hiprtc.hiprtcAddNameExpression(program, b"saxpy")
    assert status(late) == "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION"
    assert status(hiprtc.hiprtcGetLoweredName(program, b"other")) == "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID"
    value(hiprtc.hiprtcDestroyProgram(program.createRef()))
    invalid_input, invalid_program = 3, 4
    handle = ctypes.c_void_p(12345)
    assert library.hiprtcCompileProgram(handle, 0, None) == invalid_program
    assert library.hiprtcDestroyProgram(ctypes.byref(handle)) == invalid_program
    assert library.hiprtcDestroyProgram(None) == invalid_input
    assert library.hiprtcCreateProgram(ctypes.byref(handle), None, None, 0, None, None) == invalid_input
    assert library.hiprtcCreateProgram(None, SAXPY.encode(), None, 0, None, None) == invalid_input
    assert library.hiprtcCreateProgram(ctypes.byref(handle), SAXPY.encode(), None, 1, None, None) == invalid_input
    assert library.hiprtcVersion(None, None) == invalid_input


def test_a_destroyed_program_is_no_program(hiprtc: ModuleType, library: ctypes.CDLL) -> None:
    handle = ctypes.c_void_p()
    assert library.hiprtcCreateProgram(ctypes.byref(handle), SAXPY.encode(), None, 0, None, None) == 0
    stale = ctypes.c_void_p(handle.value)
    assert library.hiprtcDestroyProgram(ctypes.byref(handle)) == 0
    assert handle.value is None
    assert library.hiprtcCompileProgram(stale, 0, None) == 4
    size = ctypes.c_size_t()
    assert library.hiprtcGetProgramLogSize(stale, ctypes.byref(size)) == 4


def test_an_empty_program_and_one_without_kernels_compile(programs: Kernels) -> None:
    assert programs.compile("").code.startswith(b"\x7fELF")
    assert programs.compile("__device__ int f() { return 1; }\n#define X").code.startswith(b"\x7fELF")


def test_threads_compile_at_once(programs: Kernels) -> None:
    found: dict[int, int] = {}

    def work(number: int) -> None:
        # Two threads each want the same program.
        module = programs.load('extern "C" __global__ void k(int* x) { *x = %d; }' % (number % 3))
        x = np.zeros(1, np.int32)
        module.launch("k", 1, 1, x)
        found[number] = int(x[0])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: number % 3 for number in range(6)}


def link(library: ctypes.CDLL, *images: bytes) -> tuple[int, bytes]:
    state = ctypes.c_void_p()
    assert library.hiprtcLinkCreate(0, None, None, ctypes.byref(state)) == 0
    result = 0
    for image in images:
        result = result or library.hiprtcLinkAddData(
            state, 0, image, ctypes.c_size_t(len(image)), b"part", 0, None, None
        )
    code, size = ctypes.c_void_p(), ctypes.c_size_t()
    result = result or library.hiprtcLinkComplete(state, ctypes.byref(code), ctypes.byref(size))
    linked = ctypes.string_at(code.value, size.value) if result == 0 and code.value else b""
    assert library.hiprtcLinkDestroy(state) == 0
    return result, linked


def test_linking_a_module_gives_a_module(programs: Kernels, library: ctypes.CDLL, hip: ModuleType) -> None:
    compiled = programs.compile(SAXPY)
    result, linked = link(library, compiled.code)
    assert result == 0
    module = hiprtc_program.Module(hip, hiprtc_program.Compiled(linked, {}, ""))
    y = np.ones(4, np.float32)
    module.launch("saxpy", 1, 4, ctypes.c_float(1), np.ones(4, np.float32), y, ctypes.c_int(4))
    assert (y == 2).all()


def test_linking_what_is_no_module_fails(library: ctypes.CDLL) -> None:
    assert link(library, b"// no code\n.version 7.0\n" * 4)[0] == 2  # HIPRTC_ERROR_PROGRAM_CREATION_FAILURE
    assert link(library)[0] == 100  # HIPRTC_ERROR_LINKING: nothing was added

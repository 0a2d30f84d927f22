"""NVRTC's options in hiprtc's terms."""

from __future__ import annotations

import pytest

from cuda_shim import cuda_home
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate.options import cuda_program, to_hiprtc
from tests.kernels import compilers

SOURCE = b'extern "C" __global__ void k(float* x) { x[threadIdx.x] = 1; }'
ROWS = load_text("nvrtc_options")
#: Options that are added to a program's own for a GPU.
ADDED = (b"-std=c++17", b"-Wno-error=c++11-narrowing")


def on_amd(*options, **settings):
    translation = to_hiprtc(options, architecture="gfx90a", **settings)
    assert translation.refused is None
    assert translation.options[0] == b"--offload-arch=gfx90a"
    return [option for option in translation.options[1:] if option not in ADDED]


def on_cpu(*options, **settings):
    translation = to_hiprtc(options, architecture=None, **settings)
    assert translation.refused is None
    return translation.options


def on_cores(number, named):
    return [b"-D__CUDA_ARCH__=" + number, b"--cuda-shim-architecture=" + named]


def refusal(*options, architecture="gfx90a", **settings):
    return to_hiprtc(options, architecture=architecture, **settings).refused


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((b"--gpu-architecture=compute_75",), b"compute_75"),
        ((b"--gpu-architecture", b"sm_75"), b"sm_75"),
        ((b"-arch=compute_75",), b"compute_75"),
        ((b"-arch", b"compute_75"), b"compute_75"),
        ((b" -arch=sm_75 ",), b"sm_75"),
    ],
)
def test_the_device_s_architecture_stands_for_any(given, named):
    """A host core's runtime is told it: it judges programs for ``sm_75`` by that GPU's limits."""
    assert on_amd(*given) == [b"-D__CUDA_ARCH__=750"]
    assert on_cpu(*given) == on_cores(b"750", named)


@pytest.mark.parametrize(
    ("given", "seen"), [(b"sm_90a", b"900"), (b"compute_100f", b"1000"), (b"lto_89", b"890"), (b"sm_75", b"750")]
)
def test_architectures_that_nvrtc_has(given, seen):
    assert on_cpu(b"-arch=" + given) == on_cores(seen, given)


def test_a_source_sees_no_device_older_than_what_is_there():
    translation = to_hiprtc([b"-arch=sm_52"], architecture=None, cuda="12.9")
    assert translation.options == on_cores(b"600", b"sm_52")
    assert "sm_52" in translation.notes[0]


@pytest.mark.parametrize(
    ("cuda", "taken", "refused"),
    [
        ("11.8", "35 50 90", "30 100 999"),
        ("12.9", "50 90 121", "35 110 999"),
        ("13.5", "75 88 110", "30 50 70 101 999"),
    ],
)
def test_architectures_are_those_of_the_layouts_nvrtc(cuda, taken, refused):
    """As NVRTC of each wheel answered."""
    for number in taken.split():
        assert to_hiprtc([b"-arch=compute_" + number.encode()], architecture=None, cuda=cuda).refused is None
    for number in refused.split():
        said = to_hiprtc([b"-arch=sm_" + number.encode()], architecture=None, cuda=cuda).refused
        assert said == "nvrtc: error: invalid value for --gpu-architecture (-arch)"


@pytest.mark.parametrize("options", [[b"-dopt"], [b"-I"], [b"-dopt", b"on"], [b"-dopt=on"], [b"-G", b"--numba-debug"]])
def test_options_that_nvrtc_takes_without_more(options):
    translation = to_hiprtc(options, architecture=None)
    assert translation.refused is None
    assert b"-I" not in translation.options


def test_an_option_may_need_another():
    assert refusal(b"--numba-debug") == (
        "nvrtc: error: option --numba-debug is only supported when --device-debug is also specified"
    )


@pytest.mark.parametrize("value", [b"native", b"sm_", b"80", b"compute_8x"])
def test_what_is_no_architecture(value):
    assert refusal(b"-arch=" + value) == "nvrtc: error: invalid value for --gpu-architecture (-arch)"


def test_an_unknown_gpu_gets_no_architecture():
    assert to_hiprtc([b"-w"], architecture="").options == [b"-w", *ADDED]


@pytest.mark.parametrize(
    "given",
    [(b"-DX=1",), (b"-D", b"X=1"), (b"-D X=1",), (b"-D=X=1",), (b"--define-macro=X=1",), (b"--define-macro", b"X=1")],
)
def test_macros_in_every_spelling(given):
    assert on_amd(*given) == [b"-DX=1"]


def test_macros_keep_their_order():
    assert on_cpu(b"-DA=1", b"-UA", b"-D", b"A=2") == [b"-DA=1", b"-UA", b"-DA=2"]


def test_bytes_that_are_no_text_pass():
    assert on_cpu(b"-DNAME=\xff\xfe") == [b"-DNAME=\xff\xfe"]


@pytest.mark.parametrize(
    ("given", "amd", "cpu"),
    [
        (b"--fmad=false", [b"-ffp-contract=off"], [b"-ffp-contract=off"]),
        (b"-fmad=true", [b"-ffp-contract=fast"], [b"-ffp-contract=fast"]),
        (b"-G", [b"-g", b"-O0", b"-D__CUDACC_DEBUG__=1"], [b"-G", b"-D__CUDACC_DEBUG__=1"]),
        (b"-lineinfo", [b"-gline-tables-only"], [b"-lineinfo"]),
        (b"--ftz=true", [b"-fgpu-flush-denormals-to-zero"], []),
        (b"-default-device", [b"-D__CUDA_SHIM_DEFAULT_DEVICE__=1"], [b"-default-device"]),
        (b"-w", [b"-w"], [b"-w"]),
        (b"-include=own.h", [b"-include", b"own.h"], [b"-include", b"own.h"]),
    ],
)
def test_what_each_backend_gets(given, amd, cpu):
    assert on_amd(given) == amd
    assert on_cpu(given) == cpu


def test_fast_mathematics_keep_infinities():
    options = on_amd(b"--use_fast_math")
    assert b"-ffast-math" not in options
    assert b"-ffinite-math-only" not in options
    assert b"-fapprox-func" in options


@pytest.mark.parametrize(
    "given",
    [(b"--use_fast_math", b"--fmad=false", b"--ftz=false"), (b"--fmad=false", b"--ftz=false", b"--use_fast_math")],
)
def test_what_is_said_explicitly_wins_over_fast_mathematics(given):
    """NVRTC's rule, wherever the options stand; the last of hiprtc's counts."""
    options = on_amd(*given)
    assert options.index(b"-fgpu-flush-denormals-to-zero") < options.index(b"-fno-gpu-flush-denormals-to-zero")
    assert b"-ffp-contract=off" in options


def test_the_language_is_what_hip_needs():
    translation = to_hiprtc([b"-std=c++14"], architecture="gfx90a")
    assert translation.options == [b"--offload-arch=gfx90a", *ADDED]
    assert "c++14" in translation.notes[0]
    assert on_cpu(b"--std=c++20") == [b"-std=c++20"]
    assert on_cpu(b"--std=c++23") == [b"-std=c++2b"]
    assert refusal(b"--std=c++20", cuda="11.8") == "nvrtc: error: invalid value for --std (-std)"


def test_folders_of_a_toolkit_are_left_out_on_a_gpu(tmp_path):
    toolkit, own = tmp_path / "cuda", tmp_path / "own"
    for folder in (toolkit, own):
        folder.mkdir()
    (toolkit / "cuda_runtime_api.h").touch()
    given = [b"-I" + bytes(toolkit), b"--include-path", bytes(own)]
    translation = to_hiprtc(given, architecture="gfx90a")
    assert b"-I" + bytes(own) in translation.options
    assert b"-I" + bytes(toolkit) not in translation.options
    assert translation.include_paths == [bytes(own)]
    assert str(toolkit) in translation.notes[0]
    assert to_hiprtc(given, architecture=None).include_paths == [bytes(toolkit), bytes(own)]


@pytest.mark.parametrize("architecture", ["gfx90a", None])
def test_the_folder_that_is_offered_is_there_anyway(architecture):
    offered = cuda_home.folder() + "/./include/"
    translation = to_hiprtc([b"-I", offered.encode(), b"-I/tmp"], architecture=architecture)
    assert translation.include_paths == [b"/tmp"]
    assert b"-I/tmp" in translation.options
    assert offered in translation.notes[0]


def test_the_cpu_runtime_is_told_whose_program_it_is():
    assert cuda_program("11.8") == b"--cuda-shim-cuda=11080"
    assert cuda_program("13.5") == b"--cuda-shim-cuda=13050"


def test_the_last_value_counts_but_11_8_takes_one():
    assert on_cpu(b"-arch=sm_80", b"-arch=sm_90") == on_cores(b"900", b"sm_90")
    message = "nvrtc: error: --gpu-architecture (-arch) defined more than once"
    assert refusal(b"-arch=sm_80", b"-arch=sm_90", cuda="11.8") == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([b"--bogus=3"], "unrecognized option --bogus=3 found"),
        ([b"-O3"], "unrecognized option -O3 found"),
        ([b"--arch=sm_80"], "unrecognized option --arch=sm_80 found"),
        ([b"program.cu"], "unrecognized option program.cu found"),
        ([b""], "unrecognized option  found"),
        ([b"-G=1"], "--device-debug (-G) does not accept any argument"),
        ([b"-ftz=1"], "--ftz (-ftz) expects true or false"),
        ([b"--fmad"], "--fmad (-fmad) expects true or false"),
        ([b"-maxrregcount=many"], "--maxrregcount (-maxrregcount) expects an integer value"),
        ([b"-std", b"c++17"], "unrecognized option -std found; its value follows after ="),
    ],
)
def test_nvrtc_s_own_refusals(given, message):
    assert refusal(*given) == f"nvrtc: error: {message}"


def test_options_of_newer_layouts_are_unknown_to_older_ones():
    assert "12.9" in refusal(b"--no-cache", cuda="11.8")
    assert on_cpu(b"--no-cache", cuda="12.9") == []


def test_what_cannot_be_served_is_named():
    assert refusal(b"--optix-ir").startswith("nvrtc: error: --optix-ir: OptiX IR")
    assert refusal(b"-device-float128").startswith("nvrtc: error: -device-float128: AMD GPUs")
    assert on_cpu(b"-device-float128") == [b"-D__CUDACC_RTC_FLOAT128__=1"]


def test_what_is_left_out_is_noted_with_the_reason():
    translation = to_hiprtc([b"-rdc=true", b"--maxrregcount=32", b"-dlto", b"--restrict"], architecture="gfx942")
    assert not any(b"rdc" in option for option in translation.options)
    assert [note.split(":")[0] for note in translation.notes] == [
        "-rdc=true",
        "--maxrregcount=32",
        "-dlto",
        "--restrict",
    ]
    assert "__launch_bounds__" in translation.notes[1]


@pytest.mark.parametrize("option", [b"-rdc=true", b"--relocatable-device-code=true", b"-dc", b"--device-c"])
def test_the_cpu_device_links_relocatable_code(option):
    assert to_hiprtc([option], architecture=None).options == [b"-fgpu-rdc", b"-D__CUDACC_RDC__=1"]
    assert to_hiprtc([b"-rdc=false"], architecture=None).options == []


VALUES = {"boolean": ["true", "false", "1"], "integer": ["3", "x"], "text": ["foo"], "any": ["x"]}
SPECIAL = {
    "gpu-architecture": ["compute_90", "nonsense"], "std": ["c++17", "c++14", "c++20", "c++23", "c++99"], "dopt": ["on"],
    "Ofast-compile": ["max"], "optimization-info": ["inline"], "include-path": ["/tmp"], "pre-include": ["stddef.h"],
    "warning-as-error": ["reorder"], "cuda-api-version": ["12.0"], "nvvm-version": ["nvvm70"], "diag-error": ["5"],
    "diag-warn": ["5"], "diag-suppress": ["5"], "ptxas-options": ["-v"], "frandom-seed": ["1"],
}  # fmt: skip
# They write files, or ask for facts that only NVIDIA's compilers know.
LEFT_TO_NVIDIA = {
    "tile-preview",
    "Xnvvm",
    "Xcudafe",
    "use-bundled-headers",
    "create-pch",
    "use-pch",
    "pch-dir",
    "pch",
    "time",
    "fdevice-time-trace",
    "numba-debug",
}


def _forms(name):
    row = ROWS[name]
    values = SPECIAL.get(name, VALUES.get(row.get("value", ""), []))
    for spelling in row["spellings"]:
        if not row.get("value"):
            yield [spelling]
        yield from ([f"{spelling}={value}"] for value in values or ["x"])
        yield from ([spelling, value] for value in values)
        if len(spelling) == 2 and row.get("value"):
            yield from ([f"{spelling}{value}"] for value in values)


@pytest.mark.parametrize("layout", sorted(compilers.WHEELS.values()))
@pytest.mark.parametrize("name", sorted(ROWS.keys() - LEFT_TO_NVIDIA))
def test_nvrtc_takes_and_refuses_the_same(name, layout):
    """Every option of the table, in every form, against NVIDIA's own."""
    compiler = compilers.nvrtc().get(layout)
    if compiler is None:
        pytest.skip(f"NVRTC {layout} is not installed")
    for form in _forms(name):
        options = [word.encode() for word in form]
        known = compiler.compile(SOURCE, b"k.cu", options).status != 5
        refused = to_hiprtc(options, architecture="gfx90a", cuda=layout).refused
        if known and "refuse" in ROWS[name]:
            assert refused is not None
        else:
            assert (refused is None) == known, (form, refused)

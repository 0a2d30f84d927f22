"""Kernels of the CPU runtime may call the functions that NVIDIA's headers declare for device code, but for those that
are named here.

The names are read out of the headers of the wheels nvidia-cuda-runtime and nvidia-cuda-crt, where those are installed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.interpreters import PACKAGE_ROOT
from tests.kernels import compilers

RUNTIME = PACKAGE_ROOT / "hip_on_host"
HEADERS = (
    "crt/math_functions.h", "crt/device_functions.h", "crt/device_double_functions.h", "crt/sm_70_rt.h", "crt/sm_80_rt.h",
    "crt/sm_90_rt.h", "cuComplex.h", "cuda_bf16.h", "cuda_fp16.h", "device_atomic_functions.h", "sm_20_atomic_functions.h",
    "sm_20_intrinsics.h", "sm_30_intrinsics.h", "sm_32_atomic_functions.h", "sm_32_intrinsics.h", "sm_35_atomic_functions.h",
    "sm_35_intrinsics.h", "sm_60_atomic_functions.h", "sm_61_intrinsics.h", "surface_indirect_functions.h",
    "texture_indirect_functions.h", "vector_functions.h",
)  # fmt: skip
#: Reasons that names of NVIDIA's headers are not available, by a pattern that matches them whole.
EXCLUDED = {
    r"__(CUDA_FP16_)?DEPRECATED__|__NV_ATOMIC_RET_TYPE|__nv_.*|_NV.*": "part of how the headers are written",
    r"__(DOUBLE|FLOAT)_BITS|_?_?(ld|fd|d|D|FD)sign|_[FPD][A-Z]?[a-z]\w*|_dsign|__(cmath_power|pow_helper)|__libcpp_\w+|_hypotf?": "of a host's C library",
    r"__(is)?finite[dfl]?|__is(inf|nan)[dfl]?|__signbit[dfl]?": "of a host's C library; kernels say isnan and its like",
    r"dadd|dmul|dsub|(double|float|u?int|u?ll)2(double|float|u?int|u?ll)": "deprecated since CUDA 3; __dadd_rn and its like",
    r"syncthreads_(and|or|count)": "undocumented; __syncthreads_and and its like",
    r"__pm[0-3]": "counters of NVIDIA's profiler",
    r"__cudaPushCallConfiguration": "what the compiler makes of <<<>>>",
    r"__cluster_map_shared_multicast|__is(Cluster|Cta)Shared": "for copies that hardware makes, to several blocks",
    r"__u128Atomic.*": "what atomicCAS of 16 bytes is made of",
    r"__isGridConstant": "parameters are variables of the kernel on a host",
}
_DECLARED = re.compile(r"(?:__device__|_DECL__)[^;{}()]*?\b(\w+)\s*\(")
_WORDS = {"operator", "__attribute__", "defined", "__declspec", "if", "return", "throw"}


def _declared(folders: tuple[str, ...]) -> set[str]:
    names: set[str] = set()
    for header in HEADERS:
        path = next((Path(folder) / header for folder in folders if (Path(folder) / header).exists()), None)
        assert path is not None, f"{header} is in none of {folders}"
        text = re.sub(r"/\*.*?\*/|//[^\n]*|\\\n", "", path.read_text(errors="replace"), flags=re.DOTALL)
        text = re.sub(r"__(cudart|device)_builtin__", "", text)
        names.update(
            _DECLARED.findall("\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")))
        )
    return names - _WORDS


def _missing(names: set[str], folder: Path, flags: list[str]) -> set[str]:
    """The names that the prelude with these flags, or the headers for narrow and complex numbers, do not declare."""
    lines = [f"#include <{header}>" for header in ("cuda_fp16.h", "cuda_bf16.h", "cuComplex.h")]
    at: dict[int, str] = {}
    for name in sorted(names):
        lines += [f"#ifndef {name}", f"namespace probe {{ using ::{name}; }}", "#endif"]
        at[len(lines) - 1] = name
    program = folder / "names.cpp"
    program.write_text("\n".join(lines) + "\n")
    compiler = shutil.which("clang++-19") or shutil.which("clang++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no compiler that is called directly")
    limit = "-fmax-errors=0" if compiler.endswith("g++") and "clang" not in compiler else "-ferror-limit=0"
    command = [
        compiler, "-std=c++17", "-D__CUDA_ARCH__=900", "-DCUDA_SHIM_HAS_CLUSTERS", "-w", limit, "-fsyntax-only", *flags, f"-I{RUNTIME / 'device' / 'include'}", "-include",
        str(RUNTIME / "device" / "prelude" / "prelude.h"), str(program),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False)
    found = {int(line) for line in re.findall(r"names\.cpp:(\d+):\d+: error", done.stderr)}
    assert found or done.returncode == 0, done.stderr
    return {at[line] for line in found}


def _parts() -> dict[str, list[str]]:
    """Return the beginnings of the names of each part of the prelude, by the flag that asks for it."""
    text = (RUNTIME / "src" / "kernel_compiler" / "analyse" / "function_facts.h").read_text(encoding="utf-8")
    rows = re.findall(r'\{"(-DCUDA_SHIM_\w+)",\s*((?:"[^"]*"\s*)+)\}', text)
    return {flag: "".join(re.findall(r'"([^"]*)"', beginnings)).split() for flag, beginnings in rows}


@pytest.fixture(scope="module")
def declared() -> set[str]:
    folders = compilers.toolkit_folders(max(compilers.WHEELS.values()))
    if not any((Path(folder) / "crt" / "math_functions.h").exists() for folder in folders):
        pytest.skip("the wheels nvidia-cuda-runtime and nvidia-cuda-crt are not installed")
    return _declared(folders)


def test_kernels_may_call_what_nvidia_declares(declared, tmp_path):
    assert len(declared) > 900
    missing = _missing(declared, tmp_path, list(_parts()))
    assert {name for name in missing if not any(re.fullmatch(pattern, name) for pattern in EXCLUDED)} == set()
    needless = [pattern for pattern in EXCLUDED if not any(re.fullmatch(pattern, name) for name in missing)]
    assert needless == []


WITHOUT_FUNCTIONS = {
    f"-DCUDA_SHIM_{part}"
    for part in (
        "CONDITIONS",
        "DEVICE_ATTRIBUTES",
        "STATUS_NAMES",
        "COMPLEX_NUMBERS",
        "HOST_STRUCTS",
        "MATH_CONSTANTS",
        "BFLOAT16",
        "HALF",
        "NV_ATOMICS",
    )
}


#: A part whose functions use those of another declares them too.
USES = {"-DCUDA_SHIM_ADDRESS_SPACES": "-DCUDA_SHIM_CLUSTERS"}


def test_a_name_asks_for_the_part_of_the_prelude_that_declares_it(declared, tmp_path):
    without, parts = _missing(declared, tmp_path, []), _parts()
    for flag, own in parts.items():
        here = without - _missing(without, tmp_path, [flag])
        beginnings = [*own, *parts.get(USES.get(flag, ""), ())]
        assert {name for name in here if not name.startswith(tuple(beginnings))} == set(), flag
        # Parts of types and constants alone declare no functions; those of CONDITIONS are of the device's runtime,
        # those of NV_ATOMICS the compiler's own.
        assert here or flag in WITHOUT_FUNCTIONS

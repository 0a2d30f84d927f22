"""Macros and names before a CUDA program's first line are those of NVRTC, with every host compiler.

`world.json` holds the answers of NVRTC 11.8, 12.9 and 13 (`python -m tests.kernels.world` asks them).
"""

from __future__ import annotations

import functools
import json
import shutil
from typing import Any

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler, needs_reader
from tests.kernels import compilers, world, world_worker
from tests.program_files import read_program

COMPILERS = ("clang++-19", "g++", "zig")
LAYOUTS = ("11.8", "12.9", "13.5")
RECORDED = json.loads(world.RECORDED.read_text(encoding="utf-8"))["layouts"]

#: Macros whose values are another spelling, or follow the target architecture.
OTHER_VALUES = {
    "__FILE__",
    "__LINE__",
    "__CUDA_ARCH_LIST__",
    "__CUDA_MINIMUM_ARCH__",
    "__STDCPP_DEFAULT_NEW_ALIGNMENT__",
}
#: Helpers of NVIDIA's own headers that no program names.
OWN_BUSINESS = (
    "_NV_", "__NV_PAREN", "__NV_TEST_PAREN", "NV_TARGET_MINIMUM_SM_SELECTOR", "__cudaGet_", "__CUDART_API_PT", "__tile",
    "__experimental_foreign",
)  # fmt: skip
#: Functions of the language's own runtime, and texture references, which CUDA 12 has no more and the CPU runtime keeps.
#: Vectors whose types NVRTC 13 has without the functions that make them.
LENIENT = {"__cxa_pure_virtual", "__cxa_thread_atexit", "__dso_handle", "texture", "textureReference"} | {
    f"make_{sign}long4_{alignment}a" for sign in ("", "u") for alignment in (16, 32)
}

MANNERS = read_program(__file__, "world_manners.cu")
WARNED = 'extern "C" __global__ void kernel(int* x) {\n    int unused;\n    x[0] = 1;\n}\n'


def cuda(layout: str) -> str:
    major, minor = layout.split(".")
    return f"--cuda-shim-cuda={int(major) * 1000 + int(minor) * 10}"


def macro_values(layout: str) -> str:
    """A program that does not compile where a macro is missing or, being a number or a word, has another value."""
    lines = ["template <class A, class B> struct Same { static constexpr bool value = false; };"]
    lines += [
        "__device__ constexpr bool same(const char* a, const char* b) { return *a == *b && (!*a || same(a + 1, b + 1)); }"
    ]
    lines += ["#define TEXT(...) #__VA_ARGS__", "#define VALUE(...) TEXT(__VA_ARGS__)"]
    for name, value in RECORDED[layout]["macros"]["201703"].items():
        if name.startswith(OWN_BUSINESS):
            continue
        lines += [f"#ifndef {name}", f"#error {name} is not defined", "#endif"]
        plain = value != name and "__attribute__" not in value and name not in OTHER_VALUES
        if plain and not name.startswith("NV_"):
            quoted = value.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'static_assert(same(VALUE({name}), "{quoted}"), "{name}");')
    return "\n".join(lines) + '\nextern "C" __global__ void kernel() {}\n'


@functools.cache
def host_macros(compiler: str) -> tuple[str, ...]:
    command = find_compiler(compiler).replace("'", "").split()
    return tuple(sorted(world.defined_macros([*command, "-x", "c++", "-std=c++17"])))


def foreign_macros(compiler: str, layout: str) -> str:
    """A program that does not compile where it sees a macro that NVRTC does not show."""
    known = RECORDED[layout]["macros"]["201703"]
    hip = ("__HIP__", "__HIPCC__", "__HIPCC_RTC__", "__HIP_PLATFORM_AMD__", "__HIP_DEVICE_COMPILE__", "HIP_VERSION")
    names = [name for name in (*host_macros(compiler), *hip, "CUDA_VERSION") if name not in known]
    lines = [f"#ifdef {name}\n#error {name} is defined\n#endif" for name in names]
    return "\n".join(lines) + '\nextern "C" __global__ void kernel() {}\n'


def own_names(layout: str) -> str:
    """A program that takes every name for its own that is free in this release and in all later ones."""
    later = LAYOUTS[LAYOUTS.index(layout) :]
    names = [name for name in RECORDED[layout]["free"] if all(name in RECORDED[other]["free"] for other in later)]
    names = [name for name in names if name not in LENIENT and not name.startswith("cudaDevAttr")]
    return world.free_probe(names) + 'extern "C" __global__ void kernel() {}\n'


def programs(compiler: str) -> dict[str, tuple[list[str], str]]:
    found = {}
    for layout in LAYOUTS:
        found[f"values-{layout}"] = ([cuda(layout)], macro_values(layout))
        found[f"foreign-{layout}"] = ([cuda(layout)], foreign_macros(compiler, layout))
        found[f"own-{layout}"] = ([cuda(layout), "-D__CUDA_ARCH__=800"], own_names(layout))
    found["manners"] = ([cuda("12.9"), "-default-device"], MANNERS)
    found["hip"] = ([], "#ifndef __HIPCC_RTC__\n#error not HIP\n#endif\nint64_t x; uint y;")
    found["warned"] = ([cuda("12.9")], WARNED)
    found["warned again"] = ([cuda("12.9")], WARNED)
    found["quiet"] = ([cuda("12.9"), "-w"], WARNED)
    return found


@pytest.fixture(scope="module", params=COMPILERS)
def outcomes(request: pytest.FixtureRequest) -> dict[str, Any]:
    if not find_compiler(request.param):
        pytest.skip(f"{request.param} is not installed")
    wanted = programs(request.param)
    return dict(zip(wanted, world_worker.run(request.param, list(wanted.values())), strict=True))


def check(outcome: tuple[int, str]) -> None:
    status, log = outcome
    assert status == 0, log[:3000]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_macros_have_their_values(outcomes: dict[str, Any], layout: str) -> None:
    check(outcomes[f"values-{layout}"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_macro_tells_of_the_host_or_of_hip(outcomes: dict[str, Any], layout: str) -> None:
    check(outcomes[f"foreign-{layout}"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_program_may_take_every_name_that_is_free(outcomes: dict[str, Any], layout: str) -> None:
    check(outcomes[f"own-{layout}"])


def test_what_nvrtc_lets_pass(outcomes: dict[str, Any]) -> None:
    check(outcomes["manners"])


def test_a_hip_program_sees_hip(outcomes: dict[str, Any]) -> None:
    check(outcomes["hip"])


@needs_reader
def test_warnings_are_in_the_log_of_what_compiles(outcomes: dict[str, Any]) -> None:
    for name in ("warned", "warned again"):  # compiled, and out of the cache
        check(outcomes[name])
        assert "probe.cu:2:9: warning: unused variable 'unused'" in outcomes[name][1]
    check(outcomes["quiet"])
    assert outcomes["quiet"][1] == ""


def test_the_table_is_complete() -> None:
    """Every name that the prelude declares was asked of NVRTC."""
    if shutil.which("clang++-19") is None:
        pytest.skip("clang++-19 is not installed")
    asked = json.loads(world.RECORDED.read_text(encoding="utf-8"))["names"]
    assert world.declared_names() <= set(asked), "run: python -m tests.kernels.world"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_table_is_what_nvrtc_says(layout: str) -> None:
    compiler = compilers.nvrtc().get(layout)
    if compiler is None:
        pytest.skip(f"NVRTC {layout} is not installed")
    known = RECORDED[layout]
    options = [b"-arch=compute_80", b"-std=c++17"]
    found = world.macros(compiler, known["macros"]["201703"], 201703)
    assert found == {**known["macros"]["201703"], "__LINE__": found["__LINE__"]}
    assert compiler.compile(world.free_probe(known["free"]).encode(), b"probe.cu", options).status == 0
    recorded = json.loads(world.RECORDED.read_text(encoding="utf-8"))
    assert world.header(recorded) == world.HEADER.read_text()
    assert world.language_header(recorded) == world.LANGUAGE_HEADER.read_text()

"""Symbols of the host process that a kernel module may use: NVRTC's refusals are refused, nothing else links."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import re
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.cache.folder import cache_of
from tests.hip_on_host import hidden_meanings, random_kernels, random_objects
from tests.hip_on_host.hiprtc_program import CompileError, Kernels
from tests.kernels import corpus

BEGAN = time.time()
CUDA = ("--cuda-shim-cuda=13050", "-D__CUDA_ARCH__=800")
KERNEL = '\nextern "C" __global__ void k(int* out) { out[0] = 1; }\n'
HOST = "kernel.cu(1): error: A function without execution space annotations (__host__/__device__/__global__) is considered a host function"
HOST_VARIABLE = "kernel.cu(1): error: A namespace scope variable without memory space annotations"
ABSENT = "ptxas fatal   : Unresolved extern function '{0}'"
RUNS = "dynamic initialization is not supported for a __device__ variable"

#: Programs with NVRTC's messages about them.
REFUSED = {
    "system": ('extern "C" int system(const char*); extern "C" __global__ void k(int* o) { *o = system("true"); }', HOST),
    "weak": ('extern "C" __attribute__((weak)) int system(const char*); extern "C" __global__ void k(int* o) { *o = system("true"); }', HOST),
    "getenv": ('extern "C" char* getenv(const char*); extern "C" __global__ void k(int* o) { *o = getenv("HOME") != nullptr; }', HOST),
    "address": ('extern "C" int remove(const char*); __device__ int (*f)(const char*) = remove; extern "C" __global__ void k(int* o) { *o = f != nullptr; }', HOST),
    "variable": ('extern "C" char** environ; extern "C" __global__ void k(char* o) { *o = **environ; }', HOST_VARIABLE),
    "constructor": ('__attribute__((constructor)) void f() { printf("loaded"); }' + KERNEL, HOST),
    "destructor": ('__attribute__((destructor)) void f() { printf("unloaded"); }' + KERNEL, HOST),
    "resolver": ('extern "C" { static int one() { return 1; } int (*which())() { return one; } int f() __attribute__((ifunc("which"))); }' + KERNEL, HOST),
    "marked system": ('extern "C" __device__ int system(const char*); extern "C" __global__ void k(int* o) { *o = system("true"); }', ABSENT.format("system")),
    "marked weak": ('extern "C" __device__ __attribute__((weak)) int system(const char*); extern "C" __global__ void k(int* o) { *o = system("true"); }', ABSENT.format("system")),
    "marked getenv": ('extern "C" __device__ char* getenv(const char*); extern "C" __global__ void k(int* o) { *o = getenv("HOME") != nullptr; }', ABSENT.format("getenv")),
    "unsized variable": ('extern "C" __device__ char environ[]; extern "C" __global__ void k(char* o) { *o = *environ; }', "ptxas fatal   : Unresolved extern variable 'environ'"),
    "object": ('struct S { int v; __device__ S() { v = printf("made"); } }; __device__ S s;' + KERNEL, RUNS),
    "value": ('__device__ int v = printf("made");' + KERNEL, RUNS),
    "stdlib.h": ("#include <stdlib.h>" + KERNEL, 'kernel.cu(1): catastrophic error: could not open source file "stdlib.h" (no directories in search list)'),
    "unistd.h": ('\n#include "unistd.h"' + KERNEL, 'kernel.cu(2): catastrophic error: cannot open source file "unistd.h"\n  #include "unistd.h"\n                     ^'),
    "fstream": ("#include <cmath>\n#include <fstream>" + KERNEL, 'kernel.cu(2): catastrophic error: could not open source file "fstream"'),
    "embed": ('__device__ const char text[] = {\n#embed "/etc/passwd"\n};' + KERNEL, "kernel.cu(2): error: unrecognized preprocessing directive"),
}  # fmt: skip

#: NVRTC takes these and runs nothing of them; here no code runs as a module is loaded.
NEVER_RUN = {
    "constructor": '__device__ __attribute__((constructor)) void f() { printf("loaded"); }' + KERNEL,
    "destructor": '__device__ __attribute__((destructor)) void f() { printf("unloaded"); }' + KERNEL,
    "resolver": 'extern "C" { static __device__ int one() { return 1; } __device__ int (*which())() { return one; } '
    '__device__ int f() __attribute__((ifunc("which"))); }' + KERNEL,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_nvrtc_refuses_is_refused(programs: Kernels, name: str) -> None:
    source, expected = REFUSED[name]
    with pytest.raises(CompileError) as refused:
        programs.compile(source, *CUDA, "--cuda-shim-architecture=sm_80")
    assert expected in refused.value.log


@pytest.mark.parametrize("name", NEVER_RUN)
def test_no_function_runs_as_a_module_is_loaded(
    programs: Kernels, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    module = programs.load(NEVER_RUN[name], *CUDA)
    del module
    assert "loaded" not in capfd.readouterr().out


def test_a_variable_that_is_only_declared_is_the_program_s(programs: Kernels) -> None:
    """It is not the process's, and holds zeros, as NVRTC says in its warning 20044."""
    source = 'extern "C" __device__ char** environ; extern "C" __global__ void k(int* o) { *o = environ == nullptr; }'
    code = programs.compile(source, *CUDA)
    assert "environ" not in undefined(code.code)


def test_headers_are_looked_at_too(programs: Kernels) -> None:
    for text, expected in (("\n#include <pwd.h>\n", 'h.h(2): catastrophic error: could not open source file "pwd.h"'),
                           ("#embed </etc/passwd>\n", "h.h(1): error: unrecognized preprocessing directive")):  # fmt: skip
        with pytest.raises(CompileError) as refused:
            programs.compile('#include "h.h"' + KERNEL, *CUDA, headers={"h.h": text})
        assert expected in refused.value.log


def test_a_branch_that_is_not_taken_asks_for_nothing(programs: Kernels) -> None:
    programs.compile("#ifndef __CUDACC_RTC__\n#include <stdlib.h>\n#include <iostream>\n#endif" + KERNEL, *CUDA)


@pytest.mark.parametrize("name", ["unknown", "system"])
def test_an_unknown_function_may_be_another_programs(programs: Kernels, name: str) -> None:
    code = programs.compile(
        f'extern "C" __device__ int {name}(); extern "C" __global__ void k(int* o) {{ *o = {name}(); }}', *CUDA
    )
    assert int(programs.hip.hipModuleLoadData(code.code)[0]) != 0


def test_linked_programs_reach_no_host_either(programs: Kernels) -> None:
    source = (
        'extern "C" __device__ int system(const char*); extern "C" __global__ void k(int* o) { *o = system("true"); }'
    )
    code = programs.compile(source, "-fgpu-rdc", *CUDA).code
    assert int(programs.hip.hipModuleLoadData(code)[0]) != 0


def test_a_module_of_others_is_not_mapped(programs: Kernels, tmp_path: Path) -> None:
    """Its names are read before the dynamic loader sees it."""
    compiled = programs.compile('extern "C" __global__ void k(int* o) { *o = 1; printf("%d", *o); }')
    assert "printf" in undefined(compiled.code)
    changed = bytearray(compiled.code.replace(b"\0printf\0", b"\0remove\0"))
    changed[24:32] = bytes(8)  # the seal
    assert "remove" in undefined(bytes(changed))
    assert int(programs.hip.hipModuleLoadData(bytes(changed))[0]) != 0


MATHEMATICS = re.compile(
    r"_ZGV\w+|c?(a?(cos|sin|tan)h?|abs|arg|exp|log|pow|sqrt)[fl]?|"
    r"(atan2|cbrt|ceil|erfc?|exp2|exp10|expm1|fabs|fdim|floor|fma|fmax|fmin|fmod|frexp|hypot|ilogb|[jy][01n]|ldexp|lgamma|"
    r"llrint|llround|log10|log1p|log2|logb|lrint|lround|modf|nan|nearbyint|nextafter|remainder|remquo|rint|round|scalbl?n|"
    r"sincos|tgamma|trunc)[fl]?"
)
OTHERS = {
    "__tls_get_addr", "memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "printf", "vprintf", "puts", "putchar", "snprintf",
    "dl_iterate_phdr", "__cxa_atexit", "__cxa_pure_virtual", "__cxa_finalize", "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable",
}  # fmt: skip


def undefined(code: bytes) -> set[str]:
    """The names that a module's dynamic symbols leave to others."""
    offset, count = struct.unpack_from("<Q", code, 40)[0], struct.unpack_from("<H", code, 60)[0]
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, offset + 64 * place) for place in range(count)]
    names = set()
    for section in sections:
        if section[1] != 11:  # SHT_DYNSYM
            continue
        strings = sections[section[6]][4]
        for at in range(section[4] + 24, section[4] + section[5], 24):
            name, _, _, defined_in = struct.unpack_from("<IBBH", code, at)
            if not defined_in:
                names.add(code[strings + name : code.index(b"\0", strings + name)].decode())
    return names


def many_programs() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Sources with their options."""
    for file in hidden_meanings.files().values():
        yield file.source, ("-std=c++17",)
    for seed in range(4):
        yield random_objects.program(seed).source, ("-std=c++17",)
        yield random_kernels.program(range(seed * 8, seed * 8 + 8)).source, ()
    for program in corpus.programs().values():
        if not program.headers and not program.options and "asm" not in program.source:  # as it is, untranslated
            yield program.source, CUDA


def names_of_the_host(names: set[str]) -> set[str]:
    """Return the names that modules may not have and that the process would give them.

    Others belong to programs that a linker is to put together, and are found nowhere else.
    """
    process = ctypes.CDLL(None)
    return {name for name in names - OTHERS if not MATHEMATICS.fullmatch(name) and hasattr(process, name)}


def modules_of_this_run() -> list[Path]:
    """The modules that tests have compiled, or found in the cache, since this file was read."""
    modules = []
    for path in (Path(cache_of(settings.current()).root) / "kernels").glob("*.so"):
        with contextlib.suppress(FileNotFoundError):  # the cache is full, and another process has removed it
            if path.stat().st_mtime >= BEGAN:
                modules.append(path)
    return modules


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["in-turns", "every-form"])
def test_all_that_modules_leave_to_the_process(programs: Kernels, every: bool) -> None:
    """Programs take turns with the forms; other tests compile the corpus in its usual form, which the last test reads."""
    names: set[str] = set()
    modules = 0
    forms = (("-O0", "--use_fast_math"), ("-O0", "--cuda-shim-split=0"))
    for turn, (source, options) in enumerate(many_programs()):
        for form in forms if every else forms[turn % 2 :][:1]:
            names |= undefined(programs.compile(source, *options, *form).code)
            modules += 1
    assert {name for name in names if not MATHEMATICS.fullmatch(name)} <= OTHERS
    assert modules >= (100 if every else 50)
    assert {"vprintf", "memset"} <= names  # or nothing was looked at


@pytest.mark.last  # behind the tests that fill the cache
def test_modules_of_other_tests_leave_no_more_to_the_process() -> None:
    for module in modules_of_this_run():
        with contextlib.suppress(FileNotFoundError):
            assert names_of_the_host(undefined(module.read_bytes())) <= {"system"}, (
                module
            )  # which a test above declares


@pytest.mark.long
def test_five_hundred_modules(programs: Kernels) -> None:
    """The rest is compiled if other tests have compiled fewer."""
    for seed in itertools.count(1000, 8):
        if len(modules_of_this_run()) >= 500:
            break
        programs.compile(random_kernels.program(range(seed, seed + 8)).source, "-O0")
    test_modules_of_other_tests_leave_no_more_to_the_process()


def test_a_name_of_the_host_is_seen() -> None:
    assert names_of_the_host({"system", "sinf", "printf", "_Z5scalef"}) == {"system"}

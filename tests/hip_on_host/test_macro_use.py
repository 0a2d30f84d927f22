"""Programs that use no macro are compiled without the pass that expands them, and every macro of that pass is known."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cuda_shim.backends.host import device_headers
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.hip_on_host.kernel_modules import COMPILER, HERE, RUNTIME

UNITS = ("read/lexer", "read/macro_use", "string_utils")
KERNEL = 'extern "C" __global__ void k(int* x, int n) { for (int i = 0; i < n; ++i) x[i] = __popc(i) + threadIdx.x; }'

Asks = Callable[..., list[bool]]


@pytest.fixture(scope="module")
def may_use_macros(tmp_path_factory: pytest.TempPathFactory) -> Asks:
    """Return the compiled function: texts and options to answers."""
    program = tmp_path_factory.mktemp("macros") / "print_macro_use"
    sources = [RUNTIME / "kernel_compiler" / f"{unit}.cpp" for unit in UNITS] + [HERE / "cpp/print_macro_use.cpp"]
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{RUNTIME}"]
    subprocess.run([*COMPILER, *flags, *map(str, sources), "-o", str(program)], check=True, timeout=300)

    def ask(*texts: str, options: tuple[str, ...] = ()) -> list[bool]:
        given = "".join(text + "\0" for text in texts)
        words = [str(program), *options]
        answers = subprocess.run(words, input=given, capture_output=True, encoding="utf-8", check=True).stdout
        return [answer == "1" for answer in answers.split()]

    return ask


def macros_of(compiler: str, *flags: str) -> dict[str, str]:
    """Return the macros that a compiler defines with these flags, and their values."""
    words = [*shlex.split(compiler), "-x", "c++", "-std=c++17", "-E", "-dM", *flags, "/dev/null"]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=True)
    return dict(re.findall(r"^#define (\w+)(?:\([^)]*\))? ?(.*)$", done.stdout, re.MULTILINE))


@pytest.mark.parametrize("cuda", ["11080", "12090", "13050", ""])
@pytest.mark.parametrize("name", ["clang++-19", "g++", "zig"])
def test_every_macro_of_the_pass_is_known(may_use_macros: Asks, name: str, cuda: str) -> None:
    compiler = find_compiler(name)
    if not compiler:
        pytest.skip(f"{name} is not installed")
    undefined = ["-UNDEBUG", "-U_DEBUG"]  # as the kernel compiler has it, for zig
    language = ["-undef", "-nostdinc", "-nostdinc++", f"-DCUDA_SHIM_CUDA={cuda}"] if cuda else []
    device = Path(device_headers())
    # Both passes read a HIP program with the compiler's own macros.
    own = {} if cuda else macros_of(compiler)
    macros = macros_of(
        compiler,
        *undefined,
        *language,
        f"-I{device / 'preprocess_only'}",
        "-include",
        str(device / "prelude/expansion_pass.h"),
    )
    names = [macro for macro, value in macros.items() if value != macro and macro not in own and macro != "__cplusplus"]
    assert len(names) >= 15
    answers = may_use_macros(*(f"int x = {macro};" for macro in names))
    assert [macro for macro, answer in zip(names, answers, strict=True) if not answer] == []


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (KERNEL, (), False),
        (KERNEL, ("-D__CUDA_ARCH__=800", "-DFACTOR=2", "-DF(x)=x", "-UOTHER"), False),
        (f"// CUDA, FACTOR\n{KERNEL}", ("-DFACTOR=2",), False),
        (KERNEL.replace("0", "FACTOR"), ("-DFACTOR=2",), True),
        (KERNEL.replace("0", "FACTOR"), ("-DFACTOR(x)=2",), True),
        (KERNEL.replace("0", "FACTOR"), ("-UFACTOR",), True),
        (KERNEL, ("-D2FACTOR=2",), True),
        (KERNEL, ("-Dtwo words",), True),
        (KERNEL.replace("0", "__CUDA_ARCH__"), (), True),
        (KERNEL.replace("0", "__LINE__"), (), True),
        (KERNEL.replace("for", "\n#pragma unroll\nfor"), (), False),
        (KERNEL.replace("for", "\n# pragma unroll(4)\nfor"), (), False),
        (KERNEL.replace("for", "\n#pragma unroll COUNT\nfor"), (), True),
        (f'#pragma message("x")\n{KERNEL}', (), True),
        (KERNEL.replace("for", '_Pragma("unroll") for'), (), True),
        (f"%:define X\n{KERNEL}", (), True),
        (KERNEL.replace("n)", "\\\nn)"), (), True),
        ("\N{BYTE ORDER MARK}" + KERNEL, (), True),
    ],
)
def test_a_text_may_use_macros(may_use_macros: Asks, text: str, options: tuple[str, ...], expected: bool) -> None:
    assert may_use_macros(text, options=options) == [expected]

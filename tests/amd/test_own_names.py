"""A program's names, the translation's and those of AMD's built-in header never meet.

The names are not chosen by hand: all that NVRTC leaves to programs, and all that occur in the headers of the translation.
"""

from __future__ import annotations

import json
import re

import pytest

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate.lexer import IDENTIFIER, Text
from cuda_shim.translate.source import to_hip
from tests.amd import toolchain
from tests.amd.record_names import NO_PROGRAM_S, declared
from tests.amd.toolchain import INTERMEDIATE_CODE, NAMES_AND_TYPES
from tests.kernels import world

TAKEN = sorted(load_text("device")["own"])
#: Names that NVRTC 13.5 was asked for and leaves to programs.
FREE = json.loads(world.RECORDED.read_text(encoding="utf-8"))["layouts"]["13.5"]["free"]
#: The preprocessor's and the language's own, and symbols of their runtime libraries.
NO_NAMES = re.compile(r"__has_\w+|NULL|and|or|not|true|false|_Float16|assert|std|__cxa_\w+|__dso_handle|__assert_?fail")
NAMES = sorted({*TAKEN, *(name for name in FREE if not NO_NAMES.fullmatch(name))})

#: A variable of such a name compiles, but has another symbol: AMD's header has a function with this one.
SYMBOLS_OF_HIP = {"abort"}

#: Declarations of a name in a program, each with a use of it.
FORMS = {
    "struct": ("struct {0} {{ int own; }};", "{{ {0} x; x.own = 1; n += x.own; }}"),
    "class of templates": ("template <class T> class {0} {{ public: T own; }};", "{{ {0}<int> x; x.own = 1; n += x.own; }}"),
    "typedef": ("typedef struct {{ int own; }} {0};", "{{ {0} x = {{1}}; n += x.own; }}"),
    "using": ("struct own_{0} {{ int own; }}; using {0} = own_{0};", "{{ {0} x = {{1}}; n += x.own; }}"),
    "enum": ("enum class {0} {{ own = 1 }};", "n += (int){0}::own;"),
    "namespace": ("namespace {0} {{ __device__ int own() {{ return 1; }} }}", "n += {0}::own();"),
    "variable": ("__device__ int {0};", "n += {0}; {0} = n;"),
    "constant": ("__constant__ float {0}[3];", "n += (int){0}[1];"),
    "function": ("struct arg_{0} {{}}; __device__ int {0}(float, arg_{0}) {{ return 1; }}", "n += {0}(1.0f, arg_{0}());"),
    "kernel": ('extern "C" __global__ void {0}(int* own) {{ *own = 1; }}', ""),
    "in a namespace that is used": ("namespace all {{ struct {0} {{ int own; }}; }}", "{{ {0} x; x.own = 1; n += x.own; }}"),
}  # fmt: skip


def program(form, names):
    declaration, use = FORMS[form]
    lines = [declaration.format(name) for name in names]
    lines.append("using namespace all;" if "all" in declaration else "")
    lines.append('extern "C" __global__ void uses_all(int* out) {\nint n = 0;')
    lines += [use.format(name) for name in names]
    return "\n".join([*lines, "*out = n;\n}\n"])


@pytest.mark.parametrize("form", FORMS)
def test_a_program_may_use_the_names_that_nvrtc_leaves_it(form, compiler, next_compiler, tmp_path):
    text = program(form, NAMES)
    for number, chosen in enumerate((compiler, next_compiler)):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = chosen.compile(text.encode(), b"names.cu", "gfx1100", folder=folder, depth=NAMES_AND_TYPES)
        lines = text.splitlines()
        wrong = {lines[int(found) - 1] for found in re.findall(r"names\.cu:(\d+):\d+: error", done.log)}
        assert wrong == set()
        assert done.status == 0, done.log


@pytest.mark.parametrize("form", ["variable", "constant", "kernel"])
def test_what_is_looked_up_by_name_keeps_its_name(form, compiler, tmp_path):
    text = program(form, TAKEN)
    done = compiler.compile(text.encode(), b"names.cu", "gfx1100", folder=tmp_path, depth=INTERMEDIATE_CODE)
    assert done.status == 0, done.log
    symbols = set(re.findall(r'^(?:define .*)?@"?(?:\\01)?(\w+)', (tmp_path / "program.s").read_text(), re.MULTILINE))
    assert set(TAKEN) - symbols == (set() if form == "kernel" else SYMBOLS_OF_HIP)


#: Names with NVIDIA's own prefixes are not AMD's to give; the language and its library have names of their own.
NVIDIA_S = re.compile(r"(__)?(nv|NV)_?\w*|cu[A-Z]\w*|CU[A-Z_a-z]\w*|_?_?cuda\w*|_?_?CUDA\w*|make_cu\w*|thrust")
INCLUDED = (
    "cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h", "cooperative_groups/memcpy_async.h",
    "cuda_bf16.h", "cuda_fp16.h", "cuComplex.h", "cuda_runtime.h", "math_constants.h", "stdint.h", "cuda/std/cmath",
    "cuda/std/complex", "cuda/std/limits", "cuda/std/functional", "cuda/std/array", "cuda/std/tuple", "cuda/std/algorithm",
    "cuda/std/bit", "thrust/pair.h", "thrust/tuple.h", "thrust/swap.h",
)  # fmt: skip


def words_of_our_headers(target):
    """The identifiers of all headers that are handed to AMD's compiler."""
    translated = to_hip(b"", b"names.cu", [], architecture=target)
    texts = [text for _, text in translated.headers if not text.startswith(b"#error")]
    return {token.text.decode() for text in texts for token in Text(text).tokens if token.kind == IDENTIFIER}


def test_the_translation_s_names_are_none_that_amd_may_take(shared_folder, tmp_path):
    """Each word of our headers that AMD's does not have yet is a type in a header behind AMD's; ours compile all the same."""
    rocm = toolchain.rocm_header(shared_folder)
    functions = [name for name in load_text("device")["functions"] if re.fullmatch(r"\w+", name)]
    words = (words_of_our_headers("gfx1100") | {*functions}) - declared(rocm, tmp_path)
    hostile = sorted(word for word in words if not NO_PROGRAM_S.fullmatch(word) and not NVIDIA_S.fullmatch(word))
    assert len(hostile) > 600
    assert {"cooperative_groups", "__float2bfloat16", "__vimax3_s32", "uint64_t", "coalesced_group", "plus"} <= {
        *hostile,
        *TAKEN,
    }
    header = tmp_path / "hostile" / "hiprtc_runtime.h"
    header.parent.mkdir()
    header.write_bytes(rocm.read_bytes() + b"\nstruct hostile_type;\n" + "".join(
        f"#ifndef {word}\ntypedef struct hostile_type {word};\n#endif\n" for word in hostile
    ).encode())  # fmt: skip
    source = "".join(f"#include <{included}>\n" for included in INCLUDED)
    source += "\n".join(f"#ifdef {name}\n#endif" for name in functions)
    done = toolchain.Compiler(header).compile(
        source.encode(), b"names.cu", "gfx1100", folder=tmp_path, depth=NAMES_AND_TYPES
    )
    assert done.status == 0, done.log

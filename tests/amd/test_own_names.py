"""A program's names, the translation's and those of AMD's built-in header never meet.

The names are not chosen by hand: all that NVRTC leaves to programs, and all that occur in the headers of the translation.
"""

from __future__ import annotations

import json
import re

import pytest

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate import headers
from cuda_shim.translate.lexer import IDENTIFIER, Text
from tests.amd.record_names import declared
from tests.amd.toolchain import MACHINE_CODE, NAMES_AND_TYPES
from tests.kernels import world

TAKEN = sorted(load_text("device")["own"])
#: What NVRTC 13.5 was asked for and leaves to programs.
FREE = json.loads(world.RECORDED.read_text(encoding="utf-8"))["layouts"]["13.5"]["free"]
#: The preprocessor's and the language's own, and symbols of their runtime libraries.
NO_NAMES = re.compile(r"__has_\w+|NULL|and|or|not|true|false|_Float16|assert|std|__cxa_\w+|__dso_handle|__assert_?fail")
NAMES = sorted({*TAKEN, *(name for name in FREE if not NO_NAMES.fullmatch(name))})

#: How a program declares a name, and how it then uses it.
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
    done = compiler.compile(text.encode(), b"names.cu", "gfx1100", folder=tmp_path, depth=MACHINE_CODE)
    assert done.status == 0, done.log
    symbols = set(re.findall(r"^\s*\.globl\s+(\w+)", (tmp_path / "program.s").read_text(), re.MULTILINE))
    assert set(TAKEN) - symbols == set()


#: Names with NVIDIA's own prefixes are not AMD's to give; the language and its library have names of their own.
NVIDIA_S = re.compile(r"(__)?(nv|NV)_?\w*|cu[A-Z]\w*|CU[A-Z_]\w*|_?_?cuda\w*|_?_?CUDA\w*|make_cu\w*|thrust|surf[123C]\w+")
#: Words that headers read with the preprocessor, declare in namespace std, or use as HIP gives them.
HIP_S = re.compile(
    r"__(builtin|has|is|make_integer|underlying|AMD|amd|GFX|HIP|hip|ockl|ocml|int128|clang|GNUC|VA_ARGS|SIZE)\w*|_(INITIALIZER|LIBCPP)\w*"
    r"|(HIP|hip)\w*|std|\w+_MAX|\w+_MIN"
)


def test_the_translation_s_names_are_none_that_amd_may_take(compiler, shared_folder, tmp_path):
    """A header that has all of them is put behind AMD's: each is a type there, which no other declaration goes with."""
    provided = dict(headers.texts(headers_with_text(), set()))
    words = {token.text.decode() for text in provided.values() for token in Text(text).tokens if token.kind == IDENTIFIER}
    rocm = shared_folder / "rocm-header" / "hiprtc_runtime.h"
    there = declared(rocm, tmp_path)
    macros = {name.decode() for text in provided.values() for name in re.findall(rb"# *(?:define|ifn?def|undef) +(\w+)", text)}
    hostile = {
        word for word in words - there - macros
        if not NVIDIA_S.fullmatch(word) and not HIP_S.fullmatch(word) and not word.startswith("cuda_on_hip")
    }  # fmt: skip
    assert len(hostile) > 500
    del compiler

"""Logs of compilers in NVRTC's form."""

from __future__ import annotations

import pytest

from cuda_shim.translate.compiler_messages import read_messages
from cuda_shim.translate.message_options import diagnostics_of
from cuda_shim.translate.nvrtc_log import Diagnostics, NvrtcLog, nvrtc_log
from cuda_shim.translate.options import to_hiprtc

SOURCE = "__global__ void k(int* o) {\n    int unused;\n    *o = missing;\n}\n"
CLANG = """\
In file included from <built-in>:1:
k.cu:3:10: error: use of undeclared identifier 'missing'
    3 |     *o = missing;
      |          ^
k.cu:2:9: warning: unused variable 'unused' [-Wunused-variable]
    2 |     int unused;
      |         ^~~~~~
k.cu:2:9: note: a note of its own
1 warning and 1 error generated.
"""
GCC = (
    "k.cu:3:10: error: 'missing' was not declared in this scope\n    3 |     *o = missing;\n      |          ^~~~~~~\n"
)


def log_of(text: str, **options) -> NvrtcLog:
    written = nvrtc_log(text, "k.cu", {"k.cu": SOURCE}, Diagnostics(**options))
    assert written is not None
    return written


def test_a_message_has_its_line_and_a_caret() -> None:
    expected = 'k.cu(3): error: identifier "missing" is undefined\n      *o = missing;\n           ^\n\n'
    assert log_of(CLANG).text == (
        f"{expected}"
        'k.cu(2): warning #177-D: variable "unused" was declared but never referenced\n      int unused;\n          ^\n\n'
        'Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"\n\n'
        '1 error detected in the compilation of "k.cu".\n'
    )
    assert log_of(GCC).text == f'{expected}1 error detected in the compilation of "k.cu".\n'


def test_a_log_without_messages_stays() -> None:
    assert nvrtc_log("no C++ compiler found; install clang++", "k.cu", {}, Diagnostics()) is None
    assert nvrtc_log("k.cu(1): error: identifier\n  x\n  ^\n", "k.cu", {}, Diagnostics()) is None


def test_other_lines_are_kept() -> None:
    assert "nvrtc: note: gfx90a has no image units\n" in log_of(GCC + "nvrtc: note: gfx90a has no image units\n").text


def test_what_only_nvrtc_refuses_is_an_error_of_its_own() -> None:
    ranges = "k.cu:2:9: warning: use of GNU case range extension [-Wgnu-case-range]\n"
    strict, lenient = log_of(ranges), log_of(ranges, lenient=True)
    assert (strict.refused, lenient.refused) == (True, False)
    assert strict.text.startswith('k.cu(2): error: expected a ":"')
    assert lenient.text.startswith('k.cu(2): warning: expected a ":"')


@pytest.mark.parametrize(("standard", "refused"), [("c++11", True), ("c++14", True), ("c++17", False)])
def test_forms_of_later_standards_are_refused(standard: str, refused: bool) -> None:
    message = "constexpr if is incompatible with C++ standards before C++17 [-Wpre-c++17-compat]"
    assert log_of(f"k.cu:2:9: warning: {message}\n", standard=standard).refused is refused


def test_a_warning_that_nvrtc_does_not_know_is_a_note() -> None:
    written = log_of("k.cu:2:9: warning: if statement has empty body [-Wempty-body]\n", all_errors=True)
    assert written.text.startswith("k.cu(2): note: if statement has empty body\n")
    assert not written.refused


def test_messages_of_instances_are_one() -> None:
    assert log_of(GCC + GCC).text == log_of(GCC).text


def test_messages_about_the_shim_s_files_are_not_shown() -> None:
    own = "cuda_shim/prelude/warp.h:3:1: warning: unused variable 'lane' [-Wunused-variable]\n"
    assert log_of(own).text == ""


def test_columns_are_bytes() -> None:
    source = "// é\nint é = x;\n"
    written = nvrtc_log("k.cu:2:10: error: expected expression\n", "k.cu", {"k.cu": source}, Diagnostics())
    assert written is not None
    assert "  int é = x;\n          ^\n" in written.text


def test_the_parts_of_a_log() -> None:
    messages, before, behind = read_messages("the beginning\n" + CLANG + "the end")
    assert [(message.severity, message.line, message.flag) for message in messages] == [
        ("error", 3, ""),
        ("warning", 2, "unused-variable"),
        ("note", 2, ""),
    ]
    assert (before, behind) == (["the beginning"], ["the end"])


def test_what_options_say_of_messages() -> None:
    options = [b"-diag-suppress=177,550", b"--diag-error", b"63", b"-Werror=all-warnings,reorder", b"-no-err-no"]
    asked = diagnostics_of(to_hiprtc([*options, b"-std=c++14"], architecture=None), lenient=True)
    assert asked.suppressed == {177, 550}
    assert asked.errors == {63, 997}
    assert (asked.all_errors, asked.numbers, asked.standard, asked.lenient) == (True, False, "c++14", True)
    assert diagnostics_of(to_hiprtc([], architecture=None, cuda="11.8"), lenient=False).standard == "c++14"

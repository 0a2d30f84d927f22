"""Kernels that are linked into a program: a text in pieces, and the library that compiles them one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.pieces import Pieces
from cuda_shim.translate.ptx.writer import translate
from tests.interpreters import start

HERE = Path(__file__).resolve().parent
TEXT = (HERE / "linked_kernels.ptx").read_text(encoding="utf-8")


@pytest.fixture
def pieces() -> Pieces:
    return Pieces(TEXT)


def items(piece: str | None) -> set[str]:
    """The names that are declared in a piece."""
    names = ("increase", "read_twice", "read_text", "broken", "twice(", "counter;", "other =", "$str[", "__unavailable")
    return {name for name in names if piece is not None and name in piece}


def test_kernels_and_the_architecture(pieces: Pieces) -> None:
    assert pieces.kernels == ["increase", "read_twice", "read_text", "broken"]
    assert pieces.architecture == 90


def test_kernels_with_a_common_variable_are_one_piece(pieces: Pieces) -> None:
    assert items(pieces.text_with("increase")) == {"increase", "read_twice", "twice(", "counter;"}
    assert pieces.text_with("read_twice") == pieces.text_with("increase") == pieces.text_with("counter")


def test_other_kernels_are_pieces_of_their_own(pieces: Pieces) -> None:
    assert items(pieces.text_with("read_text")) == {"read_text", "$str["}
    assert items(pieces.text_with("other")) == {"other ="}
    assert pieces.text_with("none") is None


def test_kernels_are_joined_over_several_variables() -> None:
    entry = ".visible .entry {name}()\n{{\n\t.reg .b32 %r<2>;\n{loads}\tret;\n}}\n"
    load = "\tld.global.u32 %r1, [{}];\n"
    uses = {"first": "a", "second": "ab", "third": "bc", "fourth": "d"}
    variables = "".join(f".global .align 4 .u32 {name};\n" for name in "abcd")
    kernels = "".join(entry.format(name=name, loads="".join(map(load.format, used))) for name, used in uses.items())
    joined = Pieces(f".version 8.0\n.target sm_80\n.address_size 64\n{variables}{kernels}")
    assert joined.text_with("first") == joined.text_with("third") == joined.text_with("c")
    assert ".entry fourth" not in (joined.text_with("first") or "")
    assert joined.text_with("fourth") == joined.text_with("d") != joined.text_with("a")


def test_each_piece_is_translated_by_itself(pieces: Pieces) -> None:
    with pytest.raises(PtxError):
        translate(TEXT)
    for kernel in pieces.kernels[:3]:
        assert kernel in translate(pieces.text_with(kernel) or "").entries


def test_a_library_compiles_the_kernels_that_are_asked_for() -> None:
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", "13.5", "--quiet")
    done = start(*words, HERE / "linked_program.py", HERE / "linked_kernels.ptx")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "unloaded True",
        "kernels 4",
        "read_twice 16",
        f"read_text {ord('e')}",
        "versions 90 80",
        "versions 90 80",
        "counter 0 0 500",
        "counter 8 4",
        "errors 500 500",
        "broken 218",
        "context 719",
    ]
    assert "no.such.instruction" in done.stderr

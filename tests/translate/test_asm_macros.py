"""Macros that put asm statements together are expanded as a C++ preprocessor expands them."""

from __future__ import annotations

import subprocess

import pytest

from cuda_shim.translate.asm_macros import asm_macro_uses
from cuda_shim.translate.edits import Edit, replaced
from cuda_shim.translate.lexer import Text
from cuda_shim.translate.source import to_hip

NAMES = frozenset((b"LOAD", b"ONE"))
ASM = r"""asm("ld." #space ".u32 %0, [%1];" : "=r"(value) : "l"(address))"""
EXPANDED = {
    "a string of a parameter": f"#define LOAD(space) {ASM}\nLOAD(global);",
    "a string of several tokens": f"#define LOAD(space) {ASM}\nLOAD(global.nc) ; LOAD( a  .b / * c ) ;",
    "a string of strings": f'#define LOAD(space) {ASM}\nLOAD("a\\n" "b");',
    "nested": f"#define LOAD(space) {ASM}\n#define ALL(x, y) LOAD(x.y); LOAD(y)\nALL(global, ca);",
    "arguments that are macros": f"#define G global\n#define LOAD(space) {ASM} G\n#define ALL(x) LOAD(x)\nALL(G);LOAD(G);",
    "commas in brackets": f"#define LOAD(space, value) {ASM}\nLOAD(global, f(1, 2)); LOAD(shared, (a, b));",
    "no arguments": '#define LOAD() asm("trap;")\nLOAD(); LOAD( );',
    "an empty argument": f"#define LOAD(space) {ASM}\nLOAD();",
    "any number of arguments": f'#define LOAD(space, ...) {ASM}; f(__VA_ARGS__)\nLOAD(global, 1, 2); LOAD(global, 1);',
    "no parentheses": '#define ONE asm("trap;")\nONE; x = ONE_MORE; ONE;',
    "a name without parentheses": f"#define LOAD(space) {ASM}\nint LOAD; LOAD(global);",
    "defined again": f"#define LOAD(space) {ASM}\nLOAD(a);\n#undef LOAD\n#define LOAD(space) 2 {ASM}\nLOAD(b);",
    "the same definition twice": f"#define LOAD(space) {ASM}\n#define LOAD(space) {ASM}\nLOAD(a);",
    "not defined any more": f"#define LOAD(space) {ASM}\nLOAD(a);\n#undef LOAD\nLOAD(b);",
    "lines": f"#define LOAD(space) \\\n  {ASM}; \\\n  value.*p\nLOAD(\n  global\n  .ca\n) after;",
    "signs stay apart": f"#define LOAD(space, x) {ASM}; -x+x\nLOAD(a, -1);",
    "in an argument": f"#define LOAD(space) {ASM}\nf(LOAD(a), g);",
    "comments": f"#define LOAD(space /* one */) {ASM} // end\nLOAD(a /* , b */); // LOAD(c)",
}  # fmt: skip
LEFT = {
    "pasted tokens": "#define LOAD(space) asm(a##space)\nLOAD(global);",
    "several meanings": f"#if X\n#define LOAD(space) {ASM}\n#else\n#define LOAD(space) 2\n#endif\nLOAD(a);",
    "a name in its own expansion": f"#define LOAD(space) LOAD(1) {ASM}\nLOAD(global);",
    "too many arguments": f"#define LOAD(space) {ASM}\nLOAD(a, b);",
    "an open parenthesis": f"#define LOAD(space) {ASM}\nLOAD(a;",
    "a raw string": f'#define LOAD(space) {ASM}\nLOAD(R"(\n)");',
    "used in a definition alone": f"#define LOAD(space) {ASM}\n#define ALL LOAD(a)\n",
}


def preprocessed(source: bytes) -> list[bytes]:
    command = ["g++", "-E", "-P", "-x", "c++", "-"]
    done = subprocess.run(command, input=source, stdout=subprocess.PIPE, check=True)
    return [token.text for token in Text(done.stdout).tokens]


@pytest.mark.parametrize("source", EXPANDED.values(), ids=EXPANDED)
def test_uses_are_expanded_as_a_preprocessor_does(source: str) -> None:
    text = Text(source.encode())
    uses = asm_macro_uses(text, NAMES)
    assert uses
    for use in uses:  # nothing is left to the preprocessor
        assert NAMES.isdisjoint(token.text for token in Text(use.expansion).tokens)
    expanded = replaced(text, [Edit(use.begin, use.end, use.expansion) for use in uses])
    assert preprocessed(expanded) == preprocessed(text.source)


@pytest.mark.parametrize("source", LEFT.values(), ids=LEFT)
def test_uses_with_an_unknown_expansion_stay(source: str) -> None:
    assert asm_macro_uses(Text(source.encode()), NAMES) == []


def translated(source: str) -> tuple[str, list[str]]:
    program = to_hip(source.encode(), b"k.cu", [], architecture=None)
    return program.source.decode(), program.notes


def test_statements_of_uses_are_translated_at_their_line() -> None:
    source = f"#define LOAD(value, address, space) {ASM}\nf(a);\nLOAD(x,\n y, global);\ng();"
    text, notes = translated(source)
    assert [note.partition(": inline PTX became")[0] for note in notes] == ["k.cu:3"]
    assert "cuda_shim_ptx::put<'r'>(x, cuda_shim_at[0])" in text
    lines = text.partition('#line 1 "k.cu"\n')[2].splitlines()
    assert lines[1] == "f(a);"
    assert lines[4] == "g();"


def test_macros_for_strings_are_expanded_in_a_statement() -> None:
    text, notes = translated(
        '#define TYPE ".u32"\n#define INTO(x) "=r"(x)\nasm("add" TYPE " %0, %1, 1;" : INTO(a) : "r"(b));'
    )
    assert "cuda_shim_ptx::put<'r'>(a, cuda_shim_ptx::as<unsigned, 'r'>(b) + (unsigned)1)" in text
    assert len(notes) == 1


def test_a_macro_whose_use_is_elsewhere_is_refused_where_it_is_used() -> None:
    text, notes = translated(f"#define LOAD(space) {ASM}\n")
    assert notes == ["k.cu:1: inline PTX is put together by macros"]
    assert "cuda_shim_refused" in text.partition('#line 1 "k.cu"\n')[2]


def test_a_statement_of_a_use_without_a_counterpart_is_refused() -> None:
    source = '#define LOAD(kind) asm("mov." #kind " %0, %%pm0;" : "=r"(a))\nLOAD(u32);'
    text, notes = translated(source)
    assert len(notes) == 1
    assert notes[0].startswith("k.cu:2: inline PTX ")
    assert "'%%pm0'" in notes[0]
    assert text.count("cuda_shim_refused_") == 4  # two declarations, the definition, the use

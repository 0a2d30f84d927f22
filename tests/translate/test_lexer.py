"""Tokens and their positions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda_shim.translate.lexer import CHARACTER, IDENTIFIER, NUMBER, PUNCTUATION, STRING, Text


def kinds(source):
    return [(token.kind, token.text) for token in Text(source).tokens]


def names(source):
    return [token.text for token in Text(source).tokens if token.kind == IDENTIFIER]


@pytest.mark.parametrize(
    "source",
    [
        b"// asm\n",
        b"/* asm */",
        b"/* asm\n asm */",
        b"// asm \\\n asm\n",
        b'"asm"',
        b'"a \\" asm"',
        b'R"(asm " asm)"',
        b'R"x(asm)" )x"',
        b'u8R"(asm)"',
        b'LR"(\\\nasm)"',
        b"'\\''",
        b"/* never closed asm",
        b"#error don't use asm\n",
        b"#pragma asm\n",
    ],
)
def test_no_identifier_in(source):
    assert names(source) == []


def test_tokens_of_a_line():
    assert kinds(b"x1->y = 1'000.5e+3f + u'c' ## \"s\";") == [
        (IDENTIFIER, b"x1"), (PUNCTUATION, b"->"), (IDENTIFIER, b"y"), (PUNCTUATION, b"="), (NUMBER, b"1'000.5e+3f"),
        (PUNCTUATION, b"+"), (CHARACTER, b"u'c'"), (PUNCTUATION, b"##"), (STRING, b'"s"'), (PUNCTUATION, b";"),
    ]  # fmt: skip


def test_a_continued_identifier_is_one():
    text = Text(b"ab\\\ncd + e")
    assert names(b"ab\\\ncd + e") == [b"abcd", b"e"]
    assert (text.tokens[0].begin, text.tokens[0].end) == (0, 6)
    assert text.source[text.tokens[2].begin : text.tokens[2].end] == b"e"


def test_lines_and_columns_are_of_the_text_as_written():
    text = Text(b"a\n  b \\\n c\n\td")
    assert [(text.line(t.begin), text.column(t.begin)) for t in text.tokens] == [(1, 1), (2, 3), (3, 2), (4, 2)]


def test_directives_are_found_with_their_files():
    text = Text(b'#include <a/b.h> // c\n  # include "d.h"\n#define X asm("y")\n#include MACRO\nx # y\n')
    assert [(d.name, d.file) for d in text.directives] == [
        (b"include", b"a/b.h"), (b"include", b"d.h"), (b"define", None), (b"include", None),
    ]  # fmt: skip
    assert text.source[text.directives[1].begin : text.directives[1].end] == b'# include "d.h"'
    assert b"asm" in names(text.source)


def test_a_directive_ends_after_its_continuations():
    source = b"#define X(a) \\\n  asm(a) \\\n  + 1\nint y;\n"
    text = Text(source)
    (directive,) = text.directives
    assert source[directive.end :] == b"\nint y;\n"
    assert text.directive_at(source.index(b"asm")) is directive
    assert text.directive_at(source.index(b"int")) is None


def test_a_comment_carries_a_directive_over_lines():
    text = Text(b"#define X /* one\n two */ 3\nint y;\n")
    assert text.source[text.directives[0].end :] == b"\nint y;\n"


def test_closing_brackets():
    text = Text(b"f(a[1], {b(c)}) (")
    closing = text.closing(1)
    assert closing is not None
    assert text.tokens[closing].begin == 14
    assert text.closing(len(text.tokens) - 1) is None


CODE = st.lists(
    st.sampled_from(
        [
            "name",
            " ",
            "\n",
            "\\\n",
            '"text"',
            "'c'",
            "1.5f",
            "// comment",
            "/* c */",
            "#",
            "(",
            ")",
            "{",
            "}",
            '"',
            "'",
            "/*",
            "<",
            ":",
            'R"(',
            ')"',
        ]
    ),
    max_size=40,
).map(lambda parts: "".join(parts).encode())


@given(CODE | st.binary(max_size=60))
def test_any_text_is_taken_apart_in_order(source):
    text = Text(source)
    place = 0
    for token in text.tokens:
        assert place <= token.begin < token.end <= len(source)
        place = token.end
        written = source[token.begin : token.end]
        if b"\\" not in written:
            assert written == token.text
    for directive in text.directives:
        assert source[directive.begin : directive.begin + 1] == b"#"
        assert directive.begin < directive.end <= len(source)

"""Replacements leave everything else where it was."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from cuda_shim.translate.edits import Edit, apply
from cuda_shim.translate.lexer import Text


def positions(source):
    """Return the place of each word as a compiler reports it: line by #line, column."""
    found = {}
    number = 0
    for line in source.split(b"\n"):
        number += 1
        if match := re.fullmatch(rb"#line (\d+)", line):
            number = int(match[1]) - 1
            continue
        for word in re.finditer(rb"w\d+", line):
            found[word.group()] = (number, word.start() + 1)
    return found


def replaced(source, old, new):
    begin = source.index(old)
    return apply(Text(source), [Edit(begin, begin + len(old), new)])


def test_a_shorter_one_is_filled_up():
    assert replaced(b"w1 long_name w2", b"long_name", b"x") == b"w1 x         w2"


def test_a_longer_one_begins_the_line_anew():
    assert replaced(b"\n\tw1 a w2;\n", b"a", b"long_name") == b"\n\tw1 long_name\n#line 2\n      w2;\n"


def test_a_longer_one_at_the_end_of_a_line_needs_nothing():
    assert replaced(b"w1 a\nw2", b"a", b"long_name") == b"w1 long_name\nw2"


def test_line_breaks_stay():
    assert replaced(b"w1 (a\n b\n  c) w2", b"(a\n b\n  c)", b"x") == b"w1 x\n\n     w2"


def test_a_macro_s_line_is_not_broken():
    assert (
        replaced(b"#define X(a) asm(a) w1\nw2", b"asm(a)", b"something_longer")
        == b"#define X(a) something_longer w1\nw2"
    )
    assert replaced(b"#define X asm( \\\n  y) w1\nw2", b"asm( \\\n  y)", b"z") == b"#define X z\\\n     w1\nw2"


@given(
    st.lists(
        st.tuples(st.sampled_from(["\n", "  ", "\t", " "]), st.booleans(), st.integers(0, 30)), min_size=1, max_size=30
    )
)
def test_words_keep_their_places(parts):
    """A text of words, some of which are replaced by something shorter or longer."""
    source, edits = b"", []
    for number, (gap, replace, length) in enumerate(parts):
        source += gap.encode()
        if replace:
            edits.append(Edit(len(source), len(source) + 9, b"x" * length))
            source += b"old(\n  1)" if length % 3 == 0 else b"old(1, 2)"
        source += b" w%d" % number
    assert positions(apply(Text(source), edits)) == positions(source)

"""The tokens of PTX text."""

from __future__ import annotations

import bisect
import re
from typing import NamedTuple

from cuda_shim.translate.ptx.errors import PtxError

__all__ = ["DIRECTIVE", "END", "NUMBER", "PUNCTUATION", "STRING", "WORD", "Lines", "Token", "tokens_of"]

WORD, DIRECTIVE, NUMBER, STRING, PUNCTUATION, END = "word", "directive", "number", "string", "punctuation", "end"

# An opcode is one word with its modifiers (`ld.global.L1::evict_last.f32`), as a special register is (`%tid.x`). Each
# alternative reads a character once, and a comment is a token: without a match, the search ends after one pass.
_PATTERN = re.compile(
    r"""\s*
    (?:
        (?P<word>(?:[A-Za-z][\w$]*|[_$%][\w$]+)(?:\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*)*|_)
      | (?P<directive>\.[A-Za-z_][\w$]*(?:::\w+)*)
      | (?P<number>0[fF][0-9a-fA-F]{8}\b|0[dD][0-9a-fA-F]{16}\b|0[xX][0-9a-fA-F]+U?\b|0[bB][01]+U?\b
                  |\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+U?\b)
      | (?P<string>"[^"\n]*")
      | (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<punctuation><<|>>|<=|>=|==|!=|&&|\|\||[{}()\[\];,:=+\-*/%<>!|&@~^?])
      | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """A token: its kind, its text, and the position where it begins."""

    kind: str
    text: str
    position: int


class Lines:
    """The lines of a text, which convert a position to line and column."""

    def __init__(self, text: str) -> None:
        self._begins = [0, *(match.end() for match in re.finditer("\n", text))]

    def of(self, position: int) -> tuple[int, int]:
        """Return line and column, counted from 1."""
        line = bisect.bisect_right(self._begins, position)
        return line, position - self._begins[line - 1] + 1


def tokens_of(text: str, lines: Lines) -> list[Token]:
    """Return all tokens, with one of kind END behind them. Raises PtxError at a text that is no token."""
    tokens: list[Token] = []
    position, match_at = 0, _PATTERN.match
    while True:
        match = match_at(text, position)
        if match is None:
            position = len(text) - len(text[position:].lstrip())
            raise PtxError(
                f"Parsing error near '{text[position : position + 10].split(chr(10))[0]}': syntax error",
                *lines.of(position),
            )
        kind = match.lastgroup or END
        if kind == "comment":
            if match[kind].startswith("/*") and not (match[kind].endswith("*/") and len(match[kind]) >= 4):
                raise PtxError("Parsing error: a comment does not end", *lines.of(match.start(kind)))
            position = match.end()
            continue
        tokens.append(Token(kind, match[kind], match.start(kind)))
        if kind == END:
            return tokens
        position = match.end()

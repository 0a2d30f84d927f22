"""A lexer of CUDA C++ in bytes: it separates identifiers from text that only looks like one.

The lexer distinguishes comments, string and character literals, raw strings, line continuations and preprocessor lines;
every token has its position in the text as written. Macros are not expanded: a token inside `#define` is a token of the
text like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

__all__ = ["CHARACTER", "IDENTIFIER", "NUMBER", "PUNCTUATION", "STRING", "Directive", "Text", "Token"]

IDENTIFIER, NUMBER, STRING, CHARACTER, PUNCTUATION = "identifier", "number", "string", "character", "punctuation"

# A token's match includes the blanks before it, and the common kinds come first: a token costs one match.
_TOKEN = re.compile(
    rb"""
    [ \t\r\f\v]*
    (?: (?P<string>(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\(.*?(?:\)(?P=mark)"|\Z)|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"?)
      | (?P<character>(?:u8|[uUL])?'(?:\\.|[^'\\\n])*'?)
      | (?P<identifier>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
      | (?P<newline>\n)
      | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
      | (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<punctuation><<=|>>=|\.\.\.|->\*|::|->|\+\+|--|\#\#|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|[^ \t\r\f\v])
      | (?P<end>\Z)
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_HASH = ord("#")
_SPLICE = re.compile(rb"\\[ \t]*\r?\n")
_WORD = re.compile(rb"[ \t]*(\w*)")
_INCLUDE = re.compile(rb"""(?:[ \t]|/\*(?:[^*\n]|\*(?!/))*\*/)*(?:<(?P<angled>[^>\n]*)>|"(?P<quoted>[^"\n]*)")""")


class Token(NamedTuple):
    """A token: its kind, its characters without line continuations, its position in the text as written."""

    kind: str
    text: bytes
    begin: int
    end: int


class Directive(NamedTuple):
    """A preprocessor line: its name (b"include"), the file that an include names, and its position.

    `begin` is the place of `#`; `end` that of the newline that closes it, continuations taken together. The file's name
    reaches from `file_begin` to `file_end`, its quotes or angle brackets included.
    """

    name: bytes
    file: bytes | None
    begin: int
    end: int
    is_quoted: bool = False
    file_begin: int = 0
    file_end: int = 0


class Text:
    """A text split into tokens.

    Attributes:
        source: the text as it was written.
        tokens: all tokens but blanks and comments, those of preprocessor lines included.
        directives: the preprocessor lines, in order.
    """

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.tokens: list[Token] = []
        self.directives: list[Directive] = []
        self._spliced, self._places = _splice(source)
        self._pieces = [begin for begin, _ in self._places]
        self._scan()
        self._lines: list[int] | None = None
        self._closings: dict[int, int] | None = None
        self._openings: dict[int, int] | None = None

    def line(self, place: int) -> int:
        """Return the line, from 1, of a place in the text as written."""
        return self._line_starts(place)[0]

    def column(self, place: int) -> int:
        """Return the column in bytes, from 1, of a place in the text as written."""
        return place - self._line_starts(place)[1] + 1

    def closing(self, index: int) -> int | None:
        """Return the index of the token that closes the bracket opened by token `index`; None if no token does."""
        return self._closing_tokens().get(index)

    def opening(self, index: int) -> int | None:
        """Return the index of the token that opens the bracket closed by token `index`; None if no token does."""
        if self._openings is None:
            self._openings = {closing: opening for opening, closing in self._closing_tokens().items()}
        return self._openings.get(index)

    def _closing_tokens(self) -> dict[int, int]:
        """Return the index of the closing token by that of each opening bracket; kinds of brackets may differ."""
        if self._closings is None:
            self._closings = self._pairs()
        return self._closings

    def _pairs(self) -> dict[int, int]:
        pairs: dict[int, int] = {}
        open_brackets: list[int] = []
        for at, token in enumerate(self.tokens):
            if token.text in (b"(", b"[", b"{"):
                open_brackets.append(at)
            elif token.text in (b")", b"]", b"}") and open_brackets:
                pairs[open_brackets.pop()] = at
        return pairs

    def directive_at(self, place: int) -> Directive | None:
        """Return the preprocessor line that contains a position, if any."""
        at = bisect_right(self.directives, place, key=lambda directive: directive.begin) - 1
        if at >= 0 and self.directives[at].begin <= place < self.directives[at].end:
            return self.directives[at]
        return None

    def defined_at(self, place: int) -> bytes | None:
        """Return the name of the macro whose definition contains a position, if any."""
        directive = self.directive_at(place)
        if directive is None or directive.name != b"define":
            return None
        first = bisect_right(self.tokens, directive.begin, key=lambda token: token.begin)
        return self.tokens[first].text

    def _line_starts(self, place: int) -> tuple[int, int]:
        if self._lines is None:
            self._lines = [0, *(match.end() for match in re.finditer(rb"\n", self.source))]
        line = bisect_right(self._lines, place)
        return line, self._lines[line - 1]

    def _scan(self) -> None:
        text, tokens, places = self._spliced, self.tokens, self._places
        match_at, fresh, place = _TOKEN.match, True, 0
        while place < len(text):
            match = match_at(text, place)
            if match is None:
                raise AssertionError(f"no token at {place}, though any character is one")
            kind = match.lastgroup or ""
            begin, place = match.span(kind)
            if kind == "newline":
                fresh = True
            elif kind == PUNCTUATION and fresh and text[begin] == _HASH:
                place = self._directive(begin, place)
                fresh = False
            elif kind not in ("comment", "end"):
                if places:
                    tokens.append(Token(kind, text[begin:place], self._place(begin), self._place(place - 1) + 1))
                else:
                    tokens.append(Token(kind, text[begin:place], begin, place))
                fresh = False

    def _directive(self, begin: int, after: int) -> int:
        """Record the preprocessor line whose `#` is at `begin`. Returns the position of its next token."""
        text = self._spliced
        word = _at(_WORD, text, after)
        end, after = _directive_end(text, after), word.end()
        whole = (self._place(begin), self._place(end))
        directive = Directive(word[1], None, *whole)
        if word[1] in (b"include", b"include_next", b"import"):
            named = _INCLUDE.match(text, after)
            if named is not None:
                kind = "angled" if named["angled"] is not None else "quoted"
                after = named.end()
                inside = named.span(kind)
                places = (self._place(inside[0] - 1), self._place(inside[1]) + 1)
                directive = Directive(word[1], named[kind], *whole, kind == "quoted", *places)
        elif word[1] in (b"error", b"warning", b"pragma", b"line"):
            after = end  # free text, in which an apostrophe opens nothing
        self.directives.append(directive)
        return after

    def _place(self, spliced: int) -> int:
        """Return the position in the text as written of a character of the spliced text."""
        if not self._places:
            return spliced
        at = bisect_right(self._pieces, spliced) - 1
        return spliced if at < 0 else spliced - self._places[at][0] + self._places[at][1]


def _at(pattern: re.Pattern[bytes], text: bytes, place: int) -> re.Match[bytes]:
    """Return the match of a pattern that matches everywhere: `_TOKEN` takes any character, `_WORD` none at all."""
    match = pattern.match(text, place)
    if match is None:
        raise AssertionError(f"{pattern.pattern!r} does not match at {place}")
    return match


def _splice(source: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the text without line continuations, and the position in both texts of each piece after one."""
    if b"\\\n" not in source and not _SPLICE.search(source):
        return source, []
    pieces: list[bytes] = []
    places: list[tuple[int, int]] = []
    length = begin = 0
    for match in _SPLICE.finditer(source):
        pieces.append(source[begin : match.start()])
        length += match.start() - begin
        begin = match.end()
        places.append((length, begin))
    pieces.append(source[begin:])
    return b"".join(pieces), places


def _directive_end(text: bytes, place: int) -> int:
    """Return the end of the line, which includes comments that span lines."""
    while place < len(text):
        match = _at(_TOKEN, text, place)
        if match.lastgroup == "newline":
            return match.start("newline")
        place = match.end()
    return len(text)

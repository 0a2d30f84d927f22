"""A cursor over the tokens of PTX text, shared by the parsers of modules and of bodies."""

from __future__ import annotations

import struct
from collections.abc import Callable

from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.lexer import DIRECTIVE, END, NUMBER, WORD, Lines, Token, tokens_of
from cuda_shim.translate.ptx.module import Immediate
from cuda_shim.translate.ptx.types import TYPES, Type

__all__ = ["TokenCursor", "decimal", "parse_number"]

_MAX_DEPTH = 64
_MAX_DIGITS = 640  # int() accepts this length under any limit of the interpreter
_BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "|": (1, lambda a, b: a | b),
    "^": (2, lambda a, b: a ^ b),
    "&": (3, lambda a, b: a & b),
    "<<": (4, lambda a, b: a << min(b, 64)),
    ">>": (4, lambda a, b: a >> min(b, 64)),
    "+": (5, lambda a, b: a + b),
    "-": (5, lambda a, b: a - b),
    "*": (6, lambda a, b: a * b),
}


class TokenCursor:
    """A cursor over the tokens of one text.

    Attributes:
        text: all of it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        self._tokens = tokens_of(text, self.lines)
        self._at = 0

    @property
    def current(self) -> Token:
        """The next token."""
        return self._tokens[self._at]

    @property
    def following(self) -> Token:
        """The token behind the next one."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Move behind the next token, and return it."""
        token = self._tokens[self._at]
        if token.kind != END:
            self._at += 1
        return token

    def accept(self, text: str) -> bool:
        """Take the next token if it has this text."""
        if self.current.text != text or self.current.kind == END:
            return False
        self._at += 1
        return True

    def expect(self, text: str) -> Token:
        """Take the next token, which must have this text."""
        if self.current.text != text or self.current.kind == END:
            raise self.syntax()
        return self.take()

    def name(self) -> str:
        """Take the next token, which must be an identifier."""
        token = self.current
        if token.kind != WORD or "." in token.text:
            raise self.syntax()
        return self.take().text

    def integer(self) -> int:
        """Take a constant expression of whole numbers."""
        return self._expression(0, 0)

    def type(self) -> Type:
        """Take the directive of a type."""
        token = self.current
        type_ = TYPES.get(token.text[1:]) if token.kind == DIRECTIVE else None
        if type_ is None:
            raise self.syntax()
        self.take()
        return type_

    def skip_line(self) -> None:
        """Take the rest of the next token's line."""
        end = self.text.find("\n", self.current.position)
        while self.current.kind != END and (end < 0 or self.current.position < end):
            self.take()

    def skip_braces(self) -> None:
        """Take a `{` and all up to its `}`."""
        self.expect("{")
        depth = 1
        while depth:
            token = self.take()
            if token.kind == END:
                raise self.syntax()
            depth += (token.text == "{") - (token.text == "}")

    def syntax(self) -> PtxError:
        """Return the error that the next token is unexpected."""
        token = self.current
        if token.kind == END:
            return self.error("Parsing error: unexpected end of the text")
        return self.error(f"Parsing error near '{token.text}': syntax error")

    def error(self, reason: str, position: int | None = None) -> PtxError:
        """Return an error at a place, else at the next token."""
        return PtxError(reason, *self.lines.of(self.current.position if position is None else position))

    def _expression(self, min_precedence: int, depth: int) -> int:
        if depth > _MAX_DEPTH:
            raise self.error("expressions are nested too deeply")
        value = self._unary(depth)
        while True:
            precedence, combine = _BINARY.get(self.current.text, (0, None))
            if combine is None or precedence <= min_precedence:
                return value
            self.take()
            value = _wrapped(combine(value, self._expression(precedence, depth + 1)))

    def _unary(self, depth: int) -> int:
        if depth > _MAX_DEPTH:
            raise self.error("expressions are nested too deeply")
        if self.accept("-"):
            return -self._unary(depth + 1)
        if self.accept("+"):
            return self._unary(depth + 1)
        if self.accept("~"):
            return ~self._unary(depth + 1)
        if self.accept("!"):
            return int(not self._unary(depth + 1))
        if self.accept("("):
            value = self._expression(0, depth + 1)
            self.expect(")")
            return value
        if self.current.kind == NUMBER:
            number = parse_number(self.current.text)
            if number.kind == "int":
                self.take()
                return number.value
        if self.accept("WARP_SZ"):
            return 32
        raise self.syntax()


def _wrapped(value: int) -> int:
    """Return a value in the 64 bits that constants have."""
    return value if -(1 << 63) <= value < 1 << 64 else value & ((1 << 64) - 1)


def parse_number(text: str) -> Immediate:
    """Return a number as it is written; of one that is too large, the lower 64 bits."""
    start = text[:2].lower()
    if start == "0f":
        return Immediate(int(text[2:], 16), "f32")
    if start == "0d":
        return Immediate(int(text[2:], 16), "f64")
    plain = text.rstrip("U")
    if start == "0x":
        return Immediate(_wrapped(int(plain, 16)), "int")
    if start == "0b":
        return Immediate(_wrapped(int(plain[2:], 2)), "int")
    if "." in text or "e" in text or "E" in text:
        return Immediate(int.from_bytes(struct.pack("<d", float(text)), "little"), "f64")
    octal = len(plain) > 1 and plain[0] == "0" and all(digit in "01234567" for digit in plain)
    return Immediate(_wrapped(int(plain, 8) if octal else decimal(plain)), "int")


def decimal(digits: str) -> int:
    """Return the value of any number of decimal digits: int() refuses thousands of them, and is slow before that."""
    return int(digits) if len(digits) <= _MAX_DIGITS else (1 << 64) - 1

"""The parser of `asm` statements of CUDA C++: their template, and the expressions that are their operands."""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from dataclasses import dataclass

from cuda_shim.translate.lexer import IDENTIFIER, STRING, Text, Token

__all__ = ["ASM_KEYWORDS", "MadeByMacros", "Statement", "Untranslatable", "Wrong", "is_ignored", "read_statement"]

ASM_KEYWORDS = (b"asm", b"__asm__", b"__asm")
_VOLATILE = (b"volatile", b"__volatile__", b"__volatile")
_QUALIFIERS = (*_VOLATILE, b"goto", b"inline")
# An operand's letter names its kind: integers of 16, 32, 64 and 128 bits, float, double, a constant, constant text; the
# last three name registers of AMD GPUs.
_LETTERS = "hrlqfdnCvsa"
_MAX_SECTIONS = 4
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "'": "'"}


class Untranslatable(Exception):
    """An asm statement has no translation; the message gives the reason."""


class Wrong(Untranslatable):
    """NVRTC refuses an asm statement, with the words of the message."""


class MadeByMacros(Untranslatable):
    """Macros put an asm statement together: the text alone does not say which."""


@dataclass(frozen=True)
class Statement:
    """An asm statement.

    Attributes:
        template: the text between the quotes, escapes resolved and pieces joined.
        operands: the C++ expressions of outputs and inputs, in order, blanks and comments dropped.
        constraints: the letter of each of them.
        names: the place among the operands of each symbolic name.
        is_volatile: True if compilers leave it where it stands: it says so, or has no outputs.
        clobbers_memory: True if it may read and write any memory.
        begin, end: the extent of the statement, from its keyword to its closing parenthesis.
    """

    template: str
    operands: tuple[str, ...]
    constraints: tuple[str, ...]
    names: dict[str, int]
    is_volatile: bool
    clobbers_memory: bool
    begin: int
    end: int


def read_statement(text: Text, index: int) -> Statement | None:
    """Return the asm statement whose keyword is token `index`; None if the token begins no statement.

    Raises MadeByMacros for a template that is not made of string literals alone, and Untranslatable.
    """
    tokens = text.tokens
    at = index + 1
    while at < len(tokens) and tokens[at].text in _QUALIFIERS:
        at += 1
    if at >= len(tokens) or tokens[at].text != b"(":
        return None
    closing = text.closing(at)
    if closing is None:
        return None
    sections = _sections(tokens[at + 1 : closing])
    names: dict[str, int] = {}
    operands: list[str] = []
    constraints: list[str] = []
    for place, section in enumerate(sections[1:3]):
        for operand in _split(section, b","):
            name, letter, expression = _operand(operand, is_output=place == 0)
            if name:
                names[name] = len(operands)
            operands.append(expression)
            constraints.append(letter)
    for section in sections[3:4]:
        _check_clobbers(section)
    if len(sections) > _MAX_SECTIONS:
        raise Wrong("expected a ')'")
    words = {token.text for token in tokens[index + 1 : at]}
    return Statement(
        _template(sections[0]),
        tuple(operands),
        tuple(constraints),
        names,
        is_volatile=not words.isdisjoint(_VOLATILE) or not any(sections[1:2]),
        clobbers_memory=any(token.kind == STRING for section in sections[3:4] for token in section),
        begin=tokens[index].begin,
        end=tokens[closing].end,
    )


def extent(text: Text, index: int) -> tuple[int, int]:
    """Return the extent of the asm statement of token `index`, translatable or not."""
    at = index + 1
    while text.tokens[at].text != b"(":
        at += 1
    closing = text.closing(at)
    return text.tokens[index].begin, text.tokens[closing if closing is not None else at].end


def is_ignored(text: Text, index: int) -> bool:
    """Return whether NVRTC makes nothing of the asm of token `index`: a symbol's label, or no function's.

    Neither has operands. A text that macros put together is a piece of a function.
    """
    opening = next((at for at in range(index + 1, index + 3) if _is(text, at, b"(")), None)
    closing = None if opening is None else text.closing(opening)
    if opening is None or closing is None or text.defined_at(text.tokens[index].begin) is not None:
        return False
    if not all(each.kind == STRING for each in text.tokens[opening + 1 : closing]):
        return False
    return (opening == index + 1 and _is_behind_declarator(text, index)) or not _is_in_function(text, index)


def _is(text: Text, index: int, word: bytes) -> bool:
    return index < len(text.tokens) and text.tokens[index].text == word


def _is_behind_declarator(text: Text, index: int) -> bool:
    """Return whether the token before is the end of a declarator, and no beginning of a statement."""
    if index == 0:
        return False
    before = text.tokens[index - 1]
    if before.kind == IDENTIFIER:
        return before.text not in (b"else", b"do")
    if before.text == b"]":
        return text.tokens[index - 2].text != b"]"  # of an attribute
    if before.text != b")":
        return False
    opening = text.opening(index - 1) or 0
    return opening > 0 and text.tokens[opening - 1].text not in (b"if", b"for", b"while", b"switch", b"constexpr")


def _is_in_function(text: Text, index: int) -> bool:
    begins, ends = _bodies(text)
    at = bisect_left(begins, index) - 1
    return at >= 0 and index < ends[at]


@functools.lru_cache(maxsize=1)
def _bodies(text: Text) -> tuple[list[int], list[int]]:
    """Return the first and last tokens of the outermost braces that are neither a namespace's nor a linkage's."""
    begins, ends = list[int](), list[int]()
    at = 0
    while at < len(text.tokens):
        closing = text.closing(at) if text.tokens[at].text == b"{" else None
        if closing is not None and not _opens_namespace(text, at):
            begins.append(at)
            ends.append(closing)
            at = closing
        at += 1
    return begins, ends


def _opens_namespace(text: Text, brace: int) -> bool:
    first = brace
    while first > 0 and text.tokens[first - 1].text not in (b";", b"{", b"}"):
        if text.directive_at(text.tokens[first - 1].begin) is not None:
            break
        first -= 1
    head = text.tokens[first:brace]
    if len(head) == 2 and head[0].text == b"extern":
        return head[1].kind == STRING
    return b"namespace" in [token.text for token in head[:2]]


def _sections(tokens: list[Token]) -> list[list[Token]]:
    """Return the sections between the colons outside all brackets; `::` is two colons."""
    sections: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.text in (b"(", b"[", b"{"):
            depth += 1
        elif token.text in (b")", b"]", b"}"):
            depth -= 1
        if depth == 0 and token.text == b":":
            sections.append([])
        elif depth == 0 and token.text == b"::":
            sections += [[], []]
        else:
            sections[-1].append(token)
    return sections


def _split(tokens: list[Token], separator: bytes) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.text in (b"(", b"[", b"{"):
            depth += 1
        elif token.text in (b")", b"]", b"}"):
            depth -= 1
        if depth == 0 and token.text == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _operand(tokens: list[Token], is_output: bool) -> tuple[str, str, str]:
    """Return the symbolic name, the constraint's letter and the expression of `[name] "constraint" (expression)`."""
    name = ""
    if tokens[0].text == b"[":
        name = tokens[1].text.decode("latin-1")
        tokens = tokens[3:]
    # The pieces of a constraint, as `"=" "r"`, are one.
    pieces = next((place for place, token in enumerate(tokens) if token.kind != STRING), 0)
    quoted = b"".join(token.text for token in tokens[:pieces])
    tokens = tokens[max(pieces - 1, 0) :]
    if len(tokens) < 3 or tokens[0].kind != STRING:
        raise MadeByMacros("has operands that are made by macros")
    if re.search(rb"\d", quoted):
        raise Untranslatable("ties an input to an output")
    constraint = "".join(_literal(piece) for piece in re.findall(rb'[^"]*"(?:[^"\\]|\\.)*"', quoted))
    _check_constraint(constraint, is_output)
    expression = tokens[2:-1] if len(tokens) == 4 else tokens[1:]  # a name alone needs no parentheses
    letter = constraint.lstrip("=+&%").strip()
    return name, letter, " ".join(token.text.decode("utf-8", "surrogateescape") for token in expression)


def _check_constraint(constraint: str, is_output: bool) -> None:
    """Raise Wrong for the constraint of an operand that NVRTC refuses."""
    letters = constraint.lstrip("=+&%").strip()
    modified = constraint[:1] in ("=", "+")
    if is_output and not modified:
        raise Wrong("an asm output operand must have one of the '=' or '+' modifiers")
    if modified and not is_output:
        raise Wrong("an asm input operand may not have the '=' or '+' modifiers")
    if not letters:
        raise Wrong("asm operand has no constraint letter")
    if len(letters) > 1:
        raise Wrong("an asm operand may specify only one constraint letter in a __device__/__global__ function")
    if is_output and letters == "n":
        raise Wrong("an asm operand must be an integral constant expression.")
    if letters not in _LETTERS:
        raise Wrong(f"asm operand type does not match type/size implied by constraint '{letters}'")


def _check_clobbers(tokens: list[Token]) -> None:
    for token in tokens:
        if token.kind != STRING and token.text != b",":
            raise MadeByMacros("has clobbers that are made by macros")
        clobbered = _literal(token.text) if token.kind == STRING else ""
        if clobbered and clobbered != "memory":
            raise Wrong(f"The {clobbered} clobber constraint is not supported in device code")


def _template(tokens: list[Token]) -> str:
    if not tokens or any(token.kind != STRING for token in tokens):
        raise MadeByMacros("is put together by macros")
    return "".join(_literal(token.text) for token in tokens)


def _literal(quoted: bytes) -> str:
    text = quoted.decode("utf-8", "surrogateescape")
    raw = re.fullmatch(r'[^"]*R"([^(]*)\((.*)\)\1"', text, re.DOTALL)
    if raw is not None:
        return raw[2]
    inside = text[text.index('"') + 1 :].removesuffix('"')
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), inside, flags=re.DOTALL)

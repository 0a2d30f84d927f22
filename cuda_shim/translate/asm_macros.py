"""Macros that put `asm` statements together, expanded so that the statements can be translated.

    #define LOAD(type, space) asm("ld." #space ".u32 %0, [%1];" : "=r"(value) : "l"(address))
    LOAD(unsigned, global);       // becomes the statement itself, with "ld." "global" ".u32 %0, [%1];"

Only the macros of the text itself are known, and of them only those with one meaning at the place of their use: where
branches of an `#if` define a macro differently, the preprocessor alone knows which is meant. Everything else is left to
the preprocessor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cuda_shim.translate.lexer import IDENTIFIER, STRING, Text, Token

__all__ = ["Use", "asm_macro_uses", "with_expanded_strings"]

_ELLIPSIS = b"..."
_VARIADIC = b"__VA_ARGS__"
_OPENING, _CLOSING = (b"(", b"[", b"{"), (b")", b"]", b"}")


class Use(NamedTuple):
    """A macro's use from `begin` to `end` in the text, the text that it stands for, and the macros that wrote it."""

    begin: int
    end: int
    expansion: bytes
    macros: frozenset[bytes]


class _Piece(NamedTuple):
    """A token of an expansion: blanks stand before it in a string made of it (`spaced`), or in the text (`apart`)."""

    kind: str
    text: bytes
    spaced: bool
    apart: bool


@dataclass(frozen=True)
class _Macro:
    """A definition; `parameters` is None for a macro without parentheses."""

    parameters: tuple[bytes, ...] | None
    body: tuple[_Piece, ...]


class _NotExpanded(Exception):
    """A use whose expansion only the preprocessor knows."""


def asm_macro_uses(text: Text, wanted: frozenset[bytes]) -> list[Use]:
    """Return the uses, outside of preprocessor lines, of macros that are `wanted` or whose expansion uses one."""
    if not wanted:
        return []
    macros, uses, behind = _Macros(text), [], 0
    for index, token in enumerate(text.tokens):
        if token.kind != IDENTIFIER or token.begin < behind or token.text not in macros.names:
            continue
        if text.directive_at(token.begin) is not None or not macros.uses_any(token.text, wanted, token.begin):
            continue
        try:
            last = macros.last_token(index)
            macros.expanded_names.clear()
            expansion = macros.expanded(_pieces(text.tokens[index : last + 1]), token.begin)
        except _NotExpanded:
            continue
        behind = text.tokens[last].end
        uses.append(Use(token.begin, behind, _joined(expansion), frozenset(macros.expanded_names)))
    return uses


def with_expanded_strings(text: Text, begin: int, end: int) -> bytes:
    """Return an asm statement with the text's macros expanded in it, such as those that stand for strings."""
    macros = _Macros(text)
    tokens = [token for token in text.tokens if begin <= token.begin < end]
    try:
        return _joined(macros.expanded(_pieces(tokens), begin))
    except _NotExpanded:
        return text.source[begin:end]


class _Macros:
    """The macros that a text defines, with the places from which and up to which each definition holds."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._changes: dict[bytes, list[tuple[int, _Macro | None]]] = {}
        at = 0
        for directive in text.directives:
            if directive.name not in (b"define", b"undef"):
                continue
            while at < len(text.tokens) and text.tokens[at].begin < directive.begin:
                at += 1
            end = at
            while end < len(text.tokens) and text.tokens[end].begin < directive.end:
                end += 1
            tokens = text.tokens[at:end]  # those behind the directive's name
            if tokens:
                macro = _definition(tokens) if directive.name == b"define" else None
                self._changes.setdefault(tokens[0].text, []).append((directive.end, macro))
        self.names = frozenset(self._changes)
        self.expanded_names: set[bytes] = set()

    def meaning(self, name: bytes, place: int) -> _Macro | None:
        """Return the definition of a name at a place; None without one. Raises _NotExpanded where there are several."""
        macro: _Macro | None = None
        for begin, change in self._changes.get(name, ()):
            if begin > place:
                break
            if macro is not None and change is not None and change != macro:
                raise _NotExpanded
            macro = change
        return macro

    def uses_any(self, name: bytes, wanted: frozenset[bytes], place: int, seen: frozenset[bytes] = frozenset()) -> bool:
        """Return whether a macro is among those wanted, or uses one of them."""
        try:
            macro = self.meaning(name, place)
        except _NotExpanded:
            return False
        if macro is None or name in seen:
            return False
        words = {piece.text for piece in macro.body if piece.kind == IDENTIFIER} & self.names
        return name in wanted or any(self.uses_any(word, wanted, place, seen | {name}) for word in words)

    def last_token(self, index: int) -> int:
        """Return the index of the last token of the use that begins with token `index`."""
        token = self._text.tokens[index]
        macro = self.meaning(token.text, token.begin)
        if macro is None or macro.parameters is None:
            return index
        if index + 1 >= len(self._text.tokens) or self._text.tokens[index + 1].text != b"(":
            raise _NotExpanded
        closing = self._text.closing(index + 1)
        if closing is None:
            raise _NotExpanded
        return closing

    def expanded(self, pieces: Sequence[_Piece], place: int, hidden: frozenset[bytes] = frozenset()) -> list[_Piece]:
        """Return tokens with their macros expanded; those in `hidden` are being expanded."""
        result: list[_Piece] = []
        at, behind_expansion = 0, False
        while at < len(pieces):
            piece = pieces[at]._replace(apart=pieces[at].apart or behind_expansion)
            behind_expansion = False
            macro = self.meaning(piece.text, place) if piece.kind == IDENTIFIER else None
            if macro is not None and piece.text in hidden:
                raise _NotExpanded  # the preprocessor would expand it once more in the text
            if macro is None:
                result.append(piece)
                at += 1
                continue
            end, arguments = at + 1, list[list[_Piece]]()
            if macro.parameters is not None:
                if end >= len(pieces) or pieces[end].text != b"(":
                    result.append(piece)
                    at += 1
                    continue
                end, arguments = _arguments(pieces, end, macro.parameters)
            self.expanded_names.add(piece.text)
            body = self._substituted(macro, arguments, place, hidden)
            expansion = self.expanded(body, place, hidden | {piece.text})
            result += _as_first(expansion, piece.spaced)
            at, behind_expansion = end, True
        return result

    def _substituted(
        self, macro: _Macro, arguments: list[list[_Piece]], place: int, hidden: frozenset[bytes]
    ) -> list[_Piece]:
        """Return a macro's body with the arguments in the places of its parameters."""
        named = dict(zip(macro.parameters or (), arguments, strict=True))
        body, result = macro.body, list[_Piece]()
        behind_argument = False
        for at, piece in enumerate(body):
            before, after = (body[at - 1].text if at else b""), (body[at + 1].text if at + 1 < len(body) else b"")
            if piece.text == b"#" and after in named:
                continue
            if b"##" in (before, after) or piece.text == b"##":
                raise _NotExpanded  # pasted tokens: rare in asm statements
            is_argument = piece.text in named
            if not is_argument:
                result.append(piece._replace(apart=piece.apart or behind_argument))
            elif before == b"#":
                result.append(_Piece(STRING, _quoted(named[piece.text]), body[at - 1].spaced, True))
            else:
                result += _as_first(self.expanded(named[piece.text], place, hidden), piece.spaced)
            behind_argument = is_argument
        return result


def _definition(tokens: Sequence[Token]) -> _Macro:
    """Return the macro of `NAME(parameters) body`: a parenthesis that does not touch the name belongs to the body."""
    if len(tokens) < 2 or tokens[1].text != b"(" or tokens[1].begin != tokens[0].end:
        return _Macro(None, tuple(_pieces(tokens[1:])))
    closing = next((i for i, token in enumerate(tokens) if token.text == b")"), len(tokens) - 1)
    names = [token.text for token in tokens[2:closing] if token.text != b","]
    return _Macro(
        tuple(_VARIADIC if name == _ELLIPSIS else name for name in names), tuple(_pieces(tokens[closing + 1 :]))
    )


def _arguments(pieces: Sequence[_Piece], opening: int, parameters: tuple[bytes, ...]) -> tuple[int, list[list[_Piece]]]:
    """Return the index behind the parenthesis that closes a use, and its arguments. Raises _NotExpanded."""
    arguments: list[list[_Piece]] = [[]]
    depth = 0
    for at in range(opening, len(pieces)):
        piece = pieces[at]
        depth += (piece.text in _OPENING) - (piece.text in _CLOSING)
        if depth == 0:
            count = len(parameters)
            if count == 0 and arguments == [[]]:
                arguments = []
            if parameters[-1:] == (_VARIADIC,) and len(arguments) == count - 1:
                arguments.append([])
            if len(arguments) != count:
                raise _NotExpanded
            return at + 1, arguments
        is_separator = depth == 1 and piece.text == b","
        if is_separator and not (parameters[-1:] == (_VARIADIC,) and len(arguments) == len(parameters)):
            arguments.append([])
        elif at > opening:
            arguments[-1].append(piece)
    raise _NotExpanded


def _pieces(tokens: Sequence[Token]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for at, token in enumerate(tokens):
        if b"\n" in token.text:
            raise _NotExpanded  # a raw string
        spaced = at > 0 and tokens[at - 1].end != token.begin
        pieces.append(_Piece(token.kind, token.text, spaced, at == 0 or spaced))
    return pieces


def _as_first(pieces: list[_Piece], spaced: bool) -> list[_Piece]:
    """Return an expansion in the place of one token, which had blanks before it or not."""
    return [pieces[0]._replace(spaced=spaced, apart=True), *pieces[1:]] if pieces else []


def _quoted(pieces: list[_Piece]) -> bytes:
    """Return the string literal of `#parameter`."""
    text = b""
    for at, piece in enumerate(pieces):
        escaped = piece.text
        if piece.kind == STRING:
            escaped = escaped.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        text += (b" " if at and piece.spaced else b"") + escaped
    return b'"' + text + b'"'


def _joined(pieces: Sequence[_Piece]) -> bytes:
    return b"".join((b" " if piece.apart else b"") + piece.text for piece in pieces).lstrip()

"""Declarations of PTX: variables with their initialisers, and parameters."""

from __future__ import annotations

from cuda_shim.translate.ptx.errors import UnsupportedPtx
from cuda_shim.translate.ptx.lexer import DIRECTIVE, NUMBER, WORD
from cuda_shim.translate.ptx.module import Immediate, Operand, Parameter, Symbol, Variable
from cuda_shim.translate.ptx.token_cursor import TokenCursor, parse_number
from cuda_shim.translate.ptx.types import Type

__all__ = ["SPACES", "declaration", "linkage_of", "parameters"]

SPACES = ("global", "const", "shared", "local", "param")
_LINKAGES = (".extern", ".visible", ".weak", ".common")
_OPAQUE = (".texref", ".samplerref", ".surfref")
_MAX_SIZE = 1 << 40


def linkage_of(words: TokenCursor) -> str:
    """Take the directives of linkage; "" if there is none."""
    linkage = ""
    while words.current.text in _LINKAGES:
        linkage = words.take().text[1:]
    return linkage


def declaration(words: TokenCursor, linkage: str = "") -> list[Variable]:
    """Take a declaration of variables, its semicolon included."""
    token = words.current
    space = token.text[1:].partition("::")[0]
    if token.kind != DIRECTIVE or space not in SPACES:
        raise words.syntax()
    words.take()
    align, vector, type_ = _properties(words)
    found = []
    while True:
        place = words.current.place
        name = words.name()
        dimensions = _dimensions(words)
        initial = _initialiser(words) if words.accept("=") else None
        if dimensions and dimensions[0] == 0 and initial is not None:
            dimensions = (len(initial) // vector, *dimensions[1:])
        variable = Variable(
            name, space, type_, vector, dimensions, align or type_.size * vector, linkage, initial, place
        )
        if variable.size > _MAX_SIZE:
            raise words.error(f"variable '{name}' is too large", place)
        found.append(variable)
        if not words.accept(","):
            break
    words.expect(";")
    return found


def _properties(words: TokenCursor) -> tuple[int, int, Type]:
    """Return alignment, length of vectors and type, in their order before the name."""
    align, vector = 0, 1
    while True:
        text = words.current.text
        if text == ".align":
            words.take()
            align = _alignment(words)
        elif text == ".attribute":
            words.take()
            words.expect("(")
            while not words.accept(")"):
                if words.take().kind == "end":
                    raise words.syntax()
        elif text in (".v2", ".v4", ".v8"):
            words.take()
            vector = int(text[2:])
        elif text in _OPAQUE:
            raise UnsupportedPtx(
                f"{text}: use texture and surface objects instead", *words.lines.of(words.current.place)
            )
        else:
            return align, vector, words.type()


def _alignment(words: TokenCursor) -> int:
    place = words.current.place
    align = words.integer()
    if align <= 0 or align & (align - 1) or align > 1 << 16:
        raise words.error(f"'{align}' is not an alignment", place)
    return align


def _dimensions(words: TokenCursor) -> tuple[int, ...]:
    found: list[int] = []
    while words.accept("["):
        place = words.current.place
        size = 0 if words.current.text == "]" else words.integer()
        if size < 0:
            raise words.error("an array has a negative size", place)
        found.append(size)
        words.expect("]")
    return tuple(found)


def _initialiser(words: TokenCursor) -> list[Operand]:
    """Return the items behind `=`, in order; braces inside only group them."""
    if words.current.text != "{":
        return [_item(words)]
    found: list[Operand] = []
    depth = 0
    while True:
        if words.accept("{"):
            depth += 1
            continue
        if words.current.text != "}":
            found.append(_item(words))
        while words.accept("}"):
            depth -= 1
            if depth == 0:
                return found
        words.expect(",")


def _item(words: TokenCursor) -> Operand:
    token = words.current
    if token.kind == WORD and token.text != "WARP_SZ":
        return _address(words)
    negative = words.current.text == "-" and words.following.kind == NUMBER
    ahead = words.following if negative else token
    if ahead.kind == NUMBER:
        number = parse_number(ahead.text)
        if number.kind != "int":
            if negative:
                words.take()
                number = Immediate(number.value ^ (1 << (31 if number.kind == "f32" else 63)), number.kind)
            words.take()
            return number
    return Immediate(words.integer(), "int")


def _address(words: TokenCursor) -> Operand:
    """`name`, `name+4`, `generic(name)+4`."""
    place = words.current.place
    name = words.name()
    if words.accept("("):
        if name != "generic":
            raise UnsupportedPtx(f"'{name}()' in an initialiser has no counterpart", *words.lines.of(place))
        name = words.name()
        inside = words.integer() if words.accept("+") else 0
        words.expect(")")
    else:
        inside = 0
    if words.current.text in ("+", "-"):
        inside += words.integer()
    return Symbol(name, inside)


def parameters(words: TokenCursor) -> list[Parameter]:
    """Take the parameters in parentheses of a function, or its results."""
    words.expect("(")
    found: list[Parameter] = []
    while not words.accept(")"):
        if found:
            words.expect(",")
        found.append(_parameter(words))
    return found


def _parameter(words: TokenCursor) -> Parameter:
    if words.current.text not in (".param", ".reg"):
        raise words.syntax()
    words.take()
    align, vector, type_ = _properties(words)
    while words.current.kind == DIRECTIVE:
        if words.accept(".align"):
            _alignment(words)
        else:  # .ptr and the space that it points to
            words.take()
    name = words.name() if words.current.kind == WORD else ""
    dimensions = _dimensions(words)
    count: int | None = vector if vector > 1 else None
    for size in dimensions:
        count = (1 if count is None else count) * size
    if count is not None and count * type_.size > 1 << 20:
        raise words.error("a parameter is too large")
    return Parameter("" if name == "_" else name, type_, count, align or type_.size)

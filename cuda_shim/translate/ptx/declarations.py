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


def linkage_of(cursor: TokenCursor) -> str:
    """Take the directives of linkage; "" if there is none."""
    linkage = ""
    while cursor.current.text in _LINKAGES:
        linkage = cursor.take().text[1:]
    return linkage


def declaration(cursor: TokenCursor, linkage: str = "") -> list[Variable]:
    """Take a declaration of variables, its semicolon included."""
    token = cursor.current
    space = token.text[1:].partition("::")[0]
    if token.kind != DIRECTIVE or space not in SPACES:
        raise cursor.syntax()
    cursor.take()
    align, vector, type_ = _properties(cursor)
    variables = []
    while True:
        position = cursor.current.position
        name = cursor.name()
        dimensions = _dimensions(cursor)
        initial = _initialiser(cursor) if cursor.accept("=") else None
        if dimensions and dimensions[0] == 0 and initial is not None:
            dimensions = (len(initial) // vector, *dimensions[1:])
        variable = Variable(
            name, space, type_, vector, dimensions, align or type_.size * vector, linkage, initial, position
        )
        if variable.size > _MAX_SIZE:
            raise cursor.error(f"variable '{name}' is too large", position)
        variables.append(variable)
        if not cursor.accept(","):
            break
    cursor.expect(";")
    return variables


def _properties(cursor: TokenCursor) -> tuple[int, int, Type]:
    """Return alignment, length of vectors and type, in their order before the name."""
    align, vector = 0, 1
    while True:
        text = cursor.current.text
        if text == ".align":
            cursor.take()
            align = _alignment(cursor)
        elif text == ".attribute":
            cursor.take()
            cursor.expect("(")
            while not cursor.accept(")"):
                if cursor.take().kind == "end":
                    raise cursor.syntax()
        elif text in (".v2", ".v4", ".v8"):
            cursor.take()
            vector = int(text[2:])
        elif text in _OPAQUE:
            raise UnsupportedPtx(
                f"{text}: use texture and surface objects instead", *cursor.lines.of(cursor.current.position)
            )
        else:
            return align, vector, cursor.type()


def _alignment(cursor: TokenCursor) -> int:
    position = cursor.current.position
    align = cursor.integer()
    if align <= 0 or align & (align - 1) or align > 1 << 16:
        raise cursor.error(f"'{align}' is not an alignment", position)
    return align


def _dimensions(cursor: TokenCursor) -> tuple[int, ...]:
    dimensions: list[int] = []
    while cursor.accept("["):
        position = cursor.current.position
        size = 0 if cursor.current.text == "]" else cursor.integer()
        if size < 0:
            raise cursor.error("an array has a negative size", position)
        dimensions.append(size)
        cursor.expect("]")
    return tuple(dimensions)


def _initialiser(cursor: TokenCursor) -> list[Operand]:
    """Return the items behind `=`, in order; braces inside only group them."""
    if cursor.current.text != "{":
        return [_item(cursor)]
    items: list[Operand] = []
    depth = 0
    while True:
        if cursor.accept("{"):
            depth += 1
            continue
        if cursor.current.text != "}":
            items.append(_item(cursor))
        while cursor.accept("}"):
            depth -= 1
            if depth == 0:
                return items
        cursor.expect(",")


def _item(cursor: TokenCursor) -> Operand:
    token = cursor.current
    if token.kind == WORD and token.text != "WARP_SZ":
        return _address(cursor)
    negative = cursor.current.text == "-" and cursor.following.kind == NUMBER
    next_token = cursor.following if negative else token
    if next_token.kind == NUMBER:
        number = parse_number(next_token.text)
        if number.kind != "int":
            if negative:
                cursor.take()
                number = Immediate(number.value ^ (1 << (31 if number.kind == "f32" else 63)), number.kind)
            cursor.take()
            return number
    return Immediate(cursor.integer(), "int")


def _address(cursor: TokenCursor) -> Operand:
    """`name`, `name+4`, `generic(name)+4`."""
    position = cursor.current.position
    name = cursor.name()
    if cursor.accept("("):
        if name != "generic":
            raise UnsupportedPtx(f"'{name}()' in an initialiser has no counterpart", *cursor.lines.of(position))
        name = cursor.name()
        offset = cursor.integer() if cursor.accept("+") else 0
        cursor.expect(")")
    else:
        offset = 0
    if cursor.current.text in ("+", "-"):
        offset += cursor.integer()
    return Symbol(name, offset)


def parameters(cursor: TokenCursor) -> list[Parameter]:
    """Take the parameters in parentheses of a function, or its results."""
    cursor.expect("(")
    result: list[Parameter] = []
    while not cursor.accept(")"):
        if result:
            cursor.expect(",")
        result.append(_parameter(cursor))
    return result


def _parameter(cursor: TokenCursor) -> Parameter:
    if cursor.current.text not in (".param", ".reg"):
        raise cursor.syntax()
    cursor.take()
    align, vector, type_ = _properties(cursor)
    while cursor.current.kind == DIRECTIVE:
        if cursor.accept(".align"):
            _alignment(cursor)
        else:  # .ptr and the space that it points to
            cursor.take()
    name = cursor.name() if cursor.current.kind == WORD else ""
    dimensions = _dimensions(cursor)
    count: int | None = vector if vector > 1 else None
    for size in dimensions:
        count = (1 if count is None else count) * size
    if count is not None and count * type_.size > 1 << 20:
        raise cursor.error("a parameter is too large")
    return Parameter("" if name == "_" else name, type_, count, align or type_.size)

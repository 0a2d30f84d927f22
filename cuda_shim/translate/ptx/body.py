"""The body of a function: its declarations, labels and instructions.

Names of registers, variables and labels are valid up to the end of the braces around them, and hide outer ones. The
parser's result is flat: each has a unique name in the whole function.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cuda_shim.translate.ptx.declarations import SPACES, declaration, linkage_of, parameters
from cuda_shim.translate.ptx.errors import UnsupportedPtx
from cuda_shim.translate.ptx.instructions import without_cache_policy
from cuda_shim.translate.ptx.lexer import DIRECTIVE, NUMBER, STRING, WORD
from cuda_shim.translate.ptx.module import (
    SINK,
    Address,
    Call,
    Function,
    Group,
    Immediate,
    Instruction,
    Label,
    Negated,
    Operand,
    Register,
    ResultPair,
    Special,
    Symbol,
    Vector,
)
from cuda_shim.translate.ptx.opcode_order import documented_order
from cuda_shim.translate.ptx.token_cursor import TokenCursor, parse_number
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.video import VideoOperand, is_video, opcode_with_operands, video_operand

__all__ = ["parse_body"]

_MAX_REGISTERS = 1 << 20


class _Scope:
    """The names of one pair of braces."""

    def __init__(self, outer: _Scope | None) -> None:
        self.outer = outer
        self.registers: dict[str, str] = {}
        self.numbered: dict[str, tuple[int, str, str]] = {}
        self.symbols: dict[str, str] = {}


def parse_body(cursor: TokenCursor, function: Function) -> None:
    """Parse a body in braces and put its items into the function."""
    _BodyParser(cursor, function).parse()


class _BodyParser:
    def __init__(self, cursor: TokenCursor, function: Function) -> None:
        self._cursor = cursor
        self._function = function
        self._scope = _Scope(None)
        self._items: list[Instruction | Label] = []
        self._jumps: list[tuple[int, _Scope]] = []
        self._tables: list[tuple[str, _Scope]] = []
        self._used_names: set[str] = set()

    def parse(self) -> None:
        cursor, function = self._cursor, self._function
        for parameter in (*function.parameters, *function.results):
            if parameter.name:
                self._scope.symbols[parameter.name] = parameter.name
        cursor.expect("{")
        depth = 1
        while depth:
            if cursor.accept("{"):
                depth += 1
                self._scope = _Scope(self._scope)
            elif cursor.accept("}"):
                depth -= 1
                self._scope = self._scope.outer or self._scope
            else:
                self._statement()
        for index, scope in self._jumps:
            self._items[index] = self._with_labels(self._items[index], scope)
        for name, scope in self._tables:
            function.tables[name] = [self._symbol(label, scope) for label in function.tables[name]]
        function.body = self._items

    def _statement(self) -> None:
        cursor = self._cursor
        token = cursor.current
        if token.kind == DIRECTIVE:
            self._directive()
        elif token.kind == WORD and cursor.following.text == ":" and "." not in token.text:
            self._label()
        elif token.text == "@" or token.kind == WORD:
            self._instruction()
        elif not cursor.accept(";"):
            raise cursor.syntax()

    def _directive(self) -> None:
        cursor = self._cursor
        text = cursor.current.text
        if text == ".reg":
            self._registers()
        elif text in (".loc", ".file"):
            cursor.skip_line()
        elif text == ".pragma":
            cursor.take()
            while cursor.current.kind == STRING:
                cursor.take()
                cursor.accept(",")
            cursor.expect(";")
        elif text == ".section":
            cursor.take()
            cursor.take()
            cursor.skip_braces()
        else:
            linkage = linkage_of(cursor)
            if cursor.current.text[1:].partition("::")[0] not in SPACES:
                raise cursor.syntax()
            for variable in declaration(cursor, linkage):
                unique = self._unique(variable.name, self._function.variables)
                self._scope.symbols[variable.name] = unique
                self._function.variables[unique] = replace(variable, name=unique)

    def _registers(self) -> None:
        cursor = self._cursor
        cursor.take()
        position = cursor.current.position
        if cursor.current.text in (".v2", ".v4"):
            raise UnsupportedPtx("registers that are vectors have no counterpart", *cursor.lines.of(position))
        type_ = cursor.type()
        while True:
            position = cursor.current.position
            name = cursor.name()
            if cursor.accept("<"):
                count = cursor.integer()
                cursor.expect(">")
                if not 0 <= count <= _MAX_REGISTERS:
                    raise cursor.error(f"'{count}' registers are too many", position)
                suffix = f".{len(self._used_names)}" if name in self._used_names else ""
                self._used_names.add(name)
                self._scope.numbered[name] = (count, suffix, type_.name)
            else:
                unique = self._unique(name, self._function.registers)
                self._scope.registers[name] = unique
                self._function.registers[unique] = type_
            if not cursor.accept(","):
                break
        cursor.expect(";")

    def _unique(self, name: str, used_names: object) -> str:
        unique, number = name, 0
        while unique in used_names:  # type: ignore[operator]
            number += 1
            unique = f"{name}.{number}"
        return unique

    def _label(self) -> None:
        cursor = self._cursor
        token = cursor.take()
        cursor.expect(":")
        if cursor.current.text == ".branchtargets":
            cursor.take()
            labels = [cursor.name()]
            while cursor.accept(","):
                labels.append(cursor.name())
            cursor.expect(";")
            self._function.tables[token.text] = labels
            self._tables.append((token.text, self._scope))
        elif cursor.current.text == ".callprototype":
            self._prototype(token.text, token.position)
        else:
            if token.text in self._scope.symbols:
                raise cursor.error(f"Duplicate definition of label '{token.text}'", token.position)
            unique = self._unique(token.text, self._used_names)
            self._used_names.add(unique)
            self._scope.symbols[token.text] = unique
            self._items.append(Label(unique, token.position))

    def _prototype(self, name: str, position: int) -> None:
        cursor = self._cursor
        cursor.take()
        results = parameters(cursor) if cursor.current.text == "(" else []
        cursor.name()
        arguments = parameters(cursor) if cursor.current.text == "(" else []
        while cursor.accept(".noreturn"):
            pass
        cursor.expect(";")
        self._function.prototypes[name] = Function(name, False, "", results, arguments, position)

    def _instruction(self) -> None:
        cursor = self._cursor
        position = cursor.current.position
        guard, negated = None, False
        if cursor.accept("@"):
            negated = cursor.accept("!")
            predicate = self._resolve(cursor.current.position, cursor.name())
            if not isinstance(predicate, Register):
                raise cursor.error("a guard that is no register", position)
            guard = predicate
            position = cursor.current.position
        if cursor.current.kind != WORD:
            raise cursor.syntax()
        opcode = cursor.take().text
        if opcode[0] in "%$_":
            raise cursor.error(f"Parsing error near '{opcode}': syntax error", position)
        if is_video(opcode):
            opcode, operands = self._video(opcode)
        else:
            opcode, remaining = without_cache_policy(documented_order(opcode), list(self._operands()))
            operands = tuple(remaining)
        cursor.expect(";")
        name = opcode.partition(".")[0]
        if name == "call":
            self._items.append(self._call(opcode, operands, position, guard, negated))
            return
        if name in ("bra", "brx"):
            self._jumps.append((len(self._items), self._scope))
        self._items.append(Instruction(opcode, operands, position, guard, negated))

    def _call(
        self, opcode: str, operands: tuple[Operand, ...], position: int, guard: Register | None, negated: bool
    ) -> Call:
        remaining = list(operands)
        results = _group(remaining)
        if not remaining or not isinstance(remaining[0], (Symbol, Register)):
            raise self._cursor.error("a call without a function", position)
        target = remaining.pop(0)
        arguments = _group(remaining)
        prototype_operand = remaining.pop(0) if remaining and isinstance(remaining[0], Symbol) else None
        prototype = prototype_operand.name if isinstance(prototype_operand, Symbol) else ""
        if remaining:
            raise self._cursor.error("a call with too many operands", position)
        return Call(opcode, operands, position, guard, negated, target, results, arguments, prototype)

    def _operands(self) -> Iterator[Operand]:
        cursor = self._cursor
        if cursor.current.text == ";":
            return
        while True:
            yield self._operand()
            if not cursor.accept(","):
                return

    def _video(self, opcode: str) -> tuple[str, tuple[Operand, ...]]:
        """Take the operands of a video instruction; its opcode gets their signs and selectors."""
        cursor = self._cursor
        operands: list[Operand] = []
        parts: list[VideoOperand] = []
        while not operands or cursor.accept(","):
            sign = "-" if cursor.current.text == "-" and cursor.following.kind == WORD else ""
            if sign:
                cursor.take()
            position = cursor.current.position
            if cursor.current.kind != WORD or cursor.current.text == "WARP_SZ":
                operands.append(self._number())
                parts.append(VideoOperand("", sign, ""))
                continue
            part = video_operand(cursor.take().text)
            operands.append(self._resolve(position, part.text))
            parts.append(part._replace(sign=sign))
        return opcode_with_operands(opcode, parts), tuple(operands)

    def _operand(self) -> Operand:
        cursor = self._cursor
        first = self._simple_operand()
        if cursor.current.text == "|" and isinstance(first, (Register, type(SINK))):
            cursor.take()
            return ResultPair(first, self._simple_operand())
        return first

    def _simple_operand(self) -> Operand:
        cursor = self._cursor
        token = cursor.current
        if token.text == "{":
            return Vector(self._list("{", "}"))
        if token.text == "(" and self._is_group():
            return Group(self._list("(", ")"))
        if token.text == "[":
            return self._address()
        if token.text == "!":
            cursor.take()
            position = cursor.current.position
            return Negated(self._resolve(position, cursor.name()))
        if token.kind == WORD and token.text != "WARP_SZ":
            cursor.take()
            return self._with_offset(self._resolve(token.position, token.text))
        return self._number()

    def _is_group(self) -> bool:
        """Return whether a parenthesis begins the arguments of a call, not an expression of numbers."""
        following = self._cursor.following
        return following.text == ")" or (following.kind == WORD and following.text != "WARP_SZ")

    def _number(self) -> Immediate:
        cursor = self._cursor
        negative = cursor.current.text == "-" and cursor.following.kind == NUMBER
        next_token = cursor.following if negative else cursor.current
        if next_token.kind == NUMBER:
            number = parse_number(next_token.text)
            if number.kind != "int":
                cursor.take()
                if negative:
                    cursor.take()
                    number = Immediate(number.value ^ (1 << (31 if number.kind == "f32" else 63)), number.kind)
                return number
        return Immediate(cursor.integer(), "int")

    def _list(self, opening: str, closing: str) -> tuple[Operand, ...]:
        cursor = self._cursor
        cursor.expect(opening)
        items: list[Operand] = []
        while not cursor.accept(closing):
            if items:
                cursor.expect(",")
            if cursor.current.text == opening or len(items) > 4096:
                raise cursor.syntax()
            items.append(self._simple_operand())
        return tuple(items)

    def _with_offset(self, operand: Operand) -> Operand:
        if isinstance(operand, Symbol) and self._cursor.current.text in ("+", "-"):
            return Symbol(operand.name, operand.offset + self._cursor.integer())
        return operand

    def _address(self) -> Address:
        cursor = self._cursor
        cursor.expect("[")
        token = cursor.current
        base: Operand
        if token.kind == WORD:
            cursor.take()
            base = self._resolve(token.position, token.text)
        else:
            base = Immediate(cursor.integer(), "int")
        if not isinstance(base, (Register, Symbol, Immediate)):
            raise cursor.error(f"'{token.text}' is no address", token.position)
        offset = 0
        if cursor.current.text in ("+", "-"):
            if cursor.current.text == "+":
                cursor.take()
            offset = cursor.integer()
        if isinstance(base, Symbol):
            base, offset = Symbol(base.name, 0), offset + base.offset
        coordinates: list[Operand] = []
        while cursor.accept(","):
            coordinates.append(self._simple_operand())
        cursor.expect("]")
        return Address(base, offset, tuple(coordinates))

    def _resolve(self, position: int, text: str) -> Operand:
        if text == "_":
            return SINK
        scope: _Scope | None = self._scope
        while scope is not None:
            if text in scope.registers:
                return Register(scope.registers[text])
            stem = text.rstrip("0123456789")
            if stem in scope.numbered and len(stem) < len(text):
                count, suffix, type_ = scope.numbered[stem]
                number = text[len(stem) :]
                if int(number) < count and (number == "0" or number[0] != "0"):
                    self._function.registers.setdefault(text + suffix, TYPES[type_])
                    return Register(text + suffix)
            if text in scope.symbols:
                return Symbol(scope.symbols[text], 0)
            scope = scope.outer
        if text.startswith("%"):
            return Special(text[1:])
        if "." in text:
            raise self._cursor.error(f"Unknown symbol '{text}'", position)
        return Symbol(text, 0)

    def _symbol(self, name: str, scope: _Scope | None) -> str:
        while scope is not None:
            if name in scope.symbols:
                return scope.symbols[name]
            scope = scope.outer
        return name

    def _with_labels(self, item: Instruction | Label, scope: _Scope) -> Instruction | Label:
        """Return a branch with the labels that its scope sees, which may be behind it."""
        if isinstance(item, Label):
            return item
        operands = tuple(
            Symbol(self._symbol(operand.name, scope), 0) if isinstance(operand, Symbol) else operand
            for operand in item.operands
        )
        return replace(item, operands=operands)


def _group(remaining: list[Operand]) -> tuple[Operand, ...]:
    """Take the operands in parentheses that come next, if any do."""
    first = remaining[0] if remaining else None
    if not isinstance(first, Group):
        return ()
    del remaining[0]
    return first.items

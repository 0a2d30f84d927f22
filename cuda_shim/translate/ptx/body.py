"""The body of a function: its declarations, labels and instructions.

Names of registers, variables and labels are valid up to the end of the braces around them, and hide outer ones. The
parser's result is flat: each has a unique name in the whole function.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cuda_shim.translate.ptx.declarations import SPACES, declaration, linkage_of, parameters
from cuda_shim.translate.ptx.errors import UnsupportedPtx
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
from cuda_shim.translate.ptx.token_cursor import TokenCursor, parse_number
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["parse_body"]

_MAX_REGISTERS = 1 << 20


class _Scope:
    """The names of one pair of braces."""

    def __init__(self, outer: _Scope | None) -> None:
        self.outer = outer
        self.registers: dict[str, str] = {}
        self.numbered: dict[str, tuple[int, str, str]] = {}
        self.symbols: dict[str, str] = {}


def parse_body(words: TokenCursor, function: Function) -> None:
    """Parse a body in braces and put its items into the function."""
    _Statements(words, function).parse()


class _Statements:
    def __init__(self, words: TokenCursor, function: Function) -> None:
        self._words = words
        self._function = function
        self._scope = _Scope(None)
        self._items: list[Instruction | Label] = []
        self._jumps: list[tuple[int, _Scope]] = []
        self._tables: list[tuple[str, _Scope]] = []
        self._taken: set[str] = set()

    def parse(self) -> None:
        words, function = self._words, self._function
        for parameter in (*function.parameters, *function.results):
            if parameter.name:
                self._scope.symbols[parameter.name] = parameter.name
        words.expect("{")
        depth = 1
        while depth:
            if words.accept("{"):
                depth += 1
                self._scope = _Scope(self._scope)
            elif words.accept("}"):
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
        words = self._words
        token = words.current
        if token.kind == DIRECTIVE:
            self._directive()
        elif token.kind == WORD and words.following.text == ":" and "." not in token.text:
            self._label()
        elif token.text == "@" or token.kind == WORD:
            self._instruction()
        elif not words.accept(";"):
            raise words.syntax()

    def _directive(self) -> None:
        words = self._words
        text = words.current.text
        if text == ".reg":
            self._registers()
        elif text in (".loc", ".file"):
            words.skip_line()
        elif text == ".pragma":
            words.take()
            while words.current.kind == STRING:
                words.take()
                words.accept(",")
            words.expect(";")
        elif text == ".section":
            words.take()
            words.take()
            words.skip_braces()
        else:
            linkage = linkage_of(words)
            if words.current.text[1:].partition("::")[0] not in SPACES:
                raise words.syntax()
            for variable in declaration(words, linkage):
                unique = self._unique(variable.name, self._function.variables)
                self._scope.symbols[variable.name] = unique
                self._function.variables[unique] = replace(variable, name=unique)

    def _registers(self) -> None:
        words = self._words
        words.take()
        place = words.current.place
        if words.current.text in (".v2", ".v4"):
            raise UnsupportedPtx("registers that are vectors have no counterpart", *words.lines.of(place))
        type_ = words.type()
        while True:
            place = words.current.place
            name = words.name()
            if words.accept("<"):
                count = words.integer()
                words.expect(">")
                if not 0 <= count <= _MAX_REGISTERS:
                    raise words.error(f"'{count}' registers are too many", place)
                suffix = f".{len(self._taken)}" if name in self._taken else ""
                self._taken.add(name)
                self._scope.numbered[name] = (count, suffix, type_.name)
            else:
                unique = self._unique(name, self._function.registers)
                self._scope.registers[name] = unique
                self._function.registers[unique] = type_
            if not words.accept(","):
                break
        words.expect(";")

    def _unique(self, name: str, known: object) -> str:
        unique, number = name, 0
        while unique in known:  # type: ignore[operator]
            number += 1
            unique = f"{name}.{number}"
        return unique

    def _label(self) -> None:
        words = self._words
        token = words.take()
        words.expect(":")
        if words.current.text == ".branchtargets":
            words.take()
            labels = [words.name()]
            while words.accept(","):
                labels.append(words.name())
            words.expect(";")
            self._function.tables[token.text] = labels
            self._tables.append((token.text, self._scope))
        elif words.current.text == ".callprototype":
            self._prototype(token.text, token.place)
        else:
            if token.text in self._scope.symbols:
                raise words.error(f"Duplicate definition of label '{token.text}'", token.place)
            unique = self._unique(token.text, self._taken)
            self._taken.add(unique)
            self._scope.symbols[token.text] = unique
            self._items.append(Label(unique, token.place))

    def _prototype(self, name: str, place: int) -> None:
        words = self._words
        words.take()
        results = parameters(words) if words.current.text == "(" else []
        words.name()
        given = parameters(words) if words.current.text == "(" else []
        while words.accept(".noreturn"):
            pass
        words.expect(";")
        self._function.prototypes[name] = Function(name, False, "", results, given, place)

    def _instruction(self) -> None:
        words = self._words
        place = words.current.place
        guard, negated = None, False
        if words.accept("@"):
            negated = words.accept("!")
            found = self._named(words.current.place, words.name())
            if not isinstance(found, Register):
                raise words.error("a guard that is no register", place)
            guard = found
            place = words.current.place
        if words.current.kind != WORD:
            raise words.syntax()
        opcode = words.take().text
        if opcode[0] in "%$_":
            raise words.error(f"Parsing error near '{opcode}': syntax error", place)
        operands = tuple(self._operands())
        words.expect(";")
        name = opcode.partition(".")[0]
        if name == "call":
            self._items.append(self._call(opcode, operands, place, guard, negated))
            return
        if name in ("bra", "brx"):
            self._jumps.append((len(self._items), self._scope))
        self._items.append(Instruction(opcode, operands, place, guard, negated))

    def _call(
        self, opcode: str, operands: tuple[Operand, ...], place: int, guard: Register | None, negated: bool
    ) -> Call:
        rest = list(operands)
        results = _group(rest)
        if not rest or not isinstance(rest[0], (Symbol, Register)):
            raise self._words.error("a call without a function", place)
        target = rest.pop(0)
        arguments = _group(rest)
        last = rest.pop(0) if rest and isinstance(rest[0], Symbol) else None
        prototype = last.name if isinstance(last, Symbol) else ""
        if rest:
            raise self._words.error("a call with too many operands", place)
        return Call(opcode, operands, place, guard, negated, target, results, arguments, prototype)

    def _operands(self) -> Iterator[Operand]:
        words = self._words
        if words.current.text == ";":
            return
        while True:
            yield self._operand()
            if not words.accept(","):
                return

    def _operand(self) -> Operand:
        words = self._words
        first = self._simple()
        if words.current.text == "|" and isinstance(first, (Register, type(SINK))):
            words.take()
            return ResultPair(first, self._simple())
        return first

    def _simple(self) -> Operand:
        words = self._words
        token = words.current
        if token.text == "{":
            return Vector(self._list("{", "}"))
        if token.text == "(" and self._is_group():
            return Group(self._list("(", ")"))
        if token.text == "[":
            return self._address()
        if token.text == "!":
            words.take()
            place = words.current.place
            return Negated(self._named(place, words.name()))
        if token.kind == WORD and token.text != "WARP_SZ":
            words.take()
            return self._with_offset(self._named(token.place, token.text))
        return self._number()

    def _is_group(self) -> bool:
        """Return whether a parenthesis begins the arguments of a call, not an expression of numbers."""
        following = self._words.following
        return following.text == ")" or (following.kind == WORD and following.text != "WARP_SZ")

    def _number(self) -> Immediate:
        words = self._words
        negative = words.current.text == "-" and words.following.kind == NUMBER
        ahead = words.following if negative else words.current
        if ahead.kind == NUMBER:
            number = parse_number(ahead.text)
            if number.kind != "int":
                words.take()
                if negative:
                    words.take()
                    number = Immediate(number.value ^ (1 << (31 if number.kind == "f32" else 63)), number.kind)
                return number
        return Immediate(words.integer(), "int")

    def _list(self, opening: str, closing: str) -> tuple[Operand, ...]:
        words = self._words
        words.expect(opening)
        found: list[Operand] = []
        while not words.accept(closing):
            if found:
                words.expect(",")
            if words.current.text == opening or len(found) > 4096:
                raise words.syntax()
            found.append(self._simple())
        return tuple(found)

    def _with_offset(self, found: Operand) -> Operand:
        if isinstance(found, Symbol) and self._words.current.text in ("+", "-"):
            return Symbol(found.name, found.offset + self._words.integer())
        return found

    def _address(self) -> Address:
        words = self._words
        words.expect("[")
        token = words.current
        base: Operand
        if token.kind == WORD:
            words.take()
            base = self._named(token.place, token.text)
        else:
            base = Immediate(words.integer(), "int")
        if not isinstance(base, (Register, Symbol, Immediate)):
            raise words.error(f"'{token.text}' is no address", token.place)
        offset = 0
        if words.current.text in ("+", "-"):
            if words.current.text == "+":
                words.take()
            offset = words.integer()
        if isinstance(base, Symbol):
            base, offset = Symbol(base.name, 0), offset + base.offset
        coordinates: list[Operand] = []
        while words.accept(","):
            coordinates.append(self._simple())
        words.expect("]")
        return Address(base, offset, tuple(coordinates))

    def _named(self, place: int, text: str) -> Operand:
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
            raise self._words.error(f"Unknown symbol '{text}'", place)
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
            Symbol(self._symbol(found.name, scope), 0) if isinstance(found, Symbol) else found
            for found in item.operands
        )
        return replace(item, operands=operands)


def _group(rest: list[Operand]) -> tuple[Operand, ...]:
    """Take the operands in parentheses that come next, if any do."""
    first = rest[0] if rest else None
    if not isinstance(first, Group):
        return ()
    del rest[0]
    return first.items

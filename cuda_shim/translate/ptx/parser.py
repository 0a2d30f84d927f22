"""The parser of PTX modules: everything outside of functions' bodies."""

from __future__ import annotations

import re

from cuda_shim.translate.ptx.body import parse_body
from cuda_shim.translate.ptx.declarations import declaration, linkage_of, parameters
from cuda_shim.translate.ptx.errors import UnsupportedPtx, UnsupportedVersion
from cuda_shim.translate.ptx.lexer import DIRECTIVE, END, NUMBER, STRING
from cuda_shim.translate.ptx.module import Function, Module
from cuda_shim.translate.ptx.releases import NEWEST, VERSIONS, first_version_of
from cuda_shim.translate.ptx.token_cursor import TokenCursor

__all__ = ["parse"]

_VERSION = re.compile(r"(\d+)\.(\d+)")
_DIRECTIVES_WITH_NUMBERS = (
    ".maxntid",
    ".reqntid",
    ".minnctapersm",
    ".maxnctapersm",
    ".maxnreg",
    ".reqnctapercluster",
    ".maxclusterrank",
)
_DIRECTIVES_WITHOUT_ARGUMENTS = (".noreturn", ".explicitcluster", ".blocksareclusters", ".unified")
_UNSUPPORTED = {
    ".alias": "aliases of functions",
    ".texref": "texture references",
    ".surfref": "surface references",
    ".samplerref": "sampler references",
}


def parse(text: str, newest: tuple[int, int] = NEWEST) -> tuple[Module, TokenCursor]:
    """Return the module of a PTX text, and its cursor, which converts positions to lines and columns.

    `newest` is the newest version of PTX that is accepted. Raises PtxError if the text is not PTX, UnsupportedVersion
    for an unknown or newer version, UnsupportedPtx for constructs that are refused by name.
    """
    cursor = TokenCursor(text.partition("\0")[0])
    return _Parser(cursor, newest).module(), cursor


class _Parser:
    def __init__(self, cursor: TokenCursor, newest: tuple[int, int]) -> None:
        self._cursor = cursor
        self._newest = newest
        self._module = Module()

    def module(self) -> Module:
        self._version()
        while self._cursor.current.kind != END:
            self._item()
        return self._module

    def _version(self) -> None:
        cursor = self._cursor
        if cursor.current.text != ".version":
            raise cursor.error("Missing .version directive at start of file")
        cursor.take()
        number = cursor.current
        numbers = _VERSION.fullmatch(number.text) if number.kind == NUMBER else None
        if numbers is None:
            raise cursor.syntax()
        cursor.take()
        version = (int(numbers[1]), int(numbers[2]))
        if version not in VERSIONS or version > self._newest:
            current = "{}.{}".format(*self._newest)
            reason = f"Unsupported .version {number.text}; current version is '{current}'"
            raise UnsupportedVersion(reason, *cursor.lines.of(number.position))
        self._module.version = version
        if cursor.current.text != ".target":
            raise cursor.error("Missing .target directive after .version")
        cursor.take()
        self._target(number.text)

    def _target(self, version: str) -> None:
        cursor = self._cursor
        position = cursor.current.position
        target = self._module.target = cursor.name()
        first_version = first_version_of(target)
        if first_version is None or first_version > self._newest:
            raise cursor.error(f"Unsupported .target '{target}'", position)
        if first_version > self._module.version:
            raise cursor.error(f"PTX .version {version} does not support .target {target}", position)
        while cursor.accept(","):
            cursor.name()

    def _item(self) -> None:
        cursor = self._cursor
        token = cursor.current
        if token.kind != DIRECTIVE:
            if cursor.accept(";"):
                return
            raise cursor.syntax()
        if token.text == ".address_size":
            cursor.take()
            if cursor.integer() != 64:
                raise UnsupportedPtx("addresses of 32 bits", *cursor.lines.of(token.position))
        elif token.text in (".file", ".loc"):
            cursor.skip_line()
        elif token.text == ".section":
            cursor.take()
            cursor.take()
            cursor.skip_braces()
        elif token.text == ".pragma":
            self._pragma()
        elif token.text in _UNSUPPORTED:
            raise UnsupportedPtx(
                f"{token.text}: {_UNSUPPORTED[token.text]} have no counterpart", *cursor.lines.of(token.position)
            )
        else:
            self._declaration()

    def _pragma(self) -> None:
        cursor = self._cursor
        cursor.take()
        while cursor.current.kind == STRING:
            cursor.take()
            cursor.accept(",")
        cursor.expect(";")

    def _declaration(self) -> None:
        cursor = self._cursor
        position = cursor.current.position
        linkage = linkage_of(cursor)
        kind = cursor.current.text
        if kind in (".entry", ".func"):
            self._function(linkage, position)
            return
        if kind in _UNSUPPORTED:
            self._item()
        for variable in declaration(cursor, linkage):
            declared = self._module.variables.get(variable.name)
            if declared is None or declared.linkage == "extern":
                self._module.variables[variable.name] = variable
            elif variable.linkage != "extern":
                raise cursor.error(f"Duplicate definition of variable '{variable.name}'", variable.position)

    def _function(self, linkage: str, position: int) -> None:
        cursor = self._cursor
        entry = cursor.take().text == ".entry"
        self._attributes()
        results = parameters(cursor) if cursor.current.text == "(" and not entry else []
        name = cursor.name()
        arguments = parameters(cursor) if cursor.current.text == "(" else []
        function = Function(name, entry, linkage, results, arguments, position)
        self._directives(function)
        declared = self._module.functions.get(name)
        if cursor.current.text == "{":
            if declared is not None and declared.body is not None:
                raise cursor.error(f"Duplicate definition of function '{name}'", position)
            parse_body(cursor, function)
            self._module.functions[name] = function
        else:
            cursor.expect(";")
            if declared is None:
                self._module.functions[name] = function

    def _attributes(self) -> None:
        cursor = self._cursor
        while cursor.accept(".attribute"):
            cursor.expect("(")
            while not cursor.accept(")"):
                if cursor.take().kind == END:
                    raise cursor.syntax()

    def _directives(self, function: Function) -> None:
        cursor = self._cursor
        while cursor.current.kind == DIRECTIVE:
            token = cursor.current
            if token.text in _DIRECTIVES_WITH_NUMBERS:
                cursor.take()
                numbers = [cursor.integer()]
                while cursor.accept(","):
                    numbers.append(cursor.integer())
                function.directives[token.text[1:]] = tuple(numbers)
            elif token.text in _DIRECTIVES_WITHOUT_ARGUMENTS:
                cursor.take()
                function.directives[token.text[1:]] = ()
            elif token.text == ".pragma":
                self._pragma()
            elif token.text in (".file", ".loc"):
                cursor.skip_line()
            elif token.text in (".abi_preserve", ".abi_preserve_control"):
                cursor.take()
                cursor.integer()
            elif token.text == ".attribute":
                self._attributes()
            else:
                raise cursor.syntax()
        if any(size > 1 for size in function.directives.get("reqnctapercluster", ())):
            reason = "thread block clusters have no counterpart in HIP"
            self._module.hosts_only.append(UnsupportedPtx(reason, *cursor.lines.of(function.position)))

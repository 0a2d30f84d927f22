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
    """Return the module of a PTX text, and its words, which convert positions to lines and columns.

    `newest` is the newest version of PTX that is accepted. Raises PtxError if the text is not PTX, UnsupportedVersion
    for an unknown or newer version, UnsupportedPtx for constructs that are refused by name.
    """
    words = TokenCursor(text.partition("\0")[0])
    return _Parser(words, newest).module(), words


class _Parser:
    def __init__(self, words: TokenCursor, newest: tuple[int, int]) -> None:
        self._words = words
        self._newest = newest
        self._module = Module()

    def module(self) -> Module:
        self._version()
        while self._words.current.kind != END:
            self._item()
        return self._module

    def _version(self) -> None:
        words = self._words
        if words.current.text != ".version":
            raise words.error("Missing .version directive at start of file")
        words.take()
        number = words.current
        numbers = _VERSION.fullmatch(number.text) if number.kind == NUMBER else None
        if numbers is None:
            raise words.syntax()
        words.take()
        version = (int(numbers[1]), int(numbers[2]))
        if version not in VERSIONS or version > self._newest:
            current = "{}.{}".format(*self._newest)
            reason = f"Unsupported .version {number.text}; current version is '{current}'"
            raise UnsupportedVersion(reason, *words.lines.of(number.place))
        self._module.version = version
        if words.current.text != ".target":
            raise words.error("Missing .target directive after .version")
        words.take()
        self._target(number.text)

    def _target(self, version: str) -> None:
        words = self._words
        place = words.current.place
        target = self._module.target = words.name()
        first = first_version_of(target)
        if first is None or first > self._newest:
            raise words.error(f"Unsupported .target '{target}'", place)
        if first > self._module.version:
            raise words.error(f"PTX .version {version} does not support .target {target}", place)
        while words.accept(","):
            words.name()

    def _item(self) -> None:
        words = self._words
        token = words.current
        if token.kind != DIRECTIVE:
            if words.accept(";"):
                return
            raise words.syntax()
        if token.text == ".address_size":
            words.take()
            if words.integer() != 64:
                raise UnsupportedPtx("addresses of 32 bits", *words.lines.of(token.place))
        elif token.text in (".file", ".loc"):
            words.skip_line()
        elif token.text == ".section":
            words.take()
            words.take()
            words.skip_braces()
        elif token.text == ".pragma":
            self._pragma()
        elif token.text in _UNSUPPORTED:
            raise UnsupportedPtx(
                f"{token.text}: {_UNSUPPORTED[token.text]} have no counterpart", *words.lines.of(token.place)
            )
        else:
            self._declared()

    def _pragma(self) -> None:
        words = self._words
        words.take()
        while words.current.kind == STRING:
            words.take()
            words.accept(",")
        words.expect(";")

    def _declared(self) -> None:
        words = self._words
        place = words.current.place
        linkage = linkage_of(words)
        kind = words.current.text
        if kind in (".entry", ".func"):
            self._function(linkage, place)
            return
        if kind in _UNSUPPORTED:
            self._item()
        for variable in declaration(words, linkage):
            known = self._module.variables.get(variable.name)
            if known is None or known.linkage == "extern":
                self._module.variables[variable.name] = variable
            elif variable.linkage != "extern":
                raise words.error(f"Duplicate definition of variable '{variable.name}'", variable.place)

    def _function(self, linkage: str, place: int) -> None:
        words = self._words
        entry = words.take().text == ".entry"
        self._attributes()
        results = parameters(words) if words.current.text == "(" and not entry else []
        name = words.name()
        given = parameters(words) if words.current.text == "(" else []
        function = Function(name, entry, linkage, results, given, place)
        self._directives(function)
        known = self._module.functions.get(name)
        if words.current.text == "{":
            if known is not None and known.body is not None:
                raise words.error(f"Duplicate definition of function '{name}'", place)
            parse_body(words, function)
            self._module.functions[name] = function
        else:
            words.expect(";")
            if known is None:
                self._module.functions[name] = function

    def _attributes(self) -> None:
        words = self._words
        while words.accept(".attribute"):
            words.expect("(")
            while not words.accept(")"):
                if words.take().kind == END:
                    raise words.syntax()

    def _directives(self, function: Function) -> None:
        words = self._words
        while words.current.kind == DIRECTIVE:
            token = words.current
            if token.text in _DIRECTIVES_WITH_NUMBERS:
                words.take()
                numbers = [words.integer()]
                while words.accept(","):
                    numbers.append(words.integer())
                function.directives[token.text[1:]] = tuple(numbers)
            elif token.text in _DIRECTIVES_WITHOUT_ARGUMENTS:
                words.take()
                function.directives[token.text[1:]] = ()
            elif token.text == ".pragma":
                self._pragma()
            elif token.text in (".file", ".loc"):
                words.skip_line()
            elif token.text in (".abi_preserve", ".abi_preserve_control"):
                words.take()
                words.integer()
            elif token.text == ".attribute":
                self._attributes()
            else:
                raise words.syntax()
        if any(size > 1 for size in function.directives.get("reqnctapercluster", ())):
            raise UnsupportedPtx("thread block clusters have no counterpart", *words.lines.of(function.place))

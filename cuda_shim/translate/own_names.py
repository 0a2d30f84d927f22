"""The names that a program declares in the global namespace.

AMD's built-in header declares more there than NVRTC does: `half`, `texture`, `lane_mask`, `abort`. A program that
declares such a name itself keeps it, under another name for the compiler.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from cuda_shim.translate.lexer import IDENTIFIER, Text, Token

__all__ = ["Declaration", "global_declarations"]

_TYPES = (b"struct", b"class", b"union", b"enum")
_OPENING, _CLOSING = (b"(", b"[", b"{"), (b")", b"]", b"}")
# Tokens that may occur between the parameters of a function and its body.
_BEHIND_PARAMETERS = (b"{", b";", b"const", b"noexcept", b"->", b"=", b":", b"try", b"__attribute__")
# Words with parentheses that are part of a declaration and not the name that it declares.
_SPECIFIERS = frozenset(
    (
        b"__launch_bounds__", b"__attribute__", b"__align__", b"__declspec", b"__maxnreg__", b"__cluster_dims__",
        b"__block_size__", b"__builtin_align__", b"alignas", b"decltype", b"noexcept", b"explicit", b"requires",
        b"sizeof", b"static_assert",
    )
)  # fmt: skip


class Declaration(NamedTuple):
    """A name that is declared in the global namespace.

    Attributes:
        name: the name.
        kind: "type", which is an alias too, "namespace", "variable" or "function".
        linked_as_c: True if it is a function whose symbol is its name: `extern "C"`.
        declarator_end: the place in the text where a variable's declarator ends, whose symbol is its name; None for
            other kinds, and where no other text can refer to it.
    """

    name: str
    kind: str
    linked_as_c: bool = False
    declarator_end: int | None = None


def global_declarations(text: Text) -> Iterator[Declaration]:
    """Yield the declarations of a text outside of namespaces, classes and functions.

    Preprocessor lines are skipped, so that both branches of a condition count. Blocks of `extern "C"` and unnamed
    namespaces are part of the global namespace; so are named ones if the text has `using namespace`.
    """
    tokens = (
        [token for token in text.tokens if text.directive_at(token.begin) is None] if text.directives else text.tokens
    )
    yield from _Scanner(tokens).declarations()


class _Scanner:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        # The kind of each open block whose names are visible in the global namespace: "C" for extern "C", and "named"
        # or "unnamed" for a namespace.
        self._blocks: list[str] = []
        pairs = itertools.pairwise(tokens)
        self._namespaces_are_used = any(a.text == b"using" and b.text == b"namespace" for a, b in pairs)

    def declarations(self) -> Iterator[Declaration]:
        while self._at < len(self._tokens):
            word = self._word()
            if word == b"}":
                if self._blocks:
                    self._blocks.pop()
                self._at += 1
            elif word in (b";", b"inline"):
                self._at += 1
            elif word == b"namespace":
                yield from self._namespace()
            elif word == b"extern" and self._word(1) == b'"C"' and self._word(2) == b"{":
                self._blocks.append("C")
                self._at += 3
            elif word == b"template":
                self._at = self._behind_angles(self._at + 1)
            elif word == b"using":
                yield from self._using()
            elif word == b"typedef":
                yield from self._typedef()
            else:
                yield from self._declaration()

    def _word(self, ahead: int = 0) -> bytes:
        at = self._at + ahead
        return self._tokens[at].text if at < len(self._tokens) else b""

    def _is_name(self, at: int) -> bool:
        return 0 <= at < len(self._tokens) and self._tokens[at].kind == IDENTIFIER

    def _name(self, at: int) -> str:
        return self._tokens[at].text.decode("utf-8", "replace")

    def _behind(self, at: int) -> int:
        """Return the index behind the bracket that closes the one at `at`, or behind the last token."""
        depth = 0
        for index in range(at, len(self._tokens)):
            word = self._tokens[index].text
            if word in _OPENING:
                depth += 1
            elif word in _CLOSING:
                depth -= 1
                if depth == 0:
                    return index + 1
        return len(self._tokens)

    def _behind_angles(self, at: int) -> int:
        """Return the index behind the parameters or arguments of a template that begin at `at`."""
        depth = 0
        while at < len(self._tokens):
            word = self._tokens[at].text
            if word in _OPENING:
                at = self._behind(at)
                continue
            depth += {b"<": 1, b">": -1, b">>": -2}.get(word, 0)
            at += 1
            if depth <= 0:
                break
        return at

    def _namespace(self) -> Iterator[Declaration]:
        if self._word(1) == b"{":
            self._blocks.append("unnamed")
            self._at += 2
            return
        if self._is_name(self._at + 1):
            yield Declaration(self._name(self._at + 1), "namespace")
        while self._at < len(self._tokens) and self._word() not in (b"{", b";"):
            self._at += 1
        if self._word() == b"{" and self._namespaces_are_used:
            self._blocks.append("named")
            self._at += 1
        else:
            self._at = self._behind(self._at) if self._word() == b"{" else self._at + 1

    def _using(self) -> Iterator[Declaration]:
        if self._is_name(self._at + 1) and self._word(2) == b"=":
            yield Declaration(self._name(self._at + 1), "type")
        self._at = self._statement_end() + 1

    def _statement_end(self) -> int:
        """Return the index of the semicolon that ends the statement that begins here."""
        at = self._at
        while at < len(self._tokens) and self._tokens[at].text != b";":
            at = self._behind(at) if self._tokens[at].text in _OPENING else at + 1
        return at

    def _typedef(self) -> Iterator[Declaration]:
        end = self._statement_end()
        self._at += 1
        if self._word() in _TYPES:
            yield from self._type_name()
        at = self._at
        while at < end:
            word = self._tokens[at].text
            if word == b"(" and self._tokens[at + 1].text in (b"*", b"&", b"^") and self._is_name(at + 2):
                yield Declaration(self._name(at + 2), "type")  # a pointer to a function
            following = self._tokens[at + 1].text if at + 1 < len(self._tokens) else b""
            if self._is_name(at) and following in (b";", b",", b"["):
                yield Declaration(self._name(at), "type")
            if word == b"<":
                at = self._behind_angles(at)
            else:
                at = self._behind(at) if word in _OPENING else at + 1
        self._at = end + 1

    def _type_name(self) -> Iterator[Declaration]:
        """Yield the name of a class or enum that is declared here, and go to its name or behind its body."""
        at = self._at + 1
        while at < len(self._tokens):
            word = self._tokens[at].text
            if word in (b"class", b"struct"):
                at += 1
            elif word in _SPECIFIERS and at + 1 < len(self._tokens) and self._tokens[at + 1].text == b"(":
                at = self._behind(at + 1)
            elif word == b"[":
                at = self._behind(at)
            elif self._is_name(at) and self._is_name(at + 1) and word.startswith(b"__"):
                at += 1  # a qualifier such as __device_builtin__
            else:
                break
        following = self._tokens[at + 1].text if at + 1 < len(self._tokens) else b""
        if self._is_name(at) and following in (b"{", b":", b";", b"final"):
            yield Declaration(self._name(at), "type")
        if following in (b"{", b":", b"final") or (at < len(self._tokens) and self._tokens[at].text in (b"{", b":")):
            while at < len(self._tokens) and self._tokens[at].text not in (b"{", b";"):
                at += 1
            if at < len(self._tokens) and self._tokens[at].text == b"{":
                at = self._behind(at)
            self._at = at
        else:
            self._at = max(at + (following == b";"), self._at + 1)

    def _declaration(self) -> Iterator[Declaration]:
        """Yield the names of one declaration of variables or a function."""
        c_block = "C" in self._blocks
        c_alone = self._word() == b"extern" and self._word(1) == b'"C"'
        specifiers: set[bytes] = set()
        while self._at < len(self._tokens):
            word, following = self._word(), self._word(1)
            if word in _TYPES:
                yield from self._type_name()
                continue
            if word in (b";", b"}", b"namespace"):
                self._at += word == b";"
                return
            if word == b"(":
                behind = self._behind(self._at)
                after = self._tokens[behind].text if behind < len(self._tokens) else b""
                name_at = self._at - 1
                named = self._is_name(name_at) and self._tokens[name_at].text not in _SPECIFIERS
                if named and after in _BEHIND_PARAMETERS:
                    if not self._is_qualified(name_at):
                        yield Declaration(self._name(name_at), "function", linked_as_c=c_block or c_alone)
                    self._leave_function(behind)
                    return
                self._at = behind
                continue
            if (
                self._is_name(self._at)
                and following in (b";", b",", b"=", b"[", b"{")
                and not self._is_qualified(self._at)
            ):
                end = self._at + 1
                while end < len(self._tokens) and self._tokens[end].text == b"[":
                    end = self._behind(end)
                place = self._tokens[end - 1].end
                visible = "named" not in self._blocks and not specifiers & {b"static", b"constexpr", b"__shared__"}
                yield Declaration(self._name(self._at), "variable", declarator_end=place if visible else None)
                self._leave_declarator(end)
                continue
            specifiers.add(word)
            if word == b"<" and not self._is_qualified(self._at):
                self._at = self._behind_angles(self._at)
            else:
                self._at = self._behind(self._at) if word in _OPENING else self._at + 1

    def _is_qualified(self, at: int) -> bool:
        return at > 0 and self._tokens[at - 1].text in (b"::", b"operator", b"~")

    def _leave_declarator(self, at: int) -> None:
        """Go to the comma or semicolon behind a variable and its initial value."""
        while at < len(self._tokens) and self._tokens[at].text not in (b",", b";"):
            at = self._behind(at) if self._tokens[at].text in _OPENING else at + 1
        self._at = at + 1 if at < len(self._tokens) and self._tokens[at].text == b"," else at

    def _leave_function(self, at: int) -> None:
        """Go behind a function's body, or behind its declaration."""
        while at < len(self._tokens) and self._tokens[at].text not in (b"{", b";"):
            at = self._behind(at) if self._tokens[at].text in (b"(", b"[") else at + 1
        if at < len(self._tokens) and self._tokens[at].text == b"{":
            at = self._behind(at)
        else:
            at += 1
        self._at = at

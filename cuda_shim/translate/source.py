"""CUDA C++ source as hiprtc takes it, with every line and column where the user wrote it.

The text itself changes only where it must: inline PTX becomes C++, an include that cannot be had becomes an
error. Names that HIP spells otherwise are replaced by the preprocessor: macros in front of the text say what
each one is, so that a compiler's message shows the line as it was written. `#line` makes the text begin at
line 1 of the user's own file.

On the CPU runtime, which has CUDA's names and headers, inline PTX and what is refused are all there is to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cuda_shim import cuda_home
from cuda_shim.translate import headers as provided
from cuda_shim.translate.assembly import ASM_KEYWORDS, Untranslatable, extent, read_statement
from cuda_shim.translate.constructs import concerns_the_cpu
from cuda_shim.translate.edits import Edit, apply
from cuda_shim.translate.lexer import IDENTIFIER, Text
from cuda_shim.translate.prologue import Needs
from cuda_shim.translate.ptx.inline import to_expression

__all__ = ["Program", "to_hip", "translate_header"]

# NVRTC's name of a program that is given none.
_DEFAULT_NAME = b"default_program"
_NO_LAUNCH = "launching kernels from device code (dynamic parallelism) has no counterpart in HIP"
_COMPOUND = (b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=")
_VECTOR = re.compile(rb"(u?(char|short|int|long|longlong)|float|double)[1-4]")


@dataclass
class Program:
    """What hiprtcCreateProgram is to be given.

    Attributes:
        source: the text, preceded by what it needs.
        headers: name and text of each header: the program's own, and those that stand for CUDA's.
        notes: a line for each construct that was translated or cannot be.
    """

    source: bytes
    headers: list[tuple[bytes, bytes]]
    notes: list[str] = field(default_factory=list)


def to_hip(
    source: bytes, name: bytes | None, headers: Sequence[tuple[bytes, bytes]], *, architecture: str | None
) -> Program:
    """Return a program's source and headers (name, text) for hiprtc.

    `name` is the file name that messages show. `architecture` is the device's, such as "gfx90a", empty where
    it is a GPU but unknown; None stands for the CPU runtime. Nothing is refused here: a construct without
    counterpart becomes an error that the compiler reports, with its line, if it is compiled at all.
    """
    on_gpu = architecture is not None
    headers = [(own, text) for own, text in headers if not cuda_home.holds(own, text)]
    needs = Needs(on_gpu, frozenset(name for name, _ in headers))
    if not on_gpu and not any(map(concerns_the_cpu, (source, *(text for _, text in headers)))):
        return Program(source, list(headers))
    notes: list[str] = []
    label = name or _DEFAULT_NAME
    translated = [(own, _translate(text, own, needs, notes)) for own, text in headers]
    body = _translate(source, label, needs, notes)
    added = provided.texts(needs.headers(), {own for own, _ in headers})
    return Program(_assembled(needs, label, source, body), translated + added, notes)


def translate_header(text: bytes, name: bytes) -> tuple[bytes, frozenset[str]]:
    """Translate the inline PTX of a header for the CPU runtime, and name the headers that it then needs.

    Those are to be included before the program.
    What has no counterpart is an error of the compiler where it is called from what is compiled.
    """
    needs = Needs(False, frozenset(), header=name)
    body = _translate(text, name, needs, [])
    return b"#pragma once\n" + needs.prologue() + b'#line 1 "' + name + b'"\n' + body, frozenset(needs.headers())


def _assembled(needs: Needs, label: bytes, source: bytes, body: bytes) -> bytes:
    """Return the text behind its prologue; the text alone where there is none to put in front."""
    prologue = needs.prologue()
    if not prologue and body == source and not needs.on_gpu:
        return source
    escaped = label.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return prologue + b'#line 1 "' + escaped + b'"\n' + body + needs.epilogue()


def _translate(source: bytes, label: bytes, needs: Needs, notes: list[str]) -> bytes:
    """Return one text with its edits; what it needs in front of it is added to `needs`."""
    text = Text(source)
    edits = [*_includes(text, label, needs, notes), *_assembly(text, label, needs, notes)]
    edits += _launches(text, label, needs, notes)
    if needs.on_gpu:
        edits += _vector_operators(text)
        edits += needs.add_own_names(text)
        needs.add_names(text)
    return apply(text, edits) if edits else source


def _includes(text: Text, label: bytes, needs: Needs, notes: list[str]) -> Iterable[Edit]:
    """Turn includes that are not available into errors, which count only where the preprocessor gets to them."""
    for directive in text.directives:
        if directive.file is None:
            continue
        reason = needs.add_include(directive.file)
        if reason is not None:
            named = directive.file.decode("utf-8", "replace")
            notes.append(f"{_where(text, label, directive.begin)}: #include <{named}>: {reason}")
            yield Edit(directive.begin, directive.end, f'#error "{named}: {reason}"'.encode())


def _assembly(text: Text, label: bytes, needs: Needs, notes: list[str]) -> Iterable[Edit]:
    """Inline PTX becomes an expression; what has no counterpart becomes a call that must not be made."""
    for index, token in enumerate(text.tokens):
        if token.kind != IDENTIFIER or token.text not in ASM_KEYWORDS:
            continue
        try:
            statement = read_statement(text, index)
            expression = to_expression(statement) if statement is not None else None
        except Untranslatable as reason:
            message = f"inline PTX {reason}"
            notes.append(f"{_where(text, label, token.begin)}: {message}")
            begin, end = extent(text, index)
            yield Edit(begin, end, needs.refusal(message))
            continue
        if statement is not None and expression is not None:
            needs.add_ptx(expression)
            notes.append(f"{_where(text, label, token.begin)}: inline PTX became {expression}")
            yield Edit(statement.begin, statement.end, expression.encode("utf-8", "surrogateescape"))


def _launches(text: Text, label: bytes, needs: Needs, notes: list[str]) -> Iterable[Edit]:
    """`kernel<<<grid, block>>>(…)` of device code becomes an expression with a call that must not be made."""
    tokens = text.tokens
    for index, token in enumerate(tokens[:-1]):
        following = tokens[index + 1]
        if token.text != b"<<" or following.text != b"<" or following.begin != token.end or index == 0:
            continue
        if tokens[index - 1].text == b"operator":
            continue
        end = next((at for at in range(index + 2, len(tokens)) if tokens[at].text in (b";", b"{", b"}")), len(tokens))
        closing = next(
            (at for at in range(index + 2, end - 1) if tokens[at].text + tokens[at + 1].text == b">>>"), None
        )
        if closing is not None:
            notes.append(f"{_where(text, label, token.begin)}: {_NO_LAUNCH}")
            yield Edit(token.begin, tokens[closing + 1].end, b", %s, " % needs.refusal(_NO_LAUNCH))


def _vector_operators(text: Text) -> Iterable[Edit]:
    """Yield a program's own `operator+=(float4&, float4)` gives way to HIP's, which is a member and does the same.

    Both at once are ambiguous. Only CUDA's vector types with themselves are meant; the function stays, unnamed.
    """
    tokens = text.tokens
    for index, token in enumerate(tokens[:-4]):
        if token.text != b"operator" or tokens[index + 1].text not in _COMPOUND or tokens[index + 2].text != b"(":
            continue
        closing = text.closing(index + 2)
        inside = tokens[index + 3 : closing]
        types = [found.text for found in inside if _VECTOR.fullmatch(found.text)]
        if len(types) == 2 and types[0] == types[1] and b"&" in (found.text for found in inside):
            yield Edit(token.begin, tokens[index + 1].end, b"__own%d__" % (_COMPOUND.index(tokens[index + 1].text)))


def _where(text: Text, label: bytes, place: int) -> str:
    return f"{label.decode('utf-8', 'replace')}:{text.line(place)}"

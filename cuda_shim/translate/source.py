"""CUDA C++ source as hiprtc takes it, with every line and column where the user wrote it.

The text itself changes only where it must: inline PTX becomes C++, an unavailable include becomes an error. Names that
HIP spells otherwise are replaced by the preprocessor: macros in front of the text define them, so that a compiler's
message shows the line as it was written. `#line` makes the text begin at line 1 of the user's own file.

The CPU runtime has CUDA's names and headers, so for it only inline PTX and refused constructs are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cuda_shim import cuda_home
from cuda_shim.translate import headers as provided
from cuda_shim.translate.asm_macros import asm_macro_uses, with_expanded_strings
from cuda_shim.translate.assembly import (
    ASM_KEYWORDS,
    MadeByMacros,
    Untranslatable,
    Wrong,
    extent,
    is_ignored,
    read_statement,
)
from cuda_shim.translate.constructs import concerns_the_cpu
from cuda_shim.translate.edits import Edit, apply, replaced
from cuda_shim.translate.lexer import IDENTIFIER, Text
from cuda_shim.translate.program_files import ProgramFile, ProgramFiles, file_questions
from cuda_shim.translate.prologue import Needs
from cuda_shim.translate.ptx.inline import to_expression
from cuda_shim.translate.refusal_log import WRONG

__all__ = ["Program", "to_hip", "translate_header"]

# NVRTC's name for a program without a name.
_DEFAULT_NAME = b"default_program"
_NO_LAUNCH = "launching kernels from device code (dynamic parallelism) has no counterpart in HIP"
_COMPOUND = (b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=")
_LONGEST_OPERATOR = 64  # tokens up to the end of the parameters
# CUDA's vectors that are HIP's types. The shim's own, of four 64-bit numbers, have no operators.
_VECTOR = re.compile(rb"(u?(char|short|int)|float)[1-4]|(u?long|u?longlong|double)[1-3]")


@dataclass
class Program:
    """A program as hiprtcCreateProgram takes it.

    Attributes:
        source: the text, preceded by its prologue.
        headers: name and text of each header: the program's own, and the replacements of CUDA's.
        notes: a line for each construct that was translated or cannot be.
        files: the files that the texts include, whose names are macros in them.
    """

    source: bytes
    headers: list[tuple[bytes, bytes]]
    notes: list[str] = field(default_factory=list)
    files: list[ProgramFile] = field(default_factory=list)


def to_hip(
    source: bytes, name: bytes | None, headers: Sequence[tuple[bytes, bytes]], *, architecture: str | None
) -> Program:
    """Return a program's source and headers (name, text) for hiprtc.

    `name` is the file name that messages show. `architecture` is the device's, such as "gfx90a", empty for
    an unknown GPU, None for the CPU runtime. Nothing is refused here: a construct without counterpart
    becomes an error that the compiler reports, with its line, if it is compiled at all.
    """
    on_gpu = architecture is not None
    headers = [(own, text) for own, text in headers if not cuda_home.holds(own, text)]
    own_names = frozenset(name for name, _ in headers)
    files = ProgramFiles(own_names)
    label = name or _DEFAULT_NAME
    if not on_gpu and not any(map(concerns_the_cpu, (source, *(text for _, text in headers)))):
        own = [(own, files.translate(text, own)) for own, text in headers]
        return Program(files.translate(source, label), own, files=files.files)
    needs = Needs(on_gpu, own_names)
    notes: list[str] = []
    translated = [(own, _translate(text, own, needs, notes, files)) for own, text in headers]
    body = _translate(source, label, needs, notes, files)
    added = provided.texts(needs.headers(), set(own_names))
    return Program(_assembled(needs, label, source, body), translated + added, notes, files.files)


def translate_header(
    text: bytes, path: bytes, redirects: Mapping[tuple[bytes, bool, bool], bytes]
) -> tuple[bytes, frozenset[str]]:
    """Translate the inline PTX of a header for the CPU runtime, and name the headers that it then needs.

    Those headers must be included before the program. A construct without a counterpart is a compiler error if compiled
    code calls it. `path` is the header's own; `redirects` gives the replacement of a name that it includes, by the
    name, whether it is in quotes, and whether the search starts behind the header's folder.
    """
    needs = Needs(False, frozenset(), header=path)
    parts = Text(text)
    edits = [*_redirected(parts, redirects), *_assembly(parts, path, needs, [])]
    edits += _launches(parts, path, needs, [])
    return needs.prologue() + _line_one(path) + apply(parts, edits), frozenset(needs.headers())


def _redirected(text: Text, redirects: Mapping[tuple[bytes, bool, bool], bytes]) -> Iterable[Edit]:
    """Replace names in a header's includes, and in its `__has_include` conditions."""
    for directive in text.directives:
        if directive.file is not None:
            is_next = directive.name == b"include_next"
            name = redirects.get((directive.file, directive.is_quoted, is_next))
            if name is not None:
                begin = directive.begin if is_next else directive.file_begin
                yield Edit(begin, directive.file_end, b"#include " + name if is_next else name)
    for name, place in file_questions(text):
        replacement = redirects.get((name, True, False))
        if replacement is not None:
            yield Edit(place.begin, place.end, replacement)


def _assembled(needs: Needs, label: bytes, source: bytes, body: bytes) -> bytes:
    """Return the text behind its prologue; the text alone if the prologue is empty."""
    prologue = needs.prologue()
    if not prologue and body == source and not needs.on_gpu:
        return source
    return prologue + _line_one(label) + body + needs.epilogue()


def _line_one(label: bytes) -> bytes:
    """Return the line that gives the following one its number and its file's name."""
    return b'#line 1 "' + label.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"\n'


def _translate(source: bytes, label: bytes, needs: Needs, notes: list[str], files: ProgramFiles) -> bytes:
    """Return one text with its edits, and add its requirements for the prologue to `needs`."""
    text = Text(source)
    refused = list(_includes(text, label, needs, notes))
    lines = {edit.begin for edit in refused}
    named = [edit for edit in files.edits(text, label) if _line_of(text, edit) not in lines]
    edits = [*refused, *named, *_assembly(text, label, needs, notes)]
    edits += _launches(text, label, needs, notes)
    if needs.on_gpu:
        edits += _vector_operators(text)
        edits += needs.add_own_names(text)
        needs.add_names(text)
    return apply(text, edits) if edits else source


def _includes(text: Text, label: bytes, needs: Needs, notes: list[str]) -> Iterable[Edit]:
    """Turn includes that are not available into errors, which take effect only if the preprocessor reaches them."""
    for directive in text.directives:
        if directive.file is None:
            continue
        reason = needs.add_include(directive.file)
        if reason is not None:
            named = directive.file.decode("utf-8", "replace")
            notes.append(f"{_where(text, label, directive.begin)}: #include <{named}>: {reason}")
            yield Edit(directive.begin, directive.end, f'#error "{named}: {reason}"'.encode())


def _assembly(text: Text, label: bytes, needs: Needs, notes: list[str]) -> Iterable[Edit]:
    """Turn inline PTX into an expression, and PTX without a counterpart into a call that the compiler refuses."""
    statements = list(_statements(text, needs))
    unfinished = {text.defined_at(place) for place, _, _, needs_use in statements if needs_use}
    uses = asm_macro_uses(text, frozenset(name for name in unfinished if name is not None))
    expanded = frozenset[bytes]().union(*(use.macros for use in uses))
    for place, edit, note, needs_use in statements:
        if not needs_use or text.defined_at(place) not in expanded:
            notes.append(f"{_where(text, label, place)}: {note}")
        yield edit
    for use in uses:
        expansion = Text(use.expansion)
        translated = list(_statements(expansion, needs, is_piece=True))
        notes += [f"{_where(text, label, use.begin)}: {note}" for _, _, note, _ in translated]
        yield Edit(use.begin, use.end, replaced(expansion, [edit for _, edit, _, _ in translated]))


def _statements(text: Text, needs: Needs, is_piece: bool = False) -> Iterable[tuple[int, Edit, str, bool]]:
    """Translate asm statements, or refuse them: yield the place of each, its edit and a note.

    A piece of a text has statements of functions alone.

    The last value is true for a statement of a macro's definition that can be translated where the macro is used alone.
    """
    behind = 0
    for index, token in enumerate(text.tokens):
        if token.kind != IDENTIFIER or token.text not in ASM_KEYWORDS or token.begin < behind:
            continue
        if not is_piece and is_ignored(text, index):
            begin, behind = extent(text, index)
            blanks = re.sub(rb"[^\n]", b" ", text.source[begin:behind])
            yield begin, Edit(begin, behind, blanks), "NVRTC makes nothing of this asm", False
            continue
        try:
            end, expression = _translated(text, index)
        except Untranslatable as reason:
            message = f"{WRONG}{reason}" if isinstance(reason, Wrong) else f"inline PTX {reason}"
            begin, behind = extent(text, index)
            yield token.begin, Edit(begin, behind, needs.refusal(message)), message, isinstance(reason, MadeByMacros)
            continue
        if expression is not None:
            needs.add_ptx(expression)
            behind = end
            edit = Edit(token.begin, end, expression.encode("utf-8", "surrogateescape"))
            yield token.begin, edit, f"inline PTX became {expression}", False


def _translated(text: Text, index: int) -> tuple[int, str | None]:
    """Return the end of an asm statement and its expression, None where it stays. Raises Untranslatable."""
    try:
        statement = read_statement(text, index)
    except MadeByMacros:
        begin, end = extent(text, index)
        if text.defined_at(begin) is not None:
            raise
        statement = read_statement(Text(with_expanded_strings(text, begin, end)), 0)
        return end, to_expression(statement) if statement is not None else None
    return (statement.end, to_expression(statement)) if statement is not None else (0, None)


def _launches(text: Text, label: bytes, needs: Needs, notes: list[str]) -> Iterable[Edit]:
    """`kernel<<<grid, block>>>(…)` of device code becomes an expression with a call that must not be made."""
    tokens = text.tokens
    opening: int | None = None
    for index, token in enumerate(tokens[:-1]):
        following = tokens[index + 1].text
        if token.text in (b";", b"{", b"}"):
            opening = None
        elif opening is None and token.text + following == b"<<<" and tokens[index + 1].begin == token.end:
            if index > 0 and tokens[index - 1].text != b"operator":
                opening = index
        elif opening is not None and index > opening + 1 and token.text + following == b">>>":
            begin = tokens[opening].begin
            notes.append(f"{_where(text, label, begin)}: {_NO_LAUNCH}")
            yield Edit(begin, tokens[index + 1].end, b", %s, " % needs.refusal(_NO_LAUNCH))
            opening = None


def _line_of(text: Text, edit: Edit) -> int | None:
    """Return the start of the preprocessor line that contains an edit."""
    directive = text.directive_at(edit.begin)
    return directive.begin if directive is not None else None


def _vector_operators(text: Text) -> Iterable[Edit]:
    """Yield edits that let HIP's member operators win over a program's own `operator+=(float4&, float4)`.

    Both do the same, and together they are ambiguous. Only CUDA's vector types with themselves are affected; the
    function stays, under another name.
    """
    tokens = text.tokens
    for index, token in enumerate(tokens[:-4]):
        if token.text != b"operator" or tokens[index + 1].text not in _COMPOUND or tokens[index + 2].text != b"(":
            continue
        closing = text.closing(index + 2)
        if closing is None or closing - index > _LONGEST_OPERATOR:
            continue
        inside = tokens[index + 3 : closing]
        types = [operand.text for operand in inside if _VECTOR.fullmatch(operand.text)]
        if len(types) == 2 and types[0] == types[1] and b"&" in (operand.text for operand in inside):
            yield Edit(token.begin, tokens[index + 1].end, b"__own%d__" % (_COMPOUND.index(tokens[index + 1].text)))


def _where(text: Text, label: bytes, place: int) -> str:
    return f"{label.decode('utf-8', 'replace')}:{text.line(place)}"

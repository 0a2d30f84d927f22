"""CUDA names in Cython: those that are cimported, their uses, and unknown ones.

Cython has no parser without a compiler around it; this reads statements of import and dotted names, with strings and
comments left out, in every branch of a conditional.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from cuda_shim.c_level.hip_names import hip_names
from cuda_shim.c_level.interface import signatures
from cuda_shim.layouts import legacy_layout
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import C_MODULES, LEGACY_C_MODULES, LEGACY_MODULES, NVIDIAS_OWN_MODULES
from cuda_shim.mapping.rows import EnumRow, FunctionRow
from cuda_shim.scan import device_code
from cuda_shim.scan.diagnostics import Verdict
from cuda_shim.scan.support import Support, describe_row

__all__ = ["Finding", "find"]

_TABLES = ("driver", "runtime", "nvrtc")
# A string without an end extends to the end of its line, or of the text: no quote is looked at twice.
_HIDDEN = re.compile(
    r"""\#[^\n]* | [rbuf]{0,2} (?P<quote>\"{3}|'{3}) (?P<long>(?:\\(?:.|\Z)|(?!(?P=quote))[^\\])*) (?:(?P=quote)|\Z)
      | [rbuf]{0,2} (?P<mark>["']) (?P<short>(?:\\(?:.|\Z)|(?!(?P=mark))[^\\\n])*) (?:(?P=mark)|(?=\n)|\Z)""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_STATEMENT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+)?(?P<how>c?import)\b[ \t]*(?P<what>\([^()]*\)|(?:[^\n\\;:]|\\\n)*)",
    re.MULTILINE,
)
_DOTTED = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:[ \t]*\.[ \t]*[A-Za-z_]\w*)*")
_EXTERN = re.compile(r"^[ \t]*cdef[ \t]+extern[ \t]+from[ \t]+[\"'<]+([^\"'>]+)", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*include[ \t]+[\"']([^\"']+)", re.MULTILINE)
_HEADERS = re.compile(r"(?:.*/)?(?:cuda\w*|nvrtc\w*|driver_types|vector_types|channel_descriptor|cu\w*)\.h(?:pp)?")


class Finding(NamedTuple):
    """A place (line and column from 1), the name, and the verdict on it."""

    line: int
    column: int
    name: str
    verdict: Verdict


def find(content: bytes, support: Support) -> list[Finding]:
    """Return the findings in a Cython file, in the order of the text."""
    return sorted(_findings(content, support), key=lambda finding: finding[:3])


def _findings(content: bytes, support: Support) -> Iterator[Finding]:
    text = content.decode("utf-8", "replace")
    places = _Places(text)
    hidden = _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    file = _File(hidden, support)
    for at, target, in_c in file.uses():
        verdict = _judged(target, in_c, support)
        if verdict is not None:
            yield Finding(*places.of(at), target, verdict)
    for match in _HIDDEN.finditer(text):
        kind = "long" if match["quote"] else "short"
        inside = (match[kind] or "").encode()
        for spot in device_code.find(inside) if device_code.is_device_code(inside) else ():
            line, column = places.of(match.start(kind))
            yield Finding(line + spot.line - 1, spot.column + (column - 1) * (spot.line == 1), spot.name, spot.verdict)
    for match in _EXTERN.finditer(text):
        if _HEADERS.fullmatch(match[1]):
            reason = (
                f"<{match[1]}>: declared by NVIDIA's header, of which scan knows nothing; cuda.bindings has it without"
            )
            yield Finding(*places.of(match.start(1)), match[1], Verdict("CS305", reason))
    for match in _INCLUDE.finditer(text):
        reason = f"include {match[1]!r}: scan does not know what that file brings"
        yield Finding(*places.of(match.start(1)), match[1], Verdict("CS305", reason))


class _File:
    """The imports of a file, and the uses of the names that they bind."""

    def __init__(self, text: str, support: Support) -> None:
        self._text = text
        self._support = support
        # The target of each name, and whether it is a C name.
        self._names: dict[str, tuple[str, bool]] = {}
        self._stars: list[str] = []
        self._statements: list[tuple[int, int]] = []
        self._imported: list[tuple[int, str, bool]] = []
        for statement in _STATEMENT.finditer(text):
            self._statements.append(statement.span())
            self._read(statement)

    def uses(self) -> Iterator[tuple[int, str, bool]]:
        """Yield where a name is imported or used, its full name, and whether it is C's."""
        names = list(self._imported)
        spans = iter([*self._statements, (len(self._text), len(self._text))])
        begin, end = next(spans)
        for use in _DOTTED.finditer(self._text):
            while use.start() >= end:
                begin, end = next(spans)
            if use.start() < begin:
                names += self._used(use)
        yield from sorted(names)

    def _used(self, use: re.Match[str]) -> Iterator[tuple[int, str, bool]]:
        first, *rest = re.split(r"[ \t]*\.[ \t]*", use[0])
        if first in self._names:
            target, in_c = self._names[first]
            full = ".".join([target, *rest])
            if full not in ("cuda", "cuda.bindings", target) or not _is_module(target):
                yield use.start(), full, in_c
            return
        for module in self._stars:
            if _row_of(module, first, self._support.cuda) is not None:
                yield use.start(), ".".join([module, first, *rest]), True

    def _read(self, statement: re.Match[str]) -> None:
        module, in_c = statement["module"], statement["how"] == "cimport"
        at = statement.start("what")
        for part in re.finditer(r"[^,()]+", statement["what"]):
            words = part[0].replace("\\\n", " ").split()
            if not words:
                continue
            name, alias = words[0], words[-1] if len(words) == 3 and words[1] == "as" else ""
            place = at + part.start() + len(part[0]) - len(part[0].lstrip(" \t\n\\"))
            full = f"{module}.{name}" if module else name
            if full.partition(".")[0] != "cuda":
                continue
            if name == "*":
                if in_c:
                    self._stars.append(module)
                self._imported.append((place, module, in_c))
                continue
            if module or alias:
                self._names[alias or name] = full, in_c
            else:
                self._names["cuda"] = "cuda", in_c
            self._imported.append((place, full, in_c))


class _Places:
    """Lines and columns, from 1, of a text."""

    def __init__(self, text: str) -> None:
        self._begins = [0, *(match.end() for match in re.finditer("\n", text))]

    def of(self, at: int) -> tuple[int, int]:
        line = bisect_right(self._begins, at)
        return line, at - self._begins[line - 1] + 1


def _is_module(target: str) -> bool:
    return target in C_MODULES or target in LEGACY_MODULES or target.rpartition(".")[2] in _TABLES


def _tables_of(module: str) -> tuple[str, ...]:
    """Return the tables whose names a module declares for C."""
    if module in ("cuda.ccuda", "cuda.cuda"):
        return ("driver", "runtime")
    if module in LEGACY_MODULES:
        return (LEGACY_MODULES[module],)
    if module in C_MODULES and module not in NVIDIAS_OWN_MODULES:
        return (C_MODULES[module],)
    name = module.removeprefix("cuda.bindings.")
    return (name,) if name in _TABLES else ()


def _judged(target: str, in_c: bool, support: Support) -> Verdict | None:
    if not in_c:
        return support.of(target)
    parts = target.split(".")
    modules = (".".join(parts[:length]) for length in (3, 2) if len(parts) >= length)
    module = next((each for each in modules if _tables_of(each)), None)
    if module is None:
        return None if target in ("cuda", "cuda.bindings") else support.of(target) or _unserved(target)
    rest = parts[module.count(".") + 1 :]
    if not rest:
        return None
    verdict = _row_of(module, rest[0], support.cuda)
    if verdict is None:
        near = support.of(f"cuda.bindings.{_tables_of(module)[0]}.{rest[0]}")
        if near is not None and near.problem:
            return near
        return Verdict("CS204", f"{rest[0]}: {module} declares no such name")
    if module in LEGACY_MODULES or module.removeprefix("cuda.bindings.") in _TABLES:
        reason = (
            f"{rest[0]}: C's type or function here; NVIDIA's file has extension classes, which are Python classes here"
        )
        return Verdict("CS305", reason)
    return verdict


def _unserved(target: str) -> Verdict:
    return Verdict("CS205", f"{target}: not served")


def _row_of(module: str, name: str, cuda: str) -> Verdict | None:
    """Return the verdict on a name that a module declares, None for others."""
    layout = legacy_layout(cuda) if module in LEGACY_C_MODULES or module in LEGACY_MODULES else cuda
    for table in _tables_of(module):
        verdict = _declared(table, layout).get(name)
        if verdict is not None:
            return verdict
    if module in LEGACY_C_MODULES:
        for table in _tables_of(module):
            second = hip_names(table, layout, store.load(table).names(layout)).get(name)
            if second is not None:
                return Verdict("CS103", f"{name}: HIP's name of {second}")
    return None


@cache
def _declared(table: str, layout: str) -> dict[str, Verdict]:
    """Return the verdicts on all names that a declaration file has: functions, types, constants."""
    rows, in_c = store.load(table), signatures(table, layout)
    verdicts: dict[str, Verdict] = {}
    for name in rows.names(layout):
        row = rows.row(name, layout)
        if row is None or (isinstance(row, FunctionRow) and name not in in_c):
            continue
        verdicts[name] = describe_row(row)
        if isinstance(row, EnumRow):
            for member in row.members:
                lacks = row.hip is not None and member.hip is None
                refusal = f"{member.name}: {row.hip} has no counterpart; a call refuses it"
                translation = f"{member.name} -> {member.hip or member.value}"
                verdicts.setdefault(member.name, Verdict("CS202", refusal) if lacks else Verdict("CS101", translation))
    for name in in_c.keys() - verdicts.keys():
        verdicts[name] = Verdict("CS103", f"{name}: provided")
    if table == "runtime":
        verdicts = {**_declared("driver", layout), **verdicts}  # whose types it is made of
        verdicts = {
            name: verdict for name, verdict in verdicts.items() if not name.startswith("cu") or name.startswith("cuda")
        }
    return verdicts

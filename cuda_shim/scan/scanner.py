"""Scanning files: the findings of each, in order."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cuda_shim.scan import cython_code, device_code, sources
from cuda_shim.scan.diagnostics import NOT_JUDGED, Diagnostic, Verdict
from cuda_shim.scan.support import Support
from cuda_shim.scan.uses import ANY, strings, uses
from cuda_shim.translate.options import to_hiprtc

__all__ = ["Scan", "scan"]

#: Packages that reach CUDA by themselves, with what can be done.
_NEIGHBOURS = {
    "cupy": "it is built for one kind of GPU: install its build for ROCm (cupy-rocm)",
    "pycuda": "it is compiled against NVIDIA's driver: use cuda.bindings",
    "numba.cuda": "it compiles for NVIDIA GPUs through libNVVM: use nvrtc and CUDA C++",
}

_OPENING = re.compile(r"(?i)[rbuf]{0,2}(\"\"\"|'''|\"|')")


@dataclass
class Scan:
    """What was found in all files.

    Attributes:
        cuda: the layout by which names were judged.
        files: how many files were read.
        findings: in the order of files and lines.
    """

    cuda: str
    files: int = 0
    findings: list[Diagnostic] = field(default_factory=list)

    @property
    def problems(self) -> list[Diagnostic]:
        """What will not work."""
        return [finding for finding in self.findings if finding.verdict.problem]

    def counts(self) -> dict[str, int]:
        """Return how many findings of each code."""
        return dict(sorted(Counter(finding.verdict.code for finding in self.findings).items()))


def scan(paths: Iterable[str], cuda: str) -> Scan:
    """Scan files and folders by the tables of a layout such as "13.5".

    A file that cannot be read or parsed is a finding. Raises TableError in a checkout whose tables are broken.
    """
    result, support = Scan(cuda), Support(cuda)
    for path in sources.files(paths):
        result.files += 1
        result.findings += _scan_file(path, support)
    return result


def _scan_file(path: Path, support: Support) -> list[Diagnostic]:
    try:
        content = path.read_bytes()
    except OSError as error:
        return [_unreadable(path, f"cannot be read: {error.strerror}")]
    if path.suffix in sources.CUDA_SUFFIXES:
        return [_finding(path, spot.line, spot.column, spot) for spot in device_code.find(content)]
    if path.suffix in sources.CYTHON_SUFFIXES:
        return [Diagnostic(str(path), *found) for found in cython_code.find(content, support)]
    marks = (b"cuda", b"cupy", b"PyGPU")
    if not any(mark in content for mark in marks) and not device_code.is_device_code(content):
        return []
    try:
        if path.suffix == ".ipynb":
            code, broken = sources.notebook_code(content)
        else:
            code, broken = sources.python_code(content), []
    except SyntaxError as error:
        return [_unreadable(path, _said(error), error.lineno or 1, error.offset or 1)]
    found = [_unreadable(path, _said(error), error.lineno or 1, error.offset or 1, cell) for cell, error in broken]
    found += [*_names(path, code, support), *_sources(path, code)]
    found += [*_neighbours(path, code), *_options(path, code, support.cuda)]
    return sorted(found, key=lambda finding: (finding.cell or 0, finding.line, finding.column, finding.name))


def _names(path: Path, code: sources.Code, support: Support) -> Iterator[Diagnostic]:
    for use in uses(code.tree, support.knows):
        if use.targets[0].endswith(f".{ANY}"):
            owner = use.targets[0].removesuffix(f".{ANY}")
            verdict = Verdict(NOT_JUDGED, f"getattr({owner}, …): the name is put together at run time")
            yield _at(path, code, use.line, use.column, use.targets[0], verdict)
            continue
        verdicts = [(target, support.of(target)) for target in use.targets]
        # Several targets are alternatives, such as a module of CUDA 12 where that of CUDA 13 is not available.
        told = [(target, verdict) for target, verdict in verdicts if verdict is not None]
        if len(told) < len(verdicts) or not told:
            continue
        target, verdict = min(told, key=lambda pair: pair[1].problem)
        if use.probed and verdict.code in ("CS203", "CS204"):
            verdict = Verdict("CS103", f"{verdict.message} (asked for with a default)")
        yield _at(path, code, use.line, use.column, target, verdict)


def _neighbours(path: Path, code: sources.Code) -> Iterator[Diagnostic]:
    """Yield imports of packages that bring CUDA code of their own, past ``cuda.*``."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package = next((each for each in _NEIGHBOURS if f"{name}.".startswith(f"{each}.")), None)
            if package is not None:
                verdict = Verdict("CS205", f"{package}: not served; {_NEIGHBOURS[package]}")
                yield _at(path, code, node.lineno, node.col_offset + 1, package, verdict)


def _options(path: Path, code: sources.Code, cuda: str) -> Iterator[Diagnostic]:
    """Yield lists of NVRTC's options that are written out: what it would refuse."""
    for node in ast.walk(code.tree):
        if not isinstance(node, (ast.List, ast.Tuple)) or not node.elts:
            continue
        options = [each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, bytes)]
        if len(options) < len(node.elts) or not options[0].startswith(b"-"):
            continue
        refused = to_hiprtc(options, architecture=None, cuda=cuda).refused
        if refused is not None:
            name = b" ".join(options).decode("utf-8", "replace")
            yield _at(path, code, node.lineno, node.col_offset + 1, name, Verdict("CS304", refused))


def _sources(path: Path, code: sources.Code) -> Iterator[Diagnostic]:
    for node, text in strings(code.tree):
        if not device_code.is_device_code(text):
            continue
        exact = (node.end_lineno or node.lineno) - node.lineno == text.count(b"\n")
        for spot in device_code.find(text):
            if exact:
                shift = _opening(code.lines, node) if spot.line == 1 else 0
                yield _at(path, code, node.lineno + spot.line - 1, spot.column + shift, spot.name, spot.verdict)
            else:
                verdict = Verdict(spot.verdict.code, f"{spot.verdict.message} (line {spot.line} of the source)")
                yield _at(path, code, node.lineno, node.col_offset + 1, spot.name, verdict)


def _opening(lines: list[str], node: ast.expr) -> int:
    """Return the columns in front of a literal's first character."""
    line = lines[node.lineno - 1].encode()[node.col_offset :].decode("utf-8", "replace")
    quote = _OPENING.match(line)
    return node.col_offset + (len(quote[0]) if quote else 0)


def _at(path: Path, code: sources.Code, line: int, column: int, name: str, verdict: Verdict) -> Diagnostic:
    if not code.cells:
        return Diagnostic(str(path), line, column, name, verdict)
    cell, line = code.cells[line - 1]
    return Diagnostic(str(path), line, column, name, verdict, cell)


def _finding(path: Path, line: int, column: int, spot: device_code.Spot) -> Diagnostic:
    return Diagnostic(str(path), line, column, spot.name, spot.verdict)


def _unreadable(path: Path, said: str, line: int = 1, column: int = 1, cell: int | None = None) -> Diagnostic:
    return Diagnostic(str(path), line, column, "", Verdict("CS000", said), cell)


def _said(error: SyntaxError) -> str:
    return f"not Python of this version: {error.msg}"

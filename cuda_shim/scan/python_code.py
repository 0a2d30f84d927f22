"""Python files and notebooks: the names that they use, and the device code, PTX, options and libraries in them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cuda_shim.scan import device_code, packages, ptx_code, sources
from cuda_shim.scan.aliases import BY_NAME, is_watched
from cuda_shim.scan.diagnostics import NOT_JUDGED, Answer, Diagnostic, Verdict
from cuda_shim.scan.support import Support
from cuda_shim.scan.uses import ANY, Use, strings, uses
from cuda_shim.translate.options import to_hiprtc

__all__ = ["concerns_cuda", "find"]

_OPENING = re.compile(r"(?i)[rbuf]{0,2}(\"\"\"|'''|\"|')")
# Some AMD GPU: the translation of NVRTC's options depends on whether it is one, and not on which.
_SOME_GPU = "gfx942"


@cache
def _marks() -> re.Pattern[bytes]:
    names = "|".join(re.escape(root) for root in sorted(packages.roots()))
    return re.compile(
        rf"cuda|cu[A-Z]|CU[A-Z_a-z]|nvrtc|NVRTC|PyGPU|lib[\w-]+\.so|find_library|\.version|\b(?:{names})\b".encode()
    )


def concerns_cuda(content: bytes) -> bool:
    """Return whether a file may have anything that a scan reports: others are not parsed."""
    return _marks().search(content) is not None or device_code.is_device_code(content)


def find(path: Path, content: bytes, support: Support, modules: set[str]) -> Iterator[Diagnostic]:
    """Yield the findings of a Python file or notebook, in no order.

    Adds to `modules` the first part of each module that it imports and that scan knows nothing of.
    """
    try:
        if path.suffix == ".ipynb":
            code, broken = sources.notebook_code(content)
        else:
            code, broken = sources.python_code(content), []
    except SyntaxError as error:
        yield _unreadable(path, error)
        return
    for cell, problem in broken:
        yield _unreadable(path, problem, cell)
    yield from _names(path, code, support)
    yield from _sources(path, code)
    yield from _options(path, code, support.cuda)
    for place in packages.libraries(code.tree):
        yield _at(path, code, *place)
    modules.update(_unknown_modules(code.tree))


def _names(path: Path, code: sources.Code, support: Support) -> Iterator[Diagnostic]:
    reported: set[str] = set()
    for use in uses(code.tree, support.knows):
        if use.targets[0].endswith(f".{ANY}"):
            owner = use.targets[0].removesuffix(f".{ANY}")
            verdict = Verdict(NOT_JUDGED, f"getattr({owner}, …): the name is put together at run time")
            yield _at(path, code, use.line, use.column, use.targets[0], verdict)
            continue
        verdicts = [(target, support.of(target)) for target in use.targets]
        # Several targets are alternatives, such as a module of CUDA 12 where that of CUDA 13 is not available.
        judged = [(target, verdict) for target, verdict in verdicts if verdict is not None]
        if len(judged) < len(verdicts) or not judged:
            continue
        target, verdict = min(judged, key=lambda pair: pair[1].problem)
        if _is_repeated(use, target, reported):
            continue
        if use.probed and verdict.code in ("CS203", "CS204"):
            verdict = Verdict("CS103", f"{verdict.message} (asked for with a default)")
        yield _at(path, code, use.line, use.column, target.removeprefix(f"{BY_NAME}."), verdict)
    if "torch" in reported:
        for place in packages.devices_of_torch(code.tree):
            yield _at(path, code, *place)


def _is_repeated(use: Use, target: str, reported: set[str]) -> bool:
    """Return whether a use of a package adds nothing: a row of their table is reported at imports, and else once."""
    judged = packages.judge_module(target)
    if judged is None:
        return False
    row = judged[0]
    repeated = row in reported and not use.imported
    reported.update((row, row.partition(".")[0]))
    return repeated


def _unknown_modules(tree: ast.Module) -> Iterator[str]:
    """Yield the first part of each imported module that is neither Python's own nor known here."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        for name in names:
            root = name.partition(".")[0]
            if root not in sys.stdlib_module_names and root != "cuda_shim" and not is_watched(name):
                yield root


def _options(path: Path, code: sources.Code, cuda: str) -> Iterator[Diagnostic]:
    """Yield the refusals of lists of NVRTC's options that are written out."""
    for node in ast.walk(code.tree):
        if not isinstance(node, (ast.List, ast.Tuple)) or not node.elts:
            continue
        options = [each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, bytes)]
        if len(options) < len(node.elts) or not options[0].startswith(b"-"):
            continue
        refusals = [to_hiprtc(options, architecture=gpu, cuda=cuda).refused for gpu in (_SOME_GPU, None)]
        if any(refusal is not None for refusal in refusals):
            name = b" ".join(options).decode("utf-8", "replace")
            rocm, cpu = (Answer("CS304", each) if each else Answer("CS103", "taken") for each in refusals)
            verdict = Verdict("CS304", rocm.text) if rocm == cpu else Verdict.apart(name, rocm, cpu)
            yield _at(path, code, node.lineno, node.col_offset + 1, name, verdict)


def _sources(path: Path, code: sources.Code) -> Iterator[Diagnostic]:
    """Yield findings in string literals: CUDA C++, and PTX modules."""
    for node, text in strings(code.tree):
        if ptx_code.is_module(text):
            spots = list(ptx_code.find(text))
        elif device_code.is_device_code(text):
            spots = list(device_code.find(text, path.parent))
        else:
            continue
        exact = (node.end_lineno or node.lineno) - node.lineno == text.count(b"\n")
        for spot in spots:
            if exact:
                shift = _opening(code.lines, node) if spot.line == 1 else 0
                yield _at(path, code, node.lineno + spot.line - 1, spot.column + shift, spot.name, spot.verdict)
            else:
                verdict = spot.verdict.with_note(f" (line {spot.line} of the source)")
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


def _unreadable(path: Path, error: SyntaxError, cell: int | None = None) -> Diagnostic:
    verdict = Verdict("CS000", f"not Python of this version: {error.msg}")
    return Diagnostic(str(path), error.lineno or 1, error.offset or 1, "", verdict, cell)

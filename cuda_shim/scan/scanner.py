"""Scanning files: the findings of each, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cuda_shim.scan import cpp_code, cython_code, ptx_code, python_code, sources
from cuda_shim.scan.diagnostics import BACKENDS, Diagnostic, Verdict
from cuda_shim.scan.support import Support

__all__ = ["Scan", "scan"]


@dataclass
class Scan:
    """The findings in all files.

    Attributes:
        cuda: the layout by which names were judged.
        backends: the backends that were asked about.
        files: the number of files read.
        findings: in the order of files and lines.
        unread: modules that the files import and that scan knows nothing of, sorted.
    """

    cuda: str
    backends: tuple[str, ...] = tuple(BACKENDS)
    files: int = 0
    findings: list[Diagnostic] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[Diagnostic]:
        """The findings that will not work on one of the backends."""
        return [finding for finding in self.findings if finding.verdict.is_problem(self.backends)]

    def problems_on(self, backend: str) -> int:
        """Return how many findings will not work on one backend."""
        return sum(finding.verdict.is_problem((backend,)) for finding in self.findings)

    def counts(self) -> dict[str, int]:
        """Return how many findings of each code."""
        return dict(sorted(Counter(finding.verdict.code for finding in self.findings).items()))


def scan(paths: Iterable[str], cuda: str, backends: Sequence[str] = tuple(BACKENDS)) -> Scan:
    """Scan files and folders by the tables of a layout such as "13.5", for the backends `rocm`, `cpu` or both.

    A file that cannot be read or parsed is a finding. Raises TableError in a checkout whose tables are broken.
    """
    result, support = Scan(cuda, tuple(backends)), Support(cuda)
    modules: set[str] = set()
    read: set[str] = set()
    for path in sources.files(paths):
        result.files += 1
        read.update(path.with_suffix("").parts[-2:])
        result.findings += [_narrowed(finding, result.backends) for finding in _scan_file(path, support, modules)]
    result.unread = sorted(modules - read)
    return result


def _narrowed(finding: Diagnostic, backends: tuple[str, ...]) -> Diagnostic:
    return replace(finding, verdict=finding.verdict.narrowed(backends))


def _scan_file(path: Path, support: Support, modules: set[str]) -> list[Diagnostic]:
    """Return the findings of a file, and add to `modules` the imported modules that scan does not know."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return [Diagnostic(str(path), 1, 1, "", Verdict("CS000", f"cannot be read: {error.strerror}"))]
    if path.suffix in sources.PTX_SUFFIXES:
        return [Diagnostic(str(path), *spot) for spot in ptx_code.find(content)]
    if path.suffix in sources.CUDA_SUFFIXES + sources.CPP_SUFFIXES:
        is_cuda = path.suffix in sources.CUDA_SUFFIXES
        spots = cpp_code.find(content, path.parent, support, is_cuda=is_cuda)
        return [Diagnostic(str(path), *spot) for spot in spots]
    if path.suffix in sources.CYTHON_SUFFIXES:
        return [Diagnostic(str(path), *spot) for spot in cython_code.find(content, support)]
    if not python_code.concerns_cuda(content):
        return []
    findings = python_code.find(path, content, support, modules)
    return sorted(findings, key=lambda finding: (finding.cell or 0, finding.line, finding.column, finding.name))

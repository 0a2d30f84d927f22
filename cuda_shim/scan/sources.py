"""The files of a scan: which there are, and Python's text in them, notebooks included."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "CPP_SUFFIXES",
    "CUDA_SUFFIXES",
    "CYTHON_SUFFIXES",
    "PTX_SUFFIXES",
    "PYTHON_SUFFIXES",
    "Code",
    "files",
    "notebook_code",
    "python_code",
]

PYTHON_SUFFIXES = (".py", ".pyw", ".pyi", ".ipynb")
CUDA_SUFFIXES = (".cu", ".cuh")
CPP_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl")
PTX_SUFFIXES = (".ptx",)
CYTHON_SUFFIXES = (".pyx", ".pxd", ".pxi")
_SKIPPED = ("__pycache__", "node_modules", "site-packages")
# IPython's own lines: magics, shell commands, help. A cell magic makes the whole cell something else, but for
# those that run their cell as Python.
# Both are matched with a line without the blanks around it.
_MAGIC = re.compile(r"(?:[\w, ]+=\s*)?[%!?]")
_HELP = re.compile(r"[^#'\"]*[^#'\"\s]\?\Z")
_PYTHON_CELLS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%cuda_shim")


class Code(NamedTuple):
    """Python code and where its lines are.

    `cells` gives for each line (from 0) the cell and the line in it, both from 1; it is empty for other files.
    """

    tree: ast.Module
    lines: list[str]
    cells: list[tuple[int, int]]


def files(paths: Iterable[str]) -> Iterator[Path]:
    """Yield the files to scan: those named, and those with a known suffix below the folders named.

    Hidden folders, virtual environments and caches below a folder are left out.
    """
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        for place, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not _skipped(Path(place, name)))
            for name in sorted(names):
                if name.endswith(PYTHON_SUFFIXES + CUDA_SUFFIXES + CPP_SUFFIXES + CYTHON_SUFFIXES + PTX_SUFFIXES):
                    yield Path(place, name)


def _skipped(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in _SKIPPED or (folder / "pyvenv.cfg").exists()


def python_code(content: bytes) -> Code:
    """Return a Python file's code. Raises SyntaxError, which an encoding that does not fit is too."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise SyntaxError(f"not {encoding}: {error.reason}") from None
    try:
        return Code(ast.parse(text), text.splitlines(), [])
    except ValueError as error:  # a null byte
        raise SyntaxError(str(error)) from None


def notebook_code(content: bytes) -> tuple[Code, list[tuple[int, SyntaxError]]]:
    """Return a notebook's code as one module, and the cells that are no Python with their errors.

    Raises SyntaxError for a file that is no notebook.
    """
    lines: list[str] = []
    cells: list[tuple[int, int]] = []
    broken: list[tuple[int, SyntaxError]] = []
    for number, text in _code_cells(content):
        own = _without_magics(text)
        try:
            ast.parse("\n".join(own))
        except SyntaxError as error:
            broken.append((number, error))
            own = []
        lines += own
        cells += [(number, line) for line in range(1, len(own) + 1)]
    return Code(ast.parse("\n".join(lines)), lines, cells), broken


def _code_cells(content: bytes) -> Iterator[tuple[int, str]]:
    try:
        cells = json.loads(content)["cells"]
        for number, cell in enumerate(cells, 1):
            if cell["cell_type"] == "code":
                source = cell["source"]
                yield number, source if isinstance(source, str) else "".join(source)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SyntaxError(f"not a notebook ({type(error).__name__}: {error})") from None


def _without_magics(text: str) -> list[str]:
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and first.split()[0] not in _PYTHON_CELLS:
        return []
    code = []
    for line in lines:
        bare = line.strip()
        is_magic = _MAGIC.match(bare) or _HELP.match(bare)
        code.append(f"{line[: len(line) - len(line.lstrip())]}pass" if is_magic else line)
    return code

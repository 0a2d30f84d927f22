"""The rows of hip/rocm_differences.inc and hip/rocm_symbols.inc: how AMD's runtime differs from CUDA, by release."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

RUNTIME = Path(__file__).resolve().parents[2] / "hip_on_host/src"
_ROW = re.compile(r'CUDA_SHIM_ROCM_DIFFERENCE\((\w+),\s*((?:"[^"]*"\s*)+),\s*((?:"[^"]*"\s*)+)\)\n')
_SYMBOL = re.compile(r"CUDA_SHIM_SINCE_ROCM\((\d+), (\d+), (\w+)\)\n")
_EXTENSION = re.compile(r"CUDA_SHIM_EXTENSION\((\w+)\)\n")


class Difference(NamedTuple):
    """A behaviour of AMD's runtime, and its place in AMD's source."""

    name: str
    behaviour: str
    source: str


def _text(literals: str) -> str:
    return "".join(re.findall(r'"([^"]*)"', literals))


def _read(name: str) -> str:
    return (RUNTIME / "hip" / name).read_text(encoding="utf-8")


def differences() -> list[Difference]:
    """Every row, in the table's order."""
    return [
        Difference(name, _text(words), _text(source))
        for name, words, source in _ROW.findall(_read("rocm_differences.inc"))
    ]


def lacking(major: int, minor: int) -> list[str]:
    """The functions that came after a release, and this runtime's own extensions."""
    text = _read("rocm_symbols.inc")
    later = [name for one, two, name in _SYMBOL.findall(text) if (int(one), int(two)) > (major, minor)]
    return later + _EXTENSION.findall(text)


def uses(name: str) -> int:
    """Return the number of places in the runtime's code that ask for a difference."""
    sources = [*(RUNTIME / "hip").rglob("*.cpp"), RUNTIME / "hip/rocm.h"]
    return sum(path.read_text(encoding="utf-8").count(f"RocmDifference::{name})") for path in sources)

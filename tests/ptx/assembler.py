"""NVIDIA's own assembler, which needs no GPU: it decides whether a text is PTX."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests import environments
from tests.ptx.forms import ARCHITECTURE

__all__ = ["ptxas", "refusal"]

WHEEL = "nvidia-cuda-nvcc==13.5.*"


def ptxas(folder: Path) -> Path:
    """The assembler of NVIDIA's wheel, installed below a folder."""
    python = environments.make(folder / "ptxas", WHEEL)
    return next(python.executable.parents[1].glob("lib/python*/site-packages/nvidia/cu*/bin/ptxas"))


def refusal(assembler: Path, file: Path) -> str:
    """Return the assembler's errors for a text; "" where it takes the text."""
    words = [assembler, "-arch", ARCHITECTURE, "-O0", "-o", file.with_suffix(".cubin"), file]
    process = subprocess.run(list(map(str, words)), capture_output=True, encoding="utf-8", check=False)
    return process.stderr if process.returncode else ""

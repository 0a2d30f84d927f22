"""Names of kernels in reports: those of the program, demangled only where they are mangled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("programs") / "kernel_names.py"


def test_reports_name_kernels_as_the_program_does() -> None:
    """The encodings of types, such as "f", are names of kernels as well."""
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", str(PROGRAM)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for kernel in ("f", "i", "fill(int*)"):
        assert f"kernel {kernel} was stopped in" in done.stderr, done.stderr

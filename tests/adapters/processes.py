"""Another process under the shim, for tests that one process cannot do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cuda_shim

_START = "import ctypes, sys, cuda_shim; cuda_shim.enable(backend='cpu', cuda='12.9'); from cuda.bindings import driver as cu"
_FOLDER = str(Path(cuda_shim.__file__).parents[1])


def run(program: str, given: bytes = b"", **environment: str) -> bytes:
    """Return a program's output; it finds the driver as ``cu``, and `given` on its standard input."""
    done = subprocess.run(
        [sys.executable, "-c", f"{_START}\n{program}"],
        input=given,
        capture_output=True,
        timeout=100,
        env={**os.environ, "PYTHONPATH": _FOLDER, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout

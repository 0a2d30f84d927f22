"""Compiles the kernels with the HIP libraries in the folder argv[1]; their code object goes to stdout."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.benchmarks.speed.contenders import HipRuntime, kernel_text

if __name__ == "__main__":
    sys.stdout.buffer.write(HipRuntime(Path(sys.argv[1])).compile(kernel_text(0)))

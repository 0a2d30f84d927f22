"""Compiles the files named in its arguments through CUDA Python and prints their logs as JSON, by name.

python -m cuda_shim run --backend cpu tests/kernels/log_worker.py wrong/undeclared_name.cu
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cuda.bindings import nvrtc
from log_headers import HEADERS


def log_of(path: Path) -> tuple[int, str]:
    """The status of a file's compilation, and its log."""
    names, texts = list(HEADERS), list(HEADERS.values())
    status, program = nvrtc.nvrtcCreateProgram(path.read_bytes(), path.name.encode(), len(names), texts, names)
    assert int(status) == 0, status
    (status,) = nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_90"])
    size = nvrtc.nvrtcGetProgramLogSize(program)[1]
    log = b" " * size
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(program)
    return int(status), log.partition(b"\0")[0].decode(errors="replace")


if __name__ == "__main__":
    print(json.dumps({Path(name).name: log_of(Path(name)) for name in sys.argv[1:]}))

"""Prints this project's logs of programs as a JSON list: python -m cuda_shim run --backend cpu logs.py FILE

The file has a list of programs, each a list of the text and the options.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cuda.bindings import nvrtc

__all__ = ["compiled"]


def compiled(text: str, options: list[str]) -> tuple[bool, str]:
    """Return whether a program compiles, and the log."""
    _, handle = nvrtc.nvrtcCreateProgram(text.encode(), b"k.cu", 0, [], [])
    (status,) = nvrtc.nvrtcCompileProgram(handle, len(options), [option.encode() for option in options])
    _, size = nvrtc.nvrtcGetProgramLogSize(handle)
    log = bytearray(size)
    nvrtc.nvrtcGetProgramLog(handle, log)
    nvrtc.nvrtcDestroyProgram(handle)
    return status == nvrtc.nvrtcResult.NVRTC_SUCCESS, log.decode(errors="replace").rstrip("\0")


if __name__ == "__main__":
    print(json.dumps([compiled(*program) for program in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))]))

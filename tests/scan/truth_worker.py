"""Compiles programs on the CPU backend: a JSON object of texts by name on stdin, [status, log] by name on stdout."""

from __future__ import annotations

import json
import sys

from cuda.bindings import nvrtc


def compiled(source: str) -> tuple[int, str]:
    """The status of nvrtcCompileProgram, and the program's log."""
    program = nvrtc.nvrtcCreateProgram(source.encode(), b"program.cu", 0, [], [])[1]
    options = [b"--std=c++17", *[b"-arch=sm_90"] * ("__cluster_dims__" in source)]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    size = nvrtc.nvrtcGetProgramLogSize(program)[1]
    log = b" " * size
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(program)
    return int(status), log.decode(errors="replace").rstrip("\0")


print(json.dumps({name: compiled(source) for name, source in json.load(sys.stdin).items()}))

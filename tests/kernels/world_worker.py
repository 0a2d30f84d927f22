"""Compiles the programs of its standard input with the CPU runtime's hiprtc, and prints what became of each as JSON.

The input is a JSON list of pairs: hiprtc's options and a source. The compiler is the one of CUDA_SHIM_CPU_CXX.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cuda_shim import settings
from cuda_shim.backends import cpu
from cuda_shim.backends.cpu import build
from tests.kernels.compilers import RuntimeCompiler

if __name__ == "__main__":
    cpu.prepare_environment(settings.current())
    library = Path(build.ensure_libraries(settings.current())) / "lib/libhiprtc.so"
    compiler = RuntimeCompiler(str(library), "hiprtc")
    done = [
        compiler.compile(source.encode(), b"probe.cu", [option.encode() for option in options])
        for options, source in json.load(sys.stdin)
    ]
    print(json.dumps([(outcome.status, outcome.log) for outcome in done]))

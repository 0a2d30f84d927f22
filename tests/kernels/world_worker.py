"""Compiles the programs of its standard input with the CPU runtime's hiprtc, and prints the outcome of each as JSON.

The input is a JSON list of pairs: hiprtc's options and a source. The compiler is the one of CUDA_SHIM_CPU_CXX.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from cuda_shim import settings
from cuda_shim.backends import cpu, host_libraries
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.kernels.compilers import RuntimeCompiler


def run(compiler: str, programs: Sequence[tuple[list[str], str]]) -> list[tuple[int, str]]:
    """Compile programs (options, source) in a process of their own; return status and log of each."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernels.world_worker"],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "CUDA_SHIM_CPU_CXX": find_compiler(compiler)},
    )
    assert done.returncode == 0, done.stderr
    return [(status, log) for status, log in json.loads(done.stdout.splitlines()[-1])]


if __name__ == "__main__":
    cpu.prepare_environment(settings.current())
    library = Path(host_libraries.ensure_libraries(settings.current())) / "lib/libhiprtc.so"
    compiler = RuntimeCompiler(str(library), "hiprtc")
    done = [
        compiler.compile(source.encode(), b"probe.cu", [option.encode() for option in options])
        for options, source in json.load(sys.stdin)
    ]
    print(json.dumps([(outcome.status, outcome.log) for outcome in done]))

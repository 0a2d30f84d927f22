"""Calls that take long let other threads run meanwhile, on both generations of hip-python."""

from __future__ import annotations

from pathlib import Path

from tests.environments import Python

# A compiler that starts when another thread of the program says so, and gives up when none does.
COMPILER = """#!/bin/sh
case "$*" in *-shared*)
    touch {folder}/waiting
    for _ in $(seq 600); do [ -e {folder}/go ] && break; sleep 0.1; done
    [ -e {folder}/go ] || exit 1;;
esac
exec {compiler} "$@"
"""

PROGRAM = """
import pathlib, threading, time
from cuda.bindings import nvrtc
def ok(answer):
    assert answer[0] == 0, answer
    return answer[-1]
folder = pathlib.Path({folder!r})
program = ok(nvrtc.nvrtcCreateProgram(b"__global__ void k() {{}}", b"k.cu", 0, [], []))
compiled = threading.Thread(target=lambda: print(nvrtc.nvrtcCompileProgram(program, 0, [])[0].name))
compiled.start()
while compiled.is_alive() and not (folder / "waiting").exists():
    time.sleep(0.01)
(folder / "go").touch()
compiled.join()
"""


def test_a_compilation(shim_python: Python, tmp_path: Path):
    found = shim_python.run(
        "-c",
        "from cuda_shim import settings; from cuda_shim.backends import compilers; "
        "print(*compilers.find(settings.current()).command)",
    )
    compiler = tmp_path / "c++"
    compiler.write_text(COMPILER.format(folder=tmp_path, compiler=found.strip()), encoding="utf-8")
    compiler.chmod(0o755)
    said = shim_python.run(
        "-m", "cuda_shim", "run", "--backend", "cpu", "-c", PROGRAM.format(folder=str(tmp_path)),
        CUDA_SHIM_CPU_CXX=str(compiler),
    )  # fmt: skip
    assert said == "NVRTC_SUCCESS\n"
    assert (tmp_path / "waiting").exists()

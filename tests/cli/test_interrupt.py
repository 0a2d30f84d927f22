"""Ctrl-C in a program under `run`, as at a terminal: while a kernel runs, and while one is compiled."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests import long_kernel
from tests.environments import ROOT, Python
from tests.interpreters import HANG, clean_environment

MEASURED = ROOT / "tests" / "usage" / "measured.py"

KERNEL = f"""
import sys, time
sys.path.insert(0, {str(MEASURED.parent)!r})
from measured import checked, launch, load, runtime
checked(runtime.cudaFree(0))
x, y = (checked(runtime.cudaMalloc(4096)) for _ in range(2))
checked(runtime.cudaMemset(x, 0, 4096))
launch(load(), "endless", x, y)
print("begun", flush=True)
try:
    runtime.cudaDeviceSynchronize()
except KeyboardInterrupt:
    print(time.time(), runtime.cudaDeviceSynchronize()[0].name)
"""

COMPILATION = f"""
import time
from cuda.bindings import nvrtc
program = nvrtc.nvrtcCreateProgram({long_kernel.SOURCE.encode()!r}, b"long.cu", 0, [], [])[1]
print("begun", flush=True)
try:
    print(nvrtc.nvrtcCompileProgram(program, 0, []))
except KeyboardInterrupt:
    print(time.time(), "stopped")
"""


@pytest.mark.parametrize("calls", ["on", "off"])
@pytest.mark.parametrize(
    ("program", "ends_with"),
    [(KERNEL, "cudaErrorLaunchFailure"), (COMPILATION, "stopped")],
    ids=["kernel", "compilation"],
)
def test_it_ends_within_a_second(
    any_shim_python: Python, tmp_path: Path, program: str, ends_with: str, calls: str
) -> None:
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    words = ["-m", "cuda_shim", "run", "--backend=cpu", f"--compiled-calls={calls}", str(script)]
    with subprocess.Popen(
        [str(any_shim_python.executable), *words], env=clean_environment(CUDA_SHIM_QUIET="1"), cwd=tmp_path,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            if line == "begun\n":
                break
        time.sleep(0.5)
        interrupted = time.time()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=HANG)
    assert process.returncode == 0, errors
    ended, how = out.split()
    assert how == ends_with
    assert float(ended) - interrupted < 1

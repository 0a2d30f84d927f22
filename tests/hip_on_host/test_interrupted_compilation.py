"""Ctrl-C while a kernel is compiled: the compiler ends, nothing is left behind, and the program's handler runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hip_on_host.hip_program import run
from tests.hip_on_host.hiprtc_program import find_compiler

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import json, signal, subprocess
sys.path.insert(0, {root!r})
from tests import long_kernel
from tests.hip_on_host import hiprtc_program
hiprtc = hiprtc_program.load({folder!r})
_, program = hiprtc.hiprtcCreateProgram(long_kernel.SOURCE.encode(), b"long.cu", 0, None, None)
def interrupt_soon(seconds):
    code = f"import os, time; time.sleep({{seconds}}); os.kill({{os.getpid()}}, 2); print(time.monotonic())"
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
def compilers():
    found = []
    for process in os.listdir("/proc"):
        try:
            text = open(f"/proc/{{process}}/cmdline").read() if process.isdigit() else ""
        except OSError:
            continue
        found += [text] * (os.environ["CUDA_SHIM_CACHE_DIR"] in text or os.environ["TMPDIR"] in text)
    return found
"""


@pytest.mark.parametrize("seconds", [0.3, 1.5])
def test_an_interrupt_ends_the_compiler(runtime_folder: Path, tmp_path: Path, seconds: float) -> None:
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    temporary.mkdir()
    code = f"""
signal.signal(signal.SIGINT, signal.default_int_handler)
killer = interrupt_soon({seconds})
try:
    print(hiprtc.hiprtcCompileProgram(program, 0, None))
except KeyboardInterrupt:
    late = time.monotonic() - float(killer.communicate()[0])
    time.sleep(0.2)
    print(json.dumps([late, compilers()]))
"""
    done = run(
        runtime_folder, PROGRAM.format(root=str(ROOT), folder=str(runtime_folder)) + code,
        CUDA_SHIM_CACHE_DIR=str(cache), TMPDIR=str(temporary),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    late, running = json.loads(done.stdout)
    assert late < 1
    assert running == []
    assert list(temporary.iterdir()) == []
    left = [path.name for path in (cache / "kernels").iterdir()]
    assert all(name.startswith("lock-") or ".pch" in name or name.endswith(".answer") for name in left), left


READ_AND_INTERRUPTED = """#!/bin/sh
clang++-19 "$@" || exit
case " $* " in *ast-dump*) exec 1>&- 2>&-; sleep 0.3; kill -INT $PPID; sleep 0.3; esac
"""


def test_an_interrupt_between_two_compilers(runtime_folder: Path, tmp_path: Path) -> None:
    """When the first has closed its output, no thread waits for a compiler; the second is not to run to its end."""
    if not find_compiler("clang++-19"):
        pytest.skip("clang++-19 is not installed")
    compiler = tmp_path / "clang++-19"
    compiler.write_text(READ_AND_INTERRUPTED, encoding="utf-8")
    compiler.chmod(0o755)
    (tmp_path / "temporary").mkdir()
    code = """
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    print(hiprtc.hiprtcCompileProgram(program, 0, None))
except KeyboardInterrupt:
    print(json.dumps(compilers()))
"""
    done = run(
        runtime_folder, PROGRAM.format(root=str(ROOT), folder=str(runtime_folder)) + code,
        CUDA_SHIM_CACHE_DIR=str(tmp_path / "cache"), TMPDIR=str(tmp_path / "temporary"),
        CUDA_SHIM_CPU_CXX=str(compiler),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout) == []
    assert list((tmp_path / "cache" / "kernels").glob("*.so")) == []


def test_a_program_without_a_handler_dies_of_the_signal(runtime_folder: Path, tmp_path: Path) -> None:
    code = """
signal.signal(signal.SIGINT, signal.SIG_DFL)
interrupt_soon(0.5)
hiprtc.hiprtcCompileProgram(program, 0, None)
"""
    (tmp_path / "temporary").mkdir()
    done = run(
        runtime_folder, PROGRAM.format(root=str(ROOT), folder=str(runtime_folder)) + code,
        CUDA_SHIM_CACHE_DIR=str(tmp_path / "cache"), TMPDIR=str(tmp_path / "temporary"),
    )  # fmt: skip
    assert done.returncode == -2, done.stderr
    assert list((tmp_path / "temporary").iterdir()) == []

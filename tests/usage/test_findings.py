"""Findings in kernels are reported with the program's line, as JSON, and by the exit status."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.environments import Python
from tests.interpreters import HANG, clean_environment

PROGRAM = Path(__file__).with_name("measured.py")
RUN = ("-m", "cuda_shim", "run", "--backend", "cpu")
CHECK = (*RUN, "--cpu-check")


def line_of(text: str) -> int:
    """The line of the program that holds a text."""
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def kernel_line(text: str) -> int:
    """The line of its kernels."""
    return line_of(text) - line_of('SOURCE = b"""') + 1


def findings(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("kernel", "kind", "text", "said"),
    [
        ("racing", "global-race", "y[0] +=", "race on global memory: write of 4 bytes 0 bytes into the 1024 bytes"),
        (
            "unwritten",
            "global-unwritten",
            "x[n + ",
            "read of 4 bytes that nobody has written, 1024 bytes into the 2048",
        ),
    ],
)
def test_a_finding_in_the_log_and_as_json(
    any_shim_python: Python, tmp_path: Path, kernel: str, kind: str, text: str, said: str
) -> None:
    path = tmp_path / "found.json"
    words = (*CHECK, f"--cpu-check-json={path}", "--error-exitcode=7", PROGRAM, kernel)
    done = any_shim_python.start("-W", "error", *words, cwd=PROGRAM.parent)
    assert done.returncode == 7, done.stderr
    assert done.stdout.splitlines()[1:] == ["cudaErrorLaunchFailure", "ended"]  # the program itself went on
    launched = line_of("# the launch")
    assert f"at measured.cu:{kernel_line(text)}: {said}" in done.stderr
    assert f"; it was launched at measured.py:{launched} in launch; " in done.stderr
    (finding,) = findings(path)
    assert set(finding) == {
        "format", "kind", "message", "kernel", "block", "thread", "file", "line", "address", "bytes", "error", "device",
        "call", "process",
    }  # fmt: skip
    assert (finding["format"], finding["kind"], finding["kernel"]) == (1, kind, kernel)
    assert (finding["file"], finding["line"]) == ("measured.cu", kernel_line(text))
    assert finding["call"] == {"file": "measured.py", "line": launched, "function": "launch"}
    assert finding["message"].startswith(said)
    assert len(finding["block"]) == len(finding["thread"]) == 3
    assert (finding["bytes"], finding["error"], finding["device"]) == (4, 719, 0)
    assert finding["address"] > 0


def test_without_findings_the_status_is_the_programs_own(any_shim_python: Python, tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    done = any_shim_python.start(*CHECK, f"--cpu-check-json={path}", "--error-exitcode=7", PROGRAM, "saxpy")
    assert (done.returncode, done.stderr) == (0, "")
    assert not path.exists()
    script = tmp_path / "own.py"
    script.write_text("from cuda.bindings import runtime\nruntime.cudaFree(0)\nraise SystemExit(3)\n")
    assert any_shim_python.start(*CHECK, "--error-exitcode=7", script).returncode == 3


def test_findings_of_forked_children_count(any_shim_python: Python, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, runpy, sys\n"
        "from cuda.bindings import runtime\nruntime.cudaGetDeviceCount()\n"
        "child = os.fork()\n"
        f"if not child:\n    sys.argv = ['', 'racing']\n    runpy.run_path({str(PROGRAM)!r}, run_name='__main__')\n"
        "    sys.stdout.flush()\n    os._exit(0)\n"
        "os.waitpid(child, 0)\n"
    )
    done = any_shim_python.start(*CHECK, "--error-exitcode=9", script)
    assert done.returncode == 9, done.stderr


def test_a_filter_by_kernel(any_shim_python: Python) -> None:
    """Writes of the other kernels are tracked too: memory that they wrote is not reported."""
    words = ("--error-exitcode=7", PROGRAM, "racing", "saxpy")
    done = any_shim_python.start(*CHECK, "--cpu-check-kernel=sax*", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert any_shim_python.start(*CHECK, "--cpu-check-kernel=rac?ng", *words).returncode == 7


def test_leaks(any_shim_python: Python, tmp_path: Path) -> None:
    words = ("--cpu-check-json", "--cpu-check-leaks", "--error-exitcode=7", PROGRAM, "saxpy")
    done = any_shim_python.start(*CHECK, *words, cwd=PROGRAM.parent)
    line = line_of("# the first allocation")
    assert done.returncode == 7
    message, document = done.stderr.splitlines()
    assert message == (
        f"cuda_shim: leak: 2048 bytes of device memory were never freed; allocated at measured.py:{line} in main"
    )
    finding = json.loads(document)
    assert (finding["kind"], finding["bytes"], finding["kernel"]) == ("leak", 2048, None)
    assert finding["call"] == {"file": "measured.py", "line": line, "function": "main"}


def test_without_checks_the_settings_are_refused(any_shim_python: Python) -> None:
    done = any_shim_python.start(*RUN, "--error-exitcode=7", PROGRAM)
    assert done.returncode == 2
    assert done.stderr == (
        "cuda_shim: run: --error-exitcode '7' has no effect without CUDA_SHIM_CPU_CHECK=1 (--cpu-check)\n"
    )


@pytest.mark.parametrize("words", [("--error-exitcode=256",), ("--error-exitcode=x",), ("--cpu-kernel-timeout=0",),
                                   ("--cpu-kernel-timeout", "soon")])  # fmt: skip
def test_values_that_are_none(any_shim_python: Python, words: tuple[str, ...]) -> None:
    done = any_shim_python.start(*CHECK, *words, PROGRAM)
    assert done.returncode == 2
    assert " is not allowed; use " in done.stderr


def test_a_kernel_may_run_for_so_long(any_shim_python: Python) -> None:
    words = ("--cpu-kernel-timeout", "0.3", PROGRAM, "saxpy", "endless", "saxpy", "endless")
    done = any_shim_python.start_for(30, "-W", "error", *RUN, *words)
    assert done.stdout.splitlines()[-1] == "cudaErrorLaunchTimeout" or "cudaErrorLaunchTimeout" in done.stdout
    assert done.stderr.count("kernel endless was stopped in block (") == 1
    assert "it ran for longer than CUDA_SHIM_CPU_KERNEL_TIMEOUT allows" in done.stderr


def test_the_time_limit_sticks(any_shim_python: Python, tmp_path: Path) -> None:
    """As CUDA's: every later call answers it, until the device is reset."""
    script = tmp_path / "after.py"
    script.write_text(
        f"import runpy, sys\nsys.argv = ['', 'endless']\nrunpy.run_path({str(PROGRAM)!r}, run_name='__main__')\n"
        "from cuda.bindings import driver, runtime\n"
        "print(driver.cuCtxSynchronize()[0].name, runtime.cudaStreamSynchronize(0)[0].name)\n"
        "print(runtime.cudaDeviceReset()[0].name, runtime.cudaDeviceSynchronize()[0].name)\n"
    )
    done = any_shim_python.start_for(30, *RUN, script, CUDA_SHIM_CPU_KERNEL_TIMEOUT="0.3")
    assert done.stdout.splitlines()[-2:] == [
        "CUDA_ERROR_LAUNCH_TIMEOUT cudaErrorLaunchTimeout", "cudaSuccess cudaSuccess",
    ], done.stderr  # fmt: skip


def test_the_steps_of_one_thread(any_shim_python: Python) -> None:
    done = any_shim_python.start(*RUN, "--cpu-debug-thread=saxpy:1:5", PROGRAM, "saxpy", "racing")
    who = "cuda_shim: saxpy, block (1,0,0), thread (5,0,0): "
    line = kernel_line("y[i] = a * x[i]")
    steps = [text for text in done.stderr.splitlines() if text.startswith(who)]
    assert steps[0] == f"{who}begins"
    assert steps[-1] == f"{who}returns"
    texts = [text.removeprefix(who) for text in steps[1:-1]]
    assert len(texts) == 2 * 3  # it makes two rounds
    assert texts[0].startswith(
        f"read of 4 bytes at measured.cu:{line}, 276 bytes into the 2048 bytes of device memory "
    )
    assert texts[0].endswith(": 0x3f800000, 1065353216 as int, 1 as float")
    assert texts[2].startswith(
        f"write of 4 bytes at measured.cu:{line}, 276 bytes into the 1024 bytes of device memory "
    )
    assert texts[2].endswith(": 0x40000000, 1073741824 as int, 2 as float")
    assert "racing, " not in done.stderr


@pytest.mark.skipif(shutil.which("gdb") is None, reason="needs gdb")
def test_a_debugger_stops_where_the_thread_begins(any_shim_python: Python) -> None:
    """And knows the kernel's source, its variables and its breakpoints."""
    commands = ["set pagination off", "run", "break saxpy", "continue", "next", "print i", "delete", "continue"]
    words = [word for command in commands for word in ("-ex", command)]
    program = [any_shim_python.executable, *RUN, "--cpu-debug-thread=saxpy:1:5", PROGRAM, "saxpy"]
    done = subprocess.run(
        ["gdb", "-nx", "-q", "--batch", *words, "--args", *map(str, program)], env=clean_environment(CUDA_SHIM_QUIET="1"),
        capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL, timeout=HANG, check=False,
    )  # fmt: skip
    if "ptrace: Operation not permitted" in done.stderr:
        pytest.skip("processes may not be traced here")
    assert "received signal SIGTRAP" in done.stdout, done.stdout + done.stderr
    stop = done.stdout.index("received signal SIGTRAP")
    assert "thread (5,0,0): begins" in done.stdout[:stop] + done.stderr
    assert re.search(r"hit Breakpoint 1.* saxpy \(.*\) at measured.cu:\d+", done.stdout[stop:]), done.stdout
    assert re.search(r"^\$1 = \d+$", done.stdout, re.MULTILINE), done.stdout


def test_a_thread_that_is_none(any_shim_python: Python) -> None:
    done = any_shim_python.start(*RUN, PROGRAM, "saxpy", CUDA_SHIM_CPU_DEBUG_THREAD="saxpy:here")
    assert done.returncode == 2
    assert "CUDA_SHIM_CPU_DEBUG_THREAD=saxpy:here is not allowed; use [kernel:]block:thread, such as " in done.stderr

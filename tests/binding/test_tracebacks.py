"""Tracebacks through generated functions show the lines that ran, under names that are no paths."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT

PROGRAM = """
import sys, traceback
from cuda.bindings import driver, runtime
def show(call, *arguments):
    try:
        call(*arguments)
    except (TypeError, ValueError, OverflowError):
        frames = traceback.extract_tb(sys.exc_info()[2])
        for frame in frames:
            if frame.filename.startswith("<cuda_shim"):
                print(frame.name, "|", frame.filename, "|", frame.line)
    else:
        print("no error")
    print("--")
{calls}
"""
ENVIRONMENT = {**os.environ, "CUDA_SHIM_BACKEND": "cpu", "PYTHONPATH": str(ROOT)}


def run(*words: str, cwd: Path, **more: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=cwd,
        env={**ENVIRONMENT, **more},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("instrumented", [False, True])
def test_each_frame_shows_its_own_line(tmp_path: Path, instrumented: bool) -> None:
    calls = """
show(runtime.cudaSetDevice, "no number")
show(driver.cuStreamQuery, "no stream")
show(driver.cuDeviceGetAttribute, None, 0)
show(driver.cuStreamQuery, "no stream")
show(driver.cuMemcpyHtoD, 0, 0, 1 << 70)
show(driver.cuCoredumpGetAttribute, "nonsense")
"""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(calls=calls))
    report = {"CUDA_SHIM_REPORT": str(tmp_path / "report.json")} if instrumented else {}
    shown = [
        part.strip().splitlines()
        for part in run("cuda_shim", "run", "program.py", cwd=tmp_path, **report).split("--\n")
    ][:-1]
    files: dict[str, set[str]] = {}
    for frames in shown:
        assert frames
        for frame in frames:
            name, filename, line = frame.split(" | ")
            assert name in filename
            assert filename.endswith(">")
            assert line, f"{filename}: no line"
            files.setdefault(filename, set()).add(line)
    # The frame that the error left by is the conversion of the wrong argument.
    assert "check_device(device)" in shown[0][-1]
    assert "address(hStream)" in shown[1][-1]
    assert "address(hStream)" in shown[3][-1]
    assert "check_ByteCount(ByteCount)" in shown[4][-1]
    kinds = {filename.rpartition(",")[2] for filename in files}
    assert {" bound>", " adapted>"} <= kinds
    assert (" instrumented>" in kinds) == instrumented


def test_coverage_finds_no_file_missing(tmp_path: Path) -> None:
    """`coverage report` looks for the source of each file name that is a path."""
    program = tmp_path / "program.py"
    program.write_text("from cuda.bindings import runtime\nassert runtime.cudaGetDeviceCount()[1] >= 1\n")
    run("cuda_shim", "run", "-m", "coverage", "run", "program.py", cwd=tmp_path)
    assert "program.py" in run("coverage", "report", cwd=tmp_path)

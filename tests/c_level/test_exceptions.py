"""Exceptions of signal handlers while Python serves C: a failure for the C program, and raised in Python after it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.c_level import build
from tests.environments import ROOT
from tests.interpreters import clean_environment

PROGRAMS = Path(__file__).with_name("programs")

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@pytest.fixture
def library() -> Path:
    return Path(build.ensure_library("13.5", settings.current()))


@pytest.fixture
def caller(library: Path, tmp_path: Path) -> Path:
    """A compiled library whose functions call CUDA."""
    path = tmp_path / "libcaller.so"
    links = [f"-I{library / build.INCLUDE}", f"-L{library}", "-lcuda", "-lnvrtc", f"-Wl,-rpath,{library}"]
    source = PROGRAMS / "interrupted_caller.c"
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", source, "-o", path, *links], check=True)
    return path


def test_c_gets_a_failure_and_python_the_exception(caller: Path) -> None:
    command = [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", "--quiet", "--cuda", "13.5"]
    done = subprocess.run(
        [*command, PROGRAMS / "interrupted.py", caller], capture_output=True, text=True, check=False, timeout=300,
        env=clean_environment(PYTHONPATH=str(ROOT)),
    )  # fmt: skip
    expected = []
    for error in ("OfProgram('too late')", "KeyboardInterrupt()", "SystemExit(3)"):
        expected += [f"ask_driver 999 {error}", f"ask_nvrtc 11 {error}", f"go_on 999 0 {error}"]
    expected += ["ask_text 0 OfProgram('too late')", "compile 11 OfProgram('too late')"]
    expected += ["ask_driver 999 OfThread()", "ask_driver 0 None"]
    assert done.stdout.splitlines() == expected, done.stderr
    assert "ignored" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


def test_the_start_of_the_shim_may_be_interrupted(library: Path) -> None:
    done = subprocess.run(
        [shutil.which("python3", path=sysconfig.get_path("scripts")) or "", PROGRAMS / "interrupted_start.py"],
        env=clean_environment(LD_LIBRARY_PATH=str(library), CUDA_SHIM_BACKEND="cpu", PYTHONPATH=str(ROOT)),
        capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout == "interrupted None\n0\n", done.stderr
    assert "Traceback" not in done.stderr

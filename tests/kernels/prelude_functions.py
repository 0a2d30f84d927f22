"""The prelude's functions, compiled into programs of their own, as it is or with a mistake in it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT

__all__ = ["PRELUDE", "any_compiler", "measured", "require", "with_mistake"]

PRELUDE = PACKAGE_ROOT / "hip_on_host" / "device" / "prelude"
#: Clang 19 warns of what it makes of some processors itself.
OF_NATIVE = ("-march=native", "-Wno-unknown-warning-option", "-Wno-invalid-feature-combination")
FLAGS = ("-std=c++17", "-O3", *OF_NATIVE, "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra", "-Werror")


def require(compiler: str) -> None:
    """Skip the test where a compiler is not installed."""
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")


def any_compiler() -> str:
    """Return Clang or GCC; without either the test is skipped."""
    compiler = find_compiler("clang++-19") or find_compiler("g++")
    if not compiler:
        pytest.skip("neither clang++-19 nor g++ is installed")
    return compiler


def with_mistake(folder: Path, header: str, right: str, wrong: str) -> Path:
    """Return a copy of the prelude below a folder, with one text of a header replaced."""
    prelude = folder / "prelude"
    shutil.copytree(PRELUDE, prelude)
    file = prelude / header
    text = file.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    return prelude


def measured(
    compiler: str, folder: Path, amount: int, source: Path, prelude: Path = PRELUDE
) -> dict[str, tuple[float, int]]:
    """Return each function's greatest error in units in the last place, and its number of results wrong otherwise.

    `source` is a program that prints them; `amount` is its argument.
    """
    program = folder / source.stem
    built = subprocess.run(
        [compiler, *FLAGS, f"-I{prelude}", str(source), "-o", str(program), "-lm"], capture_output=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    lines = subprocess.run([str(program), str(amount)], capture_output=True, encoding="utf-8", check=True).stdout
    found = [line.split() for line in lines.splitlines()]
    return {name: (float(ulps), int(wrong)) for name, ulps, wrong, *_ in found}

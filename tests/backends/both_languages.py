"""One question, and the answers of Python and of the C++ runtime: rules that both need before they can ask each other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.hip_on_host.kernel_modules import COMPILER, HERE, RUNTIME
from tests.interpreters import PACKAGE_ROOT

UNITS = ("build/compiler_command", "build/compiler_version", "build/kernel_cache", "build/process", "string_utils")
SOURCES = (
    *sorted((RUNTIME / "common").glob("*.cpp")),
    *(RUNTIME / "kernel_compiler" / f"{unit}.cpp" for unit in UNITS),
    HERE / "cpp/print_rules.cpp",
)
PYTHON = Path(__file__).with_name("print_rules.py")


def compile_program(target: Path) -> Path:
    """Compile the program that prints the runtime's answers: in one go, as its libraries are built."""
    text = "".join(f'#include "{source}"\n' for source in SOURCES)
    words = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{RUNTIME}", "-x", "c++", "-", "-o", str(target)]
    subprocess.run([*COMPILER, *words, "-ldl", "-lpthread"], input=text, check=True, encoding="utf-8", timeout=300)
    return target


def answers(
    program: Path, *question: str, cwd: Path | None = None, inside: Sequence[str] = (), **environment: str
) -> list[list[str]]:
    """Return the answers of Python and of the runtime, in this order; the command `inside` runs them."""
    environment["PYTHONPATH"] = str(PACKAGE_ROOT)
    both = []
    for command in ([sys.executable, "-S", str(PYTHON)], [str(program)]):
        done = subprocess.run(
            [*inside, *command, *question], env=environment, cwd=cwd, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        both.append(done.stdout.split("\0")[:-1])
    return both

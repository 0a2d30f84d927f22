"""``python -m cuda_shim libraries``: a line that a shell takes, and folders with the right libraries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cuda_shim.c_level import build
from tests.interpreters import PACKAGE_ROOT, clean_environment, start


def libraries(*words: str) -> subprocess.CompletedProcess[str]:
    return start("-m", "cuda_shim", "libraries", *words, PYTHONPATH=str(PACKAGE_ROOT))


def test_a_shell_takes_the_line() -> None:
    command = f'eval "$({sys.executable} -m cuda_shim libraries)"; echo "$LD_LIBRARY_PATH"'
    for before in ("", "/elsewhere"):
        environment = clean_environment(PYTHONPATH=str(PACKAGE_ROOT), **({"LD_LIBRARY_PATH": before} if before else {}))
        said = subprocess.check_output(["sh", "-c", command], env=environment, encoding="utf-8")
        folder, *rest = said.strip().split(":")
        assert (Path(folder) / "libcuda.so.1").is_file()
        assert rest == ([before] if before else [])


def test_folders() -> None:
    folder, include = (libraries(word).stdout.strip() for word in ("--folder", "--include"))
    assert (Path(folder) / build.LIBRARY).is_file()
    assert (Path(include) / "cuda.h").read_text().count("cuInit(unsigned int);") == 1


def test_other_words_are_refused() -> None:
    done = libraries("--folders")
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m cuda_shim libraries")
    assert libraries("--help").returncode == 0

"""Packages from PyPI, an environment each: a program works, or ends where the table says (docs/what-works.md)."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from cuda_shim.mapping.text_tables import load_text
from tests import environments
from tests.environments import Python

pytestmark = pytest.mark.long

PROGRAMS = Path(__file__).with_name("programs")
TRIED: dict[str, dict[str, str]] = load_text("packages")["tried"]


@pytest.fixture(params=TRIED)
def package(request: pytest.FixtureRequest, shared_folder: Path) -> tuple[str, Python]:
    """A package's name, and an interpreter with it and the shim."""
    row = TRIED[request.param]
    shim = environments.as_in_the_readme(environments.build_wheel(shared_folder))
    folder = shared_folder / f"package-{request.param}"
    python = environments.make(folder, shim, environments.HIP_PYTHON["10.0"], "numpy", *row["install"].split())
    if "alone" in row:
        environments.install(python, "--no-deps", *row["alone"].split())
    return request.param, python


def libraries(python: Python) -> str:
    """The search path of libraries that `cuda_shim libraries` gives a shell, for packages that look for files."""
    line = shlex.split(python.run("-m", "cuda_shim", "libraries"))[-1]
    return line.partition("=")[2].partition("$")[0]


def test_the_program(package: tuple[str, Python]) -> None:
    name, python = package
    row = TRIED[name]
    flags = ("--backend", "cpu", *row.get("flags", "").split())
    words: tuple[str | Path, ...] = (
        "-W",
        "ignore",
        "-m",
        "cuda_shim",
        "run",
        *flags,
        PROGRAMS / f"{row['program']}.py",
    )
    environment = {"DEV": "CUDA", "HOME": str(python.executable.parent)}
    if name == "tinygrad":  # looks for the file before it opens it
        environment["LD_LIBRARY_PATH"] = libraries(python)
    done = python.start_for(600, *words, CUDA_SHIM_CACHE_DIR=cache_folder(), **environment)
    said = [line.removeprefix("works: ") for line in done.stdout.splitlines() if line.startswith("works: ")]
    assert said == ([row["works"]] if "works" in row else []), done.stdout + done.stderr
    assert (done.returncode == 0) == ("obstacle" not in row), done.stderr
    assert row.get("obstacle", "") in done.stderr


def cache_folder() -> str:
    """The user's cache, which a home of the program's own would hide."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return os.environ.get("CUDA_SHIM_CACHE_DIR") or str(Path(cache) / "cuda-shim")

"""The C++ sources that are shipped, built by the compiler found here and called through hip-python."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hip_on_host import building, sources
from hip_on_host.batches import batches
from tests.backends.scripts import Run, last_line
from tests.program_files import read_program

pytest.importorskip("hip", reason="hip-python is not installed")

CALLS = read_program(__file__, "cpu_runtime_calls.py")


@pytest.fixture
def shared_cache(environment: dict[str, str]) -> None:
    """The cache of the test run, where other tests find the libraries too, instead of a private one."""
    environment.pop("CUDA_SHIM_CACHE_DIR")
    if "CUDA_SHIM_CACHE_DIR" in os.environ:
        environment["CUDA_SHIM_CACHE_DIR"] = os.environ["CUDA_SHIM_CACHE_DIR"]


ANSWERS = ["0 1", "0 0 0 0 True", "0"]


@pytest.mark.usefixtures("shared_cache")
def test_hip_python_runs_on_it(run: Run) -> None:
    result = run(CALLS, CUDA_SHIM_BACKEND="cpu")
    assert result.stdout.splitlines() == ANSWERS, last_line(result.stderr)


def test_gcc_builds_it_without_a_warning(run: Run) -> None:
    """GCC finds half of its warnings while it optimises, so it builds and links all, as for a user."""
    if not shutil.which("g++"):
        pytest.skip("g++ is not installed")
    result = run(CALLS, CUDA_SHIM_BACKEND="cpu", CUDA_SHIM_CXX="g++ -Werror")
    assert result.stdout.splitlines() == ANSWERS, result.stderr


def test_clang_reads_it_without_a_warning(tmp_path: Path) -> None:
    """In batches, as users build it: files that a compiler has nothing against alone may get a warning there.

    Clang's warnings are those of its parser, so no code is made; the tests run the code of its ordinary build.
    """
    if not shutil.which("clang++-19"):
        pytest.skip("clang++-19 is not installed")
    units = {unit for group in sources.library_sources(sources.source_folder()).values() for unit in group}
    files = []
    for batch in batches(units):
        files.append(tmp_path / f"{batch.name}.cpp")
        files[-1].write_text(batch.text, encoding="utf-8")
    assert len(files) > 4
    command = [
        "clang++-19",
        *building.COMPILE,
        "-Werror",
        "-O2",
        "-fsyntax-only",
        f"-I{sources.source_folder()}",
        *map(str, files),
    ]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("shared_cache")
def test_every_function_that_hip_python_asks_for_is_there(run: Run) -> None:
    script = read_program(__file__, "cpu_runtime_functions.py")
    result = run(script, CUDA_SHIM_BACKEND="cpu")
    assert result.stdout == "[]\n", last_line(result.stderr)


@pytest.mark.usefixtures("shared_cache")
def test_a_forked_child_calls_it_after_its_parent_chose(run: Run) -> None:
    script = """
import os
from cuda_shim.backends import hip_python
face = hip_python.load()
child = os.fork()
if child == 0:
    os._exit(int(face.hip.hipGetDeviceCount()[1]) + 40)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(script, CUDA_SHIM_BACKEND="cpu").stdout == "41\n"

"""Every program in `examples/` runs and prints the expected output."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.environments import ROOT
from tests.interpreters import HANG, clean_environment

SAYS = {
    "conditional_graph": "10000 roots after 15 rounds of one launch: ok",
    "detecting_hip": "served by HIP",
    "error_checking": "a malloc of an exbibyte: cudaErrorMemoryAllocation (out of memory), None",
    "saxpy": "verified",
    "several_devices": "squares on 1 devices: ok",
    "streams_and_events": "ok",
}


# These need more than numpy, and are run elsewhere: in tests/ptx/test_numba.py and tests/c_level/test_cuda_core.py.
ELSEWHERE = {"core_saxpy", "numba_saxpy", "numba_streams"}


def test_each_example_has_a_test():
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == SAYS.keys() | ELSEWHERE


@pytest.mark.parametrize("name", sorted(SAYS))
def test_example(shim_python, name):
    assert SAYS[name] in shim_python.run("-m", "cuda_shim", "run", ROOT / "examples" / f"{name}.py")


def test_several_devices(shim_python):
    program = ROOT / "examples" / "several_devices.py"
    said = shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", "--cpu-devices", "4", program)
    assert "262144 squares on 4 devices: ok" in said


def test_the_tests_of_a_library():
    """As their author runs them: the plugin comes with the package."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=ROOT / "examples" / "library", env=clean_environment(), capture_output=True, encoding="utf-8", timeout=HANG,
        check=False,
    )  # fmt: skip
    assert "5 passed" in done.stdout, done.stdout + done.stderr


def test_the_readme_links_to_every_example():
    linked = set(re.findall(r"\]\((examples/[^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")))
    programs = {f"examples/{path.name}" for path in (ROOT / "examples").iterdir() if path.name[0] not in "._"}
    assert programs - linked == set()

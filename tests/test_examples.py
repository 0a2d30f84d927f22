"""Every program in `examples/` runs and says what it should."""

from __future__ import annotations

import pytest

from tests.environments import ROOT

SAYS = {
    "detecting_hip": "served by HIP",
    "error_checking": "a malloc of an exbibyte: cudaErrorMemoryAllocation (out of memory), None",
    "saxpy": "verified",
    "streams_and_events": "ok",
}


# These need more than numpy, and are run elsewhere.
ELSEWHERE = {"numba_saxpy"}  # tests/ptx/test_numba.py


def test_each_example_has_a_test():
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == SAYS.keys() | ELSEWHERE


@pytest.mark.parametrize("name", sorted(SAYS))
def test_example(shim_python, name):
    assert SAYS[name] in shim_python.run("-m", "cuda_shim", "run", ROOT / "examples" / f"{name}.py")

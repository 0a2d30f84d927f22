"""The translation for AMD GPUs computes the right numbers, on waves of 32 and of 64 lanes.

The CPU runtime is a HIP with either width, so the translated text, which takes CUDA's warps of 32 lanes apart into
HIP's functions, runs there. Code that needs built-ins of AMD's compiler cannot.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.backends import compilers
from tests.kernels.corpus import cases

# Compiling the corpus takes a minute: one worker of xdist does it for all tests here.
pytestmark = pytest.mark.xdist_group("corpus on waves")
FOLDER = Path(__file__).resolve().parent
MODULES = (
    "assembly", "atomic", "complex_numbers", "conversion", "groups", "integer", "math_library", "matrix", "own_atomics",
    "reduction", "scan", "standard", "warp",
)  # fmt: skip
# The grid's barrier is a function of AMD's device library.
CASES = [name for name in cases() if name.partition(".")[0] in MODULES and name != "groups.whole_grid"]


# On waves of 32 lanes, which are CUDA's warps, less can go wrong.
@pytest.fixture(scope="module", params=[pytest.param("32", marks=pytest.mark.long), "64"])
def outcomes(request, any_shim_python):
    found = {}
    waiting = list(CASES)
    while waiting:
        done = any_shim_python.start_for(
            600,
            "-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "worker.py", *waiting[:30],
            CUDA_SHIM_CPU_WARP_SIZE=request.param, CORPUS_TRANSLATED_FOR="gfx90a",
        )  # fmt: skip
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"case"')]
        assert lines, done.stderr
        found.update({line["case"]: line["error"] for line in lines if "error" in line})
        crashed = [line["case"] for line in lines if line["case"] not in found]
        found.update(dict.fromkeys(crashed, f"exit status {done.returncode}\n{done.stderr}"))
        waiting = [name for name in waiting if name not in found]
    return found


def only_gcc() -> bool:
    """Return whether g++ compiles kernels here: the headers written for AMD's compiler use built-ins of Clang's."""
    return compilers.find(settings.read()).kind == "gcc"


@pytest.mark.parametrize("name", CASES)
def test_case(name, outcomes):
    if name.startswith("standard.") and only_gcc():
        pytest.skip("AMD's side of <cuda/std> needs a Clang: pip install ziglang")
    assert outcomes[name] is None, outcomes[name]

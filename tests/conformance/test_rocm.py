"""The same programs, on a CPU runtime that behaves as AMD's wherever that differs from CUDA: CUDA's answers all the same.

`rocm_differences.py` names the lines that differ, since the GPU or AMD's runtime decides them.

So the adapters are judged against AMD's manners (hip/rocm_differences.inc in the runtime), release by release, each with
the hip-python that belongs to it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import environments
from tests.conformance.differences import ON_OLDER_ROCM, REFUSED_ON_ROCM, WITH_IMAGES
from tests.conformance.rocm_differences import ON_ROCM
from tests.conformance.test_conformance import HERE, PROGRAMS, RECORDED, compare, label
from tests.environments import Python

SERVED = [program for program in PROGRAMS if program not in REFUSED_ON_ROCM]
# ROCm 7.2.2 lacks functions that 10.0 has, which these programs meet. The others differ in nothing.
BY_RELEASE = [
    name for name in SERVED if name.partition("_")[0] in ("context", "function", "launch", "library", "module")
]


@pytest.fixture(scope="session")
def pythons(shared_folder: Path) -> dict[str, Python]:
    """An interpreter for each release."""
    wheel = str(environments.build_wheel(shared_folder))
    return {
        release: environments.make(shared_folder / f"hip-{release}", wheel, hip_python, "numpy")
        for release, hip_python in environments.HIP_PYTHON.items()
    }


def run(python: Python, release: str, program: str, gfx: str) -> subprocess.CompletedProcess[str]:
    """A program on a GPU of a release of ROCm."""
    return python.start(
        "-m", "cuda_shim", "run", "--cuda", "13.x", "--cpu-rocm", release, "--cpu-gfx", gfx,
        HERE / "programs" / f"{program}.py",
    )  # fmt: skip


def gpu_for(program: str) -> str:
    """The GPU that a program runs on."""
    return "gfx1100" if program in WITH_IMAGES else "gfx942"


def test_every_difference_is_of_a_program():
    assert {one.program for one in ON_ROCM} <= set(SERVED)


@pytest.mark.parametrize("program", SERVED)
def test_says_what_cuda_python_said_on_rocm(pythons: dict[str, Python], program: str):
    compare(program, run(pythons["10.0"], "10.0", program, gpu_for(program)), ON_ROCM)


@pytest.mark.parametrize("program", BY_RELEASE)
def test_says_it_on_the_older_release(pythons: dict[str, Python], program: str):
    compare(program, run(pythons["7.2.2"], "7.2.2", program, gpu_for(program)), (*ON_ROCM, *ON_OLDER_ROCM))


@pytest.mark.parametrize(
    ("program", "gfx"), [*((name, "gfx942") for name in REFUSED_ON_ROCM), ("copy_arrays_driver", "gfx942")]
)
def test_what_is_refused_is_said_to_be_unsupported(pythons: dict[str, Python], program: str, gfx: str):
    """Up to the first line that depends on it, the answers are CUDA's; that line is a refusal with its reason."""
    done = run(pythons["10.0"], "10.0", program, gfx)
    recorded = RECORDED["programs"][program]["lines"]
    differing = [ours for theirs, ours in zip(recorded, done.stdout.splitlines(), strict=False) if theirs != ours]
    first = differing[0] if differing else done.stderr
    assert "NOT_SUPPORTED" in first or "NotSupported" in first, (label(first), done.stderr[-500:])

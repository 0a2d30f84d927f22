"""This folder's tests once more, on a CPU runtime that behaves as AMD's: CUDA's answers all the same.

They run in one process of their own, on a GPU with image units, with the release that the installed hip-python belongs to.
`rocm_refusals.py` names the tests that cannot hold there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cuda_shim.backends import generation
from tests.adapters import rocm_refusals

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
# Tests of the machine's limits, of texts that are compiled, of threads, and of NVIDIA's wheels: none asks AMD's manners.
LEFT_OUT = (
    "test_on_rocm.py", "test_limits.py", "test_ptx.py", "test_threads.py", "test_endings.py",
    "test_arguments_beside_nvidia.py",
)  # fmt: skip
SECONDS = 900


def test_refusals_name_tests():
    for name in rocm_refusals.REFUSED:
        path, _, test = name.partition("::")
        assert f"def {test.partition('[')[0]}(" in (FOLDER / path).read_text(encoding="utf-8") or not test, name


def test_every_other_test_holds():
    release = "7.2.2" if generation.installed_version().startswith("7") else "10.0"
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", str(FOLDER.relative_to(ROOT))]
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, *words, *(f"--ignore={FOLDER.relative_to(ROOT) / name}" for name in LEFT_OUT)],
        cwd=ROOT,
        env={**outside, "CUDA_SHIM_CPU_ROCM": release, "CUDA_SHIM_CPU_GFX": "gfx1100"},
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]

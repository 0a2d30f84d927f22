"""Tests of clusters of blocks, which devices have from compute capability 9.0 on.

The setting is read once in a process. So the tests expect refusals in the process of the test run, and each folder runs
them again in a process of its own, whose devices have clusters.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SETTING = "CUDA_SHIM_CPU_COMPUTE_CAPABILITY"
#: True in the processes that `run_again` starts.
DEVICES_HAVE_CLUSTERS = os.environ.get(SETTING) == "9.0"
SECONDS = 300


def run_again(*tests: str) -> None:
    """Run tests, named by their paths from the root, on devices that have clusters; they must pass."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *tests],
        cwd=ROOT,
        env={**outside, SETTING: "9.0"},
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]

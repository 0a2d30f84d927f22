"""A program that runs for long holds at its end what it held at its beginning.

``CUDA_SHIM_SOAK_SECONDS=3600`` makes it an hour.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import PACKAGE_ROOT, clean_environment

HERE = Path(__file__).parent
SECONDS = float(os.environ.get("CUDA_SHIM_SOAK_SECONDS", "10"))
#: What the allocators of several threads keep, in KiB. Within an hour, ten bytes more of each call would exceed it.
NOISE = 16 << 10


ROUNDS_OF_A_RESET = 4


@pytest.mark.timeout(SECONDS + 600)
def test_nothing_grows() -> None:
    words = "-m", "cuda_shim", "run", "--backend", "cpu", HERE / "soak.py", SECONDS, ROUNDS_OF_A_RESET
    done = subprocess.run(
        [sys.executable, *map(str, words)], env=clean_environment(PYTHONPATH=str(PACKAGE_ROOT)),
        capture_output=True, encoding="utf-8", timeout=SECONDS + 500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    after_resets = json.loads(done.stdout)[ROUNDS_OF_A_RESET - 1 :: ROUNDS_OF_A_RESET]
    first, last = after_resets[0], after_resets[-1]
    for kind in ("descriptors", "threads"):
        assert last[kind] <= first[kind], after_resets
    # The C library's heaps take a mapping or two more or less.
    assert last["mappings"] <= first["mappings"] + 4, after_resets
    assert last["resident"] - first["resident"] < NOISE, after_resets

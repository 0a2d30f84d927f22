"""Launches, copies, events and memsets of one device in another's stream answer as on two H100 80GB HBM3.

Recorded with driver 580.159.04 and cuda-bindings 13.3.1, the launches with 13.5.0.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def answers(program: str) -> Any:
    """Return the output of a program of this folder on two virtual devices."""
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", HERE / program],
        env={**os.environ, "CUDA_SHIM_CPU_DEVICES": "2"},
        capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def recorded(file: str) -> Any:
    return json.loads((HERE / file).read_text(encoding="utf-8"))


def test_every_answer_is_the_recorded_one() -> None:
    expected = recorded("recorded.json")
    assert answers("record.py") == expected
    assert {status for name, status in expected.items() if "function" in name} == {0, 400}


def test_memsets_follow_access() -> None:
    expected = recorded("memsets.json")
    assert answers("record_memsets.py") == expected
    # Each state of access changes some answers.
    assert len({json.dumps(statuses) for statuses in expected.values()}) == 3

"""Launches, copies and events of one device in another's stream answer as on two H100 80GB HBM3, driver 580.159.04."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_every_answer_is_the_recorded_one() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", HERE / "record.py"],
        env={**os.environ, "CUDA_SHIM_CPU_DEVICES": "2"},
        capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    recorded = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
    assert json.loads(done.stdout) == recorded
    assert {status for name, status in recorded.items() if "function" in name} == {0, 400}

"""The engine under the thread sanitizer, and under those of addresses and undefined behaviour (tools/sanitize.py)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MISSING = [tool for tool in ("cmake", "ninja") if shutil.which(tool) is None]
#: Building takes a minute of one core.
HANG = 900


@pytest.mark.skipif(bool(MISSING) and not os.environ.get("CI"), reason=f"needs {' and '.join(MISSING)}")
@pytest.mark.parametrize("sanitizers", [pytest.param("thread", marks=pytest.mark.long), "address,undefined"])
def test_the_engine_is_clean(tmp_path: Path, sanitizers: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/sanitize.py"), sanitizers, "--engine", "--build", str(tmp_path / "build")],
        capture_output=True, encoding="utf-8", timeout=HANG, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == f"{sanitizers}: clean"

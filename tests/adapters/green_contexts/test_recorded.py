"""Green contexts of streams beside an H100 80GB HBM3's, driver 580.159.04, cuda-bindings 13.3.1."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cuda_shim.backends import hip_python

HERE = Path(__file__).parent
DIFFERENCES = {
    # HIP has no context that stands for a green one: the stream's context is its device's.
    "cuStreamGetCtx, green": ["CUDA_SUCCESS", "primary"],
    # HIP destroys the streams of a context with it.
    "cuStreamGetGreenCtx, of an ended context": ["CUDA_ERROR_INVALID_HANDLE", None],
}


def test_streams_know_their_green_contexts() -> None:
    if not hasattr(hip_python.load().hip, "hipGreenCtxCreate"):
        pytest.skip("this hip-python has no green contexts")
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", HERE / "record.py"],
        env={**os.environ, "CUDA_SHIM_QUIET": "1", "CUDA_SHIM_CPU_THREADS": "4"},
        capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    recorded = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
    assert DIFFERENCES.keys() <= recorded.keys()
    assert json.loads(done.stdout) == recorded | DIFFERENCES

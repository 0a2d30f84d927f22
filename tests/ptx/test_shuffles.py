"""Shuffles with clamps within a segment, beside an H100's (driver 580.159.04, cuda-bindings 13.3.1).

The recording is the output of `shuffles_program.py` there: a lane beyond the clamp keeps its value.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.interpreters import PACKAGE_ROOT, start

PROGRAM = Path(__file__).with_name("shuffles_program.py")
RECORDED = Path(__file__).with_name("recorded_shuffles.npz")


def test_values_and_predicates_are_a_gpus() -> None:
    done = start(
        "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_QUIET="1"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with np.load(RECORDED) as recorded:
        expected = dict(zip(recorded["cases"].tolist(), recorded["values"].tolist(), strict=True))
    assert len(expected) > 280
    assert json.loads(done.stdout) == expected

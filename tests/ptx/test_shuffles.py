"""Shuffles with clamps within a segment, beside the PTX ISA's own description: a lane beyond the clamp keeps its value."""

from __future__ import annotations

import json
from pathlib import Path

from tests.interpreters import PACKAGE_ROOT, start

PROGRAM = Path(__file__).with_name("shuffles_program.py")


def described(mode: str, b: int, c: int, lane: int) -> int:
    """Return the lane's value, and 1000 more where the predicate is true, by the pseudo-code of the PTX ISA."""
    mask = c >> 8 & 31
    last, first = lane & mask | c & 31 & ~mask, lane & mask
    source = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": first | b & ~mask}[mode]
    reaches = source >= last if mode == "up" else source <= last
    return 1100 + source if reaches else 100 + lane


def test_each_lane_gets_what_the_isa_describes() -> None:
    done = start(
        "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_QUIET="1"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert len(results) > 280
    for case, values in results.items():
        mode, b, c = case.split()[:3]
        expected = [described(mode, int(b), int(c, 16), lane) for lane in range(32)]
        assert values == expected, case

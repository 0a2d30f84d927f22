"""Clocks of kernels tick at the rates that the device reports."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.hip_on_host.hip_program import check
from tests.hip_on_host.hiprtc_program import Kernels

SOURCE = """
extern "C" __global__ void clocks(long long* out) {
    const long long before = __globaltimer(), ticks = clock64(), walls = wall_clock64();
    const unsigned low = (unsigned)clock();
    while (__globaltimer() - before < 50000000) {}
    out[0] = clock64() - ticks;
    out[1] = (unsigned)clock() - low;
    out[2] = wall_clock64() - walls;
    out[3] = __globaltimer() - before;
}
"""


def test_ticks_are_those_of_the_rate(programs: Kernels) -> None:
    hip = programs.hip
    rates = [
        check(hip.hipDeviceGetAttribute(getattr(hip.hipDeviceAttribute_t, f"hipDeviceAttribute{name}"), 0))
        for name in ("ClockRate", "ClockInstructionRate", "WallClockRate")
    ]
    assert rates[0] == rates[1] > 100_000  # kHz
    out = np.zeros(4, np.int64)
    programs.load(SOURCE).launch("clocks", 1, 1, out)
    seconds = out[3] * 1e-9
    for ticks, rate in ((out[0], rates[0]), (out[1] % 2**32, rates[0]), (out[2], rates[2])):
        assert ticks / seconds == pytest.approx(rate * 1000, rel=0.02)


def test_the_global_timer_counts_since_1970(programs: Kernels) -> None:
    source = 'extern "C" __global__ void k(unsigned long long* out) { *out = __globaltimer(); }'
    module, out = programs.load(source), np.zeros(1, np.uint64)
    before = time.time_ns()
    module.launch("k", 1, 1, out)
    assert before - 1_000_000 <= out[0] <= time.time_ns() + 1_000_000

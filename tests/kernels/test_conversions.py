"""CUDA's functions take the same arguments as under NVRTC, and return the same types, with every host compiler.

`conversions.json` holds NVRTC's answers (`python -m tests.kernels.conversions` asks it).
"""

from __future__ import annotations

import json

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler
from tests.kernels import compilers, conversions, world_worker

RECORDED = json.loads(conversions.RECORDED.read_text(encoding="utf-8"))


def test_there_are_enough() -> None:
    assert sum(digit != "0" for digits in RECORDED.values() for digit in digits) >= 3700


@pytest.mark.parametrize("compiler", ["clang++-19", "g++", "zig"])
def test_every_overload(compiler: str) -> None:
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    options = ["--cuda-shim-cuda=12090", "-D__CUDA_ARCH__=800"]
    ((status, log),) = world_worker.run(compiler, [(options, conversions.checks(RECORDED))])
    assert status == 0, log[:3000]


def test_the_table_is_what_nvrtc_says() -> None:
    if conversions.LAYOUT not in compilers.nvrtc():
        pytest.skip(f"NVRTC {conversions.LAYOUT} is not installed")
    assert conversions.record() == RECORDED

"""Instructions on values at their edges: as an NVIDIA GPU has them where that is recorded, and as numpy has them."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parent
RECORDED = FOLDER / "recorded_edges.npz"
S32 = [
    0,
    1,
    2,
    5,
    31,
    32,
    33,
    64,
    0x7FFFFFFF,
    0x80000000,
    0x80000001,
    0xFFFFFFFF,
    0xFFFFFFFE,
    0x12345678,
    0x0000FF80,
    0x00FF00FF,
]


@pytest.fixture(scope="module")
def results(any_shim_python, tmp_path_factory):
    file = tmp_path_factory.mktemp("edges") / "found.npz"
    any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "edges.py", file)
    return np.load(file)


def test_whole_numbers(results):
    pairs = np.array(list(itertools.product(S32, S32)), np.uint64).astype(np.uint32)
    a, b = pairs[:, 0], pairs[:, 1]
    sa, sb = a.view(np.int32).astype(np.int64), b.view(np.int32).astype(np.int64)
    low = np.uint64(0xFFFFFFFF)
    expected_values = {
        "add.s32": sa + sb,
        "add.sat.s32": np.clip(sa + sb, -(2**31), 2**31 - 1),
        "mul.lo.s32": sa * sb,
        "mul.hi.s32": (sa * sb) >> 32,
        "min.s32": np.minimum(sa, sb),
        "max.u32": np.maximum(a, b).astype(np.int64),
        "shl.b32": np.where(b > 31, 0, a.astype(np.int64) << np.minimum(b, 31)),
        "shr.b32": np.where(b > 31, 0, a.astype(np.int64) >> np.minimum(b, 31)),
        "xor.b32": (a ^ b).astype(np.int64),
    }
    for opcode, expected in expected_values.items():
        np.testing.assert_array_equal(results[opcode] & low, expected.astype(np.uint64) & low, opcode)


def test_saturating_conversions(results):
    converted = results["cvt.rzi.s32.f32"].astype(np.uint32).view(np.int32)
    # 8388609, 2**31, -2**31, the largest float, infinities, a NaN, one half, two and a half
    assert list(converted[7:]) == [8388609, 2**31 - 1, -(2**31), 2**31 - 1, 2**31 - 1, -(2**31), 0, 0, 2]
    assert list(results["cvt.rni.s32.f32"].astype(np.uint32)[-2:]) == [0, 2]
    assert list(results["cvt.rpi.s8.f32"].astype(np.uint8)[-3:]) == [0, 1, 3]


def test_signed_zeros(results):
    """The smaller of two zeros is the negative one."""
    pairs = results["min.f32"].astype(np.uint32)
    assert list(pairs[[1, 16]]) == [0x80000000, 0x80000000]
    assert list(results["max.f32"].astype(np.uint32)[[1, 16]]) == [0, 0]


@pytest.mark.skipif(not RECORDED.exists(), reason="nothing is recorded: see edges.py")
def test_as_recorded_on_an_nvidia_gpu(any_shim_python):
    any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "edges.py", "--compare", RECORDED)

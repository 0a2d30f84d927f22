from typing import Any

import numpy as np

from . import Run, case

TOOLKIT: dict[str, Any] = {"toolkit": True}


@case(**TOOLKIT)
def of_the_block(rng):
    values = rng.integers(0, 100, 384).astype(np.float32)
    return Run([values, np.zeros(3, np.float32)], {1: values.reshape(3, 128).sum(1) + 32}, grid=3, block=(32, 4))


@case(**TOOLKIT)
def tiles(rng):
    values = rng.integers(0, 100, 64).astype(np.int32)
    i, t8 = np.arange(64), values.reshape(8, 8)
    warp = values.reshape(2, 32)
    reduced = np.repeat(t8.sum(1), 8) + 1000 * np.repeat(warp.max(1), 32)
    lanes8 = np.arange(8)
    shuffled = (
        np.repeat(t8[:, 2], 8) + t8[:, lanes8 ^ 1].ravel() + t8[:, np.where(lanes8 + 3 < 8, lanes8 + 3, lanes8)].ravel()
        + warp[:, np.where(np.arange(32) >= 4, np.arange(32) - 4, np.arange(32))].ravel()
    )  # fmt: skip
    ballots = ((t8 > 50) << lanes8).sum(1)
    votes = np.repeat(ballots + 1000 * (t8 > 90).any(1) + 2000 * (t8 > 5).all(1), 8)
    ranks = i % 8 + 80 + 100 * (i // 8) + 80000
    zeros = [np.zeros(64, np.int32), np.zeros(64, np.int32), np.zeros(64, np.uint32), np.zeros(64, np.int32)]
    expected = {
        1: reduced.astype(np.int32),
        2: shuffled.astype(np.int32),
        3: votes.astype(np.uint32),
        4: ranks.astype(np.int32),
    }
    return Run([values, *zeros], expected, block=64)


@case(**TOOLKIT)
def scans(rng):
    values = rng.integers(0, 100, 64).astype(np.int32)
    inclusive = np.cumsum(values.reshape(4, 16), 1, dtype=np.int32).ravel()
    return Run(
        [values, np.zeros(64, np.int32), np.zeros(64, np.int32)], {1: inclusive, 2: inclusive - values}, block=64
    )


@case(**TOOLKIT)
def filter(rng):  # noqa: A001 - the kernel's name
    values = rng.permutation(1000).astype(np.int32)[:512]
    kept = np.sort(values[values % 3 == 0])

    def check(results):
        np.testing.assert_array_equal(np.sort(results[1][: len(kept)]), kept)

    return Run(
        [values, np.full(512, -1, np.int32), np.zeros(1, np.int32)],
        {2: np.array([len(kept)], np.int32)},
        grid=4,
        block=128,
        check=check,
        comparable=False,
    )


@case(**TOOLKIT)
def partitions(rng):
    values = rng.integers(0, 100, 64).astype(np.int32)
    sizes, sums = np.zeros(64, np.int32), np.zeros(64, np.int32)
    for first in (0, 32):
        warp = values[first : first + 32]
        for lane in range(32):
            same = warp % 4 == warp[lane] % 4
            sizes[first + lane] = same.sum() + 100 * same[:lane].sum()
            sums[first + lane] = warp[(warp > 50) == (warp[lane] > 50)].sum()
    return Run([values, np.zeros(64, np.int32), np.zeros(64, np.int32)], {1: sizes, 2: sums}, block=64)


@case(**TOOLKIT)
def copies(rng):
    values = rng.integers(0, 100, (3, 256)).astype(np.float32)
    return Run([values, np.zeros((3, 256), np.float32)], {1: values + values[:, ::-1]}, grid=3, block=256)


@case(cooperative=True, **TOOLKIT)
def whole_grid(rng):
    values = rng.integers(0, 100, 5000).astype(np.int32)
    total = values.sum(dtype=np.int32)
    expected = {1: np.full(256, total, np.int32), 2: np.array([total], np.int32)}
    return Run([values, np.zeros(256, np.int32), np.zeros(1, np.int32), np.int32(5000)], expected, grid=4, block=64)


@case(**TOOLKIT)
def any_group(rng):
    values = rng.integers(0, 100, 64).astype(np.int32)
    expected = np.concatenate([[values.sum()], values.reshape(4, 16).sum(1)]).astype(np.int32)
    return Run([values, np.zeros(5, np.int32)], {1: expected}, block=64)

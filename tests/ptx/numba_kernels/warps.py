"""Warps: shuffles, votes, matches and masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import DEBUG, HOPPER, LINES, VOLTA, case, cuda, floats, whole, zeros

ALL = 0xFFFFFFFF


def shuffles(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    out[0, t] = cuda.shfl_sync(0xFFFFFFFF, x[t], 5)
    out[1, t] = cuda.shfl_up_sync(0xFFFFFFFF, x[t], 3)
    out[2, t] = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 7)
    out[3, t] = cuda.shfl_xor_sync(0xFFFFFFFF, x[t], 9)
    out[4, t] = cuda.shfl_sync(0xFFFFFFFF, x[t], (t * 5 + 1) % 32)


def _shuffled(x):
    lane = np.arange(64) % 32
    first = np.arange(64) - lane
    places = [0 * lane + 5, np.where(lane < 3, lane, lane - 3), np.where(lane + 7 > 31, lane, lane + 7), lane ^ 9]
    return np.array([x[first + place] for place in (*places, (np.arange(64) * 5 + 1) % 32)])


@case(shuffles, also=DEBUG, grid=1, block=64)
def _(random):
    x = whole(random, -(2**30), 2**30, 64)
    return [x, zeros(5, 64, dtype=np.int32)], {1: _shuffled(x)}


def wide_shuffles(x: Any, y: Any, out: Any, floating: Any) -> None:
    t = cuda.threadIdx.x
    out[0, t] = cuda.shfl_sync(0xFFFFFFFF, x[t], 5)
    out[1, t] = cuda.shfl_up_sync(0xFFFFFFFF, x[t], 3)
    out[2, t] = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 7)
    out[3, t] = cuda.shfl_xor_sync(0xFFFFFFFF, x[t], 9)
    floating[0, t] = cuda.shfl_sync(0xFFFFFFFF, y[t], 5)
    floating[1, t] = cuda.shfl_up_sync(0xFFFFFFFF, y[t], 3)
    floating[2, t] = cuda.shfl_down_sync(0xFFFFFFFF, y[t], 7)
    floating[3, t] = cuda.shfl_xor_sync(0xFFFFFFFF, y[t], 9)


@case(wide_shuffles, also={"hopper": HOPPER}, grid=1, block=64)
def _(random):
    x, y = whole(random, -(2**62), 2**62, 64, dtype=np.int64), floats(random, 64, dtype=np.float64)
    return [x, y, zeros(4, 64, dtype=np.int64), zeros(4, 64, dtype=np.float64)], {
        2: _shuffled(x)[:4],
        3: _shuffled(y)[:4],
    }


def warp_sums(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    value = x[i]
    step = 16
    while step > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        step //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(out, i // 32 % 4, value)


@case(warp_sums, also={**LINES, "volta": VOLTA}, grid=4, block=128)
def _(random):
    x = whole(random, -100, 100, 512, dtype=np.float32)
    return [x, zeros(4)], {1: x.reshape(4, 4, 32).sum((0, 2))}


def warp_scan(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    lane = cuda.laneid
    value = x[i]
    for power in range(5):
        step = 1 << power
        other = cuda.shfl_up_sync(0xFFFFFFFF, value, step)
        if lane >= step:
            value = min(value, other)
    out[i] = value


@case(warp_scan, also=DEBUG, grid=2, block=64)
def _(random):
    x = whole(random, -9999, 9999, 128)
    return [x, zeros(128, dtype=np.int32)], {1: np.minimum.accumulate(x.reshape(4, 32), 1).ravel()}


def votes(x: Any, out: Any, masks: Any) -> None:
    t = cuda.threadIdx.x
    found = 0
    if cuda.all_sync(0xFFFFFFFF, x[t] > 0):
        found |= 1
    if cuda.any_sync(0xFFFFFFFF, x[t] > 90):
        found |= 2
    if cuda.eq_sync(0xFFFFFFFF, x[t] > 0):
        found |= 4
    out[t] = found
    masks[t] = cuda.ballot_sync(0xFFFFFFFF, x[t] % 2 == 0)


@case(votes, also=DEBUG, grid=1, block=128)
def _(random):
    x = whole(random, -100, 80, 128)
    x[:32], x[32:64] = 5 + np.arange(32), -abs(x[32:64]) - 1
    x[100] = 95
    rows = x.reshape(4, 32)
    found = (rows > 0).all(1) | (rows > 90).any(1) * 2 | ((rows > 0).all(1) | (rows <= 0).all(1)) * 4
    masks = ((rows % 2 == 0) << np.arange(32, dtype=np.int64)).sum(1)
    return [x, zeros(128, dtype=np.int32), zeros(128, dtype=np.uint32)], {1: found.repeat(32), 2: masks.repeat(32)}


def matches(x: Any, masks: Any, every: Any) -> None:
    t = cuda.threadIdx.x
    masks[t] = cuda.match_any_sync(0xFFFFFFFF, x[t])
    mask, same = cuda.match_all_sync(0xFFFFFFFF, x[t] // 100)
    every[t] = mask if same else 7


@case(matches, also={"hopper": HOPPER}, grid=1, block=64)
def _(random):
    x = whole(random, 0, 6, 64)
    x[40] = 100
    masks = [sum(1 << k for k in range(32) if x[i - i % 32 + k] == x[i]) for i in range(64)]
    return [x, zeros(64, dtype=np.uint32), zeros(64, dtype=np.uint32)], {1: np.array(masks), 2: np.repeat([ALL, 7], 32)}


def masks_of_lanes(active: Any, below: Any, lanes: Any) -> None:
    t = cuda.threadIdx.x
    if t % 3 == 0:
        active[t] = cuda.activemask() & (1 << cuda.laneid)
    below[t] = cuda.lanemask_lt()
    lanes[t] = cuda.laneid + cuda.warpsize


@case(masks_of_lanes, grid=1, block=64)
def _(random):
    lane = np.arange(64) % 32
    return [*(zeros(64, dtype=np.uint32) for _ in range(3))], {
        0: np.where(np.arange(64) % 3 == 0, 1 << lane, 0), 1: (1 << lane) - 1, 2: lane + 32,
    }  # fmt: skip


def compacted(x: Any, out: Any, sizes: Any) -> None:
    i = cuda.grid(1)
    keep = x[i] > 0
    mask = cuda.ballot_sync(0xFFFFFFFF, keep)
    place = cuda.popc(mask & cuda.lanemask_lt())
    warp = i // 32
    if keep:
        out[warp, place] = x[i]
    cuda.syncwarp()
    if cuda.laneid == 0:
        sizes[warp] = cuda.popc(mask)


@case(compacted, also=DEBUG, grid=2, block=64)
def _(random):
    x = whole(random, -100, 100, 128)
    out = np.zeros((4, 32), np.int32)
    for row, values in zip(out, x.reshape(4, 32), strict=True):
        row[: (values > 0).sum()] = values[values > 0]
    return [x, zeros(4, 32, dtype=np.int32), zeros(4, dtype=np.int32)], {1: out, 2: (x.reshape(4, 32) > 0).sum(1)}


def block_sum_by_warps(x: Any, out: Any) -> None:
    parts = cuda.shared.array(32, np.float32)
    t = cuda.threadIdx.x
    lane, warp = t & 31, t >> 5
    value = x[cuda.grid(1)]
    for k in range(5):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 16 >> k)
    if lane == 0:
        parts[warp] = value
    cuda.syncthreads()
    if warp == 0:
        value = parts[lane] if lane < cuda.blockDim.x // 32 else np.float32(0)
        for k in range(5):
            value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 16 >> k)
        if lane == 0:
            out[cuda.blockIdx.x] = value


@case(block_sum_by_warps, grid=3, block=160)
def _(random):
    x = whole(random, -100, 100, 480, dtype=np.float32)
    return [x, zeros(3)], {1: x.reshape(3, 160).sum(1)}


def neighbours(x: Any, out: Any) -> None:
    tile = cuda.shared.array(64, np.int64)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncwarp()
    right = tile[t - t % 32 + (t + 1) % 32]
    cuda.syncwarp()
    tile[t] = right - x[t]
    cuda.syncwarp()
    out[t] = tile[t - t % 32 + (t + 31) % 32]


@case(neighbours, grid=1, block=64)
def _(random):
    x = whole(random, -100, 100, 64, dtype=np.int64)
    rows = x.reshape(2, 32)
    return [x, zeros(64, dtype=np.int64)], {1: np.roll(np.roll(rows, -1, 1) - rows, 1, 1).ravel()}

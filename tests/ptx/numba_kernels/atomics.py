"""Atomics of every kind that Numba has, on each type, and locks and reductions built from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import DEBUG, HOPPER, LINES, VOLTA, case, cuda, floats, whole, zeros


def sums(x: Any, i4: Any, u4: Any, i8: Any, u8: Any, f4: Any, f8: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        k = i % 5
        cuda.atomic.add(i4, k, x[i])
        cuda.atomic.add(u4, k, np.uint32(x[i]))
        cuda.atomic.add(i8, k, np.int64(x[i]) * 3000000000)
        cuda.atomic.add(u8, k, np.uint64(i))
        cuda.atomic.add(f4, k, np.float32(x[i]))
        cuda.atomic.add(f8, k, np.float64(x[i]) * 0.5)


@case(sums, also={**DEBUG, "volta": VOLTA, "hopper": HOPPER}, grid=4, block=128)
def _(random):
    x = whole(random, -100, 100, 500)
    k, n = np.arange(500) % 5, np.arange(500)
    by = np.array([x[k == j].sum() for j in range(5)])
    kinds = (np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64)
    return [x, *(zeros(5, dtype=kind) for kind in kinds)], {
        1: by, 2: by.astype(np.uint32), 3: by.astype(np.int64) * 3000000000, 4: np.array([n[k == j].sum() for j in range(5)]),
        5: by, 6: by * 0.5,
    }  # fmt: skip


def differences(x: Any, i4: Any, u4: Any, i8: Any, f4: Any, f8: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.sub(i4, 0, x[i])
        cuda.atomic.sub(u4, 0, np.uint32(1))
        cuda.atomic.sub(i8, 0, np.int64(x[i]))
        cuda.atomic.sub(f4, 0, np.float32(x[i]))
        cuda.atomic.sub(f8, 0, np.float64(x[i]))


@case(differences, grid=2, block=64)
def _(random):
    x = whole(random, -100, 100, 120)
    kinds = (np.int32, np.uint32, np.int64, np.float32, np.float64)
    total = np.array([-x.sum()])
    return [x, *(zeros(1, dtype=kind) for kind in kinds)], {1: total, 2: [2**32 - 120], 3: total, 4: total, 5: total}


def extremes(x: Any, y: Any, i4: Any, u4: Any, i8: Any, u8: Any, f4: Any, f8: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(i4, 0, x[i])
        cuda.atomic.min(i4, 1, x[i])
        cuda.atomic.max(u4, 0, np.uint32(x[i]))
        cuda.atomic.min(u4, 1, np.uint32(x[i]))
        cuda.atomic.max(i8, 0, np.int64(x[i]) << 20)
        cuda.atomic.min(i8, 1, np.int64(x[i]) << 20)
        cuda.atomic.max(u8, 0, np.uint64(x[i]))
        cuda.atomic.min(u8, 1, np.uint64(x[i]))
        cuda.atomic.max(f4, 0, np.float32(y[i]))
        cuda.atomic.min(f4, 1, np.float32(y[i]))
        cuda.atomic.max(f8, 0, y[i])
        cuda.atomic.min(f8, 1, y[i])


@case(extremes, also=DEBUG, grid=2, block=128)
def _(random):
    x, y = whole(random, -(2**31), 2**31, 200), floats(random, 200, dtype=np.float64)
    start = [np.array([low, high], kind) for low, high, kind in (
        (-5, 5, np.int32), (0, 2**32 - 1, np.uint32), (-5, 5, np.int64), (0, 2**63, np.uint64), (-9, 9, np.float32), (-9, 9, np.float64),
    )]  # fmt: skip
    ends = [
        [v.max(), v.min()]
        for v in (
            x,
            x.astype(np.uint32),
            x.astype(np.int64) << 20,
            x.astype(np.int64).astype(np.uint64),
            y.astype(np.float32),
            y,
        )
    ]
    ends[3][1] = min(ends[3][1], np.uint64(2**63))
    return [x, y, *start], {2 + k: np.array(v, start[k].dtype) for k, v in enumerate(ends)}


def without_nans(x: Any, single: Any, double: Any, whole_ones: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.nanmax(single, 0, np.float32(x[i]))
        cuda.atomic.nanmin(single, 1, np.float32(x[i]))
        cuda.atomic.nanmax(double, 0, x[i])
        cuda.atomic.nanmin(double, 1, x[i])
        cuda.atomic.nanmax(whole_ones, 0, np.int32(i))


@case(without_nans, also={"hopper": HOPPER}, grid=2, block=64)
def _(random):
    x = floats(random, 100, dtype=np.float64)
    x[::7] = np.nan
    ends = np.array([np.nanmax(x), np.nanmin(x)])
    start = np.array([np.nan, np.nan])
    return [x, start.astype(np.float32), start, zeros(1, dtype=np.int32)], {
        1: ends.astype(np.float32),
        2: ends,
        3: [99],
    }


def bitwise(x: Any, wide: Any, narrow_out: Any, wide_out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.and_(narrow_out, 0, x[i] | np.uint32(0xF0F00FF0))
        cuda.atomic.or_(narrow_out, 1, x[i] & np.uint32(0x0F0F0F0F))
        cuda.atomic.xor(narrow_out, 2, x[i])
        cuda.atomic.and_(wide_out, 0, wide[i] | np.uint64(0xFF00FF00FF00FF00))
        cuda.atomic.or_(wide_out, 1, wide[i] & np.uint64(0x00FF00FF00FF00FF))
        cuda.atomic.xor(wide_out, 2, wide[i])


@case(bitwise, also=DEBUG, grid=1, block=96)
def _(random):
    x, wide = whole(random, 0, 1 << 32, 90, dtype=np.uint32), random.integers(0, (1 << 64) - 1, 90, np.uint64)
    narrow_out, wide_out = np.array([0xFFFFFFFF, 0, 1], np.uint32), np.array([0xFFFFFFFFFFFFFFFF, 0, 1], np.uint64)
    both = []
    for values, out, most, least in (
        (x, narrow_out, np.uint32(0xF0F00FF0), np.uint32(0x0F0F0F0F)), (wide, wide_out, np.uint64(0xFF00FF00FF00FF00), np.uint64(0x00FF00FF00FF00FF)),
    ):  # fmt: skip
        both.append(
            np.array(
                [
                    np.bitwise_and.reduce(values | most),
                    np.bitwise_or.reduce(values & least),
                    np.bitwise_xor.reduce(values) ^ out[2],
                ],
                out.dtype,
            )
        )
    return [x, wide, narrow_out, wide_out], {2: both[0], 3: both[1]}


def wrapped_counters(narrow: Any, wide: Any, exchanged: Any) -> None:
    i = cuda.grid(1)
    cuda.atomic.inc(narrow, 0, 16)
    cuda.atomic.dec(narrow, 1, 16)
    cuda.atomic.inc(wide, 0, 100)
    cuda.atomic.dec(wide, 1, 100)
    cuda.atomic.exch(exchanged, i, np.int32(i * 3))


@case(wrapped_counters, also=DEBUG, grid=2, block=64)
def _(random):
    starts = [np.array([3, 9], np.uint32), np.array([3, 9], np.uint64)]
    ends = []
    for most in (16, 100):
        up, down = 3, 9
        for _ in range(128):
            up = 0 if up >= most else up + 1
            down = most if down == 0 or down > most else down - 1
        ends.append([up, down])
    return [*starts, zeros(128, dtype=np.int32)], {0: ends[0], 1: ends[1], 2: np.arange(128) * 3}


def exchanges(i4: Any, u8: Any, got: Any) -> None:
    i = cuda.grid(1)
    a = cuda.atomic.exch(i4, i, np.int32(-i))
    b = cuda.atomic.exch(u8, i, np.uint64(i) << np.uint64(40))
    got[0, i] = a
    got[1, i] = b


@case(exchanges, grid=1, block=64)
def _(random):
    a, b = whole(random, -9, 9, 64), whole(random, 0, 1 << 40, 64, dtype=np.uint64)
    n = np.arange(64)
    return [a, b, zeros(2, 64, dtype=np.int64)], {
        0: -n,
        1: n << 40,
        2: np.array([a, b.astype(np.int64)]),
    }


def compared_and_swapped(x: Any, i4: Any, u4: Any, i8: Any, u8: Any, got: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        got[0, i] = cuda.atomic.cas(i4, i, 7, x[i])
        got[1, i] = cuda.atomic.cas(u4, i, np.uint32(7), np.uint32(x[i]))
        got[2, i] = cuda.atomic.cas(i8, i, 7, np.int64(x[i]) << 33)
        got[3, i] = cuda.atomic.compare_and_swap(u8[i:], 7, x[i])


@case(compared_and_swapped, also={**DEBUG, "volta": VOLTA}, grid=1, block=64)
def _(random):
    x, old = whole(random, 0, 1 << 30, 60), whole(random, 5, 9, 60)
    kinds = (np.int32, np.uint32, np.int64, np.int32)
    ends = [np.where(old == 7, x, old)] * 4
    ends[2] = np.where(old == 7, x.astype(np.int64) << 33, old)
    return [x, *(old.astype(kind) for kind in kinds), zeros(4, 60, dtype=np.int64)], {
        **{k + 1: end for k, end in enumerate(ends)}, 5: np.array([old] * 4),
    }  # fmt: skip


def placed_by_two(x: Any, table: Any, cube: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(table, (i % 3, x[i] % 4), 1)
        cuda.atomic.max(cube, (i % 2, x[i] % 3, 1), x[i])


@case(placed_by_two, grid=2, block=128)
def _(random):
    x = whole(random, 0, 1000, 250)
    table, cube = np.zeros((3, 4), np.int32), np.zeros((2, 3, 2), np.int32)
    for i, value in enumerate(x):
        table[i % 3, value % 4] += 1
        cube[i % 2, value % 3, 1] = max(cube[i % 2, value % 3, 1], value)
    return [x, zeros(3, 4, dtype=np.int32), zeros(2, 3, 2, dtype=np.int32)], {1: table, 2: cube}


def counted_keys(keys: Any, slots: Any, counts: Any, totals: Any) -> None:
    slot = cuda.shared.array(64, np.int32)
    held = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    slot[t] = -1
    held[t] = 0
    cuda.syncthreads()
    for i in range(t, keys.size, cuda.blockDim.x):
        place = keys[i] * 7 % 64
        while True:
            found = cuda.atomic.cas(slot, place, -1, keys[i])
            if found == -1 or found == keys[i]:
                break
            place = (place + 1) % 64
        cuda.atomic.add(held, place, 1)
    cuda.syncthreads()
    if slot[t] >= 0:
        counts[slot[t]] = held[t]
        totals[slot[t]] += 1
    slots[t] = 1


@case(counted_keys, also=LINES, grid=1, block=64)
def _(random):
    keys = whole(random, 0, 48, 500)
    counts = np.bincount(keys, minlength=48)
    return [keys, zeros(64, dtype=np.int32), zeros(48, dtype=np.int32), zeros(48, dtype=np.int32)], {
        1: np.ones(64), 2: counts, 3: counts > 0,
    }  # fmt: skip


def last_block_adds(x: Any, parts: Any, tickets: Any, total: Any) -> None:
    tile = cuda.shared.array(64, np.int64)
    last = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    tile[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 32
    while step:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step >>= 1
    if t == 0:
        parts[cuda.blockIdx.x] = tile[0]
        cuda.threadfence()
        last[0] = cuda.atomic.add(tickets, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        found = 0
        for k in range(cuda.gridDim.x):
            found += parts[k]
        total[0] = found


@case(last_block_adds, also=DEBUG, grid=6, block=64)
def _(random):
    x = whole(random, -1000, 1000, 384, dtype=np.int64)
    return [x, zeros(6, dtype=np.int64), zeros(1, dtype=np.int32), zeros(1, dtype=np.int64)], {
        1: x.reshape(6, 64).sum(1),
        2: [6],
        3: [x.sum()],
    }


def locked(lock: Any, held: Any) -> None:
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            cuda.nanosleep(50)
        cuda.threadfence()
        held[0] = held[0] + cuda.blockIdx.x + 1
        held[1] += 1
        cuda.threadfence_system()
        cuda.atomic.exch(lock, 0, 0)
    cuda.threadfence_block()


@case(locked, grid=5, block=32)
def _(random):
    return [zeros(1, dtype=np.int32), zeros(2, dtype=np.int64)], {0: [0], 1: [15, 5]}

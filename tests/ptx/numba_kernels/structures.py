"""Structures, tuples, slices, vectors and local and constant arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import DEBUG, HOPPER, LINES, case, cuda, floats, whole, zeros

BODY = np.dtype(
    [("place", np.float32, (3,)), ("speed", np.float32, (3,)), ("mass", np.float64), ("kind", np.int8)], align=True
)
PAIR = np.dtype([("key", np.int32), ("value", np.float64)], align=True)
TABLE = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)
KERNEL = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32) / 16


def moved(bodies: Any, step: Any) -> None:
    i = cuda.grid(1)
    if i < bodies.size:
        for k in range(3):
            bodies[i].place[k] += step * bodies[i].speed[k]
        bodies[i]["mass"] *= 0.5
        if bodies[i].kind == 2:
            bodies[i].kind = -1


@case(moved, also=DEBUG, grid=2, block=64)
def _(random):
    bodies = np.zeros(80, BODY)
    bodies["place"], bodies["speed"] = whole(random, -99, 99, 80, 3), whole(random, -99, 99, 80, 3)
    bodies["mass"], bodies["kind"] = random.random(80), whole(random, 0, 4, 80)
    after = bodies.copy()
    after["place"] += np.float32(0.25) * after["speed"]
    after["mass"] /= 2
    after["kind"][after["kind"] == 2] = -1
    return [bodies, np.float32(0.25)], {0: after}


def by_fields(pairs: Any, keys: Any, values: Any) -> None:
    i = cuda.grid(1)
    if i < pairs.size:
        p = pairs[i]
        keys[i] = p.key
        values[i] = p.value + p.key
        pairs[i].key = -p.key


def _pairs(random, count, least):
    pairs = np.zeros(count, PAIR)
    pairs["key"], pairs["value"] = whole(random, least, 20, count), whole(random, 0, 100, count)
    return pairs


@case(by_fields, also=DEBUG, grid=1, block=64)
def _(random):
    pairs = _pairs(random, 50, -20)
    after = pairs.copy()
    after["key"] *= -1
    return [pairs, zeros(50, dtype=np.int32), zeros(50, dtype=np.float64)], {
        0: after,
        1: pairs["key"],
        2: pairs["value"] + pairs["key"],
    }


def one_record(settings: Any, x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * settings.value + settings.key


@case(one_record, grid=1, block=64)
def _(random):
    settings = np.zeros(1, PAIR)
    settings["key"], settings["value"] = 5, 0.5
    x = whole(random, -99, 99, 60, dtype=np.float64)
    return [settings[0], x, zeros(60, dtype=np.float64)], {2: x * 0.5 + 5}


def tuples(sizes: Any, factors: Any, x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        a, b = i // sizes[1], i % sizes[1]
        pair = (x[i] * factors[0], x[i] + factors[1])
        if a < sizes[0]:
            out[b, a] = max(pair) if b % 2 else min(pair)


@case(tuples, also=LINES, grid=1, block=128)
def _(random):
    x = whole(random, -50, 50, 96, dtype=np.float64)
    table = x.reshape(8, 12)
    pair = table * 2.0, table + 3.5
    out = np.where(np.arange(12) % 2, np.maximum(*pair), np.minimum(*pair)).T
    return [(8, 12), (2.0, 3.5), x, zeros(12, 8, dtype=np.float64)], {3: out}


def constant_table(x: Any, out: Any) -> None:
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    if i < x.size:
        out[i] = table[x[i] & 7] + table[i % 8] * 100


@case(constant_table, also={**DEBUG, **LINES}, grid=1, block=64)
def _(random):
    x = whole(random, 0, 100, 60)
    return [x, zeros(60, dtype=np.int32)], {1: TABLE[x & 7] + TABLE[np.arange(60) % 8] * 100}


def constant_blur(image: Any, out: Any) -> None:
    weights = cuda.const.array_like(KERNEL)
    x, y = cuda.grid(2)
    if 0 < y < image.shape[0] - 1 and 0 < x < image.shape[1] - 1:
        total = np.float32(0)
        for a in range(3):
            for b in range(3):
                total += weights[a, b] * image[y + a - 1, x + b - 1]
        out[y, x] = total


@case(constant_blur, grid=(4, 4), block=(8, 8), also={"hopper": HOPPER})
def _(random):
    image = whole(random, 0, 255, 30, 30, dtype=np.float32)
    out = np.zeros((30, 30))
    out[1:-1, 1:-1] = sum(KERNEL[a, b] * image[a : a + 28, b : b + 28] for a in range(3) for b in range(3))
    return [image, zeros(30, 30)], {1: out}


def sorted_locally(x: Any, out: Any) -> None:
    own = cuda.local.array(9, np.float32)
    i = cuda.grid(1)
    if i + 9 > x.size:
        return
    for k in range(9):
        value = x[i + k]
        place = k
        while place > 0 and own[place - 1] > value:
            own[place] = own[place - 1]
            place -= 1
        own[place] = value
    out[i] = own[4]


@case(sorted_locally, also=DEBUG, grid=2, block=64)
def _(random):
    x = floats(random, 128)
    return [x, zeros(120)], {1: np.median(np.lib.stride_tricks.sliding_window_view(x, 9), axis=1)}


def inverses(matrices: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i >= matrices.shape[0]:
        return
    work = cuda.local.array((3, 6), np.float64)
    for a in range(3):
        for b in range(3):
            work[a, b] = matrices[i, a, b]
            work[a, b + 3] = 1.0 if a == b else 0.0
    for k in range(3):
        best = k
        for a in range(k + 1, 3):
            if abs(work[a, k]) > abs(work[best, k]):
                best = a
        for b in range(6):
            work[k, b], work[best, b] = work[best, b], work[k, b]
        pivot = work[k, k]
        for b in range(6):
            work[k, b] /= pivot
        for a in range(3):
            if a != k:
                factor = work[a, k]
                for b in range(6):
                    work[a, b] -= factor * work[k, b]
    for a in range(3):
        for b in range(3):
            out[i, a, b] = work[a, b + 3]


@case(inverses, grid=1, block=64, near=1e-9)
def _(random):
    m = floats(random, 40, 3, 3, dtype=np.float64) + 4 * np.eye(3)
    return [m, zeros(40, 3, 3, dtype=np.float64)], {1: np.linalg.inv(m)}


def sliced(x: Any, out: Any, sizes: Any) -> None:
    i = cuda.grid(1)
    if i < out.shape[0]:
        row = x[i]
        part = row[2:-1:3]
        total = 0
        for k in range(len(part)):
            total += part[k] * (k + 1)
        for k, value in enumerate(row[:4]):
            total -= value * k
        out[i] = total
        sizes[i] = part.size * 100 + x.ndim * 10 + len(row[5:])
        row[0] = -1


@case(sliced, also=LINES, grid=1, block=32)
def _(random):
    x = whole(random, 0, 100, 20, 17, dtype=np.int64)
    part, after = x[:, 2:-1:3], x.copy()
    after[:, 0] = -1
    total = part @ np.arange(1, part.shape[1] + 1) - x[:, :4] @ np.arange(4)
    return [x, zeros(20, dtype=np.int64), zeros(20, dtype=np.int32)], {
        0: after,
        1: total,
        2: np.full(20, part.shape[1] * 100 + 32),
    }


def vectors(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if 4 * i + 3 < x.size:
        v = cuda.float32x4(x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3])
        w = cuda.float32x2(v.x + v.y, v.z - v.w)
        n = cuda.int32x3(i, i + 1, i + 2)
        out[i] = w.x * w.y + n.x * n.y - n.z


@case(vectors, grid=1, block=32)
def _(random):
    x = whole(random, -20, 20, 100, dtype=np.float32)
    v, i = x.reshape(25, 4), np.arange(25)
    return [x, zeros(25)], {1: (v[:, 0] + v[:, 1]) * (v[:, 2] - v[:, 3]) + i * (i + 1) - (i + 2)}


def records_in_shared_memory(pairs: Any, out: Any) -> None:
    tile = cuda.shared.array(32, np.int64)
    keys = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    tile[t], keys[t] = np.int64(pairs[t].value * 100), pairs[t].key
    cuda.syncthreads()
    place = 0
    for k in range(32):
        if keys[k] < keys[t] or (keys[k] == keys[t] and k < t):
            place += 1
    out[place].key = keys[t]
    out[place].value = tile[t] * 0.01


@case(records_in_shared_memory, grid=1, block=32)
def _(random):
    pairs = _pairs(random, 32, 0)
    return [pairs, np.zeros_like(pairs)], {1: pairs[np.argsort(pairs["key"], kind="stable")]}


def days(dates: Any, spans: Any, later: Any, weeks: Any) -> None:
    i = cuda.grid(1)
    if i < dates.size:
        later[i] = dates[i] + spans[i]
        weeks[i] = dates[i] < dates[0]


@case(days, grid=1, block=32)
def _(random):
    dates = whole(random, 0, 20000, 30, dtype=np.int64).view("datetime64[D]")
    spans = whole(random, 1, 99, 30, dtype=np.int64).view("timedelta64[D]")
    return [dates, spans, dates.copy(), zeros(30, dtype=np.bool_)], {2: dates + spans, 3: dates < dates[0]}

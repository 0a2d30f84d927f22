"""Shared memory, static and dynamic, with the barriers of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import DEBUG, HOPPER, LINES, VOLTA, case, cuda, floats, whole, zeros


def tiled_product(a: Any, b: Any, c: Any) -> None:
    left = cuda.shared.array((8, 8), np.float32)
    right = cuda.shared.array((8, 8), np.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for tile in range((a.shape[1] + 7) // 8):
        left[ty, tx] = a[y, tile * 8 + tx] if y < a.shape[0] and tile * 8 + tx < a.shape[1] else 0
        right[ty, tx] = b[tile * 8 + ty, x] if tile * 8 + ty < b.shape[0] and x < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(8):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@case(
    tiled_product,
    also={**DEBUG, "hopper": HOPPER, "fast": {"options": {"fastmath": True}}},
    grid=(3, 4),
    block=(8, 8),
    near=1e-5,
)
def _(random):
    a, b = floats(random, 29, 21), floats(random, 21, 19)
    return [a, b, zeros(29, 19)], {2: a.astype(float) @ b}


def transposed(matrix: Any, out: Any) -> None:
    tile = cuda.shared.array((16, 17), np.float32)
    x, y = cuda.grid(2)
    if y < matrix.shape[0] and x < matrix.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = matrix[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    y = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@case(transposed, also=LINES, grid=(3, 3), block=(16, 16))
def _(random):
    matrix = floats(random, 40, 37)
    return [matrix, zeros(37, 40)], {1: matrix.T}


def tree_sums(x: Any, sums: Any) -> None:
    tile = cuda.shared.array(128, np.float64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = tile[0]


@case(tree_sums, also=DEBUG, grid=8, block=128)
def _(random):
    x = whole(random, -1000, 1000, 1000, dtype=np.float64)
    return [x, zeros(8, dtype=np.float64)], {1: np.append(x, np.zeros(24)).reshape(8, 128).sum(1)}


def largest_place(x: Any, values: Any, places: Any) -> None:
    best = cuda.shared.array(64, np.float32)
    place = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    best[t] = np.float32(-1e30)
    place[t] = -1
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] > best[t]:
            best[t], place[t] = x[i], i
    cuda.syncthreads()
    step = cuda.blockDim.x >> 1
    while step:
        if t < step and best[t + step] > best[t]:
            best[t], place[t] = best[t + step], place[t + step]
        cuda.syncthreads()
        step >>= 1
    if t == 0:
        values[cuda.blockIdx.x], places[cuda.blockIdx.x] = best[0], place[0]


@case(largest_place, also={"volta": VOLTA}, grid=3, block=64)
def _(random):
    x = floats(random, 2000)
    block = np.arange(2000) // 64 % 3
    places = np.array([np.argmax(np.where(block == b, x, -9)) for b in range(3)])
    return [x, zeros(3), zeros(3, dtype=np.int32)], {1: x[places], 2: places}


def doubling_scan(x: Any, out: Any) -> None:
    tile = cuda.shared.array((2, 128), np.int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    here = 0
    tile[0, t] = x[i]
    cuda.syncthreads()
    step = 1
    while step < 128:
        there = 1 - here
        tile[there, t] = tile[here, t] + (tile[here, t - step] if t >= step else 0)
        here = there
        step *= 2
        cuda.syncthreads()
    out[i] = tile[here, t]


@case(doubling_scan, also=DEBUG, grid=3, block=128)
def _(random):
    x = whole(random, -50, 50, 384)
    return [x, zeros(384, dtype=np.int32)], {1: x.reshape(3, 128).cumsum(1).ravel()}


def sweeping_scan(x: Any, out: Any, sums: Any) -> None:
    tile = cuda.shared.array(0, np.int64)
    n = 2 * cuda.blockDim.x
    t, first = cuda.threadIdx.x, cuda.blockIdx.x * n
    tile[2 * t], tile[2 * t + 1] = x[first + 2 * t], x[first + 2 * t + 1]
    apart = 1
    d = n >> 1
    while d > 0:
        cuda.syncthreads()
        if t < d:
            tile[apart * (2 * t + 2) - 1] += tile[apart * (2 * t + 1) - 1]
        apart *= 2
        d >>= 1
    if t == 0:
        sums[cuda.blockIdx.x] = tile[n - 1]
        tile[n - 1] = 0
    d = 1
    while d < n:
        apart >>= 1
        cuda.syncthreads()
        if t < d:
            a, b = apart * (2 * t + 1) - 1, apart * (2 * t + 2) - 1
            tile[a], tile[b] = tile[b], tile[a] + tile[b]
        d *= 2
    cuda.syncthreads()
    out[first + 2 * t], out[first + 2 * t + 1] = tile[2 * t], tile[2 * t + 1]


@case(sweeping_scan, grid=2, block=64, shared=128 * 8)
def _(random):
    x = whole(random, 0, 1000, 256, dtype=np.int64)
    rows = x.reshape(2, 128)
    return [x, zeros(256, dtype=np.int64), zeros(2, dtype=np.int64)], {
        1: (rows.cumsum(1) - rows).ravel(),
        2: rows.sum(1),
    }


def bitonic_sort(values: Any) -> None:
    tile = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    tile[t] = values[cuda.blockIdx.x, t]
    k = 2
    while k <= 256:
        j = k // 2
        while j > 0:
            cuda.syncthreads()
            other = t ^ j
            if other > t and (tile[t] > tile[other]) == ((t & k) == 0):
                tile[t], tile[other] = tile[other], tile[t]
            j //= 2
        k *= 2
    cuda.syncthreads()
    values[cuda.blockIdx.x, t] = tile[t]


@case(bitonic_sort, also={**DEBUG, "hopper": HOPPER}, grid=2, block=256)
def _(random):
    values = floats(random, 2, 256)
    return [values], {0: np.sort(values, 1)}


def odd_even_sort(values: Any) -> None:
    tile = cuda.shared.array(64, np.int16)
    t = cuda.threadIdx.x
    tile[t] = values[t]
    cuda.syncthreads()
    for turn in range(64):
        if t % 2 == turn % 2 and t + 1 < 64 and tile[t] > tile[t + 1]:
            tile[t], tile[t + 1] = tile[t + 1], tile[t]
        cuda.syncthreads()
    values[t] = tile[t]


@case(odd_even_sort, grid=1, block=64)
def _(random):
    values = whole(random, -30000, 30000, 64, dtype=np.int16)
    return [values], {0: np.sort(values)}


def block_histogram(values: Any, counts: Any) -> None:
    own = cuda.shared.array(32, np.uint32)
    t = cuda.threadIdx.x
    if t < 32:
        own[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(own, values[i] >> 3, 1)
    cuda.syncthreads()
    if t < 32:
        cuda.atomic.add(counts, t, own[t])


@case(block_histogram, also=LINES, grid=4, block=128)
def _(random):
    values = whole(random, 0, 256, 5000, dtype=np.uint8)
    return [values, zeros(32, dtype=np.uint32)], {1: np.bincount(values >> 3, minlength=32)}


def stencil_1d(x: Any, weights: Any, out: Any) -> None:
    tile = cuda.shared.array(64 + 8, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t + 4] = x[i] if i < x.size else 0
    if t < 4:
        tile[t] = x[i - 4] if i >= 4 else 0
        tile[t + 68] = x[i + 64] if i + 64 < x.size else 0
    cuda.syncthreads()
    if i < out.size:
        total = np.float32(0)
        for k in range(9):
            total += weights[k] * tile[t + k]
        out[i] = total


@case(stencil_1d, grid=8, block=64, near=1e-5)
def _(random):
    x, w = floats(random, 500), floats(random, 9)
    return [x, w, zeros(500)], {2: np.correlate(np.pad(x.astype(float), 4), w, "valid")}


def two_views(x: Any, y: Any, out: Any) -> None:
    n = cuda.blockDim.x
    memory = cuda.shared.array(0, np.float32)
    words = cuda.shared.array(0, np.int32)
    t = cuda.threadIdx.x
    memory[t] = x[t]
    words[n + t] = y[t]
    cuda.syncthreads()
    out[t] = memory[n - 1 - t] * words[n + (t * 7) % n]


@case(two_views, also=DEBUG, grid=1, block=96, shared=2 * 96 * 4, near=1e-7)
def _(random):
    x, y = floats(random, 96), whole(random, -100, 100, 96)
    return [x, y, zeros(96)], {2: x[::-1] * y[np.arange(96) * 7 % 96].astype(np.float32)}


def counted_barriers(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    many = cuda.syncthreads_count(np.int32(x[t] > 0))
    every = cuda.syncthreads_and(np.int32(x[t] > -100))
    some = cuda.syncthreads_or(np.int32(x[t] > 99))
    out[t] = many * 10 + (2 if every else 0) + (1 if some else 0)


@case(counted_barriers, also=DEBUG, grid=1, block=100)
def _(random):
    x = whole(random, -50, 50, 100)
    return [x, zeros(100, dtype=np.int32)], {1: np.full(100, (x > 0).sum() * 10 + 2)}


def radix_pass(keys: Any, shift: Any, out: Any) -> None:
    flags = cuda.shared.array(129, np.int32)
    t = cuda.threadIdx.x
    tile = cuda.shared.array(128, np.uint32)
    tile[t] = keys[t]
    for bit in range(shift, shift + 8):
        cuda.syncthreads()
        mine = tile[t]
        zero = 1 - ((mine >> bit) & 1)
        flags[t + 1] = zero
        if t == 0:
            flags[0] = 0
        cuda.syncthreads()
        if t == 0:
            for k in range(1, 129):
                flags[k] += flags[k - 1]
        cuda.syncthreads()
        place = flags[t] if zero else flags[128] + t - flags[t]
        tile[place] = mine
    cuda.syncthreads()
    out[t] = tile[t]


@case(radix_pass, grid=1, block=128)
def _(random):
    keys = whole(random, 0, 1 << 16, 128, dtype=np.uint32)
    order = np.argsort(keys >> np.uint32(4) & np.uint32(255), kind="stable")
    return [keys, np.int32(4), zeros(128, dtype=np.uint32)], {2: keys[order]}

"""Grids of two and three dimensions, images, matrices and graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import DEBUG, HOPPER, LINES, VOLTA, case, cuda, floats, whole, zeros


def heat_2d(old: Any, new: Any, rate: Any) -> None:
    x, y = cuda.grid(2)
    if 0 < x < old.shape[1] - 1 and 0 < y < old.shape[0] - 1:
        around = old[y - 1, x] + old[y + 1, x] + old[y, x - 1] + old[y, x + 1]
        new[y, x] = old[y, x] + rate * (around - 4 * old[y, x])


@case(heat_2d, also={**DEBUG, "volta": VOLTA}, grid=(3, 5), block=(16, 8), near=1e-12)
def _(random):
    u = floats(random, 40, 37, dtype=np.float64)
    new = np.zeros_like(u)
    new[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (
        u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    )
    return [u, zeros(40, 37, dtype=np.float64), 0.1], {1: new}


def wave_3d(now: Any, before: Any, speed: Any) -> None:
    z, y, x = cuda.grid(3)
    a, b, c = now.shape
    if 1 <= z < a - 1 and 1 <= y < b - 1 and 1 <= x < c - 1:
        total = -6 * now[z, y, x]
        for d in (-1, 1):
            total += now[z + d, y, x] + now[z, y + d, x] + now[z, y, x + d]
        before[z, y, x] = 2 * now[z, y, x] - before[z, y, x] + speed * total


@case(wave_3d, also={"hopper": HOPPER}, grid=(3, 3, 3), block=(4, 4, 4), near=1e-4)
def _(random):
    now, before = floats(random, 10, 11, 12), floats(random, 10, 11, 12)
    n, m = now.astype(float), before.astype(float).copy()
    c = (slice(1, -1),) * 3
    total = -6 * n[c] + sum(np.roll(n, d, axis)[c] for axis in range(3) for d in (-1, 1))
    m[c] = 2 * n[c] - m[c] + 0.2 * total
    return [now, before, np.float32(0.2)], {1: m}


def game_of_life(old: Any, new: Any) -> None:
    x, y = cuda.grid(2)
    h, w = old.shape
    if x >= w or y >= h:
        return
    count = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            if dx == 0 and dy == 0:
                continue
            count += old[(y + dy) % h, (x + dx) % w]
    new[y, x] = 1 if count == 3 or (count == 2 and old[y, x]) else 0


@case(game_of_life, also={**DEBUG, **LINES}, grid=(3, 4), block=(16, 8))
def _(random):
    old = whole(random, 0, 2, 30, 41, dtype=np.uint8)
    count = sum(np.roll(old, (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b)
    return [old, zeros(30, 41, dtype=np.uint8)], {1: (count == 3) | (count == 2) & (old == 1)}


def floyd_warshall(distances: Any, through: Any) -> None:
    j, i = cuda.grid(2)
    if i < distances.shape[0] and j < distances.shape[1]:
        around = distances[i, through] + distances[through, j]
        if around < distances[i, j]:
            distances[i, j] = around


@case(floyd_warshall, grid=(3, 3), block=(8, 8))
def _(random):
    d = whole(random, 1, 100, 20, 20)
    np.fill_diagonal(d, 0)
    return [d, np.int64(7)], {0: np.minimum(d, d[:, 7:8] + d[7:8])}


def elimination(matrix: Any, k: Any) -> None:
    i = cuda.blockIdx.x + k + 1
    if i >= matrix.shape[0]:
        return
    factor = matrix[i, k] / matrix[k, k]
    cuda.syncthreads()
    for j in range(k + 1 + cuda.threadIdx.x, matrix.shape[1], cuda.blockDim.x):
        matrix[i, j] -= factor * matrix[k, j]
    if cuda.threadIdx.x == 0:
        matrix[i, k] = factor


@case(elimination, grid=20, block=16, near=1e-12)
def _(random):
    m = floats(random, 20, 23, dtype=np.float64) + np.eye(20, 23) * 5
    out = m.copy()
    out[4:, 3] /= out[3, 3]
    out[4:, 4:] -= np.outer(out[4:, 3], out[3, 4:])
    return [m, np.int64(3)], {0: out}


def sparse_product(starts: Any, columns: Any, values: Any, x: Any, out: Any) -> None:
    row = cuda.grid(1)
    if row < out.size:
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        out[row] = total


@case(sparse_product, also=DEBUG, grid=2, block=64, near=1e-12)
def _(random):
    full = np.where(random.random((80, 50)) < 0.2, floats(random, 80, 50, dtype=np.float64), 0)
    rows, columns = np.nonzero(full)
    starts = np.append(0, np.bincount(rows, minlength=80).cumsum()).astype(np.int32)
    x = floats(random, 50, dtype=np.float64)
    return [starts, columns.astype(np.int32), full[rows, columns], x, zeros(80, dtype=np.float64)], {4: full @ x}


def sparse_product_by_warps(starts: Any, columns: Any, values: Any, x: Any, out: Any) -> None:
    lane, row = cuda.threadIdx.x, cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if row >= out.size:
        return
    total = np.float32(0)
    for k in range(starts[row] + lane, starts[row + 1], 32):
        total += values[k] * x[columns[k]]
    for k in range(5):
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, 16 >> k)
    if lane == 0:
        out[row] = total


@case(sparse_product_by_warps, grid=10, block=(32, 4))
def _(random):
    full = np.where(random.random((37, 90)) < 0.4, whole(random, -9, 9, 37, 90), 0).astype(np.float32)
    rows, columns = np.nonzero(full)
    starts = np.append(0, np.bincount(rows, minlength=37).cumsum()).astype(np.int64)
    x = whole(random, -9, 9, 90, dtype=np.float32)
    return [starts, columns.astype(np.int64), full[rows, columns], x, zeros(37)], {4: full @ x}


def breadth_first(starts: Any, ends: Any, level: Any, depth: Any, changed: Any) -> None:
    node = cuda.grid(1)
    if node >= depth.size or depth[node] != level:
        return
    for k in range(starts[node], starts[node + 1]):
        if cuda.atomic.cas(depth, ends[k], -1, level + 1) == -1:
            cuda.atomic.add(changed, 0, 1)


@case(breadth_first, grid=2, block=64)
def _(random):
    starts, ends = np.arange(0, 301, 3, dtype=np.int32), whole(random, 0, 100, 300)
    depth = np.where(np.arange(100) % 9 == 0, 2, -1).astype(np.int32)
    after = depth.copy()
    for node in np.nonzero(depth == 2)[0]:
        for end in ends[3 * node : 3 * node + 3]:
            after[end] = 3 if after[end] == -1 else after[end]
    return [starts, ends, np.int32(2), depth, zeros(1, dtype=np.int32)], {3: after, 4: [(after == 3).sum()]}


def nearest_centre(points: Any, centres: Any, labels: Any, sums: Any, counts: Any) -> None:
    i = cuda.grid(1)
    if i >= points.shape[0]:
        return
    best, place = np.float32(1e30), -1
    for k in range(centres.shape[0]):
        apart = np.float32(0)
        for d in range(points.shape[1]):
            apart += (points[i, d] - centres[k, d]) ** 2
        if apart < best:
            best, place = apart, k
    labels[i] = place
    cuda.atomic.add(counts, place, 1)
    for d in range(points.shape[1]):
        cuda.atomic.add(sums, (place, d), points[i, d])


@case(nearest_centre, also={"hopper": HOPPER}, grid=3, block=64)
def _(random):
    p, c = whole(random, -50, 50, 150, 3, dtype=np.float32), whole(random, -50, 50, 5, 3, dtype=np.float32)
    labels = ((p[:, None] - c) ** 2).sum(2).argmin(1)
    sums = np.array([p[labels == k].sum(0) for k in range(5)])
    return [p, c, zeros(150, dtype=np.int32), zeros(5, 3), zeros(5, dtype=np.int32)], {
        2: labels,
        3: sums,
        4: np.bincount(labels, minlength=5),
    }


def convolution(image: Any, mask: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    if y >= out.shape[0] or x >= out.shape[1]:
        return
    r = mask.shape[0] // 2
    total = 0
    for a in range(-r, r + 1):
        for b in range(-r, r + 1):
            if 0 <= y + a < image.shape[0] and 0 <= x + b < image.shape[1]:
                total += mask[a + r, b + r] * image[y + a, x + b]
    out[y, x] = total


@case(convolution, also=LINES, grid=(4, 4), block=(8, 8))
def _(random):
    image, mask = whole(random, 0, 256, 30, 29, dtype=np.uint8), whole(random, -5, 5, 5, 5, dtype=np.int16)
    wide = np.pad(image.astype(np.int64), 2)
    out = sum(mask[a, b] * wide[a : a + 30, b : b + 29] for a in range(5) for b in range(5))
    return [image, mask, zeros(30, 29, dtype=np.int32)], {2: out}


def grey(image: Any, out: Any) -> None:
    for y in range(
        cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y, image.shape[0], cuda.gridDim.y * cuda.blockDim.y
    ):
        for x in range(
            cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x, image.shape[1], cuda.gridDim.x * cuda.blockDim.x
        ):
            r, g, b = image[y, x, 0], image[y, x, 1], image[y, x, 2]
            out[y, x] = (r * 77 + g * 150 + b * 29) >> 8


@case(grey, grid=(2, 2), block=(8, 8))
def _(random):
    image = whole(random, 0, 256, 33, 40, 3, dtype=np.uint8)
    return [image, zeros(33, 40, dtype=np.uint8)], {1: image.astype(int) @ [77, 150, 29] >> 8}


def edges(image: Any, out: Any) -> None:
    tile = cuda.shared.array((10, 10), np.int32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    h, w = image.shape
    for a in range(ty, 10, 8):
        for b in range(tx, 10, 8):
            row = min(max(cuda.blockIdx.y * 8 + a - 1, 0), h - 1)
            column = min(max(cuda.blockIdx.x * 8 + b - 1, 0), w - 1)
            tile[a, b] = image[row, column]
    cuda.syncthreads()
    if x < w and y < h:
        across = (
            tile[ty, tx + 2]
            + 2 * tile[ty + 1, tx + 2]
            + tile[ty + 2, tx + 2]
            - tile[ty, tx]
            - 2 * tile[ty + 1, tx]
            - tile[ty + 2, tx]
        )
        down = (
            tile[ty + 2, tx]
            + 2 * tile[ty + 2, tx + 1]
            + tile[ty + 2, tx + 2]
            - tile[ty, tx]
            - 2 * tile[ty, tx + 1]
            - tile[ty, tx + 2]
        )
        out[y, x] = abs(across) + abs(down)


@case(edges, also=DEBUG, grid=(4, 4), block=(8, 8))
def _(random):
    image = whole(random, 0, 256, 27, 30, dtype=np.uint8)
    p = np.pad(image.astype(int), 1, mode="edge")
    smooth, rise = np.array([1, 2, 1]), np.array([-1, 0, 1])
    across, down = (
        sum(m[a, b] * p[a : a + 27, b : b + 30] for a in range(3) for b in range(3))
        for m in (np.outer(smooth, rise), np.outer(rise, smooth))
    )
    return [image, zeros(27, 30, dtype=np.int32)], {1: abs(across) + abs(down)}


def pooled(image: Any, out: Any, places: Any) -> None:
    x, y, channel = cuda.grid(3)
    if channel < out.shape[0] and y < out.shape[1] and x < out.shape[2]:
        best, place = image[channel, 2 * y, 2 * x], 0
        for k in range(1, 4):
            value = image[channel, 2 * y + k // 2, 2 * x + k % 2]
            if value > best:
                best, place = value, k
        out[channel, y, x], places[channel, y, x] = best, place


@case(pooled, grid=(2, 2, 3), block=(8, 8, 1))
def _(random):
    image = floats(random, 3, 20, 24)
    parts = image.reshape(3, 10, 2, 12, 2).transpose(0, 1, 3, 2, 4).reshape(3, 10, 12, 4)
    return [image, zeros(3, 10, 12), zeros(3, 10, 12, dtype=np.int8)], {1: parts.max(3), 2: parts.argmax(3)}


def enlarged(image: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        v, u = y * (image.shape[0] - 1) / (out.shape[0] - 1), x * (image.shape[1] - 1) / (out.shape[1] - 1)
        a, b = min(int(v), image.shape[0] - 2), min(int(u), image.shape[1] - 2)
        v, u = v - a, u - b
        top = image[a, b] * (1 - u) + image[a, b + 1] * u
        out[y, x] = top * (1 - v) + (image[a + 1, b] * (1 - u) + image[a + 1, b + 1] * u) * v


def _enlarged(image, h, w):
    v, u = np.arange(h) * (image.shape[0] - 1) / (h - 1), np.arange(w) * (image.shape[1] - 1) / (w - 1)
    rows = np.array([np.interp(u, np.arange(image.shape[1]), row) for row in image])
    return np.array([np.interp(v, np.arange(image.shape[0]), column) for column in rows.T]).T


@case(enlarged, grid=(4, 4), block=(8, 8), near=1e-12, **VOLTA)
def _(random):
    image = floats(random, 9, 11, dtype=np.float64)
    return [image, zeros(25, 31, dtype=np.float64)], {1: _enlarged(image, 25, 31)}


def strided(matrix: Any, column: Any, out: Any) -> None:
    i, j = cuda.grid(2)
    if i < matrix.shape[0] and j < matrix.shape[1]:
        out[i, j] = matrix[i, j] * 10 + column[i] - matrix[-1, -j]


@case(strided, also=DEBUG, grid=(3, 3), block=(8, 8))
def _(random):
    matrix, column = whole(random, 0, 1000, 30, 40)[3:23, 1:40:2], whole(random, 0, 99, 60, dtype=np.int64)[5:45:2]
    return [matrix, column, zeros(20, 20, dtype=np.int64)], {
        2: matrix * 10 + column[:, None] - matrix[-1, -np.arange(20)]
    }


def columns_first(matrix: Any, sums: Any) -> None:
    j = cuda.grid(1)
    if j < matrix.shape[1]:
        total = 0
        for value in matrix[:, j]:
            total += value
        sums[j] = total


@case(columns_first, grid=1, block=64)
def _(random):
    matrix = np.asfortranarray(whole(random, -99, 99, 25, 50, dtype=np.int16))
    return [matrix, zeros(50, dtype=np.int64)], {1: matrix.sum(0)}

"""Bits: counts, reversals, codes, checksums and hashes of integers and bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import DEBUG, HOPPER, LINES, VOLTA, case, cuda, whole, zeros


def counts(x: Any, wide: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = cuda.popc(x[i])
        out[1, i] = cuda.clz(x[i])
        out[2, i] = cuda.ffs(x[i])
        out[3, i] = cuda.brev(x[i])
        out[4, i] = cuda.popc(wide[i])
        out[5, i] = cuda.clz(wide[i])
        out[6, i] = cuda.ffs(wide[i])
        out[7, i] = cuda.brev(wide[i])


@case(counts, also={"hopper": HOPPER, **DEBUG}, grid=2, block=64)
def _(random):
    x = (random.integers(0, 1 << 32, 100, np.uint64) >> random.integers(0, 33, 100, np.uint64)).astype(np.uint32)
    wide = random.integers(0, 1 << 63, 100, np.uint64) >> random.integers(0, 63, 100, np.uint64)
    rows = []
    for values, bits in ((x, 32), (wide, 64)):
        texts = [f"{int(v):0{bits}b}" for v in values]
        rows += [[t.count("1") for t in texts], [len(t) - len(t.lstrip("0")) for t in texts]]
        rows += [[0 if "1" not in t else bits - t.rindex("1") for t in texts], [int(t[::-1], 2) for t in texts]]
    return [x, wide, zeros(8, 100, dtype=np.uint64)], {2: np.array(rows, np.uint64)}


def gray_codes(codes: Any, back: Any) -> None:
    i = cuda.grid(1)
    if i < codes.size:
        code = np.uint32(i ^ (i >> 1))
        codes[i] = code
        shift = np.uint32(16)
        while shift > 0:
            code ^= code >> shift
            shift >>= np.uint32(1)
        back[i] = code


@case(gray_codes, grid=3, block=100)
def _(random):
    n = np.arange(300)
    return [zeros(300, dtype=np.uint32), zeros(300, dtype=np.uint32)], {0: n ^ n >> 1, 1: n}


@cuda.jit(device=True)
def spread(value):
    value = (value | (value << np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    value = (value | (value << np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    value = (value | (value << np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    value = (value | (value << np.uint64(2))) & np.uint64(0x3333333333333333)
    return (value | (value << np.uint64(1))) & np.uint64(0x5555555555555555)


def morton(x: Any, y: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[i] = spread(np.uint64(x[i])) | (spread(np.uint64(y[i])) << np.uint64(1))


@case(morton, also={"plainly": {"options": {"opt": False}}}, grid=2, block=64)
def _(random):
    x, y = whole(random, 0, 1 << 32, 128, dtype=np.uint32), whole(random, 0, 1 << 32, 128, dtype=np.uint32)
    mixed = [
        sum((int(a) >> k & 1) << 2 * k | (int(b) >> k & 1) << 2 * k + 1 for k in range(32))
        for a, b in zip(x, y, strict=True)
    ]
    return [x, y, zeros(128, dtype=np.uint64)], {2: np.array(mixed, np.uint64)}


def murmur_finish(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        h = x[i]
        h ^= h >> np.uint32(16)
        h = np.uint32(h * np.uint32(0x85EBCA6B))
        h ^= h >> np.uint32(13)
        h = np.uint32(h * np.uint32(0xC2B2AE35))
        out[i] = h ^ (h >> np.uint32(16))


@case(murmur_finish, grid=2, block=128, **VOLTA)
def _(random):
    x = whole(random, 0, 1 << 32, 256, dtype=np.uint32)
    h = x ^ x >> np.uint32(16)
    h = h * np.uint32(0x85EBCA6B)
    h = (h ^ h >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return [x, zeros(256, dtype=np.uint32)], {1: h ^ h >> np.uint32(16)}


def crc32(lines: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < lines.shape[0]:
        crc = np.uint32(0xFFFFFFFF)
        for k in range(lines.shape[1]):
            crc ^= np.uint32(lines[i, k])
            for _ in range(8):
                if crc & np.uint32(1):
                    crc = (crc >> np.uint32(1)) ^ np.uint32(0xEDB88320)
                else:
                    crc >>= np.uint32(1)
        out[i] = crc ^ np.uint32(0xFFFFFFFF)


@case(crc32, also=LINES, grid=2, block=32)
def _(random):
    import zlib

    lines = whole(random, 0, 256, 50, 24, dtype=np.uint8)
    return [lines, zeros(50, dtype=np.uint32)], {1: np.array([zlib.crc32(line.tobytes()) for line in lines], np.uint32)}


def rotations(x: Any, by: Any, out: Any, swapped: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        n = np.uint32(by[i] & 31)
        out[i] = (x[i] << n) | (x[i] >> ((np.uint32(32) - n) & np.uint32(31)))
        v = x[i]
        swapped[i] = (v >> 24) | ((v >> 8) & 0xFF00) | ((v << 8) & 0xFF0000) | ((v & 0xFF) << 24)


@case(rotations, also=DEBUG, grid=1, block=128)
def _(random):
    x, by = whole(random, 0, 1 << 32, 128, dtype=np.uint32), whole(random, 1, 32, 128)
    n = by.astype(np.uint32)
    return [x, by, zeros(128, dtype=np.uint32), zeros(128, dtype=np.uint32)], {
        2: x << n | x >> np.uint32(32) - n,
        3: x.byteswap(),
    }


def saturated(a: Any, b: Any, total: Any, rest: Any, mean: Any) -> None:
    i = cuda.grid(1)
    if i < a.size:
        total[i] = min(np.int32(a[i]) + np.int32(b[i]), 255)
        rest[i] = max(np.int32(a[i]) - np.int32(b[i]), 0)
        mean[i] = (a[i] + b[i] + 1) // 2


@case(saturated, grid=4, block=64)
def _(random):
    a, b = (whole(random, 0, 256, 256, dtype=np.uint8) for _ in range(2))
    wide = a.astype(int), b.astype(int)
    return [a, b, *(zeros(256, dtype=np.uint8) for _ in range(3))], {
        2: np.minimum(wide[0] + wide[1], 255), 3: np.maximum(wide[0] - wide[1], 0), 4: (wide[0] + wide[1] + 1) // 2,
    }  # fmt: skip


def hexadecimal(values: Any, text: Any) -> None:
    i = cuda.grid(1)
    if i < values.size:
        for k in range(8):
            digit = (values[i] >> (28 - 4 * k)) & 15
            text[i, k] = digit + (48 if digit < 10 else 87)


@case(hexadecimal, grid=2, block=32)
def _(random):
    values = whole(random, 0, 1 << 32, 64, dtype=np.uint32)
    text = np.frombuffer("".join(f"{int(v):08x}" for v in values).encode(), np.uint8).reshape(64, 8)
    return [values, zeros(64, 8, dtype=np.uint8)], {1: text}


def shifted_letters(text: Any, by: Any, out: Any) -> None:
    for i in range(cuda.grid(1), text.size, cuda.gridsize(1)):
        c = text[i]
        if 65 <= c <= 90:
            c = (c - 65 + by) % 26 + 65
        elif 97 <= c <= 122:
            c = (c - 97 + by) % 26 + 97
        out[i] = c


@case(shifted_letters, grid=2, block=64)
def _(random):
    text = whole(random, 32, 127, 1000, dtype=np.uint8)
    moved = [
        (c - 65 - 5) % 26 + 65 if 65 <= c <= 90 else (c - 97 - 5) % 26 + 97 if 97 <= c <= 122 else c
        for c in map(int, text)
    ]
    return [text, np.int32(-5), zeros(1000, dtype=np.uint8)], {2: np.array(moved)}


def high_products(a: Any, b: Any, high: Any, low: Any) -> None:
    i = cuda.grid(1)
    if i < a.size:
        mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
        a0, a1, b0, b1 = a[i] & mask, a[i] >> half, b[i] & mask, b[i] >> half
        middle = a1 * b0 + (a0 * b0 >> half)
        other = a0 * b1 + (middle & mask)
        high[i] = a1 * b1 + (middle >> half) + (other >> half)
        low[i] = a[i] * b[i]


@case(high_products, grid=1, block=64)
def _(random):
    a, b = (random.integers(0, (1 << 64) - 1, 64, np.uint64) for _ in range(2))
    full = [int(x) * int(y) for x, y in zip(a, b, strict=True)]
    return [a, b, zeros(64, dtype=np.uint64), zeros(64, dtype=np.uint64)], {
        2: np.array([p >> 64 for p in full], np.uint64), 3: a * b,
    }  # fmt: skip

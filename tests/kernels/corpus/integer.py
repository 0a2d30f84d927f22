import numpy as np

from . import Run, case

N = 256
M32 = 0xFFFFFFFF


def _words(rng):
    values = rng.integers(0, 2**32, N).astype(np.uint32)
    values[:4] = [0, 1, 2**31, M32]
    return values


def _rows(functions, *arrays):
    """Each function of Python integers applied to all elements, as rows of 32-bit words."""
    lists = [array.tolist() for array in arrays]
    return np.array([[f(*row) & M32 for row in zip(*lists, strict=True)] for f in functions], np.uint32)


def _reverse(value, bits):
    return int(format(value, f"0{bits}b")[::-1], 2)


def _byte_perm(x, y, selector):
    data = (y << 32) | x
    result = 0
    for at in range(4):
        chosen = (selector >> (4 * at)) & 7
        result |= ((data >> (8 * chosen)) & 255) << (8 * at)
    return result


@case()
def bits(rng):
    a, b, i = _words(rng), _words(rng)[::-1].copy(), np.arange(N)
    rows = _rows(
        [
            lambda x, y, i: x.bit_count(),
            lambda x, y, i: 32 - x.bit_length(),
            lambda x, y, i: (x & -x).bit_length(),
            lambda x, y, i: _reverse(x, 32),
            lambda x, y, i: _byte_perm(x, y, 0x7531 + i % 8),
            lambda x, y, i: ((y << 32 | x) << (i & 31)) >> 32,
            lambda x, y, i: (y << 32 | x) >> (i & 31),
            lambda x, y, i: ((y << 32 | x) << min(i, 32)) >> 32,
            lambda x, y, i: (y << 32 | x) >> min(i, 32),
            lambda x, y, i: (x << 32 | y).bit_count(),
            lambda x, y, i: 64 - (x << 32 | y).bit_length(),
            lambda x, y, i: ((x << 32 | y) & -(x << 32 | y)).bit_length(),
        ],
        a, b, i,
    )  # fmt: skip
    wide = np.array([_reverse(x << 32 | y, 64) for x, y in zip(a.tolist(), b.tolist(), strict=True)], np.uint64)
    return Run(
        [a, b, np.zeros((12, N), np.uint32), np.zeros(N, np.uint64), np.int32(N)], {2: rows, 3: wide}, grid=2, block=128
    )


def _signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


@case()
def products(rng):
    a, b = _words(rng).view(np.int32), _words(rng)[::-1].copy().view(np.int32)
    rows = _rows(
        [
            lambda x, y: (x & 0x7FFFFF) * (y & 0x7FFFFF),
            lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF),
            lambda x, y: (x * y) >> 32,
            lambda x, y: ((x & M32) * (y & M32)) >> 32,
            lambda x, y: abs(x - y) + 7,
            lambda x, y: abs((x & M32) - (y & M32)) + 7,
            lambda x, y: (x + y) >> 1,
            lambda x, y: (x + y + 1) >> 1,
            lambda x, y: ((x & M32) + (y & M32)) >> 1,
            lambda x, y: ((x & M32) + (y & M32) + 1) >> 1,
            lambda x, y: min(x, y) + max(int(np.fmod(x, 10)), 3),
            lambda x, y: abs(int(x / 2)),
        ],
        a, b,
    )  # fmt: skip
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    wide = np.array(
        [
            [_signed((_signed(x << 32, 64) * (y << 20)) >> 64, 64) for x, y in pairs],
            [_signed((((x & M32) << 32) * ((y & M32) << 20)) >> 64, 64) for x, y in pairs],
            [min(x, y * 2) + abs(y) + max(x, 5) for x, y in pairs],
        ],
        np.int64,
    )
    return Run(
        [a, b, np.zeros((12, N), np.uint32), np.zeros((3, N), np.int64), np.int32(N)],
        {2: rows, 3: wide},
        grid=2,
        block=128,
    )


@case()
def dot_products(rng):
    a, b, i = _words(rng).view(np.int32), _words(rng)[::-1].copy().view(np.int32), np.arange(N, dtype=np.int32)
    sa, sb = a.view(np.int8).reshape(N, 4).astype(np.int32), b.view(np.int8).reshape(N, 4).astype(np.int32)
    ha = a.view(np.int16).reshape(N, 2).astype(np.int32)
    signed = np.stack([(sa * sb).sum(1) + i, (ha * sb[:, :2]).sum(1) + i, (ha * sb[:, 2:]).sum(1) + i]).astype(np.int32)
    unsigned = (a.view(np.uint8).reshape(N, 4).astype(np.uint32) * b.view(np.uint8).reshape(N, 4)).sum(1) + i
    return Run(
        [a, b, np.zeros((3, N), np.int32), np.zeros(N, np.uint32), np.int32(N)],
        {2: signed, 3: unsigned.astype(np.uint32)},
        grid=2,
        block=128,
    )


def _lanes(x, y, bits, signed, function):
    result = 0
    for at in range(0, 32, bits):
        a, b = (x >> at) & ((1 << bits) - 1), (y >> at) & ((1 << bits) - 1)
        if signed:
            a, b = _signed(a, bits), _signed(b, bits)
        result |= (function(a, b) & ((1 << bits) - 1)) << at
    return result


def _clamped(low, high):
    return lambda value: min(max(value, low), high)


@case()
def lanes(rng):
    a, b = _words(rng), _words(rng)[::-1].copy()
    u8, u16, s16 = _clamped(0, 255), _clamped(0, 65535), _clamped(-32768, 32767)
    rows = _rows(
        [
            lambda x, y: _lanes(x, y, 8, False, lambda p, q: p + q),
            lambda x, y: _lanes(x, y, 16, False, lambda p, q: p - q),
            lambda x, y: _lanes(x, y, 8, False, lambda p, q: u8(p + q)),
            lambda x, y: _lanes(x, y, 16, True, lambda p, q: s16(p + q)),
            lambda x, y: _lanes(x, y, 16, False, lambda p, q: u16(p - q)),
            lambda x, y: _lanes(x, y, 8, False, lambda p, q: abs(p - q)),
            lambda x, y: _lanes(x, y, 16, True, lambda p, q: abs(p - q)),
            lambda x, y: _lanes(x, y, 8, True, max),
            lambda x, y: _lanes(x, y, 16, False, min),
            lambda x, y: _lanes(x, y, 8, False, lambda p, q: -1 if p > q else 0),
            lambda x, y: _lanes(x, (x & 0xFFFF) | (y & 0xFFFF0000), 16, False, lambda p, q: -1 if p == q else 0),
            lambda x, y: _lanes(x, x ^ (y & 0xFF00FF), 8, False, lambda p, q: int(p == q)),
            lambda x, y: _lanes(x, y, 8, False, lambda p, q: (p + q + 1) >> 1),
            lambda x, y: _lanes(x, y, 16, False, lambda p, q: (p + q) >> 1),
            lambda x, y: _lanes(x, y, 8, True, lambda p, q: -p),
            lambda x, y: _lanes(x, y, 16, True, lambda p, q: abs(p)),
            lambda x, y: sum(abs(((x >> s) & 255) - ((y >> s) & 255)) for s in (0, 8, 16, 24)),
        ],
        a, b,
    )  # fmt: skip
    return Run([a, b, np.zeros((17, N), np.uint32), np.int32(N)], {2: rows}, grid=2, block=128)

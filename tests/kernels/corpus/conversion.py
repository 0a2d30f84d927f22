import numpy as np

from . import Run, case

N = 128


@case()
def to_integers(rng):
    f = (rng.integers(-4000, 4000, N) / 8).astype(np.float32)
    d = rng.uniform(-1000, 1000, N)
    out = np.stack(
        [np.rint(f), np.trunc(f), np.ceil(f), np.floor(f), np.rint(d), np.floor(d), np.trunc(f) + np.trunc(d)]
    ).astype(np.int32)
    u = np.stack([np.rint(np.abs(f)), np.ceil(np.abs(d))]).astype(np.uint32)
    wide = np.stack([np.floor(f * np.float32(1e6)), np.rint(d * 1e9), np.trunc(np.abs(d) * 1e9)]).astype(np.int64)
    args = [f, d, np.zeros((7, N), np.int32), np.zeros((2, N), np.uint32), np.zeros((3, N), np.int64), np.int32(N)]
    return Run(args, {2: out, 3: u, 4: wide}, block=N)


def _directed(values, dtype, direction):
    """Python integers as `dtype`, rounded in a direction."""
    found = []
    for value in values:
        nearest = dtype(value)
        above = int(nearest) > value
        if int(nearest) != value:
            if direction == "rd" or (direction == "rz" and value > 0):
                nearest = np.nextafter(nearest, dtype(-np.inf)) if above else nearest
            else:
                nearest = nearest if above else np.nextafter(nearest, dtype(np.inf))
        found.append(nearest)
    return np.array(found, dtype)


@case()
def from_integers(rng):
    a = rng.integers(-(2**31), 2**31, N).astype(np.int32)
    b = rng.integers(-(2**63), 2**63 - 1, N)
    unsigned = a.view(np.uint32)
    f = np.stack(
        [
            a.astype(np.float32),
            _directed(a.tolist(), np.float32, "rz"),
            _directed(unsigned.tolist(), np.float32, "ru"),
            _directed(b.tolist(), np.float32, "rd"),
            b.astype(np.float32),
        ]
    )
    d = np.stack(
        [
            a.astype(float),
            unsigned.astype(float),
            _directed(b.tolist(), np.float64, "rz"),
            b.view(np.uint64).astype(float),
        ]
    )
    return Run([a, b, np.zeros((5, N), np.float32), np.zeros((4, N)), np.int32(N)], {2: f, 3: d}, block=N)


@case()
def bits_of_floats(rng):
    f, d = rng.normal(size=64).astype(np.float32), rng.normal(size=64)
    words = np.stack([f.view(np.int32), (f.view(np.uint32) ^ np.uint32(0x80000000)).view(np.int32)], 1)
    back = (f.view(np.int32) + 1).view(np.float32) + np.float32(1)
    args = [f, d, np.zeros((64, 2), np.int32), np.zeros(64, np.int64), np.zeros(64, np.float32), np.zeros(64)]
    return Run(args, {2: words, 3: d.view(np.int64), 4: back, 5: d + d}, block=64)


@case()
def narrower(rng):
    d = rng.normal(size=N) * 1000
    nearest = d.astype(np.float32)
    up = np.where(nearest < d, np.nextafter(nearest, np.float32(np.inf)), nearest)
    down = np.where(nearest > d, np.nextafter(nearest, np.float32(-np.inf)), nearest)
    expected = np.stack([nearest, nearest, np.where(d > 0, down, up), up, down])
    return Run([d, np.zeros((5, N), np.float32), np.int32(N)], {1: expected}, block=N)


@case()
def narrowed_in_braces(rng):
    """Narrowing conversions that C++ refuses and NVRTC only warns of."""
    f, a = rng.uniform(-1000, 1000, N).astype(np.float32), rng.integers(-1000, 1000, N).astype(np.int32)
    whole = f.astype(np.int64) + 7 + a.astype(np.uint8) + 1000 % 256 + 255
    args = [f, a, np.zeros(N, np.float32), np.zeros(N, np.int64), np.int32(N)]
    return Run(args, {2: (2 * a + 1).astype(np.float32), 3: whole}, block=N)

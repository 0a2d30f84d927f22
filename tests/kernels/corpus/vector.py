import numpy as np

from . import Run, case


@case()
def loads_of_16_bytes(rng):
    values = rng.integers(-100, 100, (300, 4)).astype(np.float32)
    x, y = values[:, 0] + 1, values[:, 1] * 2
    return Run(
        [values, np.zeros((300, 4), np.float32), np.int32(300)],
        {1: np.stack([x, y, -values[:, 2], x + y], 1)},
        grid=3,
        block=128,
    )


@case()
def all_kinds(rng):
    v = np.arange(64, dtype=np.int32)
    out = (v + 3) + 255 - v + 3 + v * v + 8 + v + 2.0**40 + 3 + v + 0.5 + 0.25
    sizes = np.array([3, 12, 1616, 1616, 808, 808, 404, 12], np.int32)
    return Run([v, np.zeros(8, np.int32), np.zeros(64)], {1: sizes, 2: out}, block=64)


@case()
def own_operators(rng):
    a, b = rng.normal(size=(100, 3)).astype(np.float32), rng.normal(size=(100, 3)).astype(np.float32)
    a64, b64 = a.astype(np.float64), b.astype(np.float64)
    expected = np.cross((a64 * 1.5 + b64) * b64, a64 - b64) + 2 * b64
    args = [a, b, np.zeros((100, 3), np.float32), np.zeros(100, np.float32)]
    return Run(
        args,
        {2: expected.astype(np.float32), 3: (a64 * b64).sum(1).astype(np.float32)},
        block=100,
        rtol=1e-4,
        atol=1e-5,
    )


@case()
def by_reinterpreting(rng):
    pixels = rng.integers(0, 256, (64, 4)).astype(np.uint8)
    expected = {1: pixels.view(np.uint32).ravel(), 2: (pixels / 255).astype(np.float32)}
    return Run([pixels, np.zeros(64, np.uint32), np.zeros((64, 4), np.float32)], expected, block=64, rtol=1e-6)


@case()
def structures(rng):
    kind = np.dtype(
        [
            ("position", np.float32, 3),
            ("mass", np.float32),
            ("velocity", np.float32, 2),
            ("id", np.int32),
            ("pad", np.int32),
        ]
    )
    values = np.zeros(70, kind)
    values["position"], values["mass"] = rng.integers(0, 9, (70, 3)), rng.integers(1, 5, 70)
    values["velocity"], values["id"] = rng.integers(0, 9, (70, 2)), np.arange(70)
    offset = np.zeros(1, kind)
    offset["position"], offset["velocity"], offset["id"] = [2, 0, 0], [0, 3], 5
    after = values.copy()
    after["position"][:, 0] += 2 * values["mass"]
    after["velocity"][:, 1] -= 3
    after["id"] = values["id"] * 2 + 5

    def check(results):
        for name in ("position", "mass", "velocity", "id"):
            np.testing.assert_array_equal(results[1][name], after[name])

    return Run([values, np.zeros(70, kind), offset.tobytes(), np.int32(70)], check=check, grid=2, block=64)

import numpy as np

from . import Run, case


@case()
def saxpy(rng):
    n = 5000
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    expected = np.float64(2.5) * x + y
    return Run(
        [np.float32(2.5), x, y, np.zeros(n, np.float32), np.uint64(n)],
        {3: expected.astype(np.float32)},
        grid=20,
        rtol=1e-6,
    )


@case()
def grid_stride(rng):
    values = rng.normal(size=4099)
    return Run(
        [values, np.zeros(4099), np.int32(4099)], {1: values * values - 1.0}, grid=3, block=128, rtol=1e-14, atol=1e-15
    )


@case()
def image_2d(rng):
    width, height, pitch = 61, 37, 64
    image = rng.integers(0, 256, (height, pitch), np.uint8)
    expected = np.zeros_like(image)
    expected[:, :width] = np.minimum(image[:, :width].astype(int) * 3 // 2, 255)
    return Run(
        [image, np.zeros_like(image), np.int32(width), np.int32(height), np.int32(pitch)],
        {1: expected},
        grid=(4, 5),
        block=(16, 8),
    )


@case()
def volume_3d(rng):
    depth, height, width = 7, 9, 13
    volume = rng.integers(-1000, 1000, (depth, height, width), np.int16)
    z, y, x = np.meshgrid(np.arange(depth), np.arange(height), np.arange(width), indexing="ij")
    expected = (volume.astype(np.int32) * (x + 10 * y + 100 * z)).astype(np.int32)
    size = np.array([width, height, depth], np.uint32)
    return Run(
        [volume, np.zeros(volume.shape, np.int32), size.tobytes()], {1: expected}, grid=(2, 3, 4), block=(8, 4, 2)
    )


@case()
def integer_division(rng):
    a = rng.integers(-(2**31), 2**31 - 1, 512).astype(np.int32)
    b = rng.integers(1, 1000, 512).astype(np.int32) * rng.choice([-1, 1], 512).astype(np.int32)
    quotient = np.trunc(a.astype(np.float64) / b).astype(np.int32)
    remainder = (a - quotient.astype(np.int64) * b).astype(np.int32)
    unsigned = a.view(np.uint32) // b.view(np.uint32) + a.view(np.uint32) % 7
    zeros = np.zeros(512, np.int32)
    return Run(
        [a, b, zeros, zeros.copy(), zeros.view(np.uint32).copy()],
        {2: quotient, 3: remainder, 4: unsigned},
        grid=4,
        block=128,
    )


@case()
def chosen_by_switch(rng):
    a, b = rng.random(300, np.float32), rng.random(300, np.float32)
    return Run([a, b, np.zeros(300, np.float32), np.int32(2), np.int32(300)], {2: np.maximum(a, b)}, grid=3, block=100)

import numpy as np

from . import Run, case


@case(toolkit=True, options=("--fmad=false",))
def mandelbrot(rng):
    width, height, most = 48, 32, 60
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    re, im = -2.0 + 3.0 * x / width, -1.5 + 3.0 * y / height
    zr, zi, counts = np.zeros_like(re), np.zeros_like(re), np.zeros((height, width), np.int32)
    for _ in range(most):
        inside = zr * zr + zi * zi < 4
        counts += inside
        nr, ni = zr * zr - zi * zi + re, zr * zi + zi * zr + im
        zr, zi = np.where(inside, nr, zr), np.where(inside, ni, zi)
    return Run(
        [np.zeros((height, width), np.int32), np.int32(width), np.int32(height), np.int32(most)],
        {0: counts},
        grid=(3, 4),
        block=(16, 8),
    )


@case(toolkit=True)
def functions_of_pairs(rng):
    a = (rng.normal(size=64) + 1j * rng.normal(size=64)).astype(np.complex64)
    b = (rng.normal(size=64) + 1j * rng.normal(size=64) + 3).astype(np.complex64)
    x, y = a.astype(complex), b.astype(complex)
    expected = np.stack([x * y, x / y, x.conj() - y])
    args = [
        a.view(np.float32),
        b.view(np.float32),
        np.zeros((3, 128), np.float32),
        np.zeros(64, np.float32),
        np.int32(64),
    ]
    return Run(
        args,
        {2: expected.view(np.float64).astype(np.float32), 3: np.abs(x).astype(np.float32)},
        block=64,
        rtol=1e-5,
        atol=1e-6,
    )


@case(toolkit=True)
def fft64(rng):
    values = (rng.normal(size=(3, 64)) + 1j * rng.normal(size=(3, 64))).astype(np.complex64)
    expected = np.fft.fft(values.astype(complex), axis=1)
    return Run(
        [values.view(np.float32), np.zeros((3, 128), np.float32)],
        {1: expected.view(np.float64).astype(np.float32)},
        grid=3,
        block=32,
        rtol=1e-4,
        atol=1e-4,
    )

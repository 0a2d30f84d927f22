"""The kernels of ptx_speed.py as a Python programmer writes them for Numba, and the same work as loops for host cores."""

from __future__ import annotations

import math

from numba import cuda, float32, njit, prange


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


def matmul(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for t in range(a.shape[1] // 16):
        left[ty, tx] = a[row, t * 16 + tx]
        right[ty, tx] = b[t * 16 + ty, column]
        cuda.syncthreads()
        for k in range(16):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    c[row, column] = total


def reduction(x, sums):
    part = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    own = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        own += x[i]
    part[t] = own
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


def mandelbrot(out, width, height, limit):
    px, py = cuda.grid(2)
    if px >= width or py >= height:
        return
    cx = float32(-2.0) + float32(3.0) * float32(px) / float32(width)
    cy = float32(-1.5) + float32(3.0) * float32(py) / float32(height)
    x = float32(0)
    y = float32(0)
    rounds = limit
    for i in range(limit):
        if x * x + y * y >= float32(4):
            rounds = i
            break
        t = x * x - y * y + cx
        y = float32(2) * x * y + cy
        x = t
    out[py * width + px] = rounds


def black_scholes(s, k, call, put):
    i = cuda.grid(1)
    if i >= call.size:
        return
    r = float32(0.02)
    v = float32(0.3)
    t = float32(1.5)
    root = math.sqrt(t)
    d1 = (math.log(s[i] / k[i]) + (r + float32(0.5) * v * v) * t) / (v * root)
    d2 = d1 - v * root
    n1 = float32(0.5) * math.erfc(-d1 * float32(0.70710678))
    n2 = float32(0.5) * math.erfc(-d2 * float32(0.70710678))
    e = math.exp(-r * t)
    call[i] = s[i] * n1 - k[i] * e * n2
    put[i] = k[i] * e * (float32(1) - n2) - s[i] * (float32(1) - n1)


def nbody(at, force):
    tile = cuda.shared.array((128, 4), float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    own_x, own_y, own_z = at[i, 0], at[i, 1], at[i, 2]
    fx = float32(0)
    fy = float32(0)
    fz = float32(0)
    for begin in range(0, at.shape[0], 128):
        for part in range(4):
            tile[t, part] = at[begin + t, part]
        cuda.syncthreads()
        for k in range(128):
            dx = tile[k, 0] - own_x
            dy = tile[k, 1] - own_y
            dz = tile[k, 2] - own_z
            d = float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + float32(0.01))
            w = tile[k, 3] * d * d * d
            fx += dx * w
            fy += dy * w
            fz += dz * w
        cuda.syncthreads()
    force[i, 0] = fx
    force[i, 1] = fy
    force[i, 2] = fz
    force[i, 3] = float32(0)


#: The arguments in CUDA C++ that these kernels take: arrays know their lengths.
ARGUMENTS = {
    "saxpy": lambda given: given[:3],
    "matmul": lambda given: given[:3],
    "reduction": lambda given: given[:2],
    "mandelbrot": lambda given: given,
    "black_scholes": lambda given: given[:4],
    "nbody": lambda given: given[:2],
}


def saxpy_loops():
    @njit(parallel=True)
    def run(a, x, y):
        for i in prange(y.size):
            y[i] = a * x[i] + y[i]

    return run


def matmul_loops():
    @njit(parallel=True)
    def run(a, b, c):
        for row in prange(c.shape[0]):
            c[row] = 0
            for k in range(a.shape[1]):
                for column in range(c.shape[1]):
                    c[row, column] += a[row, k] * b[k, column]

    return run


def reduction_loops():
    @njit(parallel=True)
    def run(x, sums):
        for block in prange(sums.size):
            total = float32(0)
            for i in range(block * 256, x.size, sums.size * 256):
                for t in range(256):
                    total += x[i + t]
            sums[block] = total

    return run


def mandelbrot_loops():
    @njit(parallel=True)
    def run(out, width, height, limit):
        for py in prange(height):
            for px in range(width):
                cx = float32(-2.0) + float32(3.0) * float32(px) / float32(width)
                cy = float32(-1.5) + float32(3.0) * float32(py) / float32(height)
                x = float32(0)
                y = float32(0)
                i = 0
                while x * x + y * y < float32(4) and i < limit:
                    t = x * x - y * y + cx
                    y = float32(2) * x * y + cy
                    x = t
                    i += 1
                out[py * width + px] = i

    return run


def black_scholes_loops():
    @njit(parallel=True)
    def run(s, k, call, put):
        r = float32(0.02)
        v = float32(0.3)
        t = float32(1.5)
        for i in prange(call.size):
            root = math.sqrt(t)
            d1 = (math.log(s[i] / k[i]) + (r + float32(0.5) * v * v) * t) / (v * root)
            d2 = d1 - v * root
            n1 = float32(0.5) * math.erfc(-d1 * float32(0.70710678))
            n2 = float32(0.5) * math.erfc(-d2 * float32(0.70710678))
            e = math.exp(-r * t)
            call[i] = s[i] * n1 - k[i] * e * n2
            put[i] = k[i] * e * (float32(1) - n2) - s[i] * (float32(1) - n1)

    return run


def nbody_loops():
    @njit(parallel=True)
    def run(at, force):
        for i in prange(at.shape[0]):
            fx = float32(0)
            fy = float32(0)
            fz = float32(0)
            for k in range(at.shape[0]):
                dx = at[k, 0] - at[i, 0]
                dy = at[k, 1] - at[i, 1]
                dz = at[k, 2] - at[i, 2]
                d = float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + float32(0.01))
                w = at[k, 3] * d * d * d
                fx += dx * w
                fy += dy * w
                fz += dz * w
            force[i, 0] = fx
            force[i, 1] = fy
            force[i, 2] = fz
            force[i, 3] = float32(0)

    return run

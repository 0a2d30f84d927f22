"""A program's use of numba-cuda, part by part; each part prints its name when it is right."""

import math
import os
import sys
import tempfile

import numpy as np
from numba import cuda, float32, int32, types
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32


def shared_and_local():
    @cuda.jit
    def reverse(values, out):
        tile = cuda.shared.array(128, dtype=int32)
        own = cuda.local.array(4, dtype=int32)
        i = cuda.threadIdx.x
        for k in range(4):
            own[k] = values[i] + k
        tile[i] = own[i % 4]
        cuda.syncthreads()
        out[i] = tile[127 - i]

    values, out = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    reverse[1, 128](values, out)
    assert (out == (values + values % 4)[::-1]).all()


def dynamic_shared():
    @cuda.jit
    def copy(values, out):
        tile = cuda.shared.array(0, dtype=float32)
        i = cuda.threadIdx.x
        tile[i] = values[i]
        cuda.syncthreads()
        out[i] = tile[(i + 1) % 64]

    values, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    copy[1, 64, 0, 64 * 4](values, out)
    assert (out == np.roll(values, -1)).all()


def atomics():
    @cuda.jit
    def count(values, counts, largest, total):
        i = cuda.grid(1)
        if i < values.size:
            cuda.atomic.add(counts, values[i] % 7, 1)
            cuda.atomic.max(largest, 0, values[i])
            cuda.atomic.add(total, 0, float(values[i]))

    values = np.random.default_rng(1).integers(0, 1000, 5000).astype(np.int32)
    counts, largest, total = np.zeros(7, np.int32), np.zeros(1, np.int32), np.zeros(1)
    count[20, 256](values, counts, largest, total)
    assert (counts == np.bincount(values % 7, minlength=7)).all()
    assert largest[0] == values.max()
    assert total[0] == values.sum()


def cooperative():
    @cuda.jit(void_of(int32[:, ::1]))
    def rows(table):
        column = cuda.grid(1)
        grid = cuda.cg.this_grid()
        for row in range(1, table.shape[0]):
            table[row, column] = table[row - 1, table.shape[1] - column - 1] + 1
            grid.sync()

    table = np.zeros((8, 64), np.int32)
    rows[2, 32](table)
    assert (table == np.arange(8)[:, None]).all()


def void_of(*arguments):
    return types.void(*arguments)


def streams_and_events():
    @cuda.jit
    def double(values):
        i = cuda.grid(1)
        values[i] *= 2

    stream = cuda.stream()
    start, end = cuda.event(), cuda.event()
    host = cuda.pinned_array(256, np.float32)
    host[:] = 3
    start.record(stream)
    values = cuda.to_device(host, stream=stream)
    double[1, 256, stream](values)
    values.copy_to_host(host, stream=stream)
    end.record(stream)
    stream.synchronize()
    assert (host == 6).all()
    assert start.elapsed_time(end) >= 0


def mathematics():
    @cuda.jit
    def functions(x, out):
        i = cuda.grid(1)
        out[0, i] = math.sin(x[i])
        out[1, i] = math.exp(x[i])
        out[2, i] = math.pow(x[i], 1.5)
        out[3, i] = math.erf(x[i])
        out[4, i] = math.atan2(x[i], 2.0)
        out[5, i] = math.log1p(x[i])

    x = np.linspace(0.1, 50, 64)
    out = np.zeros((6, 64))
    functions[1, 64](x, out)
    expected = [np.sin(x), np.exp(x), x**1.5, [math.erf(v) for v in x], np.arctan2(x, 2), np.log1p(x)]
    np.testing.assert_allclose(out, np.array(expected), rtol=1e-14)


def random_numbers():
    @cuda.jit
    def pi(states, inside):
        i = cuda.grid(1)
        found = 0
        for _ in range(500):
            x, y = xoroshiro128p_uniform_float32(states, i), xoroshiro128p_uniform_float32(states, i)
            if x * x + y * y <= 1:
                found += 1
        inside[i] = found

    states = create_xoroshiro128p_states(256, seed=1)
    inside = np.zeros(256, np.int32)
    pi[2, 128](states, inside)
    assert abs(4 * inside.sum() / (256 * 500) - math.pi) < 0.05


def half():
    @cuda.jit
    def add(a, b, out):
        i = cuda.grid(1)
        out[i] = a[i] * b[i] + a[i]

    a, b = np.linspace(-2, 2, 32, dtype=np.float16), np.linspace(1, 3, 32, dtype=np.float16)
    out = np.zeros(32, np.float16)
    add[1, 32](a, b, out)
    np.testing.assert_allclose(out, a.astype(np.float32) * b + a, rtol=2e-3, atol=2e-3)


def debugging():
    @cuda.jit(debug=True, opt=False)
    def checked(values, i):
        values[i[0]] = 1

    values = np.zeros(4, np.int32)
    checked[1, 1](values, np.array([2]))
    assert values[2] == 1


def exceptions():
    @cuda.jit(debug=True, opt=False)
    def beyond(values):
        if values[0] == 0:
            raise ValueError("zero")

    try:
        beyond[1, 1](np.zeros(1, np.int32))
        cuda.synchronize()
    except ValueError as error:
        assert "zero" in str(error)  # noqa: PT017
    else:
        raise AssertionError("no exception")


def linked_source():
    from numba.cuda import CUSource

    source = CUSource('extern "C" __device__ int thrice(int* result, int value) { *result = 3 * value; return 0; }')
    thrice = cuda.declare_device("thrice", "int32(int32)", link=source)

    @cuda.jit
    def use(out):
        i = cuda.grid(1)
        out[i] = thrice(i)

    out = np.zeros(32, np.int32)
    use[1, 32](out)
    assert (out == 3 * np.arange(32)).all()


def warps():
    @cuda.jit
    def sums(out):
        lane = cuda.laneid
        total = lane
        step = 16
        while step > 0:
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, step)
            step //= 2
        votes = cuda.ballot_sync(0xFFFFFFFF, lane % 2 == 0)
        if lane == 0:
            out[0] = total
            out[1] = cuda.popc(votes)

    out = np.zeros(2, np.int32)
    sums[1, 32](out)
    assert list(out) == [496, 16]


def printing():
    @cuda.jit
    def say(x):
        print("thread", cuda.threadIdx.x, x)

    say[1, 1](2.5)
    cuda.synchronize()


PARTS = [
    shared_and_local, dynamic_shared, atomics, cooperative, streams_and_events, mathematics, random_numbers, half, debugging,
    exceptions, linked_source, warps, printing,
]  # fmt: skip


def on_disk(folder):
    """A module of its own, since Numba keeps kernels beside the file that they are written in."""
    path = os.path.join(folder, "kept.py")
    with open(path, "w") as file:
        file.write("from numba import cuda\n@cuda.jit(cache=True)\ndef put(out):\n    out[cuda.grid(1)] = 7\n")
    sys.path.insert(0, folder)
    import kept

    out = np.zeros(32, np.int32)
    kept.put[1, 32](out)
    assert (out == 7).all()
    return sum(kept.put.stats.cache_hits.values())


if __name__ == "__main__":
    part_names = sys.argv[1:]
    for part in PARTS:
        if part_names and part.__name__ not in part_names:
            continue
        try:
            part()
            print(f"{part.__name__}: right", flush=True)
        except Exception as error:  # noqa: BLE001 - the other parts are run too
            print(f"{part.__name__}: {type(error).__name__}: {error}", flush=True)
    if not part_names:
        with tempfile.TemporaryDirectory() as folder:
            on_disk(folder)
        print("on_disk: right", flush=True)

import numpy as np

from . import Run, case


@case("scale<float>")
def scale_float(rng):
    values = rng.random(300, np.float32)
    return Run([values, np.float32(3), np.int32(300)], {0: values * np.float32(3)}, grid=3, block=100)


@case("scale<double>")
def scale_double(rng):
    values = rng.random(300)
    return Run([values, np.float64(0.1), np.int32(300)], {0: values * 0.1}, grid=3, block=100)


@case("scale<unsigned long long>")
def scale_wide(rng):
    values = rng.integers(0, 2**60, 300).astype(np.uint64)
    return Run([values, np.uint64(7), np.int32(300)], {0: values * np.uint64(7)}, grid=3, block=100)


@case("&windows<5, true>")
def windows(rng):
    values = rng.integers(0, 100, 200).astype(np.int32)
    sums = sum(np.roll(values, -k) for k in range(5))
    return Run([values, np.zeros(200, np.int32), np.int32(200)], {1: sums[::-1].copy()}, grid=2, block=128)


@case("apply<Square>")
def apply_square(rng):
    values = rng.random(500, np.float32)
    return Run([values, np.int32(500), b"\0"], {0: values * values}, grid=2, block=64)


@case("apply<AddConstant>")
def apply_with_state(rng):
    values = rng.random(500, np.float32)
    return Run([values, np.int32(500), np.float32(2.5)], {0: values + np.float32(2.5)}, grid=2, block=64)


@case()
def lambdas(rng):
    values = rng.integers(0, 50, 101).astype(np.float32)
    expected = (values + 3) * 2
    expected[100] = 250
    return Run([values, np.int32(100), np.float32(3)], {0: expected.astype(np.float32)}, grid=2, block=32)


@case("shapes::areas")
def areas(rng):
    sizes = rng.integers(1, 9, 64).astype(np.float32)
    expected = np.where(np.arange(64) % 2, 2 * sizes**2, 6 * sizes**2).astype(np.float32)
    return Run([sizes, np.zeros(64, np.float32), np.int32(64)], {1: expected}, block=64)


@case()
def modern(rng):
    i, values = np.arange(64), rng.integers(0, 100, 64).astype(np.int32)
    expected = np.where(values % 2 == 0, values + 0.5 + 3, i + 3.0) + np.where(values % 2, 120, -1) + 3.0 + i
    return Run([values, np.zeros(64)], {1: expected}, block=64)


@case("smallest<float>")
def smallest_float(rng):
    values = rng.normal(size=999).astype(np.float32)
    return Run([values, np.zeros(1, np.float32), np.int32(999)], {1: values.min(keepdims=True)}, block=64)


@case("smallest<int>")
def smallest_int(rng):
    values = rng.integers(-(2**30), 2**30, 999).astype(np.int32)
    return Run([values, np.zeros(1, np.int32), np.int32(999)], {1: values.min(keepdims=True)}, block=64)


@case("(void(*)(float*))overloaded")
def overloaded(rng):
    values = rng.random(64, np.float32)
    return Run([values], {0: values * 2}, block=64)

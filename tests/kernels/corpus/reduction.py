import numpy as np

from . import Run, case


@case()
def tree_in_shared(rng):
    values = rng.random(1000, np.float32)
    padded = np.zeros(1024)
    padded[:1000] = values
    return Run(
        [values, np.zeros(4, np.float32), np.int32(1000)],
        {1: padded.reshape(4, 256).sum(1).astype(np.float32)},
        grid=4,
        rtol=1e-5,
    )


@case()
def by_shuffles(rng):
    values = rng.normal(1, 1, 20000).astype(np.float32)
    expected = np.array([values.sum(dtype=np.float64)], np.float32)
    return Run([values, np.zeros(1, np.float32), np.int32(20000)], {1: expected}, grid=6, rtol=1e-5)


@case()
def dot_double(rng):
    a, b = rng.normal(size=3001), rng.normal(size=3001)
    expected = np.array([np.dot(a.astype(np.longdouble), b.astype(np.longdouble))], np.float64)
    return Run([a, b, np.zeros(1), np.int32(3001)], {2: expected}, block=256, shared=2048, rtol=1e-12)


@case()
def argmax(rng):
    values = rng.integers(0, 50, 999).astype(np.float32)
    expected = np.array([(values.max(), values.argmax())], [("value", np.float32), ("at", np.int32)])

    def check(results):
        assert results[1] == expected

    return Run([values, np.zeros(1, expected.dtype), np.int32(999)], check=check, block=128)


@case()
def last_block(rng):
    values = rng.random(7000, np.float32)
    expected = np.array([values.sum(dtype=np.float64)], np.float32)
    parts, out = np.zeros(8, np.float32), np.zeros(1, np.float32)
    return Run(
        [values, parts, out, np.int32(7000)],
        {2: expected},
        grid=8,
        block=64,
        rtol=1e-5,
        expected_globals={"blocks_done": np.zeros(1, np.uint32)},
    )

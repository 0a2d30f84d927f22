import numpy as np

from . import Run, case


@case()
def multiply_naive(rng):
    a, b = rng.random((33, 47), np.float32), rng.random((47, 29), np.float32)
    expected = (a.astype(np.float64) @ b).astype(np.float32)
    return Run(
        [a, b, np.zeros((33, 29), np.float32), np.int32(33), np.int32(29), np.int32(47)],
        {2: expected},
        grid=(4, 5),
        block=(8, 8),
        rtol=1e-5,
    )


@case()
def multiply_tiled(rng):
    a, b = rng.random((64, 64), np.float32), rng.random((64, 64), np.float32)
    expected = (a.astype(np.float64) @ b).astype(np.float32)
    return Run(
        [a, b, np.zeros((64, 64), np.float32), np.int32(64)], {2: expected}, grid=(4, 4), block=(16, 16), rtol=1e-5
    )


@case()
def multiply_in_registers(rng):
    a, b = rng.normal(size=(48, 48)), rng.normal(size=(48, 48))
    return Run([a, b, np.zeros((48, 48)), np.int32(48)], {2: a @ b}, grid=(3, 3), block=(8, 8), rtol=1e-11, atol=1e-12)


@case()
def transpose(rng):
    values = rng.random((70, 45), np.float32)
    return Run(
        [np.zeros((45, 70), np.float32), values, np.int32(45), np.int32(70)],
        {0: values.T.copy()},
        grid=(2, 3),
        block=(32, 8),
    )


@case()
def sparse_csr(rng):
    dense = rng.random((50, 60)) * (rng.random((50, 60)) < 0.2)
    rows = np.concatenate([[0], np.cumsum((dense != 0).sum(1))]).astype(np.int32)
    columns, values = np.nonzero(dense)[1].astype(np.int32), dense[dense != 0].astype(np.float32)
    x = rng.random(60, np.float32)
    expected = (np.where(dense != 0, dense, 0).astype(np.float32).astype(np.float64) @ x).astype(np.float32)
    return Run(
        [rows, columns, values, x, np.zeros(50, np.float32), np.int32(50)], {4: expected}, grid=13, block=128, rtol=1e-5
    )

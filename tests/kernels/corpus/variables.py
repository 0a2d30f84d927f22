import numpy as np

from . import Run, case


@case()
def polynomial(rng):
    c = np.array([1, -2, 0.5, 0.25], np.float32)
    x = rng.normal(size=200).astype(np.float32)
    d = x.astype(np.float64)
    expected = (3 * c[0] + c[1] * d + c[2] * d**2 + c[3] * d**3).astype(np.float32)
    return Run(
        [x, np.zeros(200, np.float32), np.int32(200)],
        {1: expected},
        grid=2,
        block=100,
        rtol=1e-5,
        atol=1e-6,
        globals={"coefficients": c},
    )


@case()
def counting(rng):
    table = np.array([[1, 2, 3], [14, 25, 36]], np.float32)
    return Run(
        [np.zeros(64, np.int32)],
        {0: np.ones(64, np.int32)},
        block=64,
        expected_globals={"counter": np.array([228], np.uint64), "table": table},
    )


@case()
def by_settings(rng):
    values = rng.integers(-100, 100, 64).astype(np.int32)
    settings = np.zeros(1, [("offset", np.int32), ("gain", np.float32), ("limits", np.float64, 2)])
    settings["offset"], settings["gain"], settings["limits"] = 10, 0.5, [-20, 30]
    return Run(
        [values, np.zeros(64)], {1: np.clip((values + 10) * 0.5, -20, 30)}, block=64, globals={"settings": settings}
    )


@case()
def managed(rng):
    return Run([], block=64, expected_globals={"managed_total": np.array([7 + 63 * 32], np.int32)})


@case()
def static_in_function(rng):
    return Run([np.zeros(70, np.int32)], {0: np.array([1] * 64 + [0] * 6, np.int32)}, block=32, grid=2)

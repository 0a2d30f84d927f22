import numpy as np

from . import Run, case

ANGLES = (np.arange(4000) + 0.5) * np.pi / 4000


def _integral(function, x):
    """The integral of a function of (x, angle) over 0..pi divided by pi; the midpoint rule is exact for these."""
    return function(x[:, None], ANGLES[None, :]).mean(1)


def _j(order, x):
    return _integral(lambda x, a: np.cos(order * a - x * np.sin(a)), x)


@case()
def bessel(rng):
    x = rng.uniform(0.1, 5, 200)
    i0 = _integral(lambda x, a: np.exp(x * np.cos(a)), x)
    i1 = _integral(lambda x, a: np.exp(x * np.cos(a)) * np.cos(a), x)
    wide = np.stack([i0, i1, _j(1, x), _j(3, x)])
    narrow = np.stack([i0, _j(2, x)])

    def check(results):
        np.testing.assert_allclose(results[2], narrow, rtol=1e-5, atol=1e-6)

    return Run(
        [x, np.zeros((4, 200)), np.zeros((2, 200), np.float32), np.int32(200)],
        {1: wide},
        block=128,
        grid=2,
        rtol=1e-10,
        atol=1e-12,
        check=check,
    )

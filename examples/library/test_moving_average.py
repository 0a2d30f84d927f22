"""The library's tests, which need no GPU: `hip_backend` serves cuda.* for one test. Run pytest in this folder."""

from typing import Any

import numpy as np
import pytest


@pytest.mark.parametrize(("count", "window"), [(1, 1), (1000, 7), (1 << 16, 100)])
def test_like_numpy(hip_backend: Any, count: int, window: int) -> None:
    from moving_average import moving_average

    x = np.random.default_rng(count).random(count, dtype=np.float32)
    expected = np.convolve(x, np.ones(window), "valid") / window
    assert np.allclose(moving_average(x, window), expected, rtol=1e-5)


def test_a_window_that_does_not_fit(hip_backend: Any) -> None:
    from moving_average import moving_average

    with pytest.raises(ValueError, match="a window of 4 in an array of 3"):
        moving_average([1, 2, 3], 4)


@pytest.mark.hip_backend(backend="cpu", cpu_check=True)
def test_kernels_are_checked() -> None:
    """This test runs in a process of its own, whose kernels may not leave their memory."""
    from moving_average import moving_average

    assert list(moving_average([1, 2, 3], 2)) == [1.5, 2.5]

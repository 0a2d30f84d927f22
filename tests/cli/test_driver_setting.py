"""The setting `driver` is the version that the driver reports, whatever layout is served."""

from __future__ import annotations

import pytest

from tests.interpreters import PACKAGE_ROOT, start

SHOWN = """
import ctypes
from cuda.bindings import driver, runtime
number = ctypes.c_int()
assert ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number)) == 0
print(int(driver.cuDriverGetVersion()[1]), int(runtime.cudaDriverGetVersion()[1]), number.value,
      int(runtime.cudaRuntimeGetVersion()[1]))
"""


def shown(*flags: str, **environment: str) -> str:
    """Return the versions in Python, in C, and of the runtime."""
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", *flags, "-c", SHOWN)
    done = start(*words, PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_QUIET="1", **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(("cuda", "default"), [("11.8", 11080), ("12.9", 12090), ("13.5", 13000)])
def test_the_driver_is_of_the_layout_unless_chosen(cuda: str, default: int) -> None:
    runtime = shown("--cuda", cuda).split()[-1]
    assert shown("--cuda", cuda) == f"{default} {default} {default} {runtime}"
    for choice, number in (("12.9", 12090), ("13.5", 13050)):
        assert shown("--cuda", cuda, f"--driver={choice}") == f"{number} {number} {number} {runtime}"
    assert shown("--cuda", cuda, CUDA_SHIM_DRIVER="11.8") == f"11080 11080 11080 {runtime}"


def test_other_versions_are_refused() -> None:
    done = start("-m", "cuda_shim", "run", "--driver=13.1", "-c", "", PYTHONPATH=str(PACKAGE_ROOT))
    assert done.returncode == 2
    assert "11.8, 12.9, 13.0, 13.5" in done.stderr

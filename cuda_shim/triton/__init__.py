"""Triton kernels without a GPU: Triton compiles them to PTX, and the CPU backend runs that.

::

    import cuda_shim.triton

    cuda_shim.triton.enable()

From then on ``@triton.jit`` kernels take tensors of PyTorch's CPU build, and numpy arrays in :func:`wrap`. Triton's own
compiler, autotuner, cache and launcher do their work; only the driver is another: it is Triton's driver of NVIDIA's
GPUs, linked with the shim's ``libcuda.so.1``. docs/triton.md says what works.
"""

from __future__ import annotations

import cuda_shim
from cuda_shim.errors import UnsupportedAPI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.triton.host_array import wrap as wrap

__all__ = ["enable", "wrap"]


def enable(**settings: str | int | bool | None) -> None:
    """Enable the shim with these settings, as :func:`cuda_shim.enable` does, and make its driver Triton's active one.

    It may be called again; kernels that were compiled before keep what they were compiled for.

    Raises:
        BackendNotFound: there is no Triton, or no compiler for the libraries.
        UnsupportedAPI: an AMD GPU answers, for which Triton compiles by itself.
    """
    from cuda_shim.backends import hip_python

    if not cuda_shim.is_enabled() or settings:
        cuda_shim.enable(**settings)  # type: ignore[arg-type]  # one signature for all settings
    if hip_python.load().backend.name != "cpu":
        raise UnsupportedAPI(
            "Triton compiles for AMD GPUs by itself: leave cuda_shim.triton.enable() out there, or set "
            "CUDA_SHIM_BACKEND=cpu to run on host cores"
        )
    try:
        from triton.runtime import driver
    except ImportError as missing:
        raise cuda_shim.BackendNotFound("Triton is not installed: pip install triton") from missing
    from cuda_shim.triton.host_driver import HostDriver

    driver.set_active(HostDriver())


def __getattr__(name: str) -> object:
    if name != "wrap":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    from cuda_shim.triton.host_array import wrap

    return wrap

"""Versions, CUDA-shaped: the first release of the line that is served.

So no feature gate opens for later features that are NVIDIA's alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim import settings
from cuda_shim.binding.functions import Binding

__all__ = ["driver", "driver_version", "nvrtc", "runtime", "version_number"]


def version_number(major: int, minor: int) -> int:
    """Return a CUDA version as CUDA_VERSION and the version calls have it: 12.9 is 12090."""
    return 1000 * major + 10 * minor


def driver_version(reported: tuple[int, int]) -> int:
    """Return the number of the driver's version: the setting's, else that of a layout that reports `reported`."""
    chosen = settings.current().driver
    major, minor = map(int, chosen.split(".")) if chosen else reported
    return version_number(major, minor)


def driver(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuDriverGetVersion, cudaDriverGetVersion: 1000 * major + 10 * minor."""
    answer = (binding.outcome.success, driver_version(binding.scope.layout.reported))
    return lambda: answer


def runtime(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaRuntimeGetVersion, getLocalRuntimeVersion: 1000 * major + 10 * minor."""
    return _number(binding)


def nvrtc(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcVersion: major and minor."""
    answer = (binding.outcome.success, *binding.scope.layout.reported)
    return lambda: answer


def _number(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    answer = (binding.outcome.success, version_number(*binding.scope.layout.reported))
    return lambda: answer

"""The status of CUDA Python's calls."""

from __future__ import annotations

from typing import Any


class Failed(Exception):
    """A call that did not return success; with NVRTC's log where it was a compilation."""


def checked(result: tuple[Any, ...]) -> Any:
    """What a call returned after its status. Raises Failed for any status but success."""
    status, *values = result
    if int(status) != 0:
        raise Failed(repr(status))
    return values[0] if len(values) == 1 else tuple(values)

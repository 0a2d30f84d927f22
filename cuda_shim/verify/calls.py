"""Calls of the served modules that must succeed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.errors import UnsupportedAPI

__all__ = ["Failed", "Refused", "checked"]


class Failed(Exception):
    """A call that did not succeed: which, its status, and a compiler's messages where it was a compilation."""


class Refused(Exception):
    """HIP, or this device, has no such feature, as the package or the device reports; the message is the reason."""


def checked(function: Callable[..., tuple[Any, ...]], *arguments: Any) -> Any:
    """Call a function and return the value behind its status.

    Raises Refused where the package reports that HIP lacks the feature, Failed for any status but success. A device's
    own status for an unsupported feature is a failure: nothing documents it.
    """
    try:
        status, *values = function(*arguments)
    except UnsupportedAPI as error:
        raise Refused(str(error)) from None
    if int(status) != 0:
        raise Failed(f"{function.__name__} returned {status.name}")
    return values[0] if len(values) == 1 else tuple(values)

"""Calls in a process that can open no more files (`ulimit -n`).

A call may need a file of the shim's own: the code of its body, or rows of a table. A CUDA call raises no OSError, so it
answers with CUDA's status for a failed call of the operating system; a later call tries again.
"""

from __future__ import annotations

import errno
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from cuda_shim.binding.functions.binding import Binding
    from cuda_shim.binding.untyped import RowObject

__all__ = ["answering", "guarded"]

_NO_MORE_FILES = (errno.EMFILE, errno.ENFILE)
_STATUS = {
    "driver": "CUDA_ERROR_OPERATING_SYSTEM",
    "runtime": "cudaErrorOperatingSystem",
    "nvrtc": "NVRTC_ERROR_INTERNAL_ERROR",
}


def guarded(line: str) -> list[str]:
    """Return the last line of a generated body with the handler that `answering` serves."""
    return ["try:", f"    {line}", "except OSError as __error__:", "    return __without_files__(__error__)"]


def answering(binding: Binding) -> dict[str, Callable[[OSError], tuple[RowObject, ...]]]:
    """Return the name that the lines of `guarded` use."""

    def answer(error: OSError) -> tuple[RowObject, ...]:
        if error.errno not in _NO_MORE_FILES:
            raise error
        if "logging" in sys.modules:  # it cannot be imported now
            from cuda_shim import log

            log.logger().warning("%s: %s", binding.row.name, error)
        return binding.outcome.named(_STATUS[binding.api])

    return {"__without_files__": answer}

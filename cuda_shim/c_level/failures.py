"""Exceptions of a call that C made: the status for one of the shim's, and how one of the program's is recognised.

No C program can catch an exception. One that a signal handler raises while the shim serves a call leaves the bridge,
and `python_calls.h` has it raised in Python code later; the others are answers to the C program's arguments.
"""

from __future__ import annotations

import errno
import sys

from cuda_shim import log
from cuda_shim.errors import BackendNotFound, UnsupportedAPI
from cuda_shim.generated_source import FILE_PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.c_level.interface import Function

__all__ = ["INVALID", "NOT_SUPPORTED", "UNKNOWN", "is_of_program", "status_of"]

NOT_SUPPORTED = {"driver": 801, "runtime": 801, "nvrtc": 11}
INVALID = {"driver": 1, "runtime": 1, "nvrtc": 3}
UNKNOWN = {"driver": 999, "runtime": 999, "nvrtc": 11}
_NO_FILES = {"driver": 304, "runtime": 304, "nvrtc": 11}
_NO_DEVICE = {"driver": 100, "runtime": 100, "nvrtc": 11}
# The packages whose code serves a call, beside Python's library.
_SERVING = frozenset({"cuda_shim", "hip_on_host", "hip", "rocm", "yaml"})


def is_of_program(error: BaseException) -> bool:
    """Return whether an exception comes from the program's own code, which runs as a signal handler meanwhile."""
    trace = error.__traceback__
    while trace is not None:
        package = trace.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        serves = not package or package in _SERVING or package in sys.stdlib_module_names
        if not serves and not trace.tb_frame.f_code.co_filename.startswith(FILE_PREFIX):
            return True
        trace = trace.tb_next
    return False


def status_of(error: Exception, function: Function) -> int:
    """Return the status for an exception of the shim's, which the log reports."""
    table = function.table
    if isinstance(error, UnsupportedAPI):
        log.logger().error("%s", error)
        return NOT_SUPPORTED[table]
    if isinstance(error, BackendNotFound):
        log.logger().error("%s: %s", function.symbol, error)
        return _NO_DEVICE[table]
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        log.logger().error("%s: %s", function.symbol, error)
        return _NO_FILES[table]
    if isinstance(error, (TypeError, ValueError, OverflowError, RuntimeError, AttributeError)):
        log.debug("%s: %s", function.symbol, error)
        return INVALID[table]
    log.logger().error("%s", function.symbol, exc_info=error)
    return UNKNOWN[table]

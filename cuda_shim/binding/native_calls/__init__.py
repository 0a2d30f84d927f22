"""Calls through a small C library instead of ctypes, under the setting `compiled_calls`.

The Python function that its row makes stays, and is called for everything that the C side does not recognise at once;
functions with parameters that are more than a word (structs, lists, kernel arguments) have it alone. The library is
compiled once, by the compiler of the CPU runtime; without one, calls go through Python as ever.
"""

from __future__ import annotations

import ctypes
import functools
import sys

from cuda_shim import settings
from cuda_shim.errors import BackendNotFound
from cuda_shim.log import logger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cuda_shim.binding.functions.binding import Binding
    from cuda_shim.binding.untyped import AnyFunction, NativeFunction

__all__ = ["native_call"]


def native_call(binding: Binding, native: NativeFunction, python: AnyFunction) -> AnyFunction | None:
    """Return the function that takes the arguments of a call by position, None where there is `python` alone.

    Args:
        binding: the function.
        native: HIP's function, as ctypes has it.
        python: what serves the call with any arguments.
    """
    if not settings.current().compiled_calls:
        return None
    # It knows every kind of parameter, of which most programs need few.
    from cuda_shim.binding.native_calls.words import Word, words

    found = words(binding)
    make = None if found is None else _maker()
    if found is None or make is None:
        return None
    outcome, results = binding.outcome, len(binding.row.outputs)
    address = ctypes.cast(native, ctypes.c_void_p)  # type: ignore[arg-type]
    made: AnyFunction = make(
        address, (Word * len(found))(*found), len(found), len(binding.inputs), results, python,
        outcome.answers, outcome.failures, outcome.success, (outcome.success,),
    )  # fmt: skip
    return made


@functools.cache
def _maker() -> Any:
    """Return the library's function, None where there is no library."""
    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    from cuda_shim.binding.native_calls.build import ensure_library

    try:
        library = ctypes.PyDLL(ensure_library(settings.current()))
    except (BackendNotFound, OSError) as reason:
        logger().warning("calls go through Python, in spite of %s: %s", "compiled_calls", reason)
        return None
    make = library.cuda_shim_make_call
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int] * 3, *[ctypes.py_object] * 5]
    return make

"""Calls through a small C library instead of ctypes, unless the setting `compiled_calls` forbids it.

The Python function that its row makes stays, and is called for everything that the C side does not recognise at once;
functions that take lists, texts or structs have it alone. Released wheels hold the library; otherwise it is compiled
once, by the compiler of the CPU runtime, and without one calls go through Python.
"""

from __future__ import annotations

import ctypes
import functools
import sys

from cuda_shim import settings
from cuda_shim.binding import context_state
from cuda_shim.binding.c_arguments import as_argument
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.native_calls import argument_descriptors as descriptors
from cuda_shim.binding.native_calls.argument_descriptors import ArgumentDescriptor
from cuda_shim.errors import BackendNotFound
from cuda_shim.log import logger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.functions.binding import Binding
    from cuda_shim.binding.outcome import Outcome
    from cuda_shim.binding.untyped import AnyCType, AnyFunction, NativeFunction

__all__ = ["native_call", "native_status"]


def native_call(
    binding: Binding,
    native: NativeFunction,
    python: AnyFunction,
    *,
    minds_context: bool,
    watched: tuple[int, int] | None = None,
) -> AnyFunction | None:
    """Return the function that takes the arguments of a call by position, None where there is `python` alone.

    Args:
        binding: the function.
        native: HIP's function, as ctypes has it.
        python: the function that serves the call with any arguments.
        minds_context: True if `python` is called in threads that are not known to have a current context.
        watched: the place of an int in the struct that HIP writes, and a number; `python` serves calls in which HIP
            writes that number, and calls that fail. It calls HIP once more, so this is for queries.
    """
    make = _maker()
    arguments = None if make is None else _descriptors(binding)
    if make is None or arguments is None:
        return None
    if watched is not None:
        (struct,) = [argument for argument in arguments if argument.kind == descriptors.STRUCT_RESULT]
        descriptors.watch(struct, *watched)
    outcome, results = binding.outcome, len(binding.row.outputs)
    call: AnyFunction = make(arguments, len(binding.inputs), results, native, python, outcome, minds_context)
    return call


def native_status(binding: Binding, name: str, *argtypes: AnyCType) -> NativeFunction:
    """Return a C function of the loaded library for an adapter's most frequent call, as `Binding.native` does.

    The types are integers, and pointers, for which ctypes arrays are passed.
    """
    native, make = binding.native(name, *map(as_argument, argtypes)), _maker()
    if make is None:
        return native
    arguments = [
        descriptors.describe(descriptors.NUMBER, at, _INTEGERS[ctype])
        if ctype in _INTEGERS
        else descriptors.array_argument(at)
        for at, ctype in enumerate(argtypes)
    ]
    call: NativeFunction = make(
        arguments, len(arguments), descriptors.STATUS_ALONE, native, native, binding.outcome, False
    )
    return call


def _descriptors(binding: Binding) -> list[ArgumentDescriptor] | None:
    """Return the descriptors of a function that its row describes; None where one of its parameters has none."""
    if binding.row.call is not None:
        return None
    inputs = [bound.name for bound in binding.inputs]
    outputs = [parameter.name for parameter in binding.row.outputs]
    arguments: list[ArgumentDescriptor] = []
    for name, bound in binding.parameters.items():
        mode = bound.parameter.mode
        if mode == "in":
            descriptor = bound.argument_descriptor(inputs.index(name))
        elif mode in ("out", "spare"):
            descriptor = bound.result_descriptor(outputs.index(name) + 1 if mode == "out" else -1)
        else:
            descriptor = None
        if descriptor is None:
            return None
        arguments.append(descriptor)
    return arguments if len(arguments) <= _MAX_ARGUMENTS else None


_MAX_ARGUMENTS = 12
_INTEGERS = {integer.ctype: integer for integer in C_INTEGERS.values()}


def _maker() -> AnyFunction | None:
    """Return the maker of compiled calls, None where there is no library or the setting forbids it."""
    return None if settings.current().compiled_calls == "0" else _library_maker()


@functools.cache
def _library_maker() -> AnyFunction | None:
    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    from cuda_shim.binding.native_calls.build import ensure_library

    try:
        library = ctypes.PyDLL(ensure_library(settings.current()))
    except (BackendNotFound, OSError) as reason:
        if settings.current().compiled_calls == "1":
            logger().warning("calls go through Python, in spite of compiled_calls: %s", reason)
        return None
    make = library.cuda_shim_make_call
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int] * 4, *[ctypes.py_object] * 5]
    library.cuda_shim_mark_thread.restype = None
    context_state.connect_compiled_calls(library.cuda_shim_mark_thread)

    def maker(
        arguments: list[ArgumentDescriptor], inputs: int, results: int, native: NativeFunction, python: AnyFunction,
        outcome: Outcome, minds_context: bool,
    ) -> AnyFunction:  # fmt: skip
        """Return the function: `native` is called where the descriptors fit the arguments, `python` elsewhere."""
        address = ctypes.cast(native, ctypes.c_void_p)  # type: ignore[arg-type]
        call: AnyFunction = make(
            address, (ArgumentDescriptor * len(arguments))(*arguments), len(arguments), inputs, results, minds_context,
            python, outcome.answers, outcome.failures, outcome.success, (outcome.success,),
        )  # fmt: skip
        return call

    return maker

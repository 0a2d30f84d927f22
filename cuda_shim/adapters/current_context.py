"""Checks in front of calls that need a current context, while none is known to be.

A context that an argument brings along will do: that of a stream other than the default ones, or one that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cuda_shim.adapters.context_stack import context_stack
from cuda_shim.binding import context_state
from cuda_shim.binding.arguments import address
from cuda_shim.binding.functions import Binding
from cuda_shim.mapping.rows import FunctionRow

__all__ = ["begin", "require"]

_Outcome = tuple[Any, ...]


def require(binding: Binding) -> Callable[..., _Outcome | None]:
    """Return the check that a call has a context: it gives the tuple of the failure, None if there is one."""
    stack, brought, row = context_stack(), _brings_context(binding.row), binding.row

    def refuse(*arguments: Any) -> _Outcome | None:
        if stack.has_context():
            return None
        if brought(arguments) or (row.uninitialized is not None and context_state.are_null(arguments)):
            return None  # null arguments are an error of the call itself, reported first
        return binding.outcome.named("CUDA_ERROR_INVALID_CONTEXT")

    return refuse


def begin() -> Callable[..., None]:
    """Return the call that makes the device's primary context current, as the runtime does, if none is."""
    stack = context_stack()

    def start(*_: Any) -> None:
        if not stack.is_set():
            context_state.begin_of_runtime()
        context_state.note_context()

    return start


def _brings_context(row: FunctionRow) -> Callable[[Sequence[Any]], bool]:
    """Return the predicate of arguments that bring a context along."""
    bringing = context_state.context_bringing([parameter.base for parameter in row.inputs])
    if bringing is None:
        return lambda _: False
    at, base = bringing

    def brings(arguments: Sequence[Any]) -> bool:
        try:
            if base == "CUcontext":
                return address(arguments[at]) != 0
            stream = arguments[at].hStream if base == "CUlaunchConfig" else arguments[at]
            return address(stream) not in context_state.DEFAULT_STREAMS
        except (TypeError, ValueError, OverflowError, AttributeError):
            return True  # the call itself reports the wrong argument

    return brings

"""Calls of the driver before cuInit, which answer that the driver is not initialised."""

from __future__ import annotations

from cuda_shim.binding import context_state
from cuda_shim.binding.context_state import are_null

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.functions.binding import Binding
    from cuda_shim.binding.untyped import AnyFunction, RowObject

__all__ = ["before_initialization"]

_SUCCESS = "CUDA_SUCCESS"


def before_initialization(binding: Binding, bind: AnyFunction, body: AnyFunction) -> AnyFunction | None:
    """Return the function that serves a driver call made before cuInit, None where the function's own body does.

    Args:
        binding: the function.
        bind: gives the function a body for good, and returns it.
        body: returns another function, with the body that the function is to have.
    """
    if binding.api == "runtime":
        if binding.row.context is None:
            context_state.note_runtime()
        else:
            context_state.initialize()
        return None
    if context_state.is_initialized():
        return None
    if binding.row.name == "cuInit":
        return _initializing(bind, body)
    if binding.api != "driver" or binding.row.uninitialized == _SUCCESS:
        return None
    return _refusing(binding)


def _initializing(bind: AnyFunction, body: AnyFunction) -> AnyFunction:
    def initialize(flags: RowObject) -> tuple[RowObject, ...]:
        made = body()
        answer: tuple[RowObject, ...] = made(flags)
        if not int(answer[0]):
            # Before the function is bound: from then on other threads' calls of it do not pass here, and where they
            # succeed, those threads must find the driver initialised.
            context_state.initialize()
        # Wrong flags leave the function as it is, for the call that succeeds. The bound one is heard by listeners.
        return bind(made)(flags) if flags == 0 else answer

    return initialize


def _refusing(binding: Binding) -> AnyFunction:
    from cuda_shim.binding.functions.checks import checks

    row, named = binding.row, binding.outcome.named
    check = checks(binding) if row.adapter is None and row.provided is None else None  # adapters check for themselves

    def refuse(*arguments: RowObject) -> tuple[RowObject, ...]:
        if check is not None:
            check(*arguments)
        # The driver checks some arguments first: null ones are an error of their own.
        if row.uninitialized is not None and are_null(arguments):
            return named(row.uninitialized)
        return named("CUDA_ERROR_NOT_INITIALIZED")

    return refuse

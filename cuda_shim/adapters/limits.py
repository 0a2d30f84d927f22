"""Limits of a context or device: the buffer of printf, whose size AMD's runtime lets no program choose.

Where HIP has no such limit, it is the program's to set and to read, and changes nothing: a hint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.context_stack import context_stack
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call

__all__ = ["get", "set_to"]

_PRINTF_BUFFER = 1  # CU_LIMIT_PRINTF_FIFO_SIZE, cudaLimitPrintfFifoSize
_UNSUPPORTED_LIMIT = 215  # CUDA_ERROR_UNSUPPORTED_LIMIT, cudaErrorUnsupportedLimit
_PRINTF_BYTES = 1 << 20  # as CUDA's begins
_chosen: dict[int, int] = {}
"""The bytes that the program chose, by device."""


def get(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuCtxGetLimit, cudaDeviceGetLimit; HIP's is hipDeviceGetLimit."""
    generated, stack, success = generated_call(binding), context_stack(), binding.outcome.success

    def ask(limit: Any) -> tuple[Any, ...]:
        answer = generated(limit)
        if answer[0] == _UNSUPPORTED_LIMIT and limit == _PRINTF_BUFFER:
            return success, _chosen.get(stack.device(), _PRINTF_BYTES)
        return answer

    return ask


def set_to(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuCtxSetLimit, cudaDeviceSetLimit; HIP's is hipDeviceSetLimit."""
    generated, stack, success = generated_call(binding), context_stack(), binding.outcome.success

    def change(limit: Any, value: Any) -> tuple[Any, ...]:
        answer = generated(limit, value)
        if answer[0] == _UNSUPPORTED_LIMIT and limit == _PRINTF_BUFFER:
            _chosen[stack.device()] = int(value)
            return (success,)
        return answer

    return change

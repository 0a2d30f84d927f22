"""Green contexts of the driver: CUDA wants default streams and streams that do not block, HIP leaves both open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["create", "create_stream"]

_Call = Callable[..., tuple[Any, ...]]

_DEFAULT_STREAM = 1  # CU_GREEN_CTX_DEFAULT_STREAM
_NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING


def create(binding: Binding) -> _Call:
    """cuGreenCtxCreate; HIP's is hipGreenCtxCreate, where the flag of default streams may be left out."""
    call, outcome, number = generated_call(binding), binding.outcome, C_INTEGERS["unsigned int"].check

    def make(desc: Any, dev: Any, flags: Any) -> tuple[Any, ...]:
        return call(desc, dev, flags) if number(flags) == _DEFAULT_STREAM else outcome.invalid()

    return make


def create_stream(binding: Binding) -> _Call:
    """cuGreenCtxStreamCreate; HIP's is hipExecutionCtxStreamCreate, which makes blocking streams as well."""
    call, outcome, number = generated_call(binding), binding.outcome, C_INTEGERS["unsigned int"].check

    def make(context: Any, flags: Any, priority: Any) -> tuple[Any, ...]:
        if address(context) and number(flags) != _NON_BLOCKING:
            return outcome.invalid()
        return call(context, flags, priority)

    return make

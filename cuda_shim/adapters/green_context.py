"""Green contexts of the driver: CUDA wants default streams and streams that do not block, HIP leaves both open."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["OfStreams", "create", "create_runtime_stream", "create_stream", "of_stream"]

_Call = Callable[..., tuple[Any, ...]]

_DEFAULT_STREAM = 1  # CU_GREEN_CTX_DEFAULT_STREAM
_NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING
_contexts: dict[int, tuple[int, int]] = {}
"""The green contexts of streams by the streams' handles, which HIP does not report, each behind the stream's number.

A later stream may have the same handle, but not the same number.
"""


class OfStreams:
    """The green contexts of streams, as the calls that create the streams note them."""

    def __init__(self, binding: Binding) -> None:
        self._stream_id = binding.native("hipStreamGetId", ctypes.c_void_p, ctypes.c_void_p)

    def note(self, stream: Any, context: Any) -> None:
        """Note a new stream of a green context."""
        handle = address(stream)
        status, number = self._number(handle)
        if not status:
            _contexts[handle] = number, address(context)

    def find(self, stream: Any) -> tuple[int, int]:
        """Return HIP's status, and the green context of a stream, 0 if it has none."""
        handle = address(stream)
        status, number = self._number(handle)
        noted = _contexts.get(handle)
        return status, noted[1] if noted and noted[0] == number else 0

    def _number(self, handle: int) -> tuple[int, int]:
        number = ctypes.c_ulonglong()
        return self._stream_id(handle, ctypes.byref(number)), number.value


def create(binding: Binding) -> _Call:
    """cuGreenCtxCreate; HIP's is hipGreenCtxCreate, where the flag of default streams may be left out."""
    call, outcome, number = generated_call(binding), binding.outcome, C_INTEGERS["unsigned int"].check

    def make(desc: Any, dev: Any, flags: Any) -> tuple[Any, ...]:
        return call(desc, dev, flags) if number(flags) == _DEFAULT_STREAM else outcome.invalid()

    return make


def create_stream(binding: Binding) -> _Call:
    """cuGreenCtxStreamCreate; HIP's is hipExecutionCtxStreamCreate, which makes blocking streams as well."""
    call, outcome, number = create_runtime_stream(binding), binding.outcome, C_INTEGERS["unsigned int"].check

    def make(context: Any, flags: Any, priority: Any) -> tuple[Any, ...]:
        if address(context) and number(flags) != _NON_BLOCKING:
            return outcome.invalid()
        return call(context, flags, priority)

    return make


def create_runtime_stream(binding: Binding) -> _Call:
    """cudaExecutionCtxStreamCreate; HIP does not report the context of the stream later."""
    call, contexts = generated_call(binding), OfStreams(binding)

    def make(context: Any, flags: Any, priority: Any) -> tuple[Any, ...]:
        answer = call(context, flags, priority)
        if not answer[0]:
            contexts.note(answer[1], context)
        return answer

    return make


def of_stream(binding: Binding) -> _Call:
    """cuStreamGetGreenCtx; HIP has no such call."""
    outcome, contexts, context_class = binding.outcome, OfStreams(binding), binding.class_of("CUgreenCtx")

    def get(stream: Any) -> tuple[Any, ...]:
        status, context = contexts.find(stream)
        return outcome.failed(status) if status else (outcome.success, context_class(context))

    return get

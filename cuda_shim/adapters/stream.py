"""The context of a stream: HIP reports only the device of a stream."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.green_context import OfStreams
from cuda_shim.binding.arguments import address
from cuda_shim.binding.functions import Binding

__all__ = ["context"]


def context(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuStreamGetCtx, and cuStreamGetCtx_v2, which reports a green context as well.

    The current context when it is on the stream's device, else the primary context of that device.
    """
    outcome, pointer, integer = binding.outcome, ctypes.c_void_p, ctypes.c_int
    stream_device = binding.native(binding.row.hip or "", pointer, pointer)
    current_context = binding.native("hipCtxGetCurrent", pointer)
    current_device = binding.native("hipGetDevice", pointer)
    retain = binding.native("hipDevicePrimaryCtxRetain", pointer, integer)
    release = binding.native("hipDevicePrimaryCtxRelease", integer)
    context_class = binding.class_of("CUcontext")
    green_contexts, green_class = None, None
    if len(binding.row.outputs) > 1:
        green_contexts, green_class = OfStreams(binding), binding.class_of("CUgreenCtx")

    def primary(device: int, context: Any) -> int:
        status = retain(ctypes.byref(context), device)
        return status or release(device)

    def get(stream: Any) -> tuple[Any, ...]:
        device, here, context = integer(), integer(), pointer()
        status = stream_device(address(stream), ctypes.byref(device)) or current_context(ctypes.byref(context))
        if not status:
            status = current_device(ctypes.byref(here))
        if not status and (here.value != device.value or not context.value):
            status = primary(device.value, context)
        if status:
            return outcome.failed(status)
        answer = outcome.success, context_class(context.value or 0)
        if green_contexts is None or green_class is None:
            return answer
        status, green = green_contexts.find(stream)
        return outcome.failed(status) if status else (*answer, green_class(green))

    return get

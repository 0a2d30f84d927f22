"""Primary contexts: the number of holders of one, its flags, and the end of a device's memory.

AMD's runtime counts no holders, keeps a device's flags with the device alone, and frees nothing by
hipDevicePrimaryCtxReset; hipDeviceReset does. A device's memory may be that of any user of HIP in the process, and HIP
does not name the owner, so the last release frees nothing; a reset frees it, as cudaDeviceReset does.
"""

from __future__ import annotations

import ctypes
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.context_stack import context_stack, has_created_contexts
from cuda_shim.binding import context_state
from cuda_shim.binding.arguments import number
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.handles import handle_number
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["get_state", "release", "reset", "reset_device", "retain", "set_device_flags", "set_flags"]

_Call = Callable[..., tuple[Any, ...]]

_lock = threading.Lock()
_holders: Counter[int] = Counter()
"""The number of retains of each device's primary context."""
_with_flags: set[int] = set()
"""The devices whose flags the program has set; HIP's own choice for the others is not CUDA's."""


def retain(binding: Binding) -> _Call:
    """cuDevicePrimaryCtxRetain; HIP's is hipDevicePrimaryCtxRetain."""
    outcome, context, device_of = binding.outcome, binding.class_of("CUcontext"), _device(binding)
    hip = binding.hip

    def hold(dev: Any) -> tuple[Any, ...]:
        device = device_of(dev)
        status, handle = hip(device)
        if status:
            return outcome.failed(status)
        with _lock:
            _holders[device] += 1
        return outcome.success, context(number(handle))

    return hold


def release(binding: Binding) -> _Call:
    """cuDevicePrimaryCtxRelease: an error where nothing holds the context. It frees no memory."""
    outcome, device_of, hip = binding.outcome, _device(binding), binding.hip
    exists = binding.native("hipDeviceGet", ctypes.c_void_p, ctypes.c_int)
    report_end = _reporter_of_end(binding)

    def let_go(dev: Any) -> tuple[Any, ...]:
        device = device_of(dev)
        status = exists(ctypes.byref(ctypes.c_int()), device)
        if status:
            return outcome.failed(status)
        with _lock:
            if not _holders[device]:
                return outcome.named("CUDA_ERROR_INVALID_CONTEXT")
            _holders[device] -= 1
            is_last = not _holders[device]
        if is_last:
            report_end(device)
        (status,) = hip(device)
        return outcome.failed(status) if status else (outcome.success,)

    return let_go


def reset(binding: Binding) -> _Call:
    """cuDevicePrimaryCtxReset, as hipDeviceReset on that device.

    HIP has one context a device: as long as a context lives that the program created there, its memory stays, and the
    call waits for the device's work.
    """
    outcome, device_of, stack = binding.outcome, _device(binding), context_stack()
    reset_current, wait = binding.native("hipDeviceReset"), binding.native("hipDeviceSynchronize")
    report_end = _reporter_of_end(binding)

    def clear(dev: Any) -> tuple[Any, ...]:
        device = device_of(dev)
        report_end(device)
        status = stack.inside_primary(device, wait if has_created_contexts(device) else reset_current)
        if status:
            return outcome.failed(status)
        _with_flags.discard(device)
        return (outcome.success,)

    return clear


def reset_device(binding: Binding) -> _Call:
    """cudaDeviceReset; HIP's is hipDeviceReset."""
    generated, stack, report_end = generated_call(binding), context_stack(), _reporter_of_end(binding)

    def clear() -> tuple[Any, ...]:
        report_end(stack.device())
        _with_flags.discard(stack.device())
        return generated()

    return clear


def get_state(binding: Binding) -> _Call:
    """cuDevicePrimaryCtxGetState: the flags that were set, and whether the program or the runtime's calls use it."""
    outcome, device_of, stack = binding.outcome, _device(binding), context_stack()
    integer, pointer = ctypes.c_int, ctypes.c_void_p
    state = binding.native(binding.row.hip or "", integer, pointer, pointer)
    get_flags = binding.native("hipGetDeviceFlags", pointer)

    def get(dev: Any) -> tuple[Any, ...]:
        device, flags, used = device_of(dev), ctypes.c_uint(), integer()
        status = state(device, ctypes.byref(flags), ctypes.byref(used))
        if not status and device in _with_flags:
            status = stack.inside_primary(device, lambda: get_flags(ctypes.byref(flags)))
        if status:
            return outcome.failed(status)
        begun = context_state.runtime_in_use() and (bool(used.value) or stack.device() == device)
        chosen = flags.value if device in _with_flags else 0
        return outcome.success, chosen, int(_holders[device] > 0 or begun)

    return get


def set_flags(binding: Binding) -> _Call:
    """cuDevicePrimaryCtxSetFlags, as the flags of the device: HIP's own call refuses a context in use."""
    outcome, device_of, stack = binding.outcome, _device(binding), context_stack()
    assign, number_of = binding.native(binding.row.hip or "", ctypes.c_uint), C_INTEGERS["unsigned int"].check

    def change(dev: Any, flags: Any) -> tuple[Any, ...]:
        device, chosen = device_of(dev), number_of(flags)
        status = stack.inside_primary(device, lambda: assign(chosen))
        if status:
            return outcome.failed(status)
        _with_flags.add(device)
        return (outcome.success,)

    return change


def set_device_flags(binding: Binding) -> _Call:
    """cudaSetDeviceFlags, cuCtxSetFlags; HIP's is hipSetDeviceFlags."""
    generated, stack = generated_call(binding), context_stack()

    def change(flags: Any) -> tuple[Any, ...]:
        answer = generated(flags)
        if not answer[0]:
            _with_flags.add(stack.device())
        return answer

    return change


def _reporter_of_end(binding: Binding) -> Callable[[int], None]:
    """Return a function that reports that the primary context of a device is about to end."""
    retain_hip = binding.native("hipDevicePrimaryCtxRetain", ctypes.c_void_p, ctypes.c_int)
    release_hip = binding.native("hipDevicePrimaryCtxRelease", ctypes.c_int)

    def report(device: int) -> None:
        handle = ctypes.c_void_p()
        if context_state.has_listeners_to_ends() and not retain_hip(ctypes.byref(handle), device):
            context_state.context_ends(handle.value or 0)
            release_hip(device)

    return report


def _device(binding: Binding) -> Callable[[Any], int]:
    return handle_number(binding.class_of("CUdevice").__handle__)

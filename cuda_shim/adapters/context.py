"""Contexts: creating them in CUDA's three forms, and CUDA's queries of one that is not current."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.context_stack import ContextStack, context_stack
from cuda_shim.binding import context_state
from cuda_shim.binding.arguments import address, require_type
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.handles import handle_number
from cuda_shim.binding.integers import C_INTEGERS

__all__ = [
    "api_version",
    "create",
    "current",
    "current_device",
    "destroy",
    "device",
    "disable_peer_access",
    "enable_peer_access",
    "no_persisting_cache",
    "pop",
    "push",
    "set_current",
    "synchronize",
]

# The API version of every context of a driver since CUDA 3.2.
_API_VERSION = 3020
_SCHEDULING, _MAP_HOST, _LMEM_RESIZE_TO_MAX = 7, 8, 16  # CUctx_flags, which HIP numbers alike
_INVALID_VALUE, _INVALID_DEVICE = 1, 101  # of hipCtxCreate where there is no such device, by runtime
_Call = Callable[..., tuple[Any, ...]]


def create(binding: Binding) -> _Call:
    """cuCtxCreate in the form of the layout served, cuCtxCreate_v3, cuCtxCreate_v4; HIP's is hipCtxCreate."""
    outcome, stack, context = binding.outcome, context_stack(), binding.class_of("CUcontext")
    device_number = handle_number(binding.class_of("CUdevice").__handle__)
    flags_number = C_INTEGERS["unsigned int"].check

    def make(flags: Any, dev: Any) -> tuple[Any, ...]:
        device, chosen = device_number(dev), flags_number(flags)
        if not _are_flags(chosen):
            return outcome.invalid()
        status, handle = stack.create(chosen, device)
        if status in (_INVALID_VALUE, _INVALID_DEVICE):
            return outcome.named("CUDA_ERROR_INVALID_DEVICE")
        return outcome.failed(status) if status else (outcome.success, context(handle))

    def refuse() -> tuple[Any, ...]:
        # An affinity or a partition that is asked for and not given would be a silent difference.
        return outcome.refused(Refused("a context with creation parameters has no HIP counterpart", supported=False))

    def with_list(affinities: Any, count: Any, flags: Any, dev: Any) -> tuple[Any, ...]:
        return refuse() if check_affinities(affinities, 0) or count else make(flags, dev)

    def with_parameters(parameters: Any, flags: Any, dev: Any) -> tuple[Any, ...]:
        if dev is None and binding.row.name == "cuCtxCreate":
            # The form of CUDA 11 and 12, which programs still use: (flags, dev).
            return make(parameters, flags)
        if parameters is not None:
            require_type("ctxCreateParams", binding.class_of("CUctxCreateParams"), parameters)
            if any(parameters.__storage__.memory.raw):
                return refuse()
        return make(flags, dev)

    inputs = binding.row.inputs
    if len(inputs) == 2:
        return make
    if inputs[0].name == "ctxCreateParams":
        return with_parameters
    from cuda_shim.binding.lists import check_list  # for a form of the call that few programs use

    check_affinities = check_list("paramsArray", "CUexecAffinityParam", binding.catalogue.scope("driver"))
    return with_list


def _are_flags(flags: int) -> bool:
    """Return whether flags are those of HIP, with one way of scheduling at most."""
    scheduling = flags & _SCHEDULING
    return not flags & ~(_SCHEDULING | _MAP_HOST | _LMEM_RESIZE_TO_MAX) and not scheduling & (scheduling - 1)


def destroy(binding: Binding) -> _Call:
    """cuCtxDestroy: a null context is an invalid value, and one that was never created, or is destroyed, invalid."""

    def ending(stack: ContextStack) -> Callable[[int], int]:
        def end(context: int) -> int:
            context_state.context_ends(context)
            return stack.destroy(context)

        return end

    return _stack_change(binding, ending, refuse_null=True)


def push(binding: Binding) -> _Call:
    """cuCtxPushCurrent: a null context is an invalid value, where HIP sees an invalid context."""
    return _stack_change(binding, lambda stack: stack.push, refuse_null=True)


def set_current(binding: Binding) -> _Call:
    """cuCtxSetCurrent: a null context takes the current one off the stack."""
    return _stack_change(binding, lambda stack: stack.replace, refuse_null=False)


def _stack_change(
    binding: Binding, change: Callable[[ContextStack], Callable[[int], int]], *, refuse_null: bool
) -> _Call:
    outcome, hip = binding.outcome, change(context_stack())
    success = (outcome.success,)

    def call(ctx: Any) -> tuple[Any, ...]:
        context = address(ctx)
        if refuse_null and not context:
            return outcome.invalid()
        status = hip(context)
        return outcome.failed(status) if status else success

    return call


def pop(binding: Binding) -> _Call:
    """cuCtxPopCurrent; HIP's is hipCtxPopCurrent."""
    outcome, stack, context = binding.outcome, context_stack(), binding.class_of("CUcontext")

    def take() -> tuple[Any, ...]:
        status, popped = stack.pop()
        return outcome.failed(status) if status else (outcome.success, context(popped))

    return take


def current(binding: Binding) -> _Call:
    """cuCtxGetCurrent: null where no context was made current, and no call of the runtime has begun one."""
    context, is_set, generated = binding.class_of("CUcontext"), _CurrentContextTest(), generated_call(binding)
    none = (binding.outcome.success, context(0))

    def get() -> tuple[Any, ...]:
        return generated() if is_set() else none

    return get


def current_device(binding: Binding) -> _Call:
    """cuCtxGetDevice, which without a current context has no answer."""
    outcome, is_set, generated = binding.outcome, _CurrentContextTest(), generated_call(binding)
    return lambda: generated() if is_set() else outcome.named("CUDA_ERROR_INVALID_CONTEXT")


class _CurrentContextTest:
    """Test for a current context of the thread by CUDA's rules. HIP always has one, but none on its stack."""

    def __init__(self) -> None:
        self._stack = context_stack()

    def __call__(self) -> bool:
        return context_state.thread.has_context or self._stack.has_context()


def api_version(binding: Binding) -> _Call:
    """cuCtxGetApiVersion: CUDA's number for any context; HIP's counts its own interface."""
    answer = (binding.outcome.success, _API_VERSION)

    def get(ctx: Any) -> tuple[Any, ...]:
        address(ctx)
        return answer

    return get


def no_persisting_cache(binding: Binding) -> _Call:
    """cuCtxResetPersistingL2Cache, cudaCtxResetPersistingL2Cache: HIP keeps no lines in a cache for good."""
    answer = (binding.outcome.success,)
    return lambda: answer


def device(binding: Binding) -> _Call:
    """cuCtxGetDevice_v2: the device of any context; that of the current one for None."""
    outcome, device_class, while_current = (
        binding.outcome,
        binding.class_of("CUdevice"),
        context_stack().while_current,
    )
    device_here = _device_here(binding)

    def get(ctx: Any) -> tuple[Any, ...]:
        status, number = while_current(address(ctx), device_here, lambda status: (status, 0))
        return outcome.failed(status) if status else (outcome.success, device_class(number))

    return get


def synchronize(binding: Binding) -> _Call:
    """cuCtxSynchronize_v2: wait for all work of any context; for that of the current one for None."""
    synchronize_device = binding.native("hipDeviceSynchronize")  # unlocks the interpreter while it waits
    outcome, while_current = binding.outcome, context_stack().while_current

    def wait(ctx: Any) -> tuple[Any, ...]:
        status = while_current(address(ctx), synchronize_device, int)
        return outcome.failed(status) if status else (outcome.success,)

    return wait


def enable_peer_access(binding: Binding) -> _Call:
    """cuCtxEnablePeerAccess: access from the current context to the memory of another one's device."""
    return _peer(binding, binding.hip_python.hip.hipDeviceEnablePeerAccess)


def disable_peer_access(binding: Binding) -> _Call:
    """cuCtxDisablePeerAccess."""
    return _peer(binding, binding.hip_python.hip.hipDeviceDisablePeerAccess)


def _peer(binding: Binding, hip: Callable[..., Any]) -> _Call:
    outcome, while_current, device_here = binding.outcome, context_stack().while_current, _device_here(binding)

    def change(peer: Any, *flags: Any) -> tuple[Any, ...]:
        context = address(peer)
        if not context:
            return outcome.named("CUDA_ERROR_INVALID_CONTEXT")
        status, number = while_current(context, device_here, lambda status: (status, 0))
        if not status:
            status, *_ = hip(number, *flags)
        return outcome.failed(status) if status else (outcome.success,)

    return change


def _device_here(binding: Binding) -> Callable[[], tuple[int, int]]:
    """HIP's status, and the current context's device."""
    native = binding.native("hipCtxGetDevice", ctypes.c_void_p)

    def get() -> tuple[int, int]:
        value = ctypes.c_int()
        return native(ctypes.byref(value)), value.value

    return get

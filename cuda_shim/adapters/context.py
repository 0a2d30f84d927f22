"""Contexts: creating them in CUDA's three forms, and what CUDA asks of one that is not current."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding import runtime_use
from cuda_shim.binding.arguments import address, number, require_type
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.handles import handle_number
from cuda_shim.binding.lists import check_list

__all__ = [
    "api_version",
    "create",
    "current",
    "current_device",
    "device",
    "disable_peer_access",
    "enable_peer_access",
    "no_persisting_cache",
    "refuse_null",
    "set_primary_flags",
    "synchronize",
]

# What every context of a driver since CUDA 3.2 answers.
_API_VERSION = 3020
_Call = Callable[..., tuple[Any, ...]]


def create(binding: Binding) -> _Call:
    """cuCtxCreate in the form of the layout served, cuCtxCreate_v3, cuCtxCreate_v4; HIP's is hipCtxCreate."""
    outcome, hip, context = binding.outcome, binding.hip, binding.class_of("CUcontext")
    device_number = handle_number(binding.class_of("CUdevice").__handle__)

    def make(flags: Any, dev: Any) -> tuple[Any, ...]:
        status, made = hip(flags, device_number(dev))
        return outcome.failed(status) if status else (outcome.success, context(number(made)))

    def refuse() -> tuple[Any, ...]:
        # An affinity or a partition that is asked for and not given would be a silent difference.
        return outcome.refused(Refused("a context with creation parameters has no HIP counterpart", supported=False))

    def with_list(affinities: Any, count: Any, flags: Any, dev: Any) -> tuple[Any, ...]:
        return refuse() if check_affinities(affinities, 0) or count else make(flags, dev)

    def with_parameters(parameters: Any, flags: Any, dev: Any) -> tuple[Any, ...]:
        if dev is None and binding.row.name == "cuCtxCreate":
            # The form of CUDA 11 and 12, which programs go on using: (flags, dev).
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
    check_affinities = check_list("paramsArray", "CUexecAffinityParam", binding.catalogue.scope("driver"))
    return with_list


def refuse_null(binding: Binding) -> _Call:
    """cuCtxDestroy, cuCtxPushCurrent: a null context is an invalid value, where HIP sees an invalid context."""
    outcome, generated = binding.outcome, generated_call(binding)
    return lambda ctx: generated(ctx) if address(ctx) else outcome.invalid()


def current(binding: Binding) -> _Call:
    """cuCtxGetCurrent: null where no context was made current, and no call of the runtime has begun one."""
    context, is_set, generated = binding.class_of("CUcontext"), _IsSet(binding), generated_call(binding)
    none = (binding.outcome.success, context(0))

    def get() -> tuple[Any, ...]:
        return generated() if runtime_use.in_use() or is_set() else none

    return get


def current_device(binding: Binding) -> _Call:
    """cuCtxGetDevice, which without a current context has no answer."""
    outcome, is_set, generated = binding.outcome, _IsSet(binding), generated_call(binding)
    return lambda: generated() if is_set() else outcome.named("CUDA_ERROR_INVALID_CONTEXT")


class _IsSet:
    """Whether the thread has a current context as CUDA counts. HIP always has one, but none on its stack to pop."""

    def __init__(self, binding: Binding) -> None:
        pointer = ctypes.c_void_p
        self._pop, self._push = (
            binding.native("hipCtxPopCurrent", pointer),
            binding.native("hipCtxPushCurrent", pointer),
        )

    def __call__(self) -> bool:
        if runtime_use.in_use():
            return True
        top = ctypes.c_void_p()
        if self._pop(ctypes.byref(top)):
            return False
        self._push(top)
        return True


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
    outcome, made = binding.outcome, binding.class_of("CUdevice")
    inside = _inside(binding, binding.hip_python.hip.hipCtxGetDevice)

    def get(ctx: Any) -> tuple[Any, ...]:
        status, *found = inside(address(ctx))
        return outcome.failed(status) if status else (outcome.success, made(found[0]))

    return get


def synchronize(binding: Binding) -> _Call:
    """cuCtxSynchronize_v2: wait for all work of any context; for that of the current one for None."""
    synchronize_device = binding.native("hipDeviceSynchronize")  # which unlocks the interpreter while it waits
    outcome, inside = binding.outcome, _inside(binding, lambda: (synchronize_device(),))

    def wait(ctx: Any) -> tuple[Any, ...]:
        status, *_ = inside(address(ctx))
        return outcome.failed(status) if status else (outcome.success,)

    return wait


def enable_peer_access(binding: Binding) -> _Call:
    """cuCtxEnablePeerAccess: access from the current context to the memory of another one's device."""
    return _peer(binding, binding.hip_python.hip.hipDeviceEnablePeerAccess)


def disable_peer_access(binding: Binding) -> _Call:
    """cuCtxDisablePeerAccess."""
    return _peer(binding, binding.hip_python.hip.hipDeviceDisablePeerAccess)


def set_primary_flags(binding: Binding) -> _Call:
    """cuDevicePrimaryCtxSetFlags, as the flags of the device: HIP's own call refuses a context in use."""
    outcome, hip = binding.outcome, binding.hip_python.hip
    device_number = handle_number(binding.class_of("CUdevice").__handle__)

    def assign(dev: Any, flags: Any) -> tuple[Any, ...]:
        status, current = hip.hipGetDevice()
        if not status:
            (status,) = hip.hipSetDevice(device_number(dev))
        if status:
            return outcome.failed(status)
        (status,) = hip.hipSetDeviceFlags(flags)
        hip.hipSetDevice(current)
        return outcome.failed(status) if status else (outcome.success,)

    return assign


def _peer(binding: Binding, hip: Callable[..., Any]) -> _Call:
    outcome, device_of = binding.outcome, _inside(binding, binding.hip_python.hip.hipCtxGetDevice)

    def change(peer: Any, *flags: Any) -> tuple[Any, ...]:
        context = address(peer)
        if not context:
            return outcome.named("CUDA_ERROR_INVALID_CONTEXT")
        status, *found = device_of(context)
        if not status:
            status, *_ = hip(found[0], *flags)
        return outcome.failed(status) if status else (outcome.success,)

    return change


def _inside(binding: Binding, call: Callable[..., tuple[Any, ...]]) -> Callable[[int], tuple[Any, ...]]:
    """`call` while a context is current, the thread's own one again afterwards; 0 stands for the current one."""
    hip = binding.hip_python.hip

    def run(context: int) -> tuple[Any, ...]:
        if not context:
            return call()
        (status,) = hip.hipCtxPushCurrent(context)
        if status:
            return (status,)
        try:
            return call()
        finally:
            hip.hipCtxPopCurrent()

    return run

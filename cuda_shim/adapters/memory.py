"""Allocations and queries whose limits CUDA and HIP draw differently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address, void_pointer
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["allocate", "allocate_managed", "allocate_pitch", "free_async", "host_flags"]

_PORTABLE, _DEVICE_MAP, _WRITE_COMBINED, _READ_ONLY = 1, 2, 4, 8
_ELEMENT_BYTES = (4, 8, 16)
_Call = Callable[..., tuple[Any, ...]]


def allocate(binding: Binding) -> _Call:
    """cuMemAlloc, cuMemAllocManaged: no bytes is an error, where HIP gives a null pointer."""
    outcome, generated, size = binding.outcome, generated_call(binding), C_INTEGERS["size_t"].check

    def make(bytesize: Any, *flags: Any) -> tuple[Any, ...]:
        return generated(bytesize, *flags) if size(bytesize) else outcome.invalid()

    return make


def allocate_managed(binding: Binding) -> _Call:
    """cudaMallocManaged: no bytes is no memory, as for cudaMalloc, where HIP and CUDA's driver see an error."""
    outcome, generated = binding.outcome, generated_call(binding)
    size, number = C_INTEGERS["size_t"].check, C_INTEGERS["unsigned int"].check

    def make(bytes_: Any, flags: Any) -> tuple[Any, ...]:
        if size(bytes_):
            return generated(bytes_, flags)
        number(flags)  # any value is allowed
        return outcome.success, 0

    return make


def allocate_pitch(binding: Binding) -> _Call:
    """cuMemAllocPitch: no bytes, no rows, or elements of another size than 4, 8 or 16 bytes are errors."""
    outcome, generated = binding.outcome, generated_call(binding)
    size, element = C_INTEGERS["size_t"].check, C_INTEGERS["unsigned int"].check

    def make(width: Any, height: Any, element_bytes: Any) -> tuple[Any, ...]:
        if not size(width) or not size(height) or element(element_bytes) not in _ELEMENT_BYTES:
            return outcome.invalid()
        return generated(width, height, element_bytes)

    return make


def free_async(binding: Binding) -> _Call:
    """cuMemFreeAsync, cudaFreeAsync: freeing the null pointer does nothing, where HIP sees an error."""
    outcome, generated = binding.outcome, generated_call(binding)

    number = address if binding.api == "driver" else void_pointer

    def free(pointer: Any, stream: Any) -> tuple[Any, ...]:
        return (outcome.success,) if number(pointer) == 0 else generated(pointer, stream)

    return free


def host_flags(binding: Binding) -> _Call:
    """cuMemHostGetFlags, cudaHostGetFlags.

    In one address space all pinned memory is mapped, which CUDA always reports; it is portable as well, which CUDA
    reports only of memory that was allocated or registered with that flag.
    """
    outcome, generated = binding.outcome, generated_call(binding)

    def get(pointer: Any) -> tuple[Any, ...]:
        answer = generated(pointer)
        if answer[0] != outcome.success:
            return answer
        return outcome.success, answer[1] & (_PORTABLE | _WRITE_COMBINED | _READ_ONLY) | _DEVICE_MAP

    return get

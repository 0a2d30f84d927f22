"""Fills with 32-bit words, and copies with attributes, which HIP knows in batches alone."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address, require_type
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.structs import array_to_hip

__all__ = ["fill_words", "with_attributes", "with_attributes_3d"]


def fill_words(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemsetD32, cuMemsetD32Async: the word is unsigned in CUDA and signed in HIP."""
    outcome = binding.outcome
    streams = (ctypes.c_void_p,) * (len(binding.row.inputs) - 3)
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t, *streams)

    def fill(destination: Any, value: Any, count: Any, *stream: Any) -> tuple[Any, ...]:
        status = native(address(destination), value, count, *map(address, stream))
        return outcome.failed(status) if status else (outcome.success,)

    return fill


def with_attributes(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemcpyWithAttributesAsync, cudaMemcpyWithAttributesAsync: a batch of one copy."""
    outcome, size = binding.outcome, C_INTEGERS["size_t"].check
    attributes_class = binding.class_of("CUmemcpyAttributes" if binding.api == "driver" else "cudaMemcpyAttributes")
    pointer, word = ctypes.c_void_p, ctypes.c_size_t
    native = binding.native(
        binding.row.hip or "", pointer, pointer, pointer, word, pointer, pointer, word, pointer, pointer
    )

    def copy(dst: Any, src: Any, count: Any, attributes: Any, stream: Any) -> tuple[Any, ...]:
        (target, to), (source, at) = memory_address(dst), memory_address(src)
        if attributes is None:
            return outcome.invalid()
        require_type("attr", attributes_class, attributes)
        try:
            array = array_to_hip([attributes])
        except Refused as refusal:
            return outcome.refused(refusal)
        one = [(pointer * 1)(to), (pointer * 1)(at), (word * 1)(size(count))]
        first, failed = (word * 1)(0), word()
        status = native(*one, 1, int(array or 0), first, 1, ctypes.byref(failed), address(stream))
        del target, source
        return outcome.failed(status) if status else (outcome.success,)

    return copy


def with_attributes_3d(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemcpy3DWithAttributesAsync, cudaMemcpy3DWithAttributesAsync: a batch of one copy."""
    outcome, flags_of = binding.outcome, C_INTEGERS["unsigned long long"].check
    operation_class = binding.class_of("CUDA_MEMCPY3D_BATCH_OP" if binding.api == "driver" else "cudaMemcpy3DBatchOp")
    pointer, word = ctypes.c_void_p, ctypes.c_size_t
    native = binding.native(binding.row.hip or "", word, pointer, pointer, ctypes.c_ulonglong, pointer)

    def copy(operation: Any, flags: Any, stream: Any) -> tuple[Any, ...]:
        if operation is None:
            return outcome.invalid()
        require_type("op", operation_class, operation)
        try:
            array = array_to_hip([operation])
        except Refused as refusal:
            return outcome.refused(refusal)
        failed = word()
        status = native(1, int(array or 0), ctypes.byref(failed), flags_of(flags), address(stream))
        return outcome.failed(status) if status else (outcome.success,)

    return copy

"""Memory of other APIs: its mipmapped arrays, which the driver and HIP describe differently."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address, require_type
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.structs import by_value

__all__ = ["mipmapped_array"]

# CUarray_format: bits of a channel, and the kind of its numbers, cudaChannelFormatKind.
_SIGNED, _UNSIGNED, _REAL = 0, 1, 2
_FORMATS = {
    0x01: (8, _UNSIGNED),
    0x02: (16, _UNSIGNED),
    0x03: (32, _UNSIGNED),
    0x08: (8, _SIGNED),
    0x09: (16, _SIGNED),
    0x0A: (32, _SIGNED),
    0x10: (16, _REAL),
    0x20: (32, _REAL),
}


def mipmapped_array(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuExternalMemoryGetMappedMipmappedArray; HIP's is hipExternalMemoryGetMappedMipmappedArray.

    HIP takes the runtime's description: channels by their bits instead of a format and a number of channels.
    """
    outcome, array_class = binding.outcome, binding.class_of("CUmipmappedArray")
    cuda_class = binding.class_of("CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC")
    description = binding.catalogue.class_of("cudaExternalMemoryMipmappedArrayDesc", "runtime")
    pointer = ctypes.c_void_p
    native = binding.native(binding.row.hip or "", pointer, pointer, pointer)

    def get(memory: Any, cuda: Any) -> tuple[Any, ...]:
        if cuda is None:
            return outcome.invalid()
        require_type("mipmapDesc", cuda_class, cuda)
        try:
            translated = _translated(cuda, description())
            place = by_value(translated)
        except Refused as refusal:
            return outcome.refused(refusal)
        cell = pointer()
        status = native(ctypes.byref(cell), address(memory), place)
        return outcome.failed(status) if status else (outcome.success, array_class(cell.value or 0))

    return get


def _translated(cuda: Any, hip: Any) -> Any:
    array = cuda.arrayDesc
    channel_format = _FORMATS.get(int(array.Format))
    if channel_format is None:
        raise Refused(f"{array.Format!r} has no HIP counterpart in external memory", supported=False)
    bits, kind = channel_format
    for index, channel in enumerate("xyzw"):
        setattr(hip.formatDesc, channel, bits if index < array.NumChannels else 0)
    hip.formatDesc.f = type(hip.formatDesc.f)(kind)
    hip.offset, hip.numLevels, hip.flags = cuda.offset, cuda.numLevels, array.Flags
    hip.extent.width, hip.extent.height, hip.extent.depth = array.Width, array.Height, array.Depth
    return hip

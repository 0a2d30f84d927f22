"""Texture objects: those of 32-bit integers, and the longest linear texture."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.enums.translation import require_constant
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.structs import by_value, duplicate

__all__ = ["create", "linear_max_width"]

_WORDS = ("CU_AD_FORMAT_UNSIGNED_INT32", "CU_AD_FORMAT_SIGNED_INT32")

_SIGNED, _UNSIGNED, _FLOAT = (
    "cudaChannelFormatKindSigned",
    "cudaChannelFormatKindUnsigned",
    "cudaChannelFormatKindFloat",
)
_CHANNELS = {
    "CU_AD_FORMAT_UNSIGNED_INT8": (8, _UNSIGNED),
    "CU_AD_FORMAT_UNSIGNED_INT16": (16, _UNSIGNED),
    "CU_AD_FORMAT_UNSIGNED_INT32": (32, _UNSIGNED),
    "CU_AD_FORMAT_SIGNED_INT8": (8, _SIGNED),
    "CU_AD_FORMAT_SIGNED_INT16": (16, _SIGNED),
    "CU_AD_FORMAT_SIGNED_INT32": (32, _SIGNED),
    "CU_AD_FORMAT_HALF": (16, _FLOAT),
    "CU_AD_FORMAT_FLOAT": (32, _FLOAT),
}


def create(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuTexObjectCreate: CUDA reads 32-bit integers as they are, with any flags; HIP wants a flag for that."""
    call, driver = generated_call(binding), binding.catalogue.object
    resource_class, sampling_class = binding.class_of("CUDA_RESOURCE_DESC"), binding.class_of("CUDA_TEXTURE_DESC")
    as_integer = int(driver("driver", "CU_TRSF_READ_AS_INTEGER"))
    words = [binding.class_of("CUarray_format").__members__[name] for name in _WORDS]
    format_of = _Formats(binding).format_of

    def make(resource: Any, sampling: Any, view: Any) -> tuple[Any, ...]:
        described = isinstance(resource, resource_class) and isinstance(sampling, sampling_class)
        if described and not sampling.flags & as_integer and format_of(resource) in words:
            as_numbers = duplicate(sampling)
            as_numbers.flags = sampling.flags | as_integer
            return call(resource, as_numbers, view)
        return call(resource, sampling, view)

    return make


class _Formats:
    """The format of a resource's elements."""

    def __init__(self, binding: Binding) -> None:
        kinds = binding.class_of("CUresourcetype").__members__
        self._array, self._mipmaps, self._linear, self._rows = (
            kinds[f"CU_RESOURCE_TYPE_{name}"] for name in ("ARRAY", "MIPMAPPED_ARRAY", "LINEAR", "PITCH2D")
        )
        self._describe = binding.catalogue.object("driver", "cuArray3DGetDescriptor")
        self._level = binding.catalogue.object("driver", "cuMipmappedArrayGetLevel")

    def format_of(self, resource: Any) -> Any:
        """Return a constant of CUarray_format; None where CUDA does not know the resource, or it has no format."""
        try:
            return self._format(resource)
        except ValueError:  # a member that holds no constant of its enum, for HIP to refuse
            return None

    def _format(self, resource: Any) -> Any:
        kind = resource.resType
        if kind == self._linear:
            return resource.res.linear.format
        if kind == self._rows:
            return resource.res.pitch2D.format
        if kind == self._mipmaps:
            return self._of_array(*self._level(resource.res.mipmap.hMipmappedArray, 0))
        return self._of_array(0, resource.res.array.hArray) if kind == self._array else None

    def _of_array(self, status: Any, array: Any) -> Any:
        if status:
            return None
        status, described = self._describe(array)
        return None if status else described.Format


def linear_max_width(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuDeviceGetTexture1DLinearMaxWidth; HIP has the runtime's form, which describes the format by its channels."""
    outcome, device_number = binding.outcome, C_INTEGERS["int"].check
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    formats = binding.class_of("CUarray_format")
    description_class = binding.catalogue.object("runtime", "cudaChannelFormatDesc")
    kinds = binding.catalogue.object("runtime", "cudaChannelFormatKind").__members__
    channels = {int(formats.__members__[name]): channel for name, channel in _CHANNELS.items()}

    def get(pformat: Any, count: Any, device: Any) -> tuple[Any, ...]:
        require_constant(formats, pformat=pformat)
        number, at = C_INTEGERS["unsigned int"].check(count), device_number(0 if device is None else device)
        if int(pformat) not in channels or number not in (1, 2, 4):
            return outcome.invalid()
        bits, kind = channels[int(pformat)]
        description = description_class()
        for index, component in enumerate("xyzw"):
            setattr(description, component, bits if index < number else 0)
        description.f = kinds[kind]
        width = ctypes.c_size_t()
        status = native(ctypes.byref(width), by_value(description), at)
        return outcome.failed(status) if status else (outcome.success, width.value)

    return get

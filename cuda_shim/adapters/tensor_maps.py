"""Tensor maps: the descriptions of tensors whose boxes kernels copy.

A map has 128 bytes, which programs may not look into. `cuda_shim/ptx_boxes.h` reads the layout that is written here.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cuda_shim.adapters import architecture
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.checks import checks
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["encode_im2col", "encode_tiled", "replace_address"]

# The map's bytes: address, last index of each axis, rank, type, interleave, swizzle, strides, box, steps of elements,
# fill, im2col's corners, whether it is one, mark.
_LAYOUT = struct.Struct("<Q5I4B4Q5H5BB3h3hB27xQ")
_MARK = 0x3170616D726F736E
_SIZES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)  # bytes of an element, by the number of its type
_INTEGER_TYPES = 6
_MAX_RANK = 5
_MAX_EXTENT, _MAX_STRIDE, _MAX_BOX, _MAX_STEP = 1 << 32, 1 << 40, 256, 8
_MAX_PIXELS = 1024
_SWIZZLED_BYTES = {1: 32, 2: 64, 3: 128}
_NO_INTERLEAVE, _BY_32_BYTES = 0, 2
_CORNER_BITS = {3: 16, 4: 8, 5: 5}
_NEEDS_9_0 = (
    "tensor maps describe copies of devices of compute capability 9.0: set CUDA_SHIM_CPU_COMPUTE_CAPABILITY=9.0 "
    "(run --cpu-compute-capability 9.0), which host cores serve, or load tiles with ordinary copies"
)


@dataclass(frozen=True)
class _TensorMap:
    """The arguments that both kinds of maps have, checked by `is_valid`."""

    kind: int
    rank: int
    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    steps: tuple[int, ...]
    interleave: int
    swizzle: int
    promotion: int
    fill: int

    def is_valid(self, inner_box: int) -> bool:
        """Return whether CUDA takes the arguments, where a box has so many elements along the innermost axis."""
        if not 0 <= self.kind < len(_SIZES):
            return False
        size, alignment = _SIZES[self.kind], 32 if self.interleave == _BY_32_BYTES else 16
        is_plain = self.interleave == _NO_INTERLEAVE
        inner_bytes = inner_box * size
        return (
            self.address != 0
            and self.address % alignment == 0
            and all(1 <= extent <= _MAX_EXTENT for extent in self.dims)
            and all(stride % alignment == 0 and 0 <= stride < _MAX_STRIDE for stride in self.strides)
            and all(1 <= step <= _MAX_STEP for step in self.steps)
            and (is_plain or self.rank >= 3)
            and inner_bytes % 16 == 0
            and (not is_plain or inner_bytes <= _SWIZZLED_BYTES.get(self.swizzle, inner_bytes))
            and (self.fill == 0 or self.kind >= _INTEGER_TYPES)
        )

    def encoded(self, box: Sequence[int], corners: tuple[Sequence[int], Sequence[int]] | None) -> bytes:
        """Return the map's bytes."""
        # The innermost axis has no step unless it is interleaved.
        steps = (1, *self.steps[1:]) if self.interleave == _NO_INTERLEAVE else self.steps
        low, high = corners or ((), ())
        return _LAYOUT.pack(
            self.address, *_filled([extent - 1 for extent in self.dims], _MAX_RANK), self.rank, self.kind,
            self.interleave, self.swizzle, *_filled(self.strides, _MAX_RANK - 1), *_filled(box, _MAX_RANK),
            *_filled(steps, _MAX_RANK), self.fill, *_filled(low, 3), *_filled(high, 3), corners is not None, _MARK,
        )  # fmt: skip


def encode_tiled(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuTensorMapEncodeTiled: a map for copies of boxes."""
    outcome, integer, check = binding.outcome, C_INTEGERS["unsigned int"].check, checks(binding)

    def serve(
        kind: Any, rank: Any, start: Any, dims: Any, strides: Any, box: Any, steps: Any, *modes: Any
    ) -> tuple[Any, ...]:
        check(kind, rank, start, dims, strides, box, steps, *modes)
        if not _is_served(binding):
            return outcome.refused(Refused(_NEEDS_9_0, supported=False))
        axes = integer(rank)
        if not 1 <= axes <= _MAX_RANK:
            return outcome.invalid()
        extents = _numbers(box, axes)
        tensor_map = _tensor_map(kind, axes, start, dims, strides, steps, modes)
        fits = extents is not None and all(1 <= extent <= _MAX_BOX for extent in extents)
        if extents is None or tensor_map is None or not fits or not tensor_map.is_valid(extents[0]):
            return outcome.invalid()
        return outcome.success, _filled_struct(binding, tensor_map.encoded(extents, None))

    return serve


def encode_im2col(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuTensorMapEncodeIm2col: a map for copies of columns of pixels."""
    outcome, integer, check = binding.outcome, C_INTEGERS["unsigned int"].check, checks(binding)

    def serve(
        kind: Any, rank: Any, start: Any, dims: Any, strides: Any, low: Any, high: Any,
        channels: Any, pixels: Any, steps: Any, *modes: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        check(kind, rank, start, dims, strides, low, high, channels, pixels, steps, *modes)
        if not _is_served(binding):
            return outcome.refused(Refused(_NEEDS_9_0, supported=False))
        axes, box = integer(rank), (integer(channels), integer(pixels))
        if axes not in _CORNER_BITS:
            return outcome.invalid()
        tensor_map = _tensor_map(kind, axes, start, dims, strides, steps, modes)
        corners = _numbers(low, axes - 2), _numbers(high, axes - 2)
        limit = 1 << _CORNER_BITS[axes] - 1
        fits = 1 <= box[0] <= _MAX_BOX and 1 <= box[1] <= _MAX_PIXELS
        if corners[0] is None or corners[1] is None or tensor_map is None or not fits:
            return outcome.invalid()
        boxes = zip(tensor_map.dims[1:], corners[0], corners[1], strict=False)
        fits = all(-limit <= corner < limit for corner in (*corners[0], *corners[1])) and all(
            extent + high_corner - low_corner > 0 for extent, low_corner, high_corner in boxes
        )
        if not fits or not tensor_map.is_valid(box[0]):
            return outcome.invalid()
        return outcome.success, _filled_struct(binding, tensor_map.encoded(box, (corners[0], corners[1])))

    return serve


def replace_address(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuTensorMapReplaceAddress: the same map for other memory."""
    outcome, check = binding.outcome, checks(binding)

    def serve(tensor_map: Any, start: Any) -> tuple[Any, ...]:
        check(tensor_map, start)
        if not _is_served(binding):
            return outcome.refused(Refused(_NEEDS_9_0, supported=False))
        place, new_address = _place(tensor_map), memory_address(start)[1]
        if not place:
            return outcome.invalid()
        buffer = (ctypes.c_char * _LAYOUT.size).from_address(place)
        fields = list(_LAYOUT.unpack(buffer.raw))
        alignment = 32 if fields[8] == _BY_32_BYTES else 16
        if fields[-1] != _MARK or not new_address or new_address % alignment:
            return outcome.invalid()
        fields[0] = new_address
        buffer.raw = _LAYOUT.pack(*fields)
        return (outcome.success,)

    return serve


def _is_served(binding: Binding) -> bool:
    return architecture.compute_capability(binding.hip_python) >= (9, 0)


def _tensor_map(
    kind: Any, axes: int, start: Any, dims: Any, strides: Any, steps: Any, modes: tuple[Any, ...]
) -> _TensorMap | None:
    """Return the common arguments; None if a list is too short."""
    numbers = _numbers(dims, axes), _numbers(strides, axes - 1), _numbers(steps, axes)
    if numbers[0] is None or numbers[1] is None or numbers[2] is None:
        return None
    interleave, swizzle, promotion, fill = (int(mode) for mode in modes)
    return _TensorMap(
        int(kind),
        axes,
        memory_address(start)[1],
        numbers[0],
        numbers[1],
        numbers[2],
        interleave,
        swizzle,
        promotion,
        fill,
    )


def _numbers(items: Any, count: int) -> tuple[int, ...] | None:
    numbers = tuple(int(item) for item in items or ())
    return numbers[:count] if len(numbers) >= count else None


def _place(tensor_map: Any) -> int:
    """Return the address of a program's map, 0 without one."""
    return 0 if tensor_map is None else int(tensor_map.getPtr())


def _filled(numbers: Sequence[int], count: int) -> list[int]:
    return [*numbers, *[0] * (count - len(numbers))]


def _filled_struct(binding: Binding, data: bytes) -> Any:
    tensor_map = binding.class_of("CUtensorMap")()
    ctypes.memmove(tensor_map.getPtr(), data, len(data))
    return tensor_map

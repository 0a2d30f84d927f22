"""Arrays: the description of a channel format, which CUDA makes without a status of its own, and copies of a run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

from cuda_shim.binding.arguments import address, require
from cuda_shim.binding.enums.translation import Refused, require_constant
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["channel_format", "copy_run", "destroy"]


def channel_format(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaCreateChannelDesc: bits of each of four channels and their kind, in one struct."""
    cls, kinds = binding.class_of("cudaChannelFormatDesc"), binding.class_of("cudaChannelFormatKind")

    def make(x: Any, y: Any, z: Any, w: Any, f: Any) -> tuple[Any, ...]:
        require_constant(kinds, f=f)
        descriptor = cls()
        for name, value in zip("xyzwf", (x, y, z, w, f), strict=True):
            setattr(descriptor, name, value)
        return binding.outcome.success, descriptor

    return make


def destroy(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """Free arrays: cudaFreeArray, cuArrayDestroy and their kin for mipmapped ones.

    A null array is nothing to free for the runtime, and no array for the driver. HIP takes it for a wrong value.
    """
    outcome, generated = binding.outcome, generated_call(binding)
    by_runtime = binding.row.name.startswith("cuda")
    null = (outcome.success,) if by_runtime else outcome.named("CUDA_ERROR_INVALID_HANDLE")
    return lambda array: generated(array) if address(array) else null


def copy_run(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaMemcpyArrayToArray: a number of bytes, row after row, from a place in one array to a place in another.

    HIP's hipMemcpy2DArrayToArray copies rectangles, of which a run is made here.
    """
    outcome, size, shapes = binding.outcome, C_INTEGERS["size_t"].check, _Shapes(binding)
    pointer, extent = ctypes.c_void_p, ctypes.c_size_t
    native = binding.native(
        binding.row.hip or "", pointer, extent, extent, pointer, extent, extent, extent, extent, ctypes.c_int
    )
    to_hip = binding.enums("cudaMemcpyKind").to_hip

    def copy(
        dst: Any, dst_x: Any, dst_y: Any, src: Any, src_x: Any, src_y: Any, count: Any, kind: Any
    ) -> tuple[Any, ...]:  # fmt: skip
        require(kind=kind)
        target, source = address(dst), address(src)
        places = [size(place) for place in (dst_x, dst_y, src_x, src_y)]
        left = size(count)
        try:
            direction = int(to_hip[kind])
        except Refused as refusal:
            return outcome.refused(refusal)
        status, dst_row, dst_rows = shapes.shape_of(target)
        if not status:
            status, src_row, src_rows = shapes.shape_of(source)
        if status:
            return outcome.failed(status)
        for at, row, rows in ((0, dst_row, dst_rows), (2, src_row, src_rows)):
            first = places[at + 1] * row + places[at]  # a row's end is followed by the next row
            if places[at] > row or first + left > rows * row:
                return outcome.invalid()
            places[at], places[at + 1] = first % row, first // row
        for (to_x, to_y, from_x, from_y), width, height in _rectangles(places, dst_row, src_row, left):
            status = native(target, to_x, to_y, source, from_x, from_y, width, height, direction)
            if status:
                return outcome.failed(status)
        return (outcome.success,)

    return copy


def _rectangles(
    places: list[int], dst_row: int, src_row: int, count: int
) -> Iterator[tuple[tuple[int, int, int, int], int, int]]:
    """Yield the rectangles of a run: their positions in both arrays, their width in bytes and their height."""
    to_x, to_y, from_x, from_y = places
    while count:
        whole_rows = to_x == from_x == 0 and dst_row == src_row and count >= dst_row
        width = dst_row if whole_rows else min(count, dst_row - to_x, src_row - from_x)
        height = count // dst_row if whole_rows else 1
        yield (to_x, to_y, from_x, from_y), width, height
        count -= width * height
        to_x, to_y = (to_x + width) % dst_row, to_y + (height if to_x + width == dst_row else 0)
        from_x, from_y = (from_x + width) % src_row, from_y + (height if from_x + width == src_row else 0)


class _Shapes:
    """The length and the number of an array's rows."""

    def __init__(self, binding: Binding) -> None:
        pointer = ctypes.c_void_p
        self._info = binding.native("hipArrayGetInfo", pointer, pointer, pointer, pointer)

    def shape_of(self, array: int) -> tuple[int, int, int]:
        """Return HIP's status, the bytes of a row and the number of rows."""
        channels, extent, flags = (ctypes.c_int * 5)(), (ctypes.c_size_t * 3)(), ctypes.c_uint()
        status = self._info(ctypes.byref(channels), ctypes.byref(extent), ctypes.byref(flags), array)
        return status, extent[0] * sum(channels[:4]) // 8, max(extent[1], 1)

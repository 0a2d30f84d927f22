"""C calls that make tensor maps: their lists are as long as the tensor has axes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.c_level.interface import Function
from cuda_shim.c_level.raw_arguments import RawArguments, require_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope

__all__ = ["encoded_im2col", "encoded_tiled", "replaced_address"]

_INVALID_VALUE = 1
_MAX_RANK = 5
_MAP_BYTES = 128

_Call = Callable[[RawArguments], int]


def encoded_tiled(function: Function, serve: Callable[..., Any], scope: Scope) -> _Call:
    """cuTensorMapEncodeTiled: extents, strides, box and steps."""
    wide, narrow = _kinds(scope)

    def encode(arguments: RawArguments) -> int:
        target, kind, rank, address, dims, strides, box, steps, *modes = (int(each) for each in arguments[:12])
        rank &= _LOW
        axes = _readable_axes(rank, 1)
        lists = (
            _numbers(dims, wide, axes), _numbers(strides, wide, axes - 1),
            _numbers(box, narrow, axes), _numbers(steps, narrow, axes),
        )  # fmt: skip
        return _written(target, serve(kind & _LOW, rank, address, *lists, *[mode & _LOW for mode in modes]))

    return encode


def encoded_im2col(function: Function, serve: Callable[..., Any], scope: Scope) -> _Call:
    """cuTensorMapEncodeIm2col: extents, strides, corners, channels and pixels, and steps."""
    wide, narrow = _kinds(scope)

    def encode(arguments: RawArguments) -> int:
        target, kind, rank, address, dims, strides, low, high, channels, pixels, steps, *modes = (
            int(each) for each in arguments[:15]
        )
        rank &= _LOW
        axes = _readable_axes(rank, 3)
        lists = (
            _numbers(dims, wide, axes), _numbers(strides, wide, axes - 1),
            _numbers(low, _CORNERS, axes - 2), _numbers(high, _CORNERS, axes - 2),
        )  # fmt: skip
        box = channels & _LOW, pixels & _LOW, _numbers(steps, narrow, axes)
        return _written(target, serve(kind & _LOW, rank, address, *lists, *box, *[mode & _LOW for mode in modes]))

    return encode


def replaced_address(function: Function, serve: Callable[..., Any], scope: Scope) -> _Call:
    """cuTensorMapReplaceAddress: the map is the program's own memory."""
    tensor_map = scope.class_of("CUtensorMap")

    def replace(arguments: RawArguments) -> int:
        if not arguments[0]:  # a process without a context has another error first
            return int(serve(tensor_map(), arguments[1])[0]) or _INVALID_VALUE
        require_entries(arguments[0], 1, _MAP_BYTES)
        return int(serve(tensor_map(_ptr=arguments[0]), arguments[1])[0])

    return replace


_LOW = 0xFFFFFFFF  # the bits that C passes of a number of 32


_Kind = tuple[Any, Callable[[int], Any]]  # C's type of a number, and Python's
_CORNERS: _Kind = (ctypes.c_int, int)


def _kinds(scope: Scope) -> tuple[_Kind, _Kind]:
    """Return the kinds of cuuint64_t and cuuint32_t."""
    return (ctypes.c_uint64, scope.class_of("cuuint64_t")), (ctypes.c_uint32, scope.class_of("cuuint32_t"))


def _readable_axes(rank: int, least: int) -> int:
    """Return the number of axes that a call's lists have; 0 for a rank that the call refuses, after other errors."""
    return rank if least <= rank <= _MAX_RANK else 0


def _numbers(address: int, kind: _Kind, count: int) -> list[Any] | None:
    """Return the numbers at an address, None for a null pointer that stands for some."""
    if count <= 0:
        return []
    if not address:
        return None
    require_entries(address, count, ctypes.sizeof(kind[0]))
    return [kind[1](number) for number in (kind[0] * count).from_address(address)]


def _written(target: int, answer: tuple[Any, ...]) -> int:
    status = int(answer[0])
    if not status and not target:
        return _INVALID_VALUE
    if not status:
        ctypes.memmove(target, answer[1].getPtr(), _MAP_BYTES)
    return status

"""Kernel parameters in the form of `extra`: marks and addresses, closed by a mark that HIP numbers otherwise."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda_shim.binding.outside_memory import numbers_at

__all__ = ["in_hip"]

_CUDA_END, _HIP_END = 0, 3  # CU_LAUNCH_PARAM_END, HIP_LAUNCH_PARAM_END
_WORD = 8
_MAX_WORDS = 16  # CUDA knows two marks; an array without an end is refused by HIP


def in_hip(place: int) -> Any:
    """Return HIP's form of the array at an address, which must live until HIP has read it; None for a null address.

    Raises ValueError for an address that cannot be read from.
    """
    if not place:
        return None
    words: list[int] = []
    while len(words) < _MAX_WORDS:
        (mark,) = numbers_at(place + _WORD * len(words), 1)
        if mark in (_CUDA_END, _HIP_END):  # HIP's mark where HIP reported the parameters of a node
            words.append(_HIP_END)
            break
        words += [mark, *numbers_at(place + _WORD * (len(words) + 1), 1)]
    return (ctypes.c_uint64 * len(words))(*words)

"""Vector instructions that the emulator computes otherwise than AMD's manuals say, lane by lane."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.amd.emulated.flat_memory import active
from tests.amd.emulated.wave_memory import WaveMemory

__all__ = ["FIRST_VECTOR", "Permutation", "Vector"]

_LITERAL, FIRST_VECTOR = 255, 256


def _signed24(value: int) -> int:
    return (value & 0xFFFFFF ^ 0x800000) - 0x800000


def _wave_of(function: Callable[[Any], Any], value: int) -> int:
    """The sine or cosine of a number of turns, in single precision."""
    turns = np.array([value], np.uint32).view(np.float32).astype(np.float64)
    with np.errstate(invalid="ignore"):
        exact = function(2 * np.pi * (turns - np.floor(turns)))
    return int(exact.astype(np.float32).view(np.uint32)[0])


def _divided_half(quotient: int, divisor: int, numerator: int) -> int:
    """The last step of a division of half numbers: signs, zeros, infinities and NaNs."""
    sign = (divisor ^ numerator) & 0x8000
    of_divisor, of_numerator = divisor & 0x7FFF, numerator & 0x7FFF
    if of_numerator > 0x7C00:
        return numerator | 0x0200
    if of_divisor > 0x7C00:
        return divisor | 0x0200
    if of_divisor == of_numerator and of_divisor in (0, 0x7C00):
        return 0xFE00
    if of_divisor == 0 or of_numerator == 0x7C00:
        return sign | 0x7C00
    if of_divisor == 0x7C00 or of_numerator == 0:
        return sign
    return sign | quotient & 0x7FFF


_WORDS: dict[str, Callable[..., int]] = {
    "V_MUL_U32_U24": lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    "V_MUL_HI_U32_U24": lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32,
    "V_MUL_I32_I24": lambda a, b: _signed24(a) * _signed24(b),
    "V_MUL_HI_I32_I24": lambda a, b: _signed24(a) * _signed24(b) >> 32,
    "V_MAD_U32_U24": lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c,
    "V_MAD_I32_I24": lambda a, b, c: _signed24(a) * _signed24(b) + c,
    "V_SIN_F32": lambda a: _wave_of(np.sin, a),
    "V_COS_F32": lambda a: _wave_of(np.cos, a),
}
_CLAMPED = re.compile(r"V_(?P<packed>PK_)?(?P<op>ADD|SUB)(?:_NC)?_(?P<type>[IU]16)")
_RANGES = {"I16": (-0x8000, 0x7FFF), "U16": (0, 0xFFFF)}


class Vector:
    """One vector instruction; the arguments are those of `Atomic`. Raises LookupError for those that are not here.

    `second` is the second source as long instructions write it, where scalar registers come first: register 0 is 0.
    Raises NotImplementedError for a form of one, such as with an absolute value, that is not here.
    """

    def __init__(self, name: str, field: Callable[..., int], size: int, word: int, second: int) -> None:
        base = re.sub(r"_E(?:32|64)$", "", name)
        clamped = _CLAMPED.fullmatch(base)
        self._size, self._literal = size, word >> 8 * (size - 4) & 0xFFFFFFFF
        self._halves = field("opsel")
        self._upper_halves = field("opsel_hi") | field("opsel_hi2") << 2
        self._destination = field("vdst")
        if base in _WORDS:
            self._compute = self._of_words(_WORDS[base])
        elif base == "V_DIV_FIXUP_F16":
            self._compute = self._of_halves(_divided_half)
        elif clamped is not None and field("clmp"):
            self._compute = self._clamped(clamped)
        else:
            raise LookupError(name)
        if field("neg") or (field("abs") and not name.startswith("V_PK")):
            raise NotImplementedError(f"{name} with a sign or an absolute value")
        self._sources = (field("src0"), second, field("src2"))

    def run(self, state: Any, wave: int, memory: WaveMemory) -> None:
        """Do it for each lane of a wave that is switched on."""
        for lane in active(state, wave):
            state._write_vgpr(self._destination, lane, self._compute(state, lane))

    def _source(self, state: Any, lane: int, place: int) -> int:
        source = self._sources[place]
        if source >= FIRST_VECTOR:
            return int(state._read_vgpr(source - FIRST_VECTOR, lane))
        return self._literal if source == _LITERAL else int(state._read_sgpr(source))

    def _of_words(self, function: Callable[..., int]) -> Callable[[Any, int], int]:
        count = function.__code__.co_argcount
        return lambda state, lane: function(*(self._source(state, lane, place) for place in range(count))) & 0xFFFFFFFF

    def _of_halves(self, function: Callable[..., int]) -> Callable[[Any, int], int]:
        def compute(state: Any, lane: int) -> int:
            halves = [self._source(state, lane, at) >> 16 * (self._halves >> at & 1) & 0xFFFF for at in range(3)]
            return self._half_written(state, lane, function(*halves))

        return compute

    def _half_written(self, state: Any, lane: int, half: int) -> int:
        old = state._read_vgpr(self._destination, lane)
        return int(old & 0xFFFF | half << 16) if self._halves & 8 else int(old & 0xFFFF0000 | half)

    def _clamped(self, match: re.Match[str]) -> Callable[[Any, int], int]:
        low, high = _RANGES[match["type"]]
        sign = 1 if match["op"] == "ADD" else -1

        def number(half: int) -> int:
            return half - 0x10000 if low < 0 and half & 0x8000 else half

        def half(words: list[int], choice: int) -> int:
            left, right = (number(word >> 16 * (choice >> at & 1) & 0xFFFF) for at, word in enumerate(words))
            return max(low, min(high, left + sign * right)) & 0xFFFF

        def compute(state: Any, lane: int) -> int:
            words = [self._source(state, lane, at) for at in range(2)]
            if match["packed"]:
                return half(words, self._halves) | half(words, self._upper_halves) << 16
            return self._half_written(state, lane, half(words, self._halves))

        return compute


class Permutation:
    """A lane's word read from, or sent to, the lane that another register names; the arguments are those of `Atomic`.

    The emulator reads beyond its registers for lanes that are switched off. Raises LookupError for other names.
    """

    def __init__(self, name: str, field: Callable[..., int]) -> None:
        if name not in ("DS_BPERMUTE_B32", "DS_PERMUTE_B32"):
            raise LookupError(name)
        self._reads = name == "DS_BPERMUTE_B32"
        self._address, self._data, self._destination = field("addr"), field("data0"), field("vdst")
        self._offset = field("offset0") | field("offset1") << 8

    def run(self, state: Any, wave: int, memory: WaveMemory) -> None:
        """Do it for each lane of a wave that is switched on; a read of a lane that is off returns 0."""
        lanes = active(state, wave)
        data = {lane: state._read_vgpr(self._data, lane) for lane in lanes}
        named = {lane: (state._read_vgpr(self._address, lane) + self._offset) // 4 % wave for lane in lanes}
        sent = {named[lane]: data[lane] for lane in lanes}
        for lane in lanes:
            state._write_vgpr(self._destination, lane, data.get(named[lane], 0) if self._reads else sent.get(lane, 0))

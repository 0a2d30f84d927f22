"""Replacements for instructions that the emulator lacks or has wrong.

A replacement is chosen by the instruction's name when it is first met, and has all its effects on a wave, the program
counter included.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.amd.emulated.atomics import Atomic
from tests.amd.emulated.flat_memory import FlatAccess
from tests.amd.emulated.vector import FIRST_VECTOR, Permutation, Vector
from tests.amd.emulated.wave_memory import PRIVATE_APERTURE, WaveMemory

__all__ = ["CACHE_INSTRUCTIONS", "Instead", "complete", "moving_on", "replacement"]

# gfx11's buffer_gl0_inv and buffer_gl1_inv: caches, which the emulator has none of.
CACHE_INSTRUCTIONS = (0xE0AC0000, 0xE0B00000)
_SHARED_BASE, _PRIVATE_BASE = 235, 237
# The lane whose register a lane reads: its own, one of the 16 in its row, the one with some bits turned, or the last of
# the 16 or 32 lanes before its own (AMD's DPP_QUAD_PERM 0 1 2 3, ROW_SHARE, ROW_XMASK, ROW_BCAST15 and 31).
_EACH_ITS_OWN, _ROW_SHARE, _ROW_XOR = 0xE4, range(0x150, 0x160), range(0x160, 0x170)
_LAST_OF_PREVIOUS = {0x142: 16, 0x143: 32}
# Caches are not modelled.
_OF_CACHES = ("BUFFER_INV", "BUFFER_WBL2", "GLOBAL_INV", "GLOBAL_WB", "GLOBAL_WBINV")


_LaneByLane = Atomic | FlatAccess | Permutation | Vector
Instead = Callable[[Any, WaveMemory], None]


def replacement(name: str, instruction: Any, word: int, at: int, wave: int) -> Instead | None:
    """Return the replacement of an instruction, None where the emulator has it right.

    `word` are its bytes as a number, `at` its address, `wave` the lanes of a wave. Raises NotImplementedError for an
    atomic instruction that is not here.
    """

    def field(*names: str) -> int:
        for each in names:
            place = getattr(type(instruction), each, None)
            if place is not None:
                return word >> place.lo & ((1 << place.hi - place.lo + 1) - 1)
        return 0

    def signed(*names: str) -> int:
        place = next(getattr(type(instruction), each) for each in names if hasattr(type(instruction), each))
        bits = place.hi - place.lo + 1
        value = field(*names)
        return value - (1 << bits) if value >> bits - 1 else value

    size = instruction.size()
    if name in _COUNTER:
        return _COUNTER[name](field("sdst"), field("ssrc0"), at + size)
    if name == "S_MOV_B64" and field("ssrc0") in (_SHARED_BASE, _PRIVATE_BASE):
        return _aperture(field("sdst"), field("ssrc0") == _SHARED_BASE, size)
    if name in _OF_CACHES:
        return moving_on(size)
    # Short instructions have a vector register alone as their second source.
    is_long = hasattr(type(instruction), "src1")
    second = field("src1") if is_long else field("vsrc1") + FIRST_VECTOR
    kinds: tuple[Callable[[], _LaneByLane], ...] = (
        lambda: Atomic(name, field, signed),
        lambda: FlatAccess(name, field, signed),
        lambda: Permutation(name, field),
        lambda: Vector(name, field, size, word, second),
    )
    # Forms that take parts of registers, or other lanes', have the names of the plain ones.
    if re.search("SDWA|DPP", type(instruction).__name__):
        kinds = kinds[:-1]
    for kind in kinds:
        try:
            return _lane_by_lane(kind(), wave, size)
        except LookupError:
            continue
    return None


def _lane_by_lane(access: _LaneByLane, wave: int, size: int) -> Instead:
    def run(state: Any, memory: WaveMemory) -> None:
        access.run(state, wave, memory)
        state.pc += size

    return run


def complete(emulator: Any) -> None:
    """Give the emulator the ways that it lacks, or has otherwise, in which lanes of a wave read each other's registers."""
    known = emulator._dpp16_ctrl

    def control(lane: Any, way: int, row_mask: int, bank_mask: int, wave: int) -> tuple[Any, Any, Any]:
        _, enabled, always = known(lane, _EACH_ITS_OWN, row_mask, bank_mask, wave)
        number = lane.cast(emulator.dtypes.int)

        def constant(value: int) -> Any:
            return emulator._c(value, emulator.dtypes.int)

        if way in _ROW_SHARE:
            return (number & constant(~15)) + constant(way - _ROW_SHARE[0]), enabled, always
        if way in _ROW_XOR:
            return number ^ constant(way - _ROW_XOR[0]), enabled, always
        if way in _LAST_OF_PREVIOUS:
            lanes = _LAST_OF_PREVIOUS[way]
            return (number & constant(-lanes)) - constant(1), enabled, number >= constant(lanes)
        return tuple(known(lane, way, row_mask, bank_mask, wave))

    emulator._dpp16_ctrl = control


def moving_on(size: int) -> Instead:
    """Return an instruction that does nothing here."""

    def run(state: Any, memory: WaveMemory) -> None:
        state.pc += size

    return run


def _aperture(destination: int, shared: bool, size: int) -> Instead:
    def run(state: Any, memory: WaveMemory) -> None:
        state._write_sgpr(destination, 0)
        state._write_sgpr(destination + 1, memory.aperture if shared else PRIVATE_APERTURE)
        state.pc += size

    return run


def _pair(state: Any, register: int) -> int:
    return int(state._read_sgpr(register) | state._read_sgpr(register + 1) << 32)


def _write_pair(state: Any, register: int, value: int) -> None:
    state._write_sgpr(register, value & 0xFFFFFFFF)
    state._write_sgpr(register + 1, value >> 32)


def _get_counter(destination: int, source: int, following: int) -> Instead:
    def run(state: Any, memory: WaveMemory) -> None:
        _write_pair(state, destination, following)
        state.pc = following

    return run


def _set_counter(destination: int, source: int, following: int) -> Instead:
    def run(state: Any, memory: WaveMemory) -> None:
        state.pc = _pair(state, source)

    return run


def _swap_counter(destination: int, source: int, following: int) -> Instead:
    def run(state: Any, memory: WaveMemory) -> None:
        target = _pair(state, source)
        _write_pair(state, destination, following)
        state.pc = target

    return run


_COUNTER = {"S_GETPC_B64": _get_counter, "S_SETPC_B64": _set_counter, "S_SWAPPC_B64": _swap_counter}

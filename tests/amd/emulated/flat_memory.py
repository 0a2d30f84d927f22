"""Loads and stores by generic addresses, lane by lane: the emulator takes them all for global memory's."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

from tests.amd.emulated.wave_memory import WaveMemory

__all__ = ["EXEC", "NO_REGISTER", "FlatAccess", "active", "generic_address", "place"]

EXEC, NO_REGISTER = 126, 124
_NAME = re.compile(
    r"FLAT_(?P<way>LOAD|STORE)(?P<half>_D16(?:_HI)?)?_(?P<type>[UISB]?(?:8|16|32|64|96|128|BYTE|SHORT)|[A-Z]+)(?P<more>X[234])?(?P<late>_D16(?:_HI)?)?"
)
_SIZES = {"UBYTE": 1, "SBYTE": 1, "BYTE": 1, "USHORT": 2, "SSHORT": 2, "SHORT": 2, "DWORD": 4}


def active(state: Any, wave: int) -> list[int]:
    """Return the lanes of a wave that are switched on."""
    mask = state._read_sgpr(EXEC) | (state._read_sgpr(EXEC + 1) << 32 if wave == 64 else 0)
    return [lane for lane in range(wave) if mask >> lane & 1]


def place(name: str, field: Callable[..., int], signed: Callable[..., int]) -> tuple[int, int, int]:
    """Return an instruction's address register, its scalar base and its offset."""
    if name.startswith("FLAT") and not field("ioffset"):
        # Before gfx12 such an address has no scalar base, and the bits in its place have no meaning.
        return field("vaddr", "addr"), NO_REGISTER, field("offset")
    return field("vaddr", "addr"), field("saddr"), signed("ioffset", "offset")


def generic_address(state: Any, lane: int, register: int, base: int, offset: int) -> int:
    """Return the address that an instruction forms: of two registers of a lane, or of scalar ones and one of a lane."""
    low = state._read_vgpr(register, lane)
    if base < NO_REGISTER:
        return int((state._read_sgpr(base) | state._read_sgpr(base + 1) << 32) + low + offset)
    return int((low | state._read_vgpr(register + 1, lane) << 32) + offset)


class FlatAccess:
    """One load or store; the arguments are those of `Atomic`. Raises LookupError for other names."""

    def __init__(self, name: str, field: Callable[..., int], signed: Callable[..., int]) -> None:
        match = _NAME.fullmatch(name)
        if match is None:
            raise LookupError(name)
        kind = match["type"]
        half = match["half"] or match["late"] or ""
        number = re.search(r"\d+", kind)
        size = int(number[0]) // 8 if number else _SIZES[kind]
        self._size = size * int((match["more"] or "X1")[1:])
        self._signed = kind[0] in "IS" and self._size < 4 and kind not in ("SHORT",)
        self._upper, self._keeps = half.endswith("_HI"), bool(half)
        self._stores = match["way"] == "STORE"
        self._address, self._base, self._offset = place(name, field, signed)
        self._data, self._destination = field("vsrc", "data"), field("vdst")

    def run(self, state: Any, wave: int, memory: WaveMemory) -> None:
        """Do it for each lane of a wave that is switched on."""
        # All addresses are read before a load writes a register.
        places = [
            (lane, memory.resolved(generic_address(state, lane, self._address, self._base, self._offset), lane))
            for lane in active(state, wave)
        ]
        for lane, place in places:
            if self._stores:
                self._store(state, lane, place)
            else:
                self._load(state, lane, place)

    def _store(self, state: Any, lane: int, place: int) -> None:
        words = [state._read_vgpr(self._data + word, lane) for word in range(-(-self._size // 4))]
        raw = b"".join(word.to_bytes(4, "little") for word in words)
        ctypes.memmove(place, raw[2:] if self._upper else raw, self._size)

    def _load(self, state: Any, lane: int, place: int) -> None:
        raw = ctypes.string_at(place, self._size)
        if self._size < 4:
            value = int.from_bytes(raw, "little", signed=self._signed) & 0xFFFFFFFF
            if self._keeps:
                old = state._read_vgpr(self._destination, lane)
                value = old & 0xFFFF | (value & 0xFFFF) << 16 if self._upper else old & 0xFFFF0000 | value & 0xFFFF
            state._write_vgpr(self._destination, lane, value)
            return
        for word in range(self._size // 4):
            value = int.from_bytes(raw[4 * word : 4 * word + 4], "little")
            state._write_vgpr(self._destination + word, lane, value)

"""Atomic instructions of AMD GPUs on global, flat and shared memory, lane by lane.

The emulator takes some of them for others: floating ones, comparing ones, and ones that return the old value.
"""

from __future__ import annotations

import ctypes
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.amd.emulated.flat_memory import NO_REGISTER, active, generic_address, place
from tests.amd.emulated.wave_memory import WaveMemory

__all__ = ["Atomic"]

_GLOBAL = re.compile(
    r"(?:GLOBAL|FLAT)_ATOMIC_(?P<op>PK_ADD|[SU]?MIN|[SU]?MAX|CMPSWAP|\w+?)(?:_NUM)?(?:_(?P<type>X2|B?F16|[BFIU](?:32|64)))?"
)
_SHARED = re.compile(
    r"DS_(?P<op>PK_ADD|ADD|SUB|RSUB|INC|DEC|MIN|MAX|AND|OR|XOR|CMPST|CMPSTORE|STOREXCHG|WRXCHG)(?:_NUM)?"
    r"(?P<returns>_RTN)?_(?P<type>B?F16|[BFIU](?:32|64))"
)
_NAMES = {"CMPSWAP": "CMPSTORE", "CMPST": "CMPSTORE", "WRXCHG": "SWAP", "STOREXCHG": "SWAP"}


def _incremented(old: Any, limit: Any) -> Any:
    return old + type(old)(1) if old < limit else type(old)(0)


def _decremented(old: Any, limit: Any) -> Any:
    return limit if old == 0 or old > limit else old - type(old)(1)


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "ADD": lambda old, new: old + new,
    "SUB": lambda old, new: old - new,
    "RSUB": lambda old, new: new - old,
    "MIN": np.fmin,
    "MAX": np.fmax,
    "AND": lambda old, new: old & new,
    "OR": lambda old, new: old | new,
    "XOR": lambda old, new: old ^ new,
    "SWAP": lambda old, new: new,
    "INC": _incremented,
    "DEC": _decremented,
}
_TYPES = {"U32": np.uint32, "I32": np.int32, "F32": np.float32, "U64": np.uint64, "I64": np.int64, "F64": np.float64}


class Atomic:
    """One atomic instruction.

    Args:
        name: its name in the emulator.
        field: gives the bits of a field of its encoding.
        signed: gives the bits of a field that may be negative.

    Raises LookupError if the name is not an atomic instruction's, NotImplementedError for one that is not here.
    """

    def __init__(self, name: str, field: Callable[..., int], signed: Callable[..., int]) -> None:
        match = _GLOBAL.fullmatch(name) or _SHARED.fullmatch(name)
        if match is None:
            raise LookupError(name)
        self._shared = name.startswith("DS_")
        kind = match["type"] or "U32"
        operation = _NAMES.get(match["op"], match["op"])
        if operation in ("SMIN", "SMAX"):
            kind, operation = ("I64" if kind == "X2" else "I32"), operation[1:]
        elif operation in ("UMIN", "UMAX"):
            operation = operation[1:]
        kind = {"X2": "U64", "B32": "U32", "B64": "U64"}.get(kind, kind)
        self._compares = operation == "CMPSTORE"
        # The older names of shared memory's instruction compare the first operand, the newer ones the second.
        self._compared_first = match["op"] == "CMPST"
        self._packed = operation == "PK_ADD"
        self._narrow = kind if self._packed else ""
        if not self._compares and not self._packed and operation not in _OPERATIONS:
            raise NotImplementedError(name)
        self._type = np.dtype(np.uint32 if self._packed else _TYPES[kind])
        self._words = self._type.itemsize // 4
        self._operation = _OPERATIONS.get(operation)
        self._destination = field("vdst")
        if self._shared:
            self._address, self._data, self._second = field("addr"), field("data0"), field("data1")
            self._offset = field("offset0") | field("offset1") << 8
            self._returns = match["returns"] is not None
            self._base = NO_REGISTER
        else:
            self._address, self._base, self._offset = place(name, field, signed)
            self._data = field("vsrc", "data")
            self._second = self._data + self._words
            # Bit 0 of gfx12's temporal hint asks for the old value, as `glc` and `sc0` do before it.
            self._returns = bool(field("th", "glc", "sc0") & 1)

    def run(self, state: Any, wave: int, memory: WaveMemory) -> None:
        """Do it for each lane of a wave that is switched on, in order."""
        for lane in active(state, wave):
            self._lane(state, lane, memory)

    def _lane(self, state: Any, lane: int, memory: WaveMemory) -> None:
        address = self._place(state, lane, memory)
        raw = ctypes.string_at(address, self._type.itemsize)
        old, new = np.frombuffer(raw, self._type)[0], self._value(state, lane, self._data)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if self._compares:
                other = self._value(state, lane, self._second)
                compared, stored = (new, other) if self._compared_first else (other, new)
                result = stored if old == compared else old
            elif self._packed:
                result = self._added_halves(old, new)
            else:
                assert self._operation is not None
                result = self._operation(old, new)
        ctypes.memmove(address, self._type.type(result).tobytes(), self._type.itemsize)
        if self._returns:
            for word, bits in enumerate(np.frombuffer(raw, np.uint32)):
                state._write_vgpr(self._destination + word, lane, int(bits))

    def _place(self, state: Any, lane: int, memory: WaveMemory) -> int:
        if self._shared:
            return memory.lds + int((state._read_vgpr(self._address, lane) + self._offset) & 0xFFFFFFFF)
        return memory.resolved(generic_address(state, lane, self._address, self._base, self._offset), lane)

    def _value(self, state: Any, lane: int, register: int) -> Any:
        words = [state._read_vgpr(register + word, lane) for word in range(self._words)]
        return np.array(words, np.uint32).view(self._type)[0]

    def _added_halves(self, old: Any, new: Any) -> Any:
        halves = [np.array([each], np.uint32).view(np.uint16) for each in (old, new)]
        if self._narrow == "F16":
            return np.add(*(half.view(np.float16) for half in halves)).view(np.uint32)[0]
        bits = np.add(*((half.astype(np.uint32) << 16).view(np.float32) for half in halves)).view(np.uint32)
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        return rounded.astype(np.uint16).view(np.uint32)[0]

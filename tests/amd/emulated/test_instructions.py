"""Replacements of the emulator's instructions, checked against AMD's manuals; no emulator is needed."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

from tests.amd.emulated.instructions import replacement
from tests.amd.emulated.kernel_arguments import ArgumentSegment, Launch
from tests.amd.emulated.wave_memory import PRIVATE_APERTURE, WaveMemory


class Registers:
    """A wave's registers and program counter, as the emulator's state has them."""

    def __init__(self, lanes):
        self.pc = 0x1000
        self.scalar = {126: lanes & 0xFFFFFFFF, 127: lanes >> 32}
        self.vector = {}

    def _read_sgpr(self, index):
        return self.scalar.get(index, 0)

    def _write_sgpr(self, index, value):
        self.scalar[index] = value & 0xFFFFFFFF

    def _read_vgpr(self, register, lane):
        return self.vector.get((register, lane), 0)

    def _write_vgpr(self, register, lane, value):
        self.vector[register, lane] = value & 0xFFFFFFFF


class Bits:
    def __init__(self, high, low):
        self.hi, self.lo = high, low


class Global:
    """The fields of gfx11's instructions on global memory."""

    vdst, addr, data, saddr, offset, glc = (
        Bits(63, 56),
        Bits(39, 32),
        Bits(47, 40),
        Bits(54, 48),
        Bits(12, 0),
        Bits(14, 14),
    )

    @staticmethod
    def size():
        return 8


class Permute:
    """The fields of gfx11's instructions on shared memory."""

    vdst, addr, data0, data1 = Bits(63, 56), Bits(39, 32), Bits(47, 40), Bits(55, 48)
    offset0, offset1 = Bits(7, 0), Bits(15, 8)

    @staticmethod
    def size():
        return 8


MEMORY = WaveMemory(0x1000, 0, 0, 0)


def on_memory(name, address, values, lanes=0b11, returns=True):
    """Run an atomic instruction with address register 0, data register 2 and destination 6; return the registers."""
    word = (6 << 56) | (124 << 48) | (2 << 40) | (returns << 14)
    registers = Registers(lanes)
    for lane, words in enumerate(values):
        registers._write_vgpr(0, lane, address)
        registers._write_vgpr(1, lane, address >> 32)
        for place, value in enumerate(words):
            registers._write_vgpr(2 + place, lane, value)
    run = replacement(name, Global(), word, 0x1000, 32)
    assert run is not None
    run(registers, MEMORY)
    assert registers.pc == 0x1008
    return registers


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


@pytest.mark.parametrize(
    "name, before, operands, after, returned",
    [
        ("GLOBAL_ATOMIC_ADD_F32", bits(1.5), [[bits(2.0)], [bits(0.25)]], bits(3.75), [bits(1.5), bits(3.5)]),
        ("GLOBAL_ATOMIC_ADD_U32", 0xFFFFFFFF, [[2], [3]], 4, [0xFFFFFFFF, 1]),
        ("GLOBAL_ATOMIC_SMIN", 5, [[0xFFFFFFFE], [3]], 0xFFFFFFFE, [5, 0xFFFFFFFE]),
        ("GLOBAL_ATOMIC_MAX_U32", 5, [[0xFFFFFFFE], [3]], 0xFFFFFFFE, [5, 0xFFFFFFFE]),
        ("GLOBAL_ATOMIC_INC_U32", 8, [[9], [9]], 0, [8, 9]),
        ("GLOBAL_ATOMIC_DEC_U32", 0, [[9], [9]], 8, [0, 9]),
        ("GLOBAL_ATOMIC_SWAP_B32", 7, [[1], [2]], 2, [7, 1]),
        ("GLOBAL_ATOMIC_CMPSWAP_B32", 7, [[1, 7], [2, 7]], 1, [7, 1]),
    ],
)
def test_atomics_are_done_lane_by_lane(name, before, operands, after, returned):
    word = ctypes.c_uint32(before)
    registers = on_memory(name, ctypes.addressof(word), operands)
    assert word.value == after
    assert [registers._read_vgpr(6, lane) for lane in range(2)] == returned


def test_lanes_that_are_off_do_nothing():
    word = ctypes.c_uint32(10)
    registers = on_memory("GLOBAL_ATOMIC_ADD_U32", ctypes.addressof(word), [[1], [100]], lanes=0b01, returns=False)
    assert word.value == 11
    assert (6, 0) not in registers.vector


def test_a_lane_reads_another_ones_register():
    registers = Registers(0b1011)
    for lane in range(4):
        registers._write_vgpr(0, lane, 4 * (lane ^ 1))
        registers._write_vgpr(2, lane, 100 + lane)
    run = replacement("DS_BPERMUTE_B32", Permute(), (6 << 56) | (2 << 40), 0, 32)
    assert run is not None
    run(registers, MEMORY)
    # Lane 2 is off: it gets nothing, and reads of it return 0.
    assert [registers.vector.get((6, lane)) for lane in range(4)] == [101, 100, None, 0]


class Multiply:
    """The fields of gfx9's long vector instructions."""

    vdst, src0, src1, src2 = Bits(7, 0), Bits(40, 32), Bits(49, 41), Bits(58, 50)

    @staticmethod
    def size():
        return 8


@pytest.mark.parametrize("register", [0, 4])
def test_a_scalar_register_is_a_second_source(register):
    registers = Registers(0b11)
    registers._write_sgpr(register, 100)
    for lane in range(2):
        registers._write_vgpr(0, lane, 7)  # has the number of the scalar register, but is not read
        registers._write_vgpr(1, lane, 3 + lane)
        registers._write_vgpr(2, lane, 5)
    word = 6 | (256 + 1) << 32 | register << 41 | (256 + 2) << 50
    run = replacement("V_MAD_U32_U24", Multiply(), word, 0, 64)
    assert run is not None
    run(registers, MEMORY)
    assert [registers.vector[6, lane] for lane in range(2)] == [305, 405]


def test_private_memory_is_each_lanes_own():
    memory = WaveMemory(0x1000, 0, 0x500000, 64)
    assert memory.resolved(PRIVATE_APERTURE << 32 | 8, 3) == 0x500000 + 3 * 64 + 8
    assert memory.resolved(0x7F0000001234, 3) == 0x7F0000001234


def test_arguments_have_their_places():
    metadata = {
        ".kernarg_segment_size": 48,
        ".args": [
            {".value_kind": "by_value", ".offset": 0, ".size": 4},
            {".value_kind": "global_buffer", ".offset": 8, ".size": 8},
            {".value_kind": "hidden_block_count_x", ".offset": 16, ".size": 4},
            {".value_kind": "hidden_group_size_y", ".offset": 20, ".size": 2},
            {".value_kind": "hidden_remainder_x", ".offset": 22, ".size": 2},
            {".value_kind": "hidden_grid_dims", ".offset": 24, ".size": 2},
            {".value_kind": "hidden_dynamic_lds_size", ".offset": 28, ".size": 4},
        ],
    }
    launch = Launch((5, 1, 1), (32, 4, 1), 256, False)
    values = [np.int32(-2).tobytes(), (1 << 40).to_bytes(8, "little")]
    words = ArgumentSegment(metadata, values, launch).words
    assert words[:8] == (0xFFFFFFFE, 0, 0, 256, 5, 4, 3, 256)
    with pytest.raises(ValueError, match="too many"):
        ArgumentSegment(metadata, [*values, b"\0" * 4], launch)
    with pytest.raises(ValueError, match="4 bytes, not 8"):
        ArgumentSegment(metadata, values[::-1], launch)

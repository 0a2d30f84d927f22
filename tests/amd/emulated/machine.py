"""Runs kernels of a code object in the instruction emulator of a tinygrad checkout.

The emulator says what one instruction does to a wave's registers and to memory. What is around that is here, as the
hardware and AMD's runtime have it: the registers a wave starts with, shared memory of each block and private memory of
each wave, barriers, and waves and blocks that take turns, so that those which wait for another get on.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import itertools
import mmap
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.amd.emulated.code_object import CodeObject, KernelDescriptor
from tests.amd.emulated.kernel_arguments import ArgumentSegment, Launch
from tests.amd.emulated.toolchain import Target

_LDS_SIZE = 1 << 16
_MAP_NORESERVE, _MAP_FIXED_NOREPLACE = 0x4000, 0x100000  # which Python 3.11 does not name
# What a program reads of shared memory before it writes is undefined; zeros would hide that.
_UNWRITTEN = 0xA5
# Where generic addresses of shared and of private memory begin: the hardware compares the upper 32 bits alone.
_FIRST_APERTURE, _PRIVATE_APERTURE = 0x1000, 0x0FFF
_SHARED_BASE, _PRIVATE_BASE = 235, 237
# Instructions of a wave until another one has its turn, and of a launch until it is given up.
_SLICE, _LIMIT = 4000, 40_000_000
_BARRIERS = ("S_BARRIER", "S_BARRIER_WAIT")
# Kernel descriptor, bit by bit: how many scalar registers each value takes that a wave starts with.
_PRIVATE_BUFFER, _DISPATCH, _QUEUE, _ARGUMENTS, _DISPATCH_ID, _FLAT_SCRATCH, _PRIVATE_SIZE = range(7)


class UnsupportedInstructionError(Exception):
    """The emulator does not have an instruction; the text is its name and the emulator's reason."""


class EndlessError(Exception):
    """A launch that made more instructions than any of the corpus needs."""


@dataclass
class _Step:
    """One instruction of the program, compiled.

    Attributes:
        run: the function of the emulator, and which of a wave's buffers it takes.
        barrier: whether the wave waits for its block behind it.
        instead: what is done in the emulator's place, for what it does not model.
    """

    run: Callable[..., None]
    buffers: list[int]
    barrier: bool
    instead: Callable[[_Wave], None] | None = None


@dataclass
class _Wave:
    state: Any
    pointers: list[ctypes.c_uint64]
    block: _Block
    waits: bool = False
    # The buffers that the pointers lead to.
    held: list[Any] = field(default_factory=list)


@dataclass
class _Block:
    aperture: int
    lds: int
    waves: list[_Wave] = field(default_factory=list)


class Machine:
    """The emulator for one GPU.

    Args:
        emulator: a checkout of tinygrad's repository. It compiles each instruction with clang: $CC, or one on PATH.
        target: the GPU.

    Raises FileNotFoundError where there is no emulator or no clang.
    """

    def __init__(self, emulator: Path, target: Target) -> None:
        compiler = os.environ.get("CC") or next(filter(None, map(shutil.which, ("clang", "clang-19"))), None)
        if compiler is None:
            raise FileNotFoundError("the emulator needs clang: set CC")
        os.environ |= {"CC": compiler, "DEV": "CPU"}
        sys.path.insert(0, str(emulator))
        self._emulator = importlib.import_module("test.mockgpu.amd.emu")
        self._target = target
        self._steps: dict[int, _Step] = {}
        self._instructions = 0

    def run(self, code: CodeObject, kernel: str, values: list[bytes], launch: Launch) -> int:
        """Run a launch to its end and return how many instructions its waves made.

        Raises UnsupportedInstructionError, EndlessError, or what ArgumentSegment raises. A memory fault ends the process.
        """
        descriptor = code.descriptor(kernel)
        arguments = ArgumentSegment(code.kernels()[kernel], values, launch)
        self._steps.clear()  # its keys are addresses of the program that was run before
        self._instructions = 0
        packet = _dispatch_packet(launch, descriptor, arguments)
        start = _scalar_registers(descriptor, arguments, ctypes.addressof(packet))
        x, y, z = launch.grid
        places = [(i, j, k) for k, j, i in itertools.product(range(z), range(y), range(x))]
        resident = len(places) if launch.cooperative else 16
        for first in range(0, len(places), resident):
            blocks = [
                self._block(number, place, descriptor, start, launch)
                for number, place in enumerate(places[first : first + resident])
            ]
            self._run_blocks(blocks)
        return self._instructions

    def _block(
        self, number: int, place: tuple[int, int, int], descriptor: KernelDescriptor, start: list[int], launch: Launch
    ) -> _Block:
        block = _Block(_FIRST_APERTURE + number, _shared_memory(number))
        ctypes.memset(block.lds, _UNWRITTEN, _LDS_SIZE)
        wave = self._target.wave
        for first in range(0, launch.threads, wave):
            state = self._emulator._init_wave(
                descriptor.entry, first, launch.threads, *launch.block, 0, descriptor.resources, descriptor.scratch,
                self._target.instructions, *place, start, wave,
            )  # fmt: skip
            scratch = ctypes.create_string_buffer(max(descriptor.scratch, 4) * wave)
            addresses = (
                state.sgpr_buf._buf.va_addr, state.vgpr_buf._buf.va_addr, 0, block.lds, ctypes.addressof(scratch),
                state.accvgpr_buf._buf.va_addr,
            )  # fmt: skip
            block.waves.append(_Wave(state, [ctypes.c_uint64(at) for at in addresses], block, held=[scratch]))
        return block

    def _run_blocks(self, blocks: list[_Block]) -> None:
        """Let the waves of resident blocks take turns until all have ended."""
        ended = self._emulator.ENDPGM_PC
        while blocks:
            for block in blocks:
                for wave in block.waves:
                    if not wave.waits:
                        self._run_wave(wave)
                block.waves = [wave for wave in block.waves if wave.state.pc != ended]
                if all(wave.waits for wave in block.waves):
                    for wave in block.waves:
                        wave.waits = False
            blocks = [block for block in blocks if block.waves]

    def _run_wave(self, wave: _Wave) -> None:
        """Run a wave for a slice of time, or until it waits at a barrier or ends."""
        state, pointers, steps, ended = wave.state, wave.pointers, self._steps, self._emulator.ENDPGM_PC
        for count in range(_SLICE):
            at = state.pc
            if at == ended:
                break
            step = steps.get(at) or self._decode(at)
            if step.instead is not None:
                step.instead(wave)
            else:
                step.run(*[pointers[index] for index in step.buffers])
            if step.barrier:
                wave.waits = True
                break
        self._instructions += count + 1
        if self._instructions > _LIMIT:
            raise EndlessError(f"more than {_LIMIT} instructions")

    def _decode(self, at: int) -> _Step:
        try:
            (program, runtime), instruction = self._emulator._decode_at(at, self._target.instructions)
        except Exception as error:  # whatever its parser or its code generator raises
            raise UnsupportedInstructionError(str(error)) from error
        name = self._emulator._op_name(instruction)
        step = _Step(runtime.fxn, program.arg.globals, name in _BARRIERS)
        step.instead = self._replacement(name, instruction)
        self._steps[at] = step
        return step

    def _replacement(self, name: str, instruction: Any) -> Callable[[_Wave], None] | None:
        """Return what an instruction does that reads a register which the emulator does not have."""
        size = instruction.size()
        if name == "S_MOV_B64" and (source := instruction.ssrc0.offset) in (_SHARED_BASE, _PRIVATE_BASE):
            destination = instruction.sdst.offset

            def base(wave: _Wave) -> None:
                wave.state._write_sgpr(destination, 0)
                aperture = wave.block.aperture if source == _SHARED_BASE else _PRIVATE_APERTURE
                wave.state._write_sgpr(destination + 1, aperture)
                wave.state.pc += size

            return base
        return None


def _scalar_registers(descriptor: KernelDescriptor, arguments: ArgumentSegment, packet: int) -> list[int]:
    """Return the scalar registers that a wave starts with, by the kernel descriptor's properties."""
    parts = (
        (_PRIVATE_BUFFER, [0, 0, 0, 0]), (_DISPATCH, _halves(packet)), (_QUEUE, [0, 0]),
        (_ARGUMENTS, _halves(arguments.address)), (_DISPATCH_ID, [0, 0]), (_FLAT_SCRATCH, [0, 0]),
        (_PRIVATE_SIZE, [descriptor.scratch]),
    )  # fmt: skip
    registers = [word for bit, words in parts if descriptor.properties >> bit & 1 for word in words]
    length, first = descriptor.preload
    return registers + list(arguments.words[first : first + length])


def _halves(address: int) -> list[int]:
    return [address & 0xFFFFFFFF, address >> 32]


def _dispatch_packet(launch: Launch, descriptor: KernelDescriptor, arguments: ArgumentSegment) -> ctypes.Array[ctypes.c_char]:
    """Return the packet of AMD's queues that describes a launch: 64 bytes, which device functions may read."""
    packet = ctypes.create_string_buffer(64)
    threads = [blocks * size for blocks, size in zip(launch.grid, launch.block, strict=True)]
    fields = ((4, 2, launch.block), (12, 4, threads), (24, 4, (descriptor.scratch, descriptor.lds + launch.dynamic_lds)))
    for start, width, numbers in fields:
        for index, number in enumerate(numbers):
            packet[start + width * index : start + width * (index + 1)] = number.to_bytes(width, "little")
    packet[40:48] = arguments.address.to_bytes(8, "little")
    return packet


@functools.cache
def _shared_memory(number: int) -> int:
    """Return the shared memory of a resident block: it begins where its generic addresses do."""
    address = (_FIRST_APERTURE + number) << 32
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE | _MAP_FIXED_NOREPLACE
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    # The emulator reads for lanes that are switched off too, whatever their registers hold as an address.
    mapped = library.mmap(address, 1 << 32, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if mapped != address:
        raise OSError(ctypes.get_errno(), f"no memory at {address:#x} for a block's shared memory")
    return address

"""Runs kernels of a code object in the instruction emulator of a tinygrad checkout.

The emulator defines the effect of one instruction on a wave's registers and on memory. The rest is here, as the
hardware and AMD's runtime have it: the registers a wave starts with, shared memory of each block and private memory of
each wave, barriers, and waves and blocks that take turns, so that waves which wait for another get on.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import itertools
import mmap
import os
import shutil
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.amd.emulated.code_object import CodeObject, KernelDescriptor
from tests.amd.emulated.instructions import CACHE_INSTRUCTIONS, Instead, complete, moving_on, replacement
from tests.amd.emulated.kernel_arguments import ArgumentSegment, Launch
from tests.amd.emulated.toolchain import Target
from tests.amd.emulated.wave_memory import WaveMemory

_LDS_SIZE = 1 << 16
_MAP_NORESERVE, _MAP_FIXED_NOREPLACE = 0x4000, 0x100000  # constants that Python 3.11 does not name
# Shared memory is undefined until a program writes it; zeros would hide a read before that.
_UNWRITTEN = 0xA5
# Generic addresses of the first block's shared memory begin here: the hardware compares the upper 32 bits alone.
_FIRST_APERTURE = 0x1000
# Instructions of a wave until another one has its turn, and turns until a launch is given up.
_SLICE, _LIMIT = 4000, 5000
_INVERSE_OF_TWO_PI = 248
_BARRIERS = ("S_BARRIER", "S_BARRIER_WAIT")
# Kernel descriptor, bit by bit: how many scalar registers each value takes that a wave starts with.
_PRIVATE_BUFFER, _DISPATCH, _QUEUE, _ARGUMENTS, _DISPATCH_ID, _FLAT_SCRATCH, _PRIVATE_SIZE = range(7)


class UnsupportedInstructionError(Exception):
    """The emulator does not have an instruction; the text is its name and the emulator's reason."""


class EndlessError(Exception):
    """A launch that makes more instructions than any of the corpus needs."""


@dataclass
class _Step:
    """One instruction of the program, compiled.

    Attributes:
        run: the function of the emulator, and which of a wave's buffers it takes.
        barrier: True if the wave waits for its block behind it.
        instead: the replacement for the emulator's function.
    """

    run: Callable[..., None] | None
    buffers: list[int]
    barrier: bool
    instead: Instead | None = None


@dataclass
class _Wave:
    """A wave: the emulator's registers, pointers to its buffers, its memory, and whether it waits at a barrier."""

    state: Any
    pointers: list[ctypes.c_uint64]
    memory: WaveMemory
    held: Any
    waits: bool = False


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
        complete(self._emulator)
        self._decode_inst = importlib.import_module("tinygrad.renderer.amd").decode_inst
        self._target = target
        self._steps: dict[int, _Step] = {}
        self._turns = 0

    def run(self, code: CodeObject, kernel: str, values: list[bytes], launch: Launch) -> None:
        """Run a launch to its end.

        Raises UnsupportedInstructionError, EndlessError, or an exception of ArgumentSegment. A memory fault ends the
        process.
        """
        descriptor = code.descriptor(kernel)
        arguments = ArgumentSegment(code.kernels()[kernel], values, launch)
        self._steps.clear()  # its keys are addresses of the program that was run before
        self._turns = 0
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

    def _block(
        self, number: int, place: tuple[int, int, int], descriptor: KernelDescriptor, start: list[int], launch: Launch
    ) -> list[_Wave]:
        lds = _shared_memory(number)
        ctypes.memset(lds, _UNWRITTEN, _LDS_SIZE)
        waves = []
        for first in range(0, launch.threads, self._target.wave):
            state = self._emulator._init_wave(
                descriptor.entry, first, launch.threads, *launch.block, 0, descriptor.resources, descriptor.scratch,
                self._target.instructions, *place, start, self._target.wave,
            )  # fmt: skip
            # The emulator keeps a register of the hardware where it has this constant of instructions.
            state._write_sgpr(_INVERSE_OF_TWO_PI, 0x3E22F983)
            scratch = ctypes.create_string_buffer(max(descriptor.scratch, 4) * self._target.wave)
            memory = WaveMemory(_FIRST_APERTURE + number, lds, ctypes.addressof(scratch), descriptor.scratch)
            registers = (state.sgpr_buf, state.vgpr_buf, state.accvgpr_buf)
            scalar, vector, accumulators = (buffer._buf.va_addr for buffer in registers)
            pointers = [ctypes.c_uint64(at) for at in (scalar, vector, 0, lds, memory.scratch, accumulators)]
            waves.append(_Wave(state, pointers, memory, scratch))
        return waves

    def _run_blocks(self, blocks: list[list[_Wave]]) -> None:
        """Let the waves of resident blocks take turns until all have ended."""
        ended = self._emulator.ENDPGM_PC
        while blocks:
            for waves in blocks:
                for wave in waves:
                    if not wave.waits:
                        self._run_wave(wave)
                waves[:] = [wave for wave in waves if wave.state.pc != ended]
                if all(wave.waits for wave in waves):
                    for wave in waves:
                        wave.waits = False
            blocks = [waves for waves in blocks if waves]

    def _run_wave(self, wave: _Wave) -> None:
        """Run a wave for a slice of time, or until it waits at a barrier or ends."""
        state, pointers, steps, memory = wave.state, wave.pointers, self._steps, wave.memory
        ended = self._emulator.ENDPGM_PC
        self._turns += 1
        if self._turns > _LIMIT:
            raise EndlessError(f"more than {_LIMIT} turns of {_SLICE} instructions")
        for _ in range(_SLICE):
            at = state.pc
            if at == ended:
                break
            step = steps.get(at) or self._decode(at)
            if step.instead is not None:
                step.instead(state, memory)
            else:
                assert step.run is not None
                step.run(*[pointers[index] for index in step.buffers])
            if step.barrier:
                wave.waits = True
                break

    def _decode(self, at: int) -> _Step:
        word = int.from_bytes(ctypes.string_at(at, 16), "little")
        if self._target.instructions == "rdna3" and word & 0xFFFFFFFF in CACHE_INSTRUCTIONS:
            step = _Step(None, [], False, moving_on(8))
        else:
            step = self._decoded(at, word)
        self._steps[at] = step
        return step

    def _decoded(self, at: int, word: int) -> _Step:
        try:
            instruction = self._decode_inst(ctypes.string_at(at, 16), self._target.instructions)
            name = self._emulator._op_name(instruction)
            instead = replacement(name, instruction, word, at, self._target.wave)
            if instead is not None:
                return _Step(None, [], False, instead)
            (program, runtime), _ = self._emulator._decode_at(at, self._target.instructions)
        except Exception as error:  # its parser and its code generator raise exceptions of many types
            raise UnsupportedInstructionError(str(error)) from error
        return _Step(runtime.fxn, program.arg.globals, name in _BARRIERS)


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


def _dispatch_packet(
    launch: Launch, descriptor: KernelDescriptor, arguments: ArgumentSegment
) -> ctypes.Array[ctypes.c_char]:
    """Return the packet of AMD's queues that describes a launch: 64 bytes, which device functions may read."""
    packet = bytearray(64)
    threads = [blocks * size for blocks, size in zip(launch.grid, launch.block, strict=True)]
    struct.pack_into("<3H", packet, 4, *launch.block)
    struct.pack_into("<3I", packet, 12, *threads)
    struct.pack_into("<2IQQ", packet, 24, descriptor.scratch, descriptor.lds + launch.dynamic_lds, 0, arguments.address)
    return ctypes.create_string_buffer(bytes(packet), len(packet))


@functools.cache
def _shared_memory(number: int) -> int:
    """Return the shared memory of a resident block: it begins where its generic addresses do."""
    address = (_FIRST_APERTURE + number) << 32
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE | _MAP_FIXED_NOREPLACE
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    # The emulator reads for lanes that are switched off too, with any value of their registers as an address.
    mapped = library.mmap(address, 1 << 32, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if mapped != address:
        raise OSError(ctypes.get_errno(), f"no memory at {address:#x} for a block's shared memory")
    return address

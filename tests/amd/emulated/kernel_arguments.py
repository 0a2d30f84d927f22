"""Writes a kernel's argument segment: the program's values, and the hidden ones that device functions read."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Bytes of the memory that the barrier of a cooperative grid counts in, and where it finds the number of blocks.
_GRID_BARRIER_SIZE, _BLOCKS_IN_GRID_BARRIER = 64, 48


@dataclass(frozen=True)
class Launch:
    """A launch's sizes: blocks and threads in three directions, and bytes of dynamic shared memory."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_lds: int
    cooperative: bool

    @property
    def blocks(self) -> int:
        x, y, z = self.grid
        return x * y * z

    @property
    def threads(self) -> int:
        x, y, z = self.block
        return x * y * z


class ArgumentSegment:
    """The memory of a kernel's arguments, which must live as long as the launch.

    Attributes:
        address: the address where it begins.
        words: its contents as 32-bit words.

    Raises ValueError for arguments that are not those of the metadata.
    """

    def __init__(self, metadata: Mapping[str, Any], values: Sequence[bytes], launch: Launch) -> None:
        size = metadata[".kernarg_segment_size"]
        self._memory = ctypes.create_string_buffer(size + 256)
        self.address = -(-ctypes.addressof(self._memory) // 64) * 64
        self._grid_barrier = ctypes.create_string_buffer(_GRID_BARRIER_SIZE)
        struct.pack_into("<I", self._grid_barrier, _BLOCKS_IN_GRID_BARRIER, launch.blocks)
        hidden = _hidden(launch, ctypes.addressof(self._grid_barrier))
        remaining = list(values)
        for argument in metadata.get(".args", []):
            kind, place, length = argument[".value_kind"], argument[".offset"], argument[".size"]
            if not kind.startswith("hidden_"):
                value = remaining.pop(0)
                if len(value) != length:
                    raise ValueError(f"argument at {place} has {length} bytes, not {len(value)}")
            else:
                value = hidden.get(kind, 0).to_bytes(length, "little")
            ctypes.memmove(self.address + place, value, length)
        if remaining:
            raise ValueError(f"{len(remaining)} arguments too many")
        self.words = struct.unpack(f"<{-(-size // 4)}I", ctypes.string_at(self.address, -(-size // 4) * 4))


def _hidden(launch: Launch, grid_barrier: int) -> dict[str, int]:
    """Return the hidden arguments that are not zero, by AMD's names."""
    found = {"hidden_grid_dims": 3, "hidden_dynamic_lds_size": launch.dynamic_lds}
    for axis, blocks, threads in zip("xyz", launch.grid, launch.block, strict=True):
        # CUDA's grids are whole blocks: nothing remains.
        found |= {f"hidden_block_count_{axis}": blocks, f"hidden_group_size_{axis}": threads}
    if launch.cooperative:
        found["hidden_multigrid_sync_arg"] = grid_barrier
    return found

"""The memory that a wave sees besides global memory: shared memory of its block, private memory of its lanes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PRIVATE_APERTURE", "WaveMemory"]

# The upper half of generic addresses of private memory.
PRIVATE_APERTURE = 0x0FFF


@dataclass(frozen=True)
class WaveMemory:
    """The addresses of a wave's memory.

    Attributes:
        aperture: the upper half of generic addresses of the block's shared memory, which is also its place in the
            host's memory.
        lds: the address of shared memory.
        scratch: the address of private memory, `stride` bytes for each lane.
    """

    aperture: int
    lds: int
    scratch: int
    stride: int

    def resolved(self, address: int, lane: int) -> int:
        """Return the address in this process of a lane's generic address."""
        if address >> 32 == PRIVATE_APERTURE:
            return self.scratch + lane * self.stride + (address & 0xFFFFFFFF)
        return address

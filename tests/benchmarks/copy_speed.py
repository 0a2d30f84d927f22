"""Speed of copies on the CPU runtime: by kind of memory, in rows and slices, and two at once, beside memcpy.

    python tests/benchmarks/copy_speed.py [--rounds 7] [--mebibytes 256]

A row gives milliseconds, and the ratio of memcpy's time for the same bytes in the same shape to that: above 1 the
runtime is ahead. The targets are there before the first round. All take turns, and the best of the rounds counts. Every
copy's result is compared with its source.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from cuda_shim import settings
from cuda_shim.backends import cpu, host_libraries
from tests.benchmarks.speed.contenders import Array
from tests.benchmarks.speed.turns import take_turns

P = ctypes.c_void_p
SIZE = ctypes.c_size_t
TO_DEVICE, FROM_DEVICE, ON_DEVICE, BY_ADDRESS = 1, 2, 3, 4
#: Bytes of a row, and from a row to the next, of the pitched copies; rows of a slice.
WIDTH, PITCH, HEIGHT = 1920, 2048, 512


class Position(ctypes.Structure):
    """hipPos and hipExtent."""

    _fields_ = [("x", SIZE), ("y", SIZE), ("z", SIZE)]


class Pitched(ctypes.Structure):
    """hipPitchedPtr."""

    _fields_ = [("memory", P), ("pitch", SIZE), ("width", SIZE), ("height", SIZE)]


class PeerCopy3D(ctypes.Structure):
    """hipMemcpy3DPeerParms."""

    _fields_ = [
        ("from_array", P), ("from_position", Position), ("source", Pitched), ("from_device", ctypes.c_int),
        ("to_array", P), ("to_position", Position), ("target", Pitched), ("to_device", ctypes.c_int),
        ("extent", Position),
    ]  # fmt: skip


class Copy3D(ctypes.Structure):
    """hipMemcpy3DParms."""

    _fields_ = [
        ("from_array", P), ("from_position", Position), ("source", Pitched), ("to_array", P), ("to_position", Position),
        ("target", Pitched), ("extent", Position), ("kind", ctypes.c_int),
    ]  # fmt: skip


@dataclass
class Contest:
    """A copy, the same by memcpy, and the copy's result, of which `columns` bytes of each row are compared."""

    title: str
    ours: Callable[[], None]
    memcpy: Callable[[], None]
    result: Callable[[], Array]
    columns: int = PITCH


class Copies:
    """The memory of all copies, of `size` bytes each: the host's, pinned and device memory to read, and to write.

    There are two devices; the second one has memory to write.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.hip = ctypes.CDLL(str(folder / "libamdhip64.so"))
        self.size, self.rows = size, size // PITCH
        self.host = np.random.default_rng(1).integers(1, 255, size, np.uint8)
        self.to_host, self.to_other_host = np.zeros_like(self.host), np.ones_like(self.host)
        self.device, self.to_device = (self._memory(self.hip.hipMalloc) for _ in range(2))
        self._must(self.hip.hipSetDevice(1))
        self.to_peer = self._memory(self.hip.hipMalloc)
        self._must(self.hip.hipSetDevice(0))
        self.pinned, self.to_pinned = (self._memory(self.hip.hipHostMalloc, ctypes.c_uint(0)) for _ in range(2))
        self.streams = [P(), P()]
        for stream in self.streams:
            self._must(self.hip.hipStreamCreateWithFlags(ctypes.byref(stream), 1))
        for source in (self.device, self.pinned):
            self._linear(source, self._of(self.host), BY_ADDRESS)

    @staticmethod
    def _must(status: int) -> None:
        if status != 0:
            raise RuntimeError(f"HIP status {status}")

    @staticmethod
    def _of(array: Array, offset: int = 0) -> P:
        return P(array.ctypes.data + offset)

    @staticmethod
    def _behind(memory: P, offset: int) -> P:
        return P((memory.value or 0) + offset)

    def _memory(self, allocate: Callable[..., int], *more: ctypes.c_uint) -> P:
        memory = P()
        self._must(allocate(ctypes.byref(memory), SIZE(self.size), *more))
        return memory

    def _linear(self, target: P, source: P, kind: int) -> None:
        self._must(self.hip.hipMemcpy(target, source, SIZE(self.size), kind))

    def _on_device(self, copy: Callable[[], None]) -> None:
        copy()
        self._must(self.hip.hipDeviceSynchronize())

    def _both_ways(self) -> None:
        (to, back), half = self.streams, self.size // 2
        self._must(self.hip.hipMemcpyAsync(self.to_device, self.pinned, SIZE(half), TO_DEVICE, to))
        ends = self._behind(self.to_pinned, half), self._behind(self.device, half)
        self._must(self.hip.hipMemcpyAsync(*ends, SIZE(half), FROM_DEVICE, back))
        for stream in self.streams:
            self._must(self.hip.hipStreamSynchronize(stream))

    def _both_ways_pageable(self) -> None:
        """From two threads, since a copy of pageable memory ends before its call returns."""
        half = self.size // 2
        ends = self._of(self.to_host, half), self._behind(self.device, half)
        back = threading.Thread(target=lambda: self._on_stream(self.streams[1], *ends, half, FROM_DEVICE))
        back.start()
        self._on_stream(self.streams[0], self.to_device, self._of(self.host), half, TO_DEVICE)
        back.join()

    def _on_stream(self, stream: P, target: P, source: P, size: int, kind: int) -> None:
        self._must(self.hip.hipMemcpyAsync(target, source, SIZE(size), kind, stream))
        self._must(self.hip.hipStreamSynchronize(stream))

    def _slices_to_peer(self) -> None:
        source, target = (Pitched(end, PITCH, WIDTH, HEIGHT) for end in (self.device, self.to_peer))
        extent = Position(WIDTH, HEIGHT, self.rows // HEIGHT)
        copy = PeerCopy3D(source=source, target=target, extent=extent, from_device=0, to_device=1)
        self._must(self.hip.hipMemcpy3DPeer(ctypes.byref(copy)))

    def _rows(self, target: P, source: P, kind: int) -> None:
        pitch = SIZE(PITCH)
        self._must(self.hip.hipMemcpy2D(target, pitch, source, pitch, SIZE(WIDTH), SIZE(self.rows), kind))

    def _slices(self, target: P, source: P, kind: int) -> None:
        ends = [Pitched(end, PITCH, WIDTH, HEIGHT) for end in (source, target)]
        extent = Position(WIDTH, HEIGHT, self.rows // HEIGHT)
        copy = Copy3D(source=ends[0], target=ends[1], extent=extent, kind=kind)
        self._must(self.hip.hipMemcpy3D(ctypes.byref(copy)))

    def _memcpy(self) -> None:
        ctypes.memmove(self._of(self.to_other_host), self._of(self.host), self.size)

    def _memcpy_both_ways(self) -> None:
        half = self.size // 2
        behind = self._of(self.to_other_host, half), self._of(self.host, half), half
        other = threading.Thread(target=ctypes.memmove, args=behind)
        other.start()
        ctypes.memmove(self._of(self.to_other_host), self._of(self.host), half)
        other.join()

    def _memcpy_rows(self) -> None:
        target, source = (array.reshape(-1, PITCH)[:, :WIDTH] for array in (self.to_other_host, self.host))
        np.copyto(target, source)

    def clear(self) -> None:
        """Overwrite the targets."""
        self.to_host[:] = 0
        self.to_other_host[:] = 0
        for device, target in ((1, self.to_peer), (0, self.to_pinned), (0, self.to_device)):
            self._must(self.hip.hipSetDevice(device))
            self._must(self.hip.hipMemset(target, 0, SIZE(self.size)))
            self._must(self.hip.hipDeviceSynchronize())

    def _read(self, memory: P) -> Array:
        result = np.empty_like(self.host)
        self._linear(self._of(result), memory, BY_ADDRESS)
        return result

    def _halves(self) -> Array:
        half = self.size // 2
        return np.concatenate([self._read(self.to_device)[:half], self._read(self.to_pinned)[half:]])

    def _pageable_halves(self) -> Array:
        half = self.size // 2
        return np.concatenate([self._read(self.to_device)[:half], self.to_host[half:]])

    def is_right(self, contest: Contest) -> bool:
        """Whether the target of a copy equals its source."""
        self.clear()
        contest.ours()
        result, source = (array.reshape(-1, PITCH)[:, : contest.columns] for array in (contest.result(), self.host))
        return bool((result == source).all())

    def contests(self) -> Iterator[Contest]:
        """All copies."""
        hip, host, to_host = self.hip, self._of(self.host), self._of(self.to_host)
        device, to_device, pinned, to_pinned = self.device, self.to_device, self.pinned, self.to_pinned
        memcpy, rows = self._memcpy, self._memcpy_rows

        def peer() -> None:
            self._must(hip.hipMemcpyPeer(self.to_peer, 1, device, 0, SIZE(self.size)))

        def on_device() -> None:
            self._linear(to_device, device, ON_DEVICE)

        def rows_on_device() -> None:
            self._rows(to_device, device, ON_DEVICE)

        def slices_on_device() -> None:
            self._slices(to_device, device, ON_DEVICE)

        def arrived() -> Array:
            return self._read(to_device)

        def at_peer() -> Array:
            return self._read(self.to_peer)

        def returned() -> Array:
            return self.to_host

        yield Contest("pageable to device", lambda: self._linear(to_device, host, TO_DEVICE), memcpy, arrived)
        yield Contest("device to pageable", lambda: self._linear(to_host, device, FROM_DEVICE), memcpy, returned)
        yield Contest("pinned to device", lambda: self._linear(to_device, pinned, TO_DEVICE), memcpy, arrived)
        yield Contest(
            "device to pinned",
            lambda: self._linear(to_pinned, device, FROM_DEVICE),
            memcpy,
            lambda: self._read(to_pinned),
        )
        both = self._memcpy_both_ways
        yield Contest("both ways at once, pinned", self._both_ways, both, self._halves)
        yield Contest("both ways at once, pageable", self._both_ways_pageable, both, self._pageable_halves)
        yield Contest("device to device", lambda: self._on_device(on_device), memcpy, arrived)
        yield Contest("device to another device", lambda: self._on_device(peer), memcpy, at_peer)
        yield Contest("2D to device", lambda: self._rows(to_device, host, TO_DEVICE), rows, arrived, WIDTH)
        yield Contest("2D from device", lambda: self._rows(to_host, device, FROM_DEVICE), rows, returned, WIDTH)
        yield Contest("2D pinned to device", lambda: self._rows(to_device, pinned, TO_DEVICE), rows, arrived, WIDTH)
        yield Contest("2D on device", lambda: self._on_device(rows_on_device), rows, arrived, WIDTH)
        yield Contest("3D to device", lambda: self._slices(to_device, host, TO_DEVICE), rows, arrived, WIDTH)
        yield Contest("3D from device", lambda: self._slices(to_host, device, FROM_DEVICE), rows, returned, WIDTH)
        yield Contest("3D to another device", lambda: self._on_device(self._slices_to_peer), rows, at_peer, WIDTH)
        yield Contest("3D on device", lambda: self._on_device(slices_on_device), rows, arrived, WIDTH)


def measure(rounds: int = 7, size: int = 256 << 20) -> Iterator[tuple[str, dict[str, float]]]:
    """Milliseconds of each copy ("ms") and of memcpy, by title."""
    os.environ["CUDA_SHIM_CPU_DEVICES"] = "2"  # the runtime reads it when it is loaded
    cpu.prepare_environment(settings.current())
    chosen = os.environ.get("CUDA_SHIM_TEST_RUNTIME") or host_libraries.ensure_libraries(settings.current())
    copies = Copies(Path(chosen, "lib"), size)
    for contest in copies.contests():
        if not copies.is_right(contest):
            raise AssertionError(f"{contest.title}: the copy differs from its source")
        yield contest.title, take_turns({"ms": contest.ours, "memcpy": contest.memcpy}, rounds, 1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="of which the best counts")
    parser.add_argument("--mebibytes", type=int, default=256, help="the size of each copy")
    given = parser.parse_args()
    print(f"{'':28}{'ms':>10}{'memcpy':>10}")
    for title, best in measure(given.rounds, given.mebibytes << 20):
        print(f"{title:28}{best['ms']:10.2f}{best['memcpy'] / best['ms']:9.2f}x", flush=True)


if __name__ == "__main__":
    main()

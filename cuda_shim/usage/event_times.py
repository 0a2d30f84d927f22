"""Times of kernels, copies and fills by HIP's events, where the runtime does not write times of its own: AMD's.

An event is recorded in the stream before a call and another one after it. Calls in a stream that is captured into a
graph get no events, which would become a part of the graph: the graph's launch is measured as a whole.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import time

# From _thread: threading takes longer to import than the rest of this module.
from _thread import allocate_lock
from collections import deque

from cuda_shim.backends import native
from cuda_shim.usage.timeline import DeviceWork

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from cuda_shim.usage.enqueued_work import EnqueuedWork
    from cuda_shim.usage.timeline import Timeline

__all__ = ["BACKENDS", "EventTimes", "MeasuredWork"]

#: The backends whose runtimes write no times of their own.
BACKENDS = frozenset({"rocm"})

_MAX_WAITING = 1024
_REBASE_MILLISECONDS = 1000.0  # a float of more has no microseconds
_RELAXED = 2


class MeasuredWork(DeviceWork):
    """The work that one call enqueued on a device, the handle of its stream, and the events around it."""

    __slots__ = ("end", "handle", "start")

    handle: int
    start: int
    end: int


class _Hip:
    """The functions of HIP that this needs."""

    def __init__(self) -> None:
        status, pointer = ctypes.c_int, ctypes.c_void_p
        self.create = native.function("hipEventCreate", status, pointer)
        self.destroy = native.function("hipEventDestroy", status, pointer)
        self.record = native.function("hipEventRecord", status, pointer, pointer)
        self.wait = native.function("hipEventSynchronize", status, pointer)
        self.elapsed = native.function("hipEventElapsedTime", status, pointer, pointer, pointer)
        self.device = native.function("hipGetDevice", status, pointer)
        self.is_capturing = native.function("hipStreamIsCapturing", status, pointer, pointer)
        self.exchange_mode = native.function("hipThreadExchangeStreamCaptureMode", status, pointer)
        self.name_of = native.function("hipKernelNameRef", ctypes.c_char_p, pointer)


class _Unmeasured(Exception):
    """HIP refused a call that the measurement needs."""


class EventTimes:
    """Measures the work of calls and writes it to a timeline, once it is done: at a flush, or when much work waits."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._hip = _Hip()
        self._lock = allocate_lock()
        self._process = os.getpid()
        self._waiting: deque[MeasuredWork] = deque()
        self._free: dict[int, list[int]] = {}
        self._streams: dict[int, int] = {0: 0, 1: 0}
        # For each device an event, and the nanosecond at which it was reached.
        self._bases: dict[int, tuple[int, float]] = {}

    def begin(self, enqueued: EnqueuedWork, number: int, site: str, arguments: tuple[Any, ...]) -> MeasuredWork | None:
        """Record an event ahead of a call. Returns None where nothing can be measured."""
        stream = enqueued.stream(arguments)
        with self._lock, _relaxed(self._hip):
            try:
                self._leave_parent()
                if self._captured(stream):
                    return None
                device = self._current_device()
                name = enqueued.name(arguments)
                if enqueued.kernel_at >= 0:
                    name = self._kernel_name(arguments[enqueued.kernel_at])
                stream_number = self._streams.setdefault(stream, len(self._streams) - 1)
                size = enqueued.bytes(arguments)
                work = MeasuredWork(enqueued.kind, name, size, device, stream_number, number, site)
                work.handle = stream
                if device not in self._bases:
                    self._bases[device] = self._reached_now(device, stream)
                work.start = self._recorded(device, stream)
            except _Unmeasured:
                return None
        return work

    def end(self, work: MeasuredWork, succeeded: bool) -> None:
        """Record an event after a call; a call that failed has enqueued nothing."""
        with self._lock, _relaxed(self._hip):
            try:
                if not succeeded:
                    self._free[work.device].append(work.start)
                    return
                work.end = self._recorded(work.device, work.handle)
            except _Unmeasured:
                return
            self._waiting.append(work)
            if len(self._waiting) > _MAX_WAITING:
                self._write(_MAX_WAITING // 2)

    def flush(self) -> None:
        """Wait for all that is measured, and write it."""
        with self._lock, _relaxed(self._hip):
            self._leave_parent()
            self._write(len(self._waiting))

    def _leave_parent(self) -> None:
        """Forget the parent's work and events, in a forked child."""
        if os.getpid() != self._process:
            self._process = os.getpid()
            self._waiting.clear()
            self._free.clear()
            self._bases.clear()

    def _write(self, count: int) -> None:
        for _ in range(count):
            work = self._waiting.popleft()
            try:
                begin, end = self._times(work)
            except _Unmeasured:
                continue  # the device was reset, or the work failed
            self._timeline.activity(begin, end, work)
            self._free.setdefault(work.device, []).append(work.end)

    def _times(self, work: MeasuredWork) -> tuple[int, int]:
        """Return the nanoseconds of the machine's clock between which the work was done."""
        self._checked(self._hip.wait(work.end))
        base, reached = self._bases[work.device]
        since = self._elapsed(base, work.start)
        took = self._elapsed(work.start, work.end)
        begin = reached + since * 1e6
        free = work.start
        if since > _REBASE_MILLISECONDS:
            self._bases[work.device] = work.start, begin
            free = base
        self._free.setdefault(work.device, []).append(free)
        return int(begin), int(begin + max(took, 0.0) * 1e6)

    def _reached_now(self, device: int, stream: int) -> tuple[int, float]:
        event = self._recorded(device, stream)
        self._checked(self._hip.wait(event))
        return event, float(time.perf_counter_ns())

    def _recorded(self, device: int, stream: int) -> int:
        free = self._free.setdefault(device, [])
        if free:
            event = free.pop()
        else:
            created = ctypes.c_void_p()
            self._checked(self._hip.create(ctypes.byref(created)))
            event = created.value or 0
        self._checked(self._hip.record(event, stream))
        return event

    def _elapsed(self, first: int, second: int) -> float:
        milliseconds = ctypes.c_float()
        self._checked(self._hip.elapsed(ctypes.byref(milliseconds), first, second))
        return milliseconds.value

    def _captured(self, stream: int) -> bool:
        state = ctypes.c_int()
        return self._hip.is_capturing(stream, ctypes.byref(state)) != 0 or state.value != 0

    def _current_device(self) -> int:
        device = ctypes.c_int()
        self._checked(self._hip.device(ctypes.byref(device)))
        return device.value

    def _kernel_name(self, function: Any) -> str:
        handle = int(function)
        name = self._hip.name_of(handle) if handle else None
        return (name or b"").decode("utf-8", "replace")

    @staticmethod
    def _checked(status: int) -> None:
        if status:
            raise _Unmeasured


@contextlib.contextmanager
def _relaxed(hip: _Hip) -> Iterator[None]:
    """Allow calls that the capture of a stream in another thread forbids: none of them concerns that stream."""
    mode = ctypes.c_int(_RELAXED)
    hip.exchange_mode(ctypes.byref(mode))
    try:
        yield
    finally:
        hip.exchange_mode(ctypes.byref(mode))

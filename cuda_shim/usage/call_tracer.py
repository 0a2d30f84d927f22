"""The listener that notes the line of the program behind each call: for the CPU runtime's findings, and for a timeline.

The CPU runtime writes its own times (kernels, copies) to the timeline too. AMD's runtime writes none: there the times
are measured between events around the calls (event_times.py).
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os

# From _thread: threading takes longer to import than the rest of this module.
from _thread import allocate_lock, get_native_id
from itertools import count

from cuda_shim import backends
from cuda_shim.backends import native
from cuda_shim.instrumentation.call_site import CallSites
from cuda_shim.instrumentation.listener import CallHooks, Listener

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from cuda_shim.mapping.rows import FunctionRow
    from cuda_shim.usage.enqueued_work import EnqueuedWork
    from cuda_shim.usage.event_times import EventTimes
    from cuda_shim.usage.timeline import DeviceWork, Timeline

__all__ = ["CallTracer"]


class CallTracer(Listener):
    """Gives the runtime the line and number of each call, and writes the calls to `timeline` where there is one."""

    def __init__(self, timeline: Timeline | None) -> None:
        self._timeline = timeline
        self._sites = CallSites()
        self._site_numbers: dict[str, int] = {}
        self._call_numbers = count(1)
        self._lock = allocate_lock()
        self._runtime_is_known = False
        self._runtime_records = False
        self._set_call: Callable[[int, int], int] | None = None
        self._events: EventTimes | None = None

    def hooks(self, row: FunctionRow) -> CallHooks:
        """Return the hooks that number the calls of a function, and measure its work on a device."""
        if self._timeline is None:
            return CallHooks(self._number_call)
        work = self._measured_work(row)
        if work is None:
            return CallHooks(self._number_call, functools.partial(self._write_call, self._timeline, row.name))
        return self._measuring_hooks(self._timeline, row.name, work)

    def flush(self) -> None:
        """Write everything that was measured."""
        if self._events is not None:
            self._events.flush()

    def stop(self) -> None:
        """Write the rest, and stop writing."""
        self.flush()
        atexit.unregister(self.flush)
        if self._set_call is not None and self._runtime_records:
            native.function("hipExtRecordActivity", ctypes.c_int, ctypes.c_char_p)(None)

    def _number_call(self, frame: FrameType, *_: object) -> tuple[int, str]:
        """Return a number for a call that `frame` makes, and the frame's line; the runtime gets both too."""
        site = self._sites.of(frame)
        number = next(self._call_numbers)
        if not self._runtime_is_known and backends.decided() is not None:
            self._meet_runtime()
        if self._set_call is not None:
            self._set_call(self._site_number(site), number)
        return number, site

    @staticmethod
    def _write_call(timeline: Timeline, name: str, call: Any, began: int, ended: int, *_: object) -> None:
        number, site = call  # as _number_call returned it
        timeline.call(began, ended, number, get_native_id(), name, site)

    def _measured_work(self, row: FunctionRow) -> EnqueuedWork | None:
        """Return the work of a function that is to be measured here; None for none, and where the runtime measures."""
        backend = backends.decided()
        if backend is None:
            return None
        from cuda_shim.usage import event_times
        from cuda_shim.usage.enqueued_work import enqueued_work

        return enqueued_work(row) if backend.name in event_times.BACKENDS else None

    def _measuring_hooks(self, timeline: Timeline, name: str, work: EnqueuedWork) -> CallHooks:
        if self._events is None:
            from cuda_shim.usage.event_times import EventTimes

            self._events = EventTimes(timeline)
            atexit.register(self.flush)
        events = self._events

        def before(frame: FrameType, *arguments: object) -> tuple[tuple[int, str], DeviceWork | None]:
            call = self._number_call(frame)
            return call, events.begin(work, *call, arguments)

        def after(state: Any, began: int, ended: int, result: tuple[object, ...], error: BaseException | None) -> None:
            call, measured = state  # as `before` returned it
            self._write_call(timeline, name, call, began, ended)
            if measured is not None:
                events.end(measured, error is None and result[0] == 0)

        return CallHooks(before, after)

    def _meet_runtime(self) -> None:
        with self._lock:
            backend = backends.decided()
            if self._runtime_is_known or backend is None:
                return
            if self._timeline is not None:
                self._timeline.backend(backend.name)
            if backend.name == "cpu":
                self._name_site = native.function(
                    "hipExtPlaceOfCall", ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint32)
                )
                from cuda_shim.usage import event_times

                self._runtime_records = self._timeline is not None and backend.name not in event_times.BACKENDS
                if self._timeline is not None and self._runtime_records:
                    record = native.function("hipExtRecordActivity", ctypes.c_int, ctypes.c_char_p)
                    record(os.fsencode(self._timeline.path))
                self._set_call = native.function("hipExtSetCall", ctypes.c_int, ctypes.c_uint32, ctypes.c_uint64)
            self._runtime_is_known = True

    def _site_number(self, site: str) -> int:
        """Return the runtime's number of a line."""
        number = self._site_numbers.get(site)
        if number is None:
            place = ctypes.c_uint32()
            self._name_site(site.encode("utf-8", "surrogateescape"), ctypes.byref(place))
            number = self._site_numbers[site] = place.value
        return number

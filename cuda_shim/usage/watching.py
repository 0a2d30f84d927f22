"""The line of the program that makes each call: for the CPU runtime, whose kernels run for it, and for a timeline.

The CPU runtime writes its own times (kernels, copies) to the timeline too. AMD's runtime writes none: there the times
are measured between events around the calls (event_times.py).
"""

from __future__ import annotations

import atexit
import ctypes
import os
import time

# From _thread: threading takes longer to import than the rest of this module.
from _thread import allocate_lock, get_native_id
from itertools import count
from types import CodeType, FrameType

from cuda_shim import backends
from cuda_shim.backends import native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from cuda_shim.usage.event_times import Enqueued, EventTimes, Work
    from cuda_shim.usage.timeline import Timeline

__all__ = ["Watch"]

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Watch:
    """The watcher of calls (see binding/functions/counting.py); writes to `timeline` where there is one."""

    def __init__(self, timeline: Timeline | None) -> None:
        self._timeline = timeline
        self._texts: dict[tuple[CodeType, int], str] = {}
        self._places: dict[str, int] = {}
        self._numbers = count(1)
        self._lock = allocate_lock()
        self._sites: dict[int, str] = {}
        self._measures_itself = False
        self._set_call: Callable[[int, int], int] | None = None
        self._asked = False
        self._events: EventTimes | None = None

    def work(self, what: Enqueued) -> tuple[Callable[..., Any], Callable[..., None]] | None:
        """Return the functions to run before and after a call, which measure its work on a device; None for neither."""
        decided = backends.decided()
        if self._timeline is None or decided is None:
            return None
        from cuda_shim.usage import event_times

        if decided.name not in event_times.BACKENDS:
            return None
        if self._events is None:
            self._events = event_times.EventTimes(self._timeline)
            atexit.register(self.flush)
        events = self._events

        def ahead(number: int, *arguments: object) -> Work | None:
            return events.begin(what, number, self._sites.get(number, ""), arguments)

        def behind(work: Work | None, status: object, *arguments: object) -> None:
            if work is not None:
                events.end(what, work, status == 0, arguments)

        return ahead, behind

    def flush(self) -> None:
        """Write everything that was measured."""
        if self._events is not None:
            self._events.flush()

    def begin(self, frame: FrameType) -> int:
        """Return a number for a call that `frame` makes; the runtime gets the number too."""
        site = self._site(frame)
        number = next(self._numbers)
        if not self._asked and backends.decided() is not None:
            self._meet_runtime()
        if self._set_call is not None:
            self._set_call(self._place(site), number)
        if self._timeline is not None:
            self._sites[number] = site
        return number

    def end(self, name: str, number: int, began: int) -> None:
        """Note that the call is over."""
        if self._timeline is not None:
            site = self._sites.pop(number, "")
            self._timeline.call(began, time.perf_counter_ns(), number, get_native_id(), name, site)

    def stop(self) -> None:
        """Write the rest, and stop writing."""
        self.flush()
        atexit.unregister(self.flush)
        if self._set_call is not None and self._measures_itself:
            native.function("hipExtRecordActivity", ctypes.c_int, ctypes.c_char_p)(None)

    def _meet_runtime(self) -> None:
        with self._lock:
            if self._asked:
                return
            decided = backends.decided()
            if decided is None:
                return
            if self._timeline is not None:
                self._timeline.backend(decided.name)
            if decided.name == "cpu":
                self._name_place = native.function(
                    "hipExtPlaceOfCall", ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint32)
                )
                from cuda_shim.usage import event_times

                self._measures_itself = self._timeline is not None and decided.name not in event_times.BACKENDS
                if self._timeline is not None and self._measures_itself:
                    record = native.function("hipExtRecordActivity", ctypes.c_int, ctypes.c_char_p)
                    record(os.fsencode(self._timeline.path))
                self._set_call = native.function("hipExtSetCall", ctypes.c_int, ctypes.c_uint32, ctypes.c_uint64)
            self._asked = True

    def _place(self, site: str) -> int:
        place = self._places.get(site)
        if place is None:
            number = ctypes.c_uint32()
            self._name_place(site.encode("utf-8", "surrogateescape"), ctypes.byref(number))
            place = self._places[site] = number.value
        return place

    def _site(self, frame: FrameType | None) -> str:
        """Return the line of the program: the innermost frame that is not ours, as "prog.py:12 in main"."""
        while frame is not None:
            code = frame.f_code
            found = self._texts.get((code, frame.f_lineno))
            if found is not None:
                return found
            if not code.co_filename.startswith((_OURS, "<cuda_shim")):
                break
            frame = frame.f_back
        if frame is None:
            return ""
        where = "" if code.co_name == "<module>" else f" in {code.co_name}"
        text = f"{_shown(code.co_filename)}:{frame.f_lineno}{where}".replace("\t", " ").replace("\n", " ")
        self._texts[code, frame.f_lineno] = text
        return text


def _shown(path: str) -> str:
    """Return a file's path for messages: relative to the folder that the program began in, if it is in there."""
    if not os.path.isabs(path):
        return path
    inside = os.path.relpath(path, _BEGAN_IN)
    return path if inside.startswith("..") else inside


try:
    _BEGAN_IN = os.getcwd()
except OSError:  # the folder is gone
    _BEGAN_IN = os.sep

"""Entries of tables that live as long as the graph that a stream captures, with its copies and instances.

HIP calls a function when a graph's last holder ends, which may be after the interpreter's end: no Python function can
be that one. It is sem_post of the C library, which marks the entry; later captures remove the entries that are marked.
"""

from __future__ import annotations

import ctypes
from _thread import allocate_lock
from typing import Any

from cuda_shim.binding.functions import Binding

__all__ = ["GraphEnds", "of"]

_SEMAPHORE_BYTES = 64  # at least sizeof(sem_t), which is zeros for a semaphore of one process with value 0
_NO_DESTRUCTOR_SYNC, _MOVE = 1, 1  # hipUserObjectNoDestructorSync, hipGraphUserObjectMove
_FIRST_SWEEP = 16

_c = ctypes.pythonapi  # called without letting other threads run
_allocate = _c.calloc
_allocate.restype, _allocate.argtypes = ctypes.c_void_p, (ctypes.c_size_t, ctypes.c_size_t)
_free, _try_wait = _c.free, _c.sem_trywait
_free.argtypes = _try_wait.argtypes = (ctypes.c_void_p,)
_free.restype = None
_sweeping = allocate_lock()


def of(binding: Binding) -> GraphEnds | None:
    """Return the ends of graphs; None on an AMD GPU, where a graph's instances are not known to hold its objects."""
    return GraphEnds(binding) if binding.hip_python.backend.name == "cpu" else None


class GraphEnds:
    """Removes entries when the graph that they belong to has ended."""

    def __init__(self, binding: Binding) -> None:
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        self._capture_info = binding.native("hipStreamGetCaptureInfo_v2", *[pointer] * 6)
        self._create = binding.native("hipUserObjectCreate", pointer, pointer, pointer, number, number)
        self._retain = binding.native("hipGraphRetainUserObject", pointer, pointer, number, number)
        self._release = binding.native("hipUserObjectRelease", pointer, number)
        self._mark = ctypes.cast(_c.sem_post, pointer)

    def remove_with_graph_of(self, stream: int, key: int, entries: dict[int, Any]) -> None:
        """Remove an entry once the graph that a stream is capturing has ended; where HIP refuses that, it stays."""
        state, graph, made = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
        status = self._capture_info(stream, ctypes.byref(state), None, ctypes.byref(graph), None, None)
        if status or not graph.value:
            return
        semaphore = _allocate(1, _SEMAPHORE_BYTES)
        if not semaphore:
            return
        if self._create(ctypes.byref(made), semaphore, self._mark, 1, _NO_DESTRUCTOR_SYNC):
            _free(semaphore)
            return
        if self._retain(graph, made, 1, _MOVE):
            self._release(made, 1)  # marks the semaphore: the entry below must not be
            _free(semaphore)
            return
        _marks[semaphore] = entries, key
        if len(_marks) >= _limit[0]:
            remove_ended()


_marks: dict[int, tuple[dict[int, Any], int]] = {}
"""The entries of graphs by the addresses of their semaphores."""
_limit = [_FIRST_SWEEP]


def remove_ended() -> None:
    """Remove the entries whose graphs have ended; the next time is when there are twice as many as remain."""
    if not _sweeping.acquire(blocking=False):
        return
    try:
        for semaphore, (entries, key) in list(_marks.items()):
            if not _try_wait(semaphore):
                del _marks[semaphore]
                entries.pop(key, None)
                _free(semaphore)
        _limit[0] = max(_FIRST_SWEEP, 2 * len(_marks))
    finally:
        _sweeping.release()

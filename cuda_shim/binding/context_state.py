"""The state that CUDA keeps: whether the driver is initialised, and a context current in the calling thread.

HIP begins by itself with the first call, and has a context in every thread. A CUDA program that forgot cuInit, or a
thread that forgot to make a context current, gets an error from every call. The runtime API does both by itself: its
first call in a thread makes the primary context of the thread's device current there.
"""

from __future__ import annotations

# From _thread: threading takes longer to import than the rest of this module.
from _thread import _local
from collections.abc import Callable, Sequence

__all__ = [
    "DEFAULT_STREAMS",
    "Thread",
    "are_null",
    "begin_of_runtime",
    "connect_c_functions",
    "connect_compiled_calls",
    "context_bringing",
    "context_ends",
    "end_of_runtime",
    "forget",
    "has_listeners_to_ends",
    "initialize",
    "is_initialized",
    "note_c_runtime",
    "note_context",
    "note_runtime",
    "on_context_end",
    "runtime_has_begun",
    "runtime_in_use",
    "thread",
]  # fmt: skip


class Thread(_local):
    """The known context state of the calling thread."""

    has_context = False
    """True if a context is known to be current; False if the next call has to check."""
    runtime_began = False
    """True if a call of the runtime made the context current, below the contexts of the thread itself."""


thread = Thread()
_initialized = False
_runtime_used = False
_c_runtime_used = False
_mark_thread: Callable[[int], object] | None = None
_c_functions: list[tuple[Callable[[], object], Callable[[], object]]] = []
_end_listeners: list[Callable[[int], object]] = []
DEFAULT_STREAMS = (0, 1, 2)
"""Handles of the null stream, the legacy one and the thread's own, which bring no context along."""


def is_initialized() -> bool:
    """Return whether cuInit has succeeded, or a call of the runtime or C code has begun the driver."""
    return _initialized


def initialize() -> None:
    """Note that the driver is initialised."""
    global _initialized
    _initialized = True
    # Also where another thread has begun to: on return, no C function refuses the calls of this thread.
    for note_initialized, _ in _c_functions:
        note_initialized()


def note_runtime() -> None:
    """Note that the program calls the runtime."""
    global _runtime_used
    _runtime_used = True
    initialize()


def note_c_runtime() -> None:
    """Note that C code calls the runtime; Python does not see these calls, nor the threads that make them."""
    global _c_runtime_used
    _c_runtime_used = True
    note_runtime()
    forget()


def runtime_in_use() -> bool:
    """Return whether a call of the runtime may have begun a primary context."""
    return _runtime_used


def runtime_has_begun() -> bool:
    """Return whether the runtime made a context current in this thread, or may have done so in C code."""
    return thread.runtime_began or _c_runtime_used


def begin_of_runtime() -> None:
    """Note that the runtime made a context current in this thread."""
    thread.runtime_began = True


def end_of_runtime() -> bool:
    """Clear the mark of a context that the runtime made current in this thread; return whether it was set."""
    began, thread.runtime_began = thread.runtime_began, False
    return began


def note_context() -> None:
    """Note that a context is current in this thread."""
    thread.has_context = True
    if _mark_thread is not None:
        _mark_thread(1)


def forget() -> None:
    """Have the next call find out whether a context is current: the thread's contexts have changed."""
    thread.has_context = False
    # Compiled calls and C functions keep this state for each system thread. A C++ thread has another `thread` object in
    # each of its calls of Python, so `thread` does not show whether they have noted a context.
    if _mark_thread is not None:
        _mark_thread(0)
    for _, forget_thread in _c_functions:
        forget_thread()


def connect_compiled_calls(mark_thread: Callable[[int], object]) -> None:
    """Have `mark_thread` called with whether the calling thread is known to have a context."""
    global _mark_thread
    _mark_thread = mark_thread


def connect_c_functions(note_initialized: Callable[[], object], forget_thread: Callable[[], object]) -> None:
    """Have functions called once the driver is initialised, and when the calling thread's contexts have changed."""
    _c_functions.append((note_initialized, forget_thread))
    if _initialized:
        note_initialized()


def on_context_end(listener: Callable[[int], object]) -> None:
    """Have `listener` called with the handle of each context that is about to end."""
    _end_listeners.append(listener)


def has_listeners_to_ends() -> bool:
    """Return whether the end of a context matters to C code."""
    return bool(_end_listeners)


def context_ends(handle: int) -> None:
    """Report a context that is about to end: destroyed, reset, or let go of by its last holder."""
    for listener in _end_listeners:
        listener(handle)


def context_bringing(bases: Sequence[str]) -> tuple[int, str] | None:
    """Return the place and the type of the parameter that may bring a context along, by the types of all of them."""
    for base in ("CUstream", "CUcontext", "CUlaunchConfig"):
        if base in bases:
            return len(bases) - 1 - bases[::-1].index(base), base
    return None


def are_null(arguments: Sequence[object]) -> bool:
    """Return whether all arguments of a call are null: zeros, null handles, None or empty lists."""
    return all(map(_is_null, arguments))


def _is_null(argument: object) -> bool:
    if argument is None or argument == []:
        return True
    try:
        return not int(argument)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return False

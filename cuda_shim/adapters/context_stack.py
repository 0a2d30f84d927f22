"""The stack of contexts of a thread, as CUDA keeps it over HIP's stack.

HIP has the stack. On AMD GPUs a device has one context, whose handle every hipCtxCreate returns; creating, popping and
destroying one leave the current device as it is; and no handle is checked before it is used. Here the device that was
current before is restored, and a handle that is no context is refused.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from cuda_shim.backends.native import function
from cuda_shim.binding import context_state

__all__ = ["ContextStack", "context_stack", "has_created_contexts"]

_INVALID_CONTEXT = 201  # hipErrorInvalidContext
_Result = TypeVar("_Result")


class _Entry(NamedTuple):
    """The facts of an entry of HIP's stack that HIP does not keep."""

    device_before: int
    """The device that was current before it."""
    created: bool
    """True if it was made current as a context of cuCtxCreate; the primary one of the device may have its handle."""


class _Thread(threading.local):
    """The entries of the thread's stack, the current one last."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.current = ctypes.c_void_p()  # written by HIP
        self.place_of_current = ctypes.byref(self.current)


_thread = _Thread()
_lock = threading.Lock()


class _Context:
    """A handle of contexts: on AMD GPUs the primary one of a device shares it with those that the program creates.

    Attributes:
        created_on: the device, once for each creation that was not undone yet.
        is_primary: whether the primary context of a device has the handle.
    """

    def __init__(self) -> None:
        self.created_on: list[int] = []
        self.is_primary = False


# By the handle. A handle without a context is removed.
_contexts: dict[int, _Context] = {}


def _is_created(context: int) -> bool:
    entry = _contexts.get(context)
    return entry is not None and bool(entry.created_on)


def has_created_contexts(device: int) -> bool:
    """Return whether a context that the program created on a device still lives."""
    with _lock:
        return any(device in context.created_on for context in _contexts.values())


@functools.cache
def context_stack() -> ContextStack:
    """Return the object through which every adapter reaches the calling thread's stack."""
    return ContextStack()


class ContextStack:
    """The calling thread's stack. Methods return HIP's status, with a handle where there is one; 0 is no context."""

    def __init__(self) -> None:
        pointer, integer = ctypes.c_void_p, ctypes.c_int

        def native(name: str, *argtypes: Any) -> Callable[..., int]:
            return function(name, ctypes.c_int, *argtypes)

        self._create = native("hipCtxCreate", pointer, ctypes.c_uint, integer)
        self._destroy = native("hipCtxDestroy", pointer)
        self._push = native("hipCtxPushCurrent", pointer)
        self._pop = native("hipCtxPopCurrent", pointer)
        self._set = native("hipCtxSetCurrent", pointer)
        self._last_error = native("hipGetLastError")
        self._current = native("hipCtxGetCurrent", pointer)
        self._get_device = native("hipGetDevice", pointer)
        self._set_device = native("hipSetDevice", integer)
        self._count = native("hipGetDeviceCount", pointer)
        self._retain = native("hipDevicePrimaryCtxRetain", pointer, integer)
        self._release = native("hipDevicePrimaryCtxRelease", integer)

    def create(self, flags: int, device: int) -> tuple[int, int]:
        """Create a context and make it the current one."""
        before, handle = self.device(), ctypes.c_void_p()
        status = self._create(ctypes.byref(handle), flags, device)
        context = handle.value or 0
        status = status or self._set(context)
        if not status:
            with _lock:
                _contexts.setdefault(context, _Context()).created_on.append(device)
            _thread.entries.append(_Entry(before, created=True))
        context_state.forget()
        return status, context

    def destroy(self, context: int) -> int:
        """Destroy a context that was created; where it is the current one, the one beneath becomes current."""
        with _lock:
            entry = _contexts.get(context)
            if entry is None or not entry.created_on:
                return _INVALID_CONTEXT
            entry.created_on.pop()
            if not entry.created_on and not entry.is_primary:
                del _contexts[context]
        current, before = self.top() == context, self.device()
        status = self._destroy(context)  # pops the handle off the stack's top, even if it stands for another context
        if current and _thread.entries and not _thread.entries[-1].created:
            self._push(context)
            self._make_current(before)
        elif current:
            self._restore_beneath()
        context_state.forget()
        return status

    def push(self, context: int) -> int:
        """Make a context the current one, above the others."""
        before = self.device()
        status = self._checked(self._push, context)
        if not status:
            _thread.entries.append(_Entry(before, _is_created(context)))
        context_state.forget()
        return status

    def pop(self) -> tuple[int, int]:
        """Take the current context off; the one beneath becomes current."""
        current, top = ctypes.c_void_p(), ctypes.c_void_p()
        self._current(ctypes.byref(current))  # cudaSetDevice replaces the current context, and HIP's stack keeps it
        status = self._take(top)
        if not status:
            self._restore_beneath()
        elif context_state.end_of_runtime():
            status = 0
        context_state.forget()
        return status, current.value or top.value or 0

    def replace(self, context: int) -> int:
        """Make a context the current one in place of the one that was; 0 takes that one off."""
        if not context:
            self.pop()  # without any there is nothing to do
            return 0
        if self._is_current(context):
            return 0
        before, empty = self.device(), not self.is_set()
        status = self._checked(self._set, context)
        if not status:
            beneath = before if empty or not _thread.entries else _thread.entries.pop().device_before
            _thread.entries.append(_Entry(beneath, _is_created(context)))
            if empty:
                context_state.end_of_runtime()
        context_state.forget()
        return status

    def _is_current(self, context: int) -> bool:
        """Return whether a context is the current one by an entry like the one that would replace it."""
        entry = _contexts.get(context)
        entries = _thread.entries
        if entry is None or not entries or entries[-1].created != bool(entry.created_on):
            return False
        self._current(_thread.place_of_current)
        return _thread.current.value == context

    def is_set(self) -> bool:
        """Return whether the thread made a context current."""
        return bool(_thread.entries) or bool(self.top())

    def has_context(self) -> bool:
        """Return whether the thread, or the runtime in it, made a context current, and note that one is."""
        current = context_state.runtime_has_begun() or self.is_set()
        if current:
            context_state.note_context()
        return current

    def top(self) -> int:
        """Return the handle on top of HIP's stack, 0 where there is none."""
        before, top = self.device(), ctypes.c_void_p()
        if self._take(top):
            return 0
        self._push(top)
        self._make_current(before)
        return top.value or 0

    def while_current(self, context: int, call: Callable[[], _Result], failed: Callable[[int], _Result]) -> _Result:
        """Return the result of `call` while a context is current, `failed` of HIP's status where it cannot be.

        The thread's own context and device are current again afterwards. 0 stands for the current context.
        """
        if not context:
            return call()
        before = self.device()
        status = self._checked(self._push, context)
        if status:
            return failed(status)
        try:
            return call()
        finally:
            self._pop(None)
            self._make_current(before)

    def device(self) -> int:
        """Return the number of the current device."""
        device = ctypes.c_int()
        self._get_device(ctypes.byref(device))
        return device.value

    def primary(self, device: int) -> tuple[int, int]:
        """Return the primary context of a device, which nothing holds afterwards that did not hold it before."""
        handle = ctypes.c_void_p()
        status = self._retain(ctypes.byref(handle), device)
        status = status or self._release(device)
        context = handle.value or 0
        if not status:
            with _lock:
                _contexts.setdefault(context, _Context()).is_primary = True
        return status, context

    def inside_primary(self, device: int, call: Callable[[], int]) -> int:
        """Return the status of `call` while the primary context of a device is current, or why it cannot be."""
        status, context = self.primary(device)
        return status or self.while_current(context, call, int)

    def _checked(self, call: Callable[[int], int], context: int) -> int:
        if context not in _contexts and not self._is_primary(context):
            return _INVALID_CONTEXT
        return call(context)

    def _is_primary(self, context: int) -> bool:
        count = ctypes.c_int()
        self._count(ctypes.byref(count))
        with _lock:
            primaries = sum(entry.is_primary for entry in _contexts.values())
        if primaries < count.value:
            for device in range(count.value):
                self.primary(device)
        return context in _contexts

    def _take(self, top: ctypes.c_void_p) -> int:
        # An empty stack is no error of the runtime's: cudaGetLastError would answer it.
        status = self._pop(ctypes.byref(top))
        if status:
            self._last_error()
        return int(status)

    def _restore_beneath(self) -> None:
        """Make the device current that was before the entry that has gone."""
        if _thread.entries:
            self._make_current(_thread.entries.pop().device_before)
            return
        top = ctypes.c_void_p()  # a thread of C++, whose entries Python does not keep from call to call
        if not self._take(top):
            self._push(top)

    def _make_current(self, device: int) -> None:
        # If the device follows the stack, there is nothing to do; choosing one would replace the top.
        if self.device() != device:
            self._set_device(device)

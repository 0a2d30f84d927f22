"""The installed listeners, and events that are not calls of Python functions; without a listener they are dropped."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from cuda_shim.instrumentation.listener import Listener

__all__ = ["c_call", "hallucinated", "listeners", "on_listener_change", "set_listeners", "unsupported"]

_listeners: tuple[Listener, ...] = ()
_callbacks: list[Callable[[bool], object]] = []


def listeners() -> tuple[Listener, ...]:
    """Return the installed listeners."""
    return _listeners


def set_listeners(listeners: tuple[Listener, ...]) -> None:
    """Hand every event to these listeners from now on."""
    global _listeners
    _listeners = listeners
    for callback in _callbacks:
        callback(_hears_c_calls())


def on_listener_change(callback: Callable[[bool], object]) -> None:
    """Call `callback` now, and whenever the listeners change, with whether one of them hears calls from C."""
    _callbacks.append(callback)
    callback(_hears_c_calls())


def c_call(name: str, support: str, error: str, nanoseconds: int) -> None:
    """Report a call from C, with the name of its status unless that is success."""
    for listener in _listeners:
        if listener.hears_c_calls:
            listener.c_call(name, support, error, nanoseconds)


def unsupported(name: str, reason: str) -> None:
    """Report a call that HIP cannot serve, or an argument that it lacks."""
    for listener in _listeners:
        listener.unsupported(name, reason)


def hallucinated(enum_name: str, name: str) -> None:
    """Report that an invented constant was read."""
    for listener in _listeners:
        listener.hallucinated(enum_name, name)


def _hears_c_calls() -> bool:
    return any(listener.hears_c_calls for listener in _listeners)

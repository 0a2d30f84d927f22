"""Events that usage counting records beside calls; without a listener they are dropped."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.untyped import AnyProcedure

__all__ = ["called", "hallucinated", "listen", "tell_when_heard", "unsupported"]

_listener: AnyProcedure | None = None
_told: list[AnyProcedure] = []


def listen(listener: AnyProcedure | None) -> None:
    """Hand every event to `listener`, which takes nanoseconds and the words of a key; to none if it is None."""
    global _listener
    _listener = listener
    for change in _told:
        change(listener is not None)


def tell_when_heard(change: AnyProcedure) -> None:
    """Have `change` called now, and whenever the listener changes, with whether there is one."""
    _told.append(change)
    change(_listener is not None)


def called(nanoseconds: int, name: str, support: str, error: str = "") -> None:
    """Report a call that no Python function made, with the name of its status unless that is success."""
    if _listener is not None:
        _listener(nanoseconds, *(("error", name, support, error) if error else ("call", name, support)))


def unsupported(name: str, reason: str) -> None:
    """Report a call that HIP cannot serve, or an argument that it lacks."""
    if _listener is not None:
        _listener(0, "unsupported", name, reason)


def hallucinated(enum_name: str, name: str) -> None:
    """Report the reading of an invented constant."""
    if _listener is not None:
        _listener(0, "hallucinated", enum_name, name)

"""Events that usage counting records beside calls; without a listener they are dropped."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.untyped import AnyProcedure

__all__ = ["hallucinated", "listen", "unsupported"]

_listener: AnyProcedure | None = None


def listen(listener: AnyProcedure | None) -> None:
    """Hand every event to `listener`, which takes nanoseconds and the words of a key; to none if it is None."""
    global _listener
    _listener = listener


def unsupported(name: str, reason: str) -> None:
    """Report a call that HIP cannot serve, or an argument that it lacks."""
    if _listener is not None:
        _listener(0, "unsupported", name, reason)


def hallucinated(enum_name: str, name: str) -> None:
    """Report the reading of an invented constant."""
    if _listener is not None:
        _listener(0, "hallucinated", enum_name, name)

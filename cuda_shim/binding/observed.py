"""What usage counting wants to know beside calls: told from where it happens, heard by who counts, else by nobody."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.untyped import AnyProcedure

__all__ = ["hallucinated", "listen", "unsupported"]

_listener: AnyProcedure | None = None


def listen(listener: AnyProcedure | None) -> None:
    """Hand every event to `listener`, which takes nanoseconds and the words of a key; to nobody for None."""
    global _listener
    _listener = listener


def unsupported(name: str, reason: str) -> None:
    """Tell of a call that HIP cannot serve, or of an argument that it lacks."""
    if _listener is not None:
        _listener(0, "unsupported", name, reason)


def hallucinated(enum_name: str, name: str) -> None:
    """Tell of the reading of an invented constant."""
    if _listener is not None:
        _listener(0, "hallucinated", enum_name, name)

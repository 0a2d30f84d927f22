"""The interface of listeners to calls."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Protocol

    from cuda_shim.mapping.rows import FunctionRow

    class Before(Protocol):
        """The hook ahead of a call; its result is handed to the hook after the call."""

        def __call__(self, frame: FrameType, *arguments: object) -> object:
            """Note that `frame`, the caller's, is about to make a call with these arguments, in the row's order."""

    class After(Protocol):
        """The hook after a call."""

        def __call__(
            self, state: object, began: int, ended: int, result: tuple[object, ...], error: BaseException | None
        ) -> None:
            """Note that a call is over.

            Args:
                state: the result of the hook ahead of the call, None where there is none.
                began: nanosecond of `time.perf_counter_ns` ahead of the call.
                ended: nanosecond after it.
                result: the status and the outputs; empty where the call raised an exception.
                error: the exception, None where the call returned.
            """


__all__ = ["CallHooks", "Listener"]


class CallHooks:
    """The hooks of one listener around the calls of one function."""

    __slots__ = ("after", "before")

    def __init__(self, before: Before | None = None, after: After | None = None) -> None:
        self.before = before
        self.after = after


class Listener:
    """A listener to calls, which overrides what it needs: these methods do nothing.

    Attributes:
        hears_c_calls: whether calls from C, which no Python function makes, are reported as well.
    """

    hears_c_calls = False

    def hooks(self, row: FunctionRow) -> CallHooks | None:
        """Return the hooks around each call of a function, None where its calls need none."""
        return None

    def c_call(self, name: str, support: str, error: str, nanoseconds: int) -> None:
        """Note a call from C; `error` is the name of its status, "" for success."""

    def unsupported(self, name: str, reason: str) -> None:
        """Note a call that HIP cannot serve, or an argument that it lacks."""

    def hallucinated(self, enum_name: str, name: str) -> None:
        """Note that an invented constant was read."""

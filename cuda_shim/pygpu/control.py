"""Device control: the functions that a row describes, the reset, and the objects for streams and events.

As everywhere in PyGPU a function returns its status as `cudaError_t`, or `(value, status)` where CUDA gives a value.
"""

from __future__ import annotations

import operator

from cuda_shim.pygpu.calls import runtime
from cuda_shim.pygpu.resources import Resource, forget_device
from cuda_shim.pygpu.status import cudaError_t

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["cudaDeviceReset", "cudaEvent_t", "cudaStream_t", "function"]


class _Handle:
    """A stream or an event: made by the constructor, destroyed when nothing refers to it any more."""

    def __init__(self, make: Callable[..., tuple[Any, Any]], destroy: Callable[[Any], Any], *arguments: int) -> None:
        self._resource: Resource | None = None
        status, device = runtime.cudaGetDevice()
        if status == 0:
            status, handle = make(*arguments)
            if status == 0:
                self._resource = Resource(handle, device, destroy)
        self._status = cudaError_t(status)

    def last_status(self) -> cudaError_t:
        """Return the status of making it."""
        return self._status

    def get(self) -> Any:
        """Return the handle as cuda.bindings has it; None where making it failed, or its device was reset since."""
        return self._resource.handle if self._resource is not None and self._resource.alive else None

    def __int__(self) -> int:
        handle = self.get()
        return 0 if handle is None else int(handle)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {int(self):#x}>"


class cudaEvent_t(_Handle):  # noqa: N801  the name is CUDA's
    """An event, made by cudaEventCreate, or by cudaEventCreateWithFlags where flags are given.

    Where that fails, `last_status` has the reason, and every call that the event is given to returns
    cudaErrorInvalidResourceHandle.
    """

    def __init__(self, flags: int | None = None) -> None:
        if flags is None:
            super().__init__(runtime.cudaEventCreate, runtime.cudaEventDestroy)
        else:
            super().__init__(runtime.cudaEventCreateWithFlags, runtime.cudaEventDestroy, operator.index(flags))


class cudaStream_t(_Handle):  # noqa: N801  the name is CUDA's
    """A stream, made by cudaStreamCreate, …WithFlags or …WithPriority, depending on the arguments.

    Where that fails, `last_status` has the reason, and every call that the stream is given to returns
    cudaErrorInvalidResourceHandle.
    """

    def __init__(self, flags: int | None = None, priority: int | None = None) -> None:
        arguments = [operator.index(0 if value is None else value) for value in (flags, priority)]
        if priority is not None:
            super().__init__(runtime.cudaStreamCreateWithPriority, runtime.cudaStreamDestroy, *arguments)
        elif flags is not None:
            super().__init__(runtime.cudaStreamCreateWithFlags, runtime.cudaStreamDestroy, arguments[0])
        else:
            super().__init__(runtime.cudaStreamCreate, runtime.cudaStreamDestroy)

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the protocol of cuda.core: its version, and the handle as an integer."""
        return 0, int(self)


def cudaDeviceReset() -> cudaError_t:
    """Destroy all that is on the current device, as cudaDeviceReset does; its arrays count as freed from then on."""
    status, device = runtime.cudaGetDevice()
    if status != 0:
        return cudaError_t(status)
    (status,) = runtime.cudaDeviceReset()
    if status == 0:
        forget_device(device)
    return cudaError_t(status)


def function(name: str, row: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of a row: its arguments are checked and handed to the runtime's function of the row."""
    from inspect import Parameter, Signature

    kind = Parameter.POSITIONAL_OR_KEYWORD
    signature = Signature(
        [
            Parameter(parameter, kind, default=Parameter.empty if default is None else int(default))
            for parameter, _, default in row["takes"]
        ]
    )
    names = [parameter for parameter, _, _ in row["takes"]]
    checks = [_CONVERTERS[kind_name] for _, kind_name, _ in row["takes"]]
    called = getattr(runtime, row["calls"])
    finish = _FINISHES[row["gives"]]

    def call(*arguments: Any, **named: Any) -> Any:
        if named or len(arguments) != len(names):
            try:
                bound = signature.bind(*arguments, **named)
            except TypeError as wrong:
                raise TypeError(f"{name}(): {wrong}") from None
            bound.apply_defaults()
            arguments = bound.args
        try:
            values = [
                convert(name, *pair) for convert, pair in zip(checks, zip(names, arguments, strict=True), strict=True)
            ]
        except _InvalidStream:
            return cudaError_t(runtime.cudaError_t.cudaErrorInvalidResourceHandle)
        return finish(called(*values))

    call.__name__ = call.__qualname__ = name
    call.__module__ = "PyGPU"
    call.__doc__ = row["text"]
    call.__dict__["__signature__"] = signature
    return call


def _integer(name: str, parameter: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}(): {parameter} has to be an integer, not {type(value).__name__}") from None


def _status_of(name: str, parameter: str, value: Any) -> int:
    if isinstance(value, cudaError_t):
        return value.code
    return _integer(name, parameter, value)


def _event(name: str, parameter: str, value: Any) -> Any:
    if not isinstance(value, cudaEvent_t):
        raise TypeError(f"{name}(): {parameter} has to be a PyGPU.cudaEvent_t, not {type(value).__name__}")
    # An invalid handle is CUDA's to refuse: the status is part of the interface.
    return value.get() or 0


class _InvalidStream(Exception):
    """A stream that was never made, or is gone: 0 would mean the default stream."""


def _stream(name: str, parameter: str, value: Any) -> Any:
    if isinstance(value, cudaStream_t):
        handle = value.get()
        if handle is None:
            raise _InvalidStream
        return handle
    if value is None or (type(value) is int and value == 0):
        return 0
    raise TypeError(f"{name}(): {parameter} has to be a PyGPU.cudaStream_t, or 0 for the default stream, not {value!r}")


def _value_and_status(answer: tuple[Any, ...]) -> Any:
    status, *values = answer
    if not values:
        return cudaError_t(status)
    return values[0], cudaError_t(status)


def _text(answer: tuple[Any, bytes]) -> str:
    return answer[1].decode()


_CONVERTERS = {"int": _integer, "cudaError_t": _status_of, "cudaEvent_t": _event, "cudaStream_t": _stream}
_FINISHES = {"status": _value_and_status, "text": _text}

"""The tuple that a call returns: CUDA's status of the calling module, and the outputs or their stand-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from cuda_shim import log, settings
from cuda_shim.binding.enums.translation import HipEnums, Refused
from cuda_shim.errors import UnsupportedAPI
from cuda_shim.instrumentation import events
from cuda_shim.mapping.rows import FunctionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from cuda_shim.binding.scope import Scope
    from cuda_shim.binding.untyped import RowObject

__all__ = ["Outcome"]

_NOT_SUPPORTED = {
    "driver": "CUDA_ERROR_NOT_SUPPORTED",
    "runtime": "cudaErrorNotSupported",
    "nvrtc": "NVRTC_ERROR_INTERNAL_ERROR",
}
_INVALID = {
    "driver": "CUDA_ERROR_INVALID_VALUE",
    "runtime": "cudaErrorInvalidValue",
    "nvrtc": "NVRTC_ERROR_INVALID_INPUT",
}
# Enums whose wrong numbers CUDA has a status of their own for.
_INVALID_CONSTANT = {"cudaMemcpyKind": "cudaErrorInvalidMemcpyDirection"}


class Outcome:
    """The results of one function: tuples of its module's status and its outputs."""

    #: Functions and reasons already logged: each is logged once in a process.
    logged: ClassVar[set[tuple[str, str]]] = set()

    def __init__(self, row: FunctionRow, scope: Scope) -> None:
        self._row = row
        self._scope = scope

    @cached_property
    def codes(self) -> HipEnums:
        """The module's status enum beside HIP's."""
        return self._scope.status()

    @cached_property
    def success(self) -> RowObject:
        """The status of a call that worked."""
        return self.codes.cls(0)

    @cached_property
    def answers(self) -> dict[int, tuple[RowObject, ...]]:
        """The tuple for each HIP status of a call without outputs."""
        return _Answers(self, (self.success,))

    @cached_property
    def failures(self) -> Mapping[int, tuple[RowObject, ...]]:
        """The tuple for each HIP status of a call that failed."""
        # CUDA Python 11 returns outputs of a failed call, which a program may write to: each has its own.
        return _Fresh(self) if self._scope.layout.zeros_on_failure else _Answers(self)

    def status(self, name: str) -> RowObject:
        """Return a status by CUDA's name."""
        return self.codes.cls.__members__[name]

    def failed(self, code: RowObject) -> tuple[RowObject, ...]:
        """Return the tuple for a HIP status other than success."""
        return (self.codes.from_hip[int(code)], *self.failure_outputs())

    def invalid(self) -> tuple[RowObject, ...]:
        """Return the tuple for a bad value that is not passed to HIP."""
        return self.named(_INVALID[self._scope.api])

    def named(self, name: str) -> tuple[RowObject, ...]:
        """Return the tuple for a failure with CUDA's status `name`."""
        return (self.status(name), *self.failure_outputs())

    def refused(self, refusal: Refused) -> tuple[RowObject, ...]:
        """Return the tuple for an argument that has no HIP counterpart, or is not one of CUDA's."""
        if refusal.supported:
            if refusal.logged:
                self._log_once(str(refusal), "%s was refused: %s")
            return self.named(_INVALID_CONSTANT.get(refusal.enum, _INVALID[self._scope.api]))
        self.report_unsupported(str(refusal))
        return self.named(self._row.status or _NOT_SUPPORTED[self._scope.api])

    def unsupported(self, reason: str) -> Callable[[], tuple[RowObject, ...]]:
        """Return the function that stands for a call HIP cannot serve: CUDA's not-supported status.

        The first call logs the reason; under strict every call raises UnsupportedAPI.
        """
        name = self._row.status or _NOT_SUPPORTED[self._scope.api]

        def call() -> tuple[RowObject, ...]:
            self.report_unsupported(reason)
            return self.named(name)

        return call

    def failure_outputs(self) -> tuple[RowObject, ...]:
        """Return the outputs of a failed call: None, but zeros of the right types in CUDA Python 11."""
        if not self._scope.layout.zeros_on_failure:
            return (None,) * (len(self._row.outputs) + (self._row.result is not None))
        from cuda_shim.binding.parameters import resolve

        return tuple(resolve(parameter, self._row, self._scope).zero() for parameter in self._row.outputs)

    def report_unsupported(self, reason: str, message: str = "%s is not supported: %s") -> None:
        """Log why HIP cannot serve a call, once for each reason.

        `reason` is the obstacle and the remedy; the log line has places for the name of the function and the reason.

        Raises:
            UnsupportedAPI: under the setting `strict`.
        """
        events.unsupported(self._row.name, reason)
        if settings.current().strict:
            raise UnsupportedAPI(f"{self._row.name}: {reason}")
        self._log_once(reason, message)

    def _log_once(self, reason: str, message: str) -> None:
        if (self._row.name, reason) not in self.logged:
            self.logged.add((self._row.name, reason))
            log.logger().warning(message, self._row.name, reason)


class _Answers(dict[int, "tuple[RowObject, ...]"]):
    """Outcomes by HIP's status; each is made once. The outcome of success is given where it is one of them."""

    def __init__(self, outcome: Outcome, success: tuple[RowObject, ...] | None = None) -> None:
        super().__init__({} if success is None else {0: success})
        self._outcome = outcome

    def __missing__(self, code: int) -> tuple[RowObject, ...]:
        outcome = self[code] = self._outcome.failed(code)
        return outcome


class _Fresh(dict[int, "tuple[RowObject, ...]"]):
    """Outcomes of failed calls by HIP's status, made again each time."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self._outcome = outcome

    def __missing__(self, code: int) -> tuple[RowObject, ...]:
        return self._outcome.failed(code)

"""Counting of calls: other bodies for the functions while usage is recorded, and not a test in any of them.

A function that a program holds keeps its identity: counting gives it another code object, and takes that back
when recording stops. What was bound before recording began is counted too.
"""

from __future__ import annotations

import functools
import time

# From _thread: threading takes longer to import than the rest of this module.
from _thread import allocate_lock
from types import CodeType, FunctionType

from cuda_shim.binding import observed
from cuda_shim.binding.functions.source import compiled
from cuda_shim.mapping.rows import FunctionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.untyped import AnyProcedure

__all__ = ["bound", "start", "stop"]

_lock = allocate_lock()
_bound: list[tuple[FunctionRow, FunctionType, CodeType]] = []
_add: AnyProcedure | None = None

_BODY = """\
def {name}({arguments}):
    __began__ = __clock__()
    try:
        __result__ = __uncounted__({arguments})
    except BaseException as __error__:
        __raised__(__clock__() - __began__, __error__)
        raise
    __returned__(__clock__() - __began__, __result__)
    return __result__
"""


def bound(row: FunctionRow, function: FunctionType) -> None:
    """Note a function that has got its body."""
    with _lock:
        _bound.append((row, function, function.__code__))
        if _add is not None:
            _count(*_bound[-1], _add)


def start(add: AnyProcedure) -> None:
    """Count every call from now on: `add` takes the nanoseconds and the words of a key."""
    global _add
    with _lock:
        if _add is None:
            _add = add
            observed.listen(add)
            for row, function, body in _bound:
                _count(row, function, body, add)


def stop() -> None:
    """Give the functions their own bodies back."""
    global _add
    with _lock:
        if _add is not None:
            _add = None
            observed.listen(None)
            for _, function, body in _bound:
                function.__code__ = body


def _count(row: FunctionRow, function: FunctionType, body: CodeType, add: AnyProcedure) -> None:
    arguments = ", ".join(parameter.name for parameter in row.inputs)
    source = _BODY.format(name=row.name, arguments=arguments)
    counted = compiled(row.name, str(function.__globals__["__name__"]), ", counted", source, {})
    function.__globals__.update(
        __clock__=time.perf_counter_ns,
        __uncounted__=FunctionType(body, function.__globals__, row.name),
        __returned__=functools.partial(_returned, add, row),
        __raised__=functools.partial(_raised, add, row),
    )
    function.__code__ = counted.__code__


def _returned(add: AnyProcedure, row: FunctionRow, nanoseconds: int, result: object) -> None:
    status = result[0] if isinstance(result, tuple) and result else None
    # A few calls have no status, and their first result may be false or true of itself.
    if status and isinstance(status, int) and hasattr(status, "name"):
        add(nanoseconds, "error", row.name, row.support, status.name)
    else:
        add(nanoseconds, "call", row.name, row.support)


def _raised(add: AnyProcedure, row: FunctionRow, nanoseconds: int, error: BaseException) -> None:
    add(nanoseconds, "raised", row.name, row.support, type(error).__name__)

"""Counting and watching of calls: functions have other bodies while there is a listener, so no body tests for one.

A function that a program holds keeps its identity: a listener gives it another code object, which is taken back when
the listener stops. Functions that were bound earlier are included.

A counter needs the status and duration of a call; a watcher needs the line of the program that makes it, before the
call.
"""

from __future__ import annotations

import functools
import sys
import time

# From _thread: threading takes longer to import than the rest of this module.
from _thread import allocate_lock
from types import CodeType, FunctionType

from cuda_shim.binding import observed
from cuda_shim.binding.functions.source import compiled
from cuda_shim.mapping.rows import FunctionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Protocol

    from cuda_shim.binding.functions.enqueued import Enqueued
    from cuda_shim.binding.untyped import AnyFunction, AnyProcedure

    class Watcher(Protocol):
        """A listener that is notified of calls while they are made."""

        def begin(self, frame: FrameType) -> int:
            """Note that `frame` is about to make a call; return a number for it."""

        def work(self, what: Enqueued) -> tuple[AnyFunction, AnyProcedure] | None:
            """Return the two functions that measure a call's work on a device, None where it is not measured.

            The first is called ahead of each call, with its number and arguments, the second after it, with the result
            of the first, the status and the arguments.
            """

        def end(self, name: str, number: int, began: int) -> None:
            """Note that the call `number` of the function `name`, which began at that nanosecond, is over."""


__all__ = ["bound", "start", "stop", "unwatch", "watch"]


_lock = allocate_lock()
_bound: list[tuple[FunctionRow, FunctionType, CodeType]] = []
_add: AnyProcedure | None = None
_watcher: Watcher | None = None


def bound(row: FunctionRow, function: FunctionType) -> None:
    """Note a function that has got its body."""
    with _lock:
        _bound.append((row, function, function.__code__))
        if _add is not None or _watcher is not None:
            _listen(*_bound[-1])


def start(add: AnyProcedure) -> None:
    """Count every call from now on: `add` takes the nanoseconds and the words of a key."""
    global _add
    with _lock:
        if _add is None:
            _add = add
            observed.listen(add)
            _change_bodies()


def stop() -> None:
    """Stop counting."""
    global _add
    with _lock:
        if _add is not None:
            _add = None
            observed.listen(None)
            _change_bodies()


def watch(watcher: Watcher) -> None:
    """Notify the watcher of every call from now on."""
    global _watcher
    with _lock:
        _watcher = watcher
        _change_bodies()


def unwatch() -> None:
    """Stop notifying the watcher."""
    global _watcher
    with _lock:
        if _watcher is not None:
            _watcher = None
            _change_bodies()


def _change_bodies() -> None:
    for row, function, body in _bound:
        if _add is None and _watcher is None:
            function.__code__ = body
        else:
            _listen(row, function, body)


def _listen(row: FunctionRow, function: FunctionType, body: CodeType) -> None:
    """Give a function a body around its own that notifies the present listeners."""
    arguments = ", ".join(parameter.name for parameter in row.inputs)
    call = f"__unheard__({arguments})"
    before, raised, returned = ["__began__ = __clock__()"], [], []
    names: dict[str, object] = {
        "__clock__": time.perf_counter_ns,
        "__unheard__": FunctionType(body, function.__globals__, row.name),
    }
    if _watcher is not None:
        names.update(__frame__=sys._getframe, __begin__=_watcher.begin)
        names["__end__"] = functools.partial(_watcher.end, row.name)
        before.insert(0, "__call__ = __begin__(__frame__(1))")
        raised.append("__end__(__call__, __began__)")
        returned.append("__end__(__call__, __began__)")
        from cuda_shim.binding.functions.enqueued import enqueued  # few programs need it

        what = enqueued(row)
        work = None if what is None else _watcher.work(what)
        if work is not None:
            names["__ahead__"], names["__behind__"] = work
            before.insert(1, f"__work__ = __ahead__(__call__, {arguments})")
            raised.append(f"__behind__(__work__, None, {arguments})")
            returned.append(f"__behind__(__work__, __result__[0], {arguments})")
    if _add is not None:
        names["__returned__"] = functools.partial(_returned, _add, row)
        names["__raised__"] = functools.partial(_raised, _add, row)
        raised.insert(0, "__raised__(__clock__() - __began__, __error__)")
        returned.insert(0, "__returned__(__clock__() - __began__, __result__)")
    lines = [f"def {row.name}({arguments}):", *_indented(before, 1)]
    lines += ["    try:", f"        __result__ = {call}", "    except BaseException as __error__:"]
    lines += [*_indented(raised, 2), "        raise", *_indented(returned, 1), "    return __result__", ""]
    heard = compiled(row.name, str(function.__globals__["__name__"]), ", counted", "\n".join(lines), {})
    function.__globals__.update(names)
    function.__code__ = heard.__code__


def _indented(lines: list[str], depth: int) -> list[str]:
    return ["    " * depth + line for line in lines]


def _returned(add: AnyProcedure, row: FunctionRow, nanoseconds: int, result: object) -> None:
    status = result[0] if isinstance(result, tuple) and result else None
    # A few calls have no status, and their first result may be true or false for reasons of its own.
    if status and isinstance(status, int) and hasattr(status, "name"):
        add(nanoseconds, "error", row.name, row.support, status.name)
    else:
        add(nanoseconds, "call", row.name, row.support)


def _raised(add: AnyProcedure, row: FunctionRow, nanoseconds: int, error: BaseException) -> None:
    add(nanoseconds, "raised", row.name, row.support, type(error).__name__)

"""Functions whose calls listeners hear: while there is a listener they have other bodies, so no body tests for one.

A function that a program holds keeps its identity: it gets another code object, and its own one again when the last
listener is removed. Functions that were bound earlier are included.
"""

from __future__ import annotations

import sys
import time

# From _thread: threading takes longer to import than the rest of this module.
from _thread import allocate_lock
from types import CodeType, FunctionType

from cuda_shim.generated_source import compiled
from cuda_shim.instrumentation import events
from cuda_shim.mapping.rows import FunctionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from cuda_shim.instrumentation.listener import CallHooks, Listener

__all__ = ["add_function", "install", "uninstall"]

_lock = allocate_lock()
_functions: list[tuple[FunctionRow, FunctionType, CodeType]] = []


def add_function(row: FunctionRow, function: FunctionType) -> None:
    """Add a function that has its own body now; the installed listeners hear its calls."""
    with _lock:
        _functions.append((row, function, function.__code__))
        if events.listeners():
            _instrument(*_functions[-1])


def install(listener: Listener, replaced: Listener | None = None) -> None:
    """Have a listener hear every call from now on, in the place of another one if that is given."""
    with _lock:
        _set_listeners((*(each for each in events.listeners() if each is not replaced), listener))


def uninstall(listener: Listener) -> None:
    """Have a listener hear no more calls."""
    with _lock:
        _set_listeners(tuple(each for each in events.listeners() if each is not listener))


def _set_listeners(listeners: tuple[Listener, ...]) -> None:
    events.set_listeners(listeners)
    for row, function, body in _functions:
        if listeners:
            _instrument(row, function, body)
        else:
            function.__code__ = body


def _instrument(row: FunctionRow, function: FunctionType, body: CodeType) -> None:
    """Give a function a body that runs the listeners' hooks around its own body."""
    hooks = [each for listener in events.listeners() if (each := listener.hooks(row)) is not None]
    source, names = _instrumented(row, hooks)
    names["__wrapped__"] = FunctionType(body, function.__globals__, row.name)
    instrumented = compiled(row.name, str(function.__globals__["__name__"]), ", instrumented", source, {})
    function.__globals__.update(names)
    function.__code__ = instrumented.__code__


def _instrumented(row: FunctionRow, hooks: Iterable[CallHooks]) -> tuple[str, dict[str, object]]:
    """Return the text of a function that runs hooks around `__wrapped__`, and the names that it uses."""
    arguments = ", ".join(parameter.name for parameter in row.inputs)
    names: dict[str, object] = {"__clock__": time.perf_counter_ns, "__frame__": sys._getframe}
    before, returned, raised = [], [], []
    for at, each in enumerate(hooks):
        state = "None"
        if each.before is not None:
            names[f"__before_{at}__"], state = each.before, f"__state_{at}__"
            before.append(f"{state} = __before_{at}__({', '.join(filter(None, ('__frame__(1)', arguments)))})")
        if each.after is not None:
            names[f"__after_{at}__"] = each.after
            returned.append(f"__after_{at}__({state}, __began__, __ended__, __result__, None)")
            raised.append(f"__after_{at}__({state}, __began__, __ended__, (), __error__)")
    lines = [
        f"def {row.name}({arguments}):",
        *_indented([*before, "__began__ = __clock__()", "try:"], 1),
        *_indented([f"__result__ = __wrapped__({arguments})"], 2),
        *_indented(["except BaseException as __error__:"], 1),
        *_indented(["__ended__ = __clock__()", *raised, "raise"], 2),
        *_indented(["__ended__ = __clock__()", *returned, "return __result__", ""], 1),
    ]
    return "\n".join(lines), names


def _indented(lines: list[str], depth: int) -> list[str]:
    return ["    " * depth + line for line in lines]

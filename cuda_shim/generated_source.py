"""Generated text as functions, which tracebacks show like any other.

Each text has a file name of its own, which is not a path: coverage looks for no file behind it, and a traceback finds
the very lines that ran.
"""

from __future__ import annotations

import sys
from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FILE_PREFIX", "compiled", "deferred", "show_in_tracebacks"]

#: How the file names of generated functions begin.
FILE_PREFIX = "<cuda_shim "

_names: dict[str, int] = {}
_pending_sources: dict[str, str] = {}


def compiled(name: str, module: str, part: str, source: str, namespace: dict[str, object]) -> FunctionType:
    """Return the function `name` that `source` defines, with `namespace` as its globals.

    `part` names this text of the function, where it has several.
    """
    filename = _unique(f"{FILE_PREFIX}{module}.{name}{part}")
    exec(compile(source, filename, "exec"), namespace)
    _pending_sources[filename] = source
    if "linecache" in sys.modules:
        show_in_tracebacks()
    function: FunctionType = namespace[name]  # type: ignore[assignment]
    return function


def deferred(make: Callable[[], FunctionType]) -> FunctionType:
    """Return a function that becomes, at its first call, the one that `make` returns; arguments come by position."""
    namespace: dict[str, object] = {}
    function = FunctionType(_unmade.__code__, namespace)

    def become() -> FunctionType:
        made = make()
        namespace.update(made.__globals__)
        function.__code__ = made.__code__
        return made

    namespace["__become__"] = become
    return function


def _unmade(*arguments: object) -> object:
    return __become__()(*arguments)  # type: ignore[name-defined]  # noqa: F821  a global of each function of its own


def show_in_tracebacks() -> None:
    """Give Python the lines for tracebacks; called when functions are bound, before which no traceback has them."""
    import linecache

    while _pending_sources:
        filename, source = _pending_sources.popitem()
        # Without a modification time linecache keeps the entry and does not look for a file on the disk.
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)


def _unique(text: str) -> str:
    """Return a file name: the text alone the first time, numbered if another layout has this function too."""
    count = _names[text] = _names.get(text, 0) + 1
    return f"{text}>" if count == 1 else f"{text} {count}>"

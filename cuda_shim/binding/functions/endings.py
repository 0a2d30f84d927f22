"""Calls that end objects, made ready while the program ends: an object's ``__del__`` may be the first to make one.

Functions get their bodies by their first call, which may import modules; once Python takes the interpreter apart,
nothing can be imported any more. So for every kind of object that the program has made, what ends it or waits for
it is bound before that.
"""

from __future__ import annotations

import atexit
from types import FunctionType

from cuda_shim import backends
from cuda_shim.errors import ShimError
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import FunctionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope

__all__ = ["note"]

#: Words in the names of such functions.
_WORDS = ("Destroy", "Free", "Release", "Synchronize", "Unload", "Unregister")

_made: dict[Scope, set[str]] = {}


def note(row: FunctionRow, scope: Scope) -> None:
    """Note that the program may have made what this function gives."""
    if row.outputs:
        if not _made:
            atexit.register(_make_ready)
        _made.setdefault(scope, set()).update(parameter.base for parameter in row.outputs)


def _make_ready() -> None:
    if backends.decided() is None:
        return  # nothing was made: each call was one that needs no HIP
    for scope, kinds in [(scope, frozenset(kinds)) for scope, kinds in _made.items()]:
        for name in store.load(scope.table).names(scope.catalogue.cuda):
            if not any(word in name for word in _WORDS):
                continue
            row = scope.catalogue.row(scope.table, name)
            if isinstance(row, FunctionRow) and _concerns(row, kinds):
                function: FunctionType = scope.catalogue.object(scope.table, name)
                try:  # noqa: SIM105  contextlib takes longer to import than all of this
                    function.__globals__["__bind__"]()
                except ShimError:
                    pass  # the call itself will say so


def _concerns(row: FunctionRow, kinds: frozenset[str]) -> bool:
    return row.unsupported is None and (not row.inputs or row.inputs[0].base in kinds)

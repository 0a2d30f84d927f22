"""Calls that end objects, bound before the interpreter exits: an object's ``__del__`` may be the first to make one.

A function gets its body by its first call, which may import modules, and imports fail while Python finalises the
interpreter. So for every kind of object that calls have returned, the functions that end it or wait for it are bound
before that.
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

__all__ = ["note_outputs"]

#: Words in the names of functions that end objects or wait for them.
_WORDS = ("Destroy", "Free", "Release", "Synchronize", "Unload", "Unregister")

_returned_kinds: dict[Scope, set[str]] = {}


def note_outputs(row: FunctionRow, scope: Scope) -> None:
    """Note that the program may have objects of the kinds that this function returns."""
    if row.outputs:
        if not _returned_kinds:
            atexit.register(_bind_all)
        _returned_kinds.setdefault(scope, set()).update(parameter.base for parameter in row.outputs)


def _bind_all() -> None:
    if backends.decided() is None:
        return  # nothing was made: each call was one that needs no HIP
    for scope, kinds in [(scope, frozenset(kinds)) for scope, kinds in _returned_kinds.items()]:
        for name in store.load(scope.api).names(scope.catalogue.cuda):
            if not any(word in name for word in _WORDS):
                continue
            row = scope.catalogue.row(scope.api, name)
            if isinstance(row, FunctionRow) and _concerns(row, kinds):
                function: FunctionType = scope.catalogue.object(scope.api, name)
                try:  # noqa: SIM105  contextlib takes longer to import than all of this
                    function.__globals__["__bind__"]()
                except ShimError:
                    pass  # the call itself will raise it


def _concerns(row: FunctionRow, kinds: frozenset[str]) -> bool:
    return row.unsupported is None and (not row.inputs or row.inputs[0].base in kinds)

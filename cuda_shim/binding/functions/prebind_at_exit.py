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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope
    from cuda_shim.mapping.rows import FunctionRow

__all__ = ["note_outputs"]

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
        table = store.load(scope.api)
        for name in {name for kind in ("", *kinds) for name in table.ending(kind)}:
            if scope.catalogue.row(scope.api, name) is None:
                continue  # another layout's
            function: FunctionType = scope.catalogue.object(scope.api, name)
            try:  # noqa: SIM105  contextlib takes longer to import than all of this
                function.__globals__["__bind__"]()
            except ShimError:
                pass  # the call itself will raise it

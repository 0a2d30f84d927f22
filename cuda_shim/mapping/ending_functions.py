"""Functions that end objects or wait for them, by the kind of object: the type of their first argument.

The compiled tables have this list, so that a program which ends loads the domains of such functions alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import Body, FunctionRow, row_from_body

__all__ = ["ending_functions"]

_WORDS = ("Destroy", "Free", "Release", "Synchronize", "Unload", "Unregister")


def ending_functions(rows: Mapping[str, tuple[Body, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the names of these functions in some layout, by the kind; "" for functions without an argument."""
    found: dict[str, set[str]] = {}
    for name, bodies in rows.items():
        for body in bodies if any(word in name for word in _WORDS) else ():
            row = row_from_body(name, body, LAYOUTS[0])
            if isinstance(row, FunctionRow) and row.unsupported is None:
                found.setdefault(row.inputs[0].base if row.inputs else "", set()).add(name)
    return {kind: tuple(sorted(names)) for kind, names in found.items()}

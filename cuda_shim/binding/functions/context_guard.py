"""Guard ahead of HIP's call in the body of a function that needs a current context, or makes one current.

A thread that is known to have a context skips it; for other threads an adapter finds out.
"""

from __future__ import annotations

import importlib

from cuda_shim.binding import context_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.functions.binding import Binding

__all__ = ["context_guard"]

_ADAPTER = "cuda_shim.adapters.current_context"


def context_guard(binding: Binding) -> tuple[list[str], dict[str, object]]:
    """Return lines of a body and the names that they use; no lines for a function that no context matters to."""
    row = binding.row
    arguments = ", ".join(parameter.name for parameter in row.inputs)
    names: dict[str, object] = {"__thread__": context_state.thread}
    unknown = "if not __thread__.has_context:"
    if row.context == "needed":
        names["__without_context__"] = importlib.import_module(_ADAPTER).require(binding)
        lines = [f"__failure__ = __without_context__({arguments})", "if __failure__ is not None:"]
        return [unknown, *[f"    {line}" for line in lines], "        return __failure__"], names
    if binding.api == "runtime" and row.context is None:
        names["__begin_context__"] = importlib.import_module(_ADAPTER).begin()
        return [unknown, "    __begin_context__()"], names
    return [], {}

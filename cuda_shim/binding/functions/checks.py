"""Argument checks of a call that no HIP function serves, with cuda-python's errors.

A program that passes nonsense gets the same error whether or not HIP has the call.
"""

from __future__ import annotations

from cuda_shim.binding import lists
from cuda_shim.binding.functions.order import as_looked_at
from cuda_shim.binding.parameters.list_of import ListOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.functions.binding import Binding
    from cuda_shim.binding.untyped import AnyProcedure, RowObject

__all__ = ["checks"]


def checks(binding: Binding) -> AnyProcedure:
    """Return the function that takes the arguments of a call and raises for the first wrong one."""
    inputs = binding.inputs
    places = {bound.name: at for at, bound in enumerate(inputs)}
    ordered = [(places[bound.name], bound.check()) for bound in as_looked_at(inputs)]
    # The lists whose entries are counted by another argument, each with the count.
    lengths = [(places[b.name], places[b.count]) for b in inputs if isinstance(b, ListOf) and b.count]

    def check_all(*arguments: RowObject) -> None:
        for at, check in ordered:
            check(arguments[at])
        for at, count in lengths:
            lists.check_length(arguments[at] or (), arguments[count])

    return check_all

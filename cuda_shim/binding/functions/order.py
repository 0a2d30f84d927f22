"""The order in which cuda-python converts arguments, and complains of them.

C's numbers are part of its functions' signatures, so they come first. Then it looks at the types of the entries of
all lists, the last list first; then it takes each argument in turn.
"""

from __future__ import annotations

from cuda_shim.binding.parameters.bound import ARGUMENT, LIST, NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cuda_shim.binding.parameters.bound import Bound
    from cuda_shim.binding.parameters.code import Code

__all__ = ["as_looked_at", "conversions"]


def as_looked_at(inputs: Sequence[Bound]) -> list[Bound]:
    """Return the arguments, given in Python's order, in the order of their checks."""
    numbers, lists, others = ([bound for bound in inputs if bound.order == when] for when in (NUMBER, LIST, ARGUMENT))
    return [*numbers, *reversed(lists), *others]


def conversions(code: Code) -> list[str]:
    """Return the lines of a body that come before HIP's call; `code` holds them in Python's order."""
    return [*code.numbers, *reversed(code.list_checks), *code.arguments]

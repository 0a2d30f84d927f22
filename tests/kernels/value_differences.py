"""A device function's values beside the recorded ones, by the rules of `python -m cuda_shim verify`."""

from __future__ import annotations

from typing import Any

from cuda_shim.verify import compare
from cuda_shim.verify.launches import Case, Expected, Launch, Rule
from tests.kernels import described

__all__ = ["differences"]


def differences(function: Any, given: list[Any], wanted: Any, found: Any) -> str:
    """Return the number of values that are not as recorded, with one of them; nothing where all are."""
    type_, place = described.type_of(wanted.dtype), len(given)
    arguments = (*map(described.array, given), described.array(found))
    expected = Expected(place, type_, 1, wanted.tobytes(), Rule(function=str(function)))
    case = Case(str(function), Launch("", arguments, (1, 1, 1), (1, 1, 1)), (expected,))
    for difference in compare.differences(case, {place: found.tobytes()}):
        values = ", ".join(str(argument[difference.index]) for argument in given)
        return f"{difference.count} of {difference.total}; of ({values}): {difference.actual}, recorded: {difference.recorded}"
    return ""

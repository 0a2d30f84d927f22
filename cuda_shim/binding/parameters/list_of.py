"""Lists as arguments: C arrays for the length of the call."""

from __future__ import annotations

import ctypes

from cuda_shim.binding import lists
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.parameters.bound import ARGUMENT, LIST, Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import CArgument, Code
    from cuda_shim.binding.scope import Scope
    from cuda_shim.mapping.rows import FunctionRow, Parameter

__all__ = ["KIND", "ListOf", "count_of"]


class ListOf(Bound):
    """A list, whose entries may be counted by another argument."""

    def __init__(self, parameter: Parameter, row: FunctionRow, scope: Scope) -> None:
        super().__init__(parameter, row, scope)
        # Entries of `void*[]` are of any type, and so are checked one by one, as they are converted.
        self.order = ARGUMENT if parameter.spelling == "void*[]" else LIST

    @property
    def count(self) -> str:
        """The name of the argument with the number of entries that count, "" where there is none."""
        count = count_of(self.parameter, self.row)
        return "" if count is None else count.name

    def check(self) -> Check:
        """Return the check for the types of all entries."""
        return _addresses if self.order == ARGUMENT else lists.type_check(self.name, self.base, self.scope)

    def argument(self, code: Code) -> CArgument:
        """Return the address of the array, None for an empty list."""
        name = self.name
        if self.order == LIST:
            code.list_checks.append(f"{code.name(f'check_{name}', self.check())}({name})")
        convert = code.name(f"list_{name}", lists.converter(name, self.parameter.spelling, self.scope))
        code.arguments.append(f"array_{name}, address_{name} = {convert}({name}, {self.count or 0})")
        code.refuses()
        return ctypes.c_void_p, f"address_{name}"


def count_of(parameter: Parameter, row: FunctionRow) -> Parameter | None:
    """Return the argument with the number of a list's entries that count: the next after the list, else one before."""
    at = row.parameters.index(parameter)
    for candidate in (*row.parameters[at:], *reversed(row.parameters[:at])):
        if candidate.mode == "in" and not candidate.suffix and candidate.name.startswith(("num", "count", "nb")):
            return candidate
    return None


def _addresses(values: object) -> None:
    for value in () if values is None else values:  # type: ignore[attr-defined]
        memory_address(value)


KIND = ListOf

"""Counts that a call takes and returns: the entries that fit, and the entries that exist."""

from __future__ import annotations

from cuda_shim.binding.parameters.integer import Integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.parameters.code import CArgument, Code

__all__ = ["KIND"]


class Count(Integer):
    """An `inout` integer, in a cell that gives the size of arrays in the same call."""

    def c_argument(self, code: Code) -> CArgument:
        """Return the cell, made before the arrays whose size it gives."""
        self.ahead(code)
        cell_type = self.c_type() * 1
        code.numbers.append(f"cell_{self.name} = {code.name(f'type_{self.name}', cell_type)}({self.name})")
        code.outputs[self.name] = f"cell_{self.name}[0]"
        return cell_type, f"cell_{self.name}"


KIND = Count

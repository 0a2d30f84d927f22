"""Numbers that a call is given and gives back: how many fit, and how many there are."""

from __future__ import annotations

from cuda_shim.binding.parameters.integer import Integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.parameters.code import Code, Passed

__all__ = ["KIND"]


class Count(Integer):
    """An `inout` integer, in a cell that arrays of the same call are sized by."""

    def passed(self, code: Code) -> Passed:
        """Return the cell, made before all that is sized by it."""
        self.ahead(code)
        cell_type = self.c_type() * 1
        code.numbers.append(f"cell_{self.name} = {code.name(f'type_{self.name}', cell_type)}({self.name})")
        code.returned[self.name] = f"cell_{self.name}[0]"
        return cell_type, f"cell_{self.name}"


KIND = Count

"""The interface of every kind of parameter."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.c_arguments import as_argument
from cuda_shim.errors import UnsupportedAPI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from cuda_shim.binding.c_arguments import CType
    from cuda_shim.binding.native_calls.argument_descriptors import ArgumentDescriptor
    from cuda_shim.binding.parameters.code import CArgument, Code
    from cuda_shim.binding.scope import Scope
    from cuda_shim.mapping.rows import FunctionRow, Parameter

    Check = Callable[[object], object]
    """Raises cuda-python's error for a wrong argument."""

__all__ = ["ARGUMENT", "LIST", "NUMBER", "Bound"]

# The order in which cuda-python checks arguments: C's numbers are part of its signatures; the types of all lists come
# next, the last list first; then each argument in turn.
NUMBER, LIST, ARGUMENT = range(3)


class Bound:
    """A parameter of a function, in the scope of its module.

    A kind that is passed as a value defines its C type, its conversion and the wrapping of a result; a kind that
    is no single value (lists, structs, arrays) overrides `argument` and `output`.
    """

    order = ARGUMENT

    def __init__(self, parameter: Parameter, row: FunctionRow, scope: Scope) -> None:
        self.parameter = parameter
        self.name = parameter.name
        self.base = parameter.base
        self.row = row
        self.scope = scope

    def check(self) -> Check:
        """Return the function that raises cuda-python's error for a wrong argument where HIP has no such call."""
        raise NotImplementedError

    def ahead(self, code: Code) -> None:
        """Add the lines that check this argument before an adapter gets it; most kinds have none."""

    def c_argument(self, code: Code) -> CArgument:
        """Add the lines of this parameter to a body; return the C type and the expression of HIP's argument."""
        mode = self.parameter.mode
        if mode == "in":
            return self.argument(code)
        if mode == "out":
            return self.output(code)
        if mode == "spare":
            return ctypes.c_void_p, f"byref({code.name(f'type_{self.name}', self.c_type())}())"
        raise self.needs_adapter(f"{self.name} of type {self.base}, given and returned,")

    def argument(self, code: Code) -> CArgument:
        """As `c_argument`, for an argument."""
        return as_argument(self.c_type()), self.converted(code)

    def output(self, code: Code) -> CArgument:
        """As `c_argument`, for a result: HIP writes it into an array of one, which ctypes passes without ado."""
        cell_type = self.c_type() * 1
        code.arguments.append(f"cell_{self.name} = {code.name(f'type_{self.name}', cell_type)}()")
        code.outputs[self.name] = self.wrapped(code, f"cell_{self.name}[0]")
        return cell_type, f"cell_{self.name}"

    def c_type(self) -> CType:
        """Return the C type of the value."""
        raise NotImplementedError

    def converted(self, code: Code) -> str:
        """Return the expression that converts the argument to an object that ctypes takes for the C type."""
        raise NotImplementedError

    def wrapped(self, code: Code, value: str) -> str:
        """Return the expression that converts the value that HIP wrote to cuda-python's result."""
        raise NotImplementedError

    def argument_descriptor(self, at: int) -> ArgumentDescriptor | None:
        """Return the descriptor of the argument at this place; None where only Python can serve the function."""
        return None

    def result_descriptor(self, at: int) -> ArgumentDescriptor | None:
        """As `argument_descriptor`, for the result at this place of the tuple."""
        return None

    def zero(self) -> object:
        """Return the value of this output in CUDA Python 11 when the call failed."""
        return 0

    def needs_adapter(self, subject: str) -> UnsupportedAPI:
        """Return the error for a parameter that no generated body can have."""
        return UnsupportedAPI(f"{self.row.name}: {subject} needs an adapter")

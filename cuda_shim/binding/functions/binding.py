"""The description of a function that its adapter gets."""

from __future__ import annotations

from functools import cached_property

from cuda_shim.binding.hip_calls import find_hip
from cuda_shim.binding.outcome import Outcome
from cuda_shim.binding.parameters import resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.backends.hip_python import HipPython
    from cuda_shim.binding.enums.translation import HipEnums
    from cuda_shim.binding.parameters.bound import Bound
    from cuda_shim.binding.scope import Catalogue, Scope
    from cuda_shim.binding.untyped import AnyCType, AnyFunction, NativeFunction, RowClass
    from cuda_shim.mapping.rows import FunctionRow

__all__ = ["Binding"]


class Binding:
    """One function: its row, the scope of its module, its parameters and its outcomes."""

    def __init__(self, row: FunctionRow, scope: Scope) -> None:
        self.row = row
        self.scope = scope
        self.outcome = Outcome(row, scope)

    @property
    def api(self) -> str:
        """The API: "driver", "runtime" or "nvrtc"."""
        return self.scope.api

    @property
    def catalogue(self) -> Catalogue:
        """The objects of the layout."""
        return self.scope.catalogue

    @cached_property
    def parameters(self) -> dict[str, Bound]:
        """The parameters by name, in C's order."""
        return resolved(self.row, self.scope)

    @property
    def inputs(self) -> list[Bound]:
        """The Python arguments, in Python's order."""
        return [self.parameters[parameter.name] for parameter in self.row.inputs]

    @property
    def hip_python(self) -> HipPython:
        """The loaded hip-python (`.hip`, `.hiprtc`, `.generation`)."""
        return self.scope.hip_python

    @property
    def hip(self) -> AnyFunction:
        """hip-python's function that the row names. Raises UnsupportedAPI where this hip-python has none."""
        return find_hip(self.row.hip or "", self.hip_python)

    def class_of(self, base: str) -> RowClass:
        """Return the class of a C type name, as this function's module sees it."""
        return self.scope.class_of(base)

    def enums(self, name: str) -> HipEnums:
        """Return the translation of an enum class (`.to_hip`, `.from_hip`)."""
        return self.scope.enums(name)

    def native(self, name: str, *argtypes: AnyCType) -> NativeFunction:
        """Return the C function `name` of the loaded library, returning HIP's status as an int."""
        import ctypes

        from cuda_shim.backends import native

        return native.function(name, ctypes.c_int, *argtypes)

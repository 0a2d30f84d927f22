"""Arrays that HIP fills, of a length that the caller gives."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.parameters.bound import Bound
from cuda_shim.binding.parameters.list_of import count_of
from cuda_shim.mapping.rows import HandleRow, StructRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.parameters.code import CArgument, Code

__all__ = ["KIND"]

# Results are objects of their own: a count beyond this one is a mistake, and would take gigabytes.
_MAX_RESULTS = 1 << 20


def _room_for(element: type[ctypes.c_void_p | ctypes.Array[ctypes.c_char]], length: int) -> object:
    """Return memory for a list of results. Raises cuda-python's MemoryError for more results than any call gives."""
    if length > _MAX_RESULTS:
        raise MemoryError(f"Failed to allocate length x size memory: {length}x{ctypes.sizeof(element)}")
    return (element * length)()


class Array(Bound):
    """A returned list of handles or structs."""

    def output(self, code: Code) -> CArgument:
        """Return the memory; none for a length of 0, with which HIP only counts the entries."""
        row, length = self.scope.kind(self.base), self._length()
        if not isinstance(row, (HandleRow, StructRow)) or not length:
            raise self.needs_adapter(f"the array {self.name} of {self.base}")
        array, cls = f"array_{self.name}", code.name(f"class_{self.base}", self.scope.class_of(self.base))
        slot = f"slot_{self.base}"
        if isinstance(row, HandleRow):
            code.name(slot, ctypes.c_void_p)
            code.outputs[self.name] = f"[{cls}(item or 0) for item in {array} or ()]"
        else:
            from cuda_shim.binding.structs import array_from_hip, hip_size

            code.name(slot, ctypes.c_char * hip_size(self.scope.class_of(self.base)))
            code.namespace.update(array_from_hip=array_from_hip, addressof=ctypes.addressof)
            code.outputs[self.name] = f"array_from_hip({cls}, addressof({array}), len({array})) if {array} else []"
        room = code.name("room_for", _room_for)
        code.arguments.append(f"{array} = {room}({slot}, {length}) if {length} else None")
        return ctypes.c_void_p, array

    def _length(self) -> str:
        """Return the expression of the length: a number given and returned, else an argument, else ""."""
        for parameter in self.row.parameters:
            if parameter.mode == "inout":
                return f"cell_{parameter.name}[0]"
        count = count_of(self.parameter, self.row)
        return "" if count is None else count.name

    def zero(self) -> object:
        """Return an empty list."""
        return []


KIND = Array

"""Structs: pointers to them, and structs by value."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.arguments import require_type
from cuda_shim.binding.native_calls import argument_descriptors as descriptors
from cuda_shim.binding.parameters.bound import Bound
from cuda_shim.binding.structs import (
    Unread,
    begins_as_zeros,
    by_value,
    native_value,
    output,
    pieces_to_hip,
    pointer_to,
    result_memory,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from cuda_shim.binding.native_calls.argument_descriptors import ArgumentDescriptor
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import CArgument, Code

__all__ = ["KIND"]


class Struct(Bound):
    """A struct in CUDA's layout, passed in HIP's."""

    def check(self) -> Check:
        """Return the check for an instance of the struct's class; None will do for a pointer."""
        name, cls = self.name, self.scope.class_of(self.base)
        optional = bool(self.parameter.suffix) or self.parameter.mode == "inout"

        def check(value: object) -> None:
            if value is not None or not optional:
                require_type(name, cls, value)

        return check

    def argument(self, code: Code) -> CArgument:
        """Return the address of HIP's form; or that form itself by value, since ctypes takes its size from its type."""
        code.refuses()
        convert = code.name(f"struct_{self.name}", self._conversion())
        if self.parameter.suffix:
            return ctypes.c_void_p, f"{convert}({self.name})"
        code.name("native_value", native_value)
        code.arguments.append(f"{convert}({self.name})")
        return ctypes.Structure, f"native_value({self.name})"

    def _conversion(self) -> Callable[[object], object]:
        name, cls, optional = self.name, self.scope.class_of(self.base), bool(self.parameter.suffix)
        pointer = pointer_to(cls)

        def convert(value: object) -> object:
            if value.__class__ is cls:
                return pointer(value)
            if value is None and optional:
                return None
            require_type(name, cls, value)
            return by_value(value)

        return convert

    def output(self, code: Code) -> CArgument:
        """Return HIP's memory for it, and the struct that is read from that when the program looks at it."""
        name, struct_class = self.name, self.scope.class_of(self.base)
        cls = code.name(f"class_{self.base}", struct_class)
        if begins_as_zeros(struct_class):
            room, reader = result_memory(struct_class)
            code.namespace.update({f"room_{name}": room, f"read_{name}": reader, "new": object.__new__})
            struct, storage, unread = f"struct_{name}", f"storage_{name}", code.name("Unread", Unread)
            code.arguments.append(f"cell_{name} = room_{name}()")
            code.results += [
                f"{struct} = new({cls})",
                f"{struct}.__storage__ = {storage} = new({unread})",
                f"{storage}.unread = read_{name}, cell_{name}",
            ]
            code.outputs[name] = struct
            return room, f"cell_{name}"
        code.name("output", output)
        code.arguments.append(f"address_{self.name}, finish_{self.name} = output({cls})")
        code.outputs[self.name] = f"finish_{self.name}()"
        return ctypes.c_void_p, f"address_{self.name}"

    def zero(self) -> object:
        """Return a struct of zeros."""
        return self.scope.class_of(self.base)()

    def argument_descriptor(self, at: int) -> ArgumentDescriptor | None:
        """Return a pointer to a struct whose conversion is bytes and constants; None for any other.

        None also for a function with an adapter, which may read back the members that HIP writes
        (`structs.take_back`).
        """
        cls = self.scope.class_of(self.base)
        pieces = pieces_to_hip(cls) if self.parameter.suffix and not self.row.adapter else None
        return None if pieces is None else descriptors.struct_argument(at, cls, *pieces)

    def result_descriptor(self, at: int) -> ArgumentDescriptor | None:
        """Return a struct that is read when the program looks at it; None for one that does not begin as zeros."""
        cls = self.scope.class_of(self.base)
        return descriptors.struct_result(at, cls, *result_memory(cls), Unread) if begins_as_zeros(cls) else None


KIND = Struct

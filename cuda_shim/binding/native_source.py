"""The native form of a generated call: ctypes cells for the outputs, the C function between them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding import lists
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.errors import UnsupportedAPI
from cuda_shim.mapping.rows import EnumRow, FunctionRow, HandleRow, Parameter, StructRow

__all__ = ["NativeCall"]

_FLOATS = {"float": ctypes.c_float, "double": ctypes.c_double}


class NativeCall:
    """The lines of one function's body and the names they use.

    `converted` and `wrapped` are the expressions of the ordinary form, which hold here as well, and so do the
    lines `refusals` that turn exceptions into outcomes.
    """

    def __init__(
        self,
        row: FunctionRow,
        table: str,
        catalogue: Any,
        converted: Callable[[Parameter], str],
        wrapped: Callable[[Parameter, str], str],
        constant: Callable[[str], str],
        refusals: list[str],
    ) -> None:
        self._row = row
        self._table = table
        self._catalogue = catalogue
        self._converted = converted
        self._wrapped = wrapped
        self._constant = constant
        self._refusals = refusals
        self.namespace: dict[str, Any] = {"byref": ctypes.byref}
        self._first: list[str] = []
        self._checks: list[str] = []
        self._before: list[str] = []
        self._passed: list[str] = []
        self._returned: list[str] = []

    def lines(self) -> list[str]:
        """The body. Raises UnsupportedAPI where the library has no such function, or a type needs an adapter."""
        counts = [p.name for p in self._row.parameters if p.mode == "inout"]
        self._numbers()
        for parameter in self._row.parameters:
            if parameter.mode == "in" and parameter.suffix.endswith("[]"):
                self._list(parameter)
            elif parameter.mode == "in":
                self._input(parameter)
            elif parameter.mode == "inout":
                self._count(parameter)
            elif parameter.mode == "spare":
                self._spare(parameter)
            elif parameter.suffix == "[]":
                self._array(parameter, counts)
            else:
                self._output(parameter)
        types = self._types()
        self.namespace["native"] = self._function(types)
        return [
            "    try:",
            # As cuda-python, which looks at the types of all lists before it uses any, the last one first.
            *(f"        {line}" for line in (*self._first, *reversed(self._checks), *self._before)),
            f"        status = native({', '.join(self._passed)})",
            *self._refusals,
            "    if status:",
            "        return failed(status)",
            f"    return ({', '.join(['success', *self._returned])},)",
        ]

    def _numbers(self) -> None:
        """The first lines: cuda-python converts C's integers ahead of everything else, as part of its signature.

        ctypes would cut a number that is too large; cuda-python refuses it.
        """
        for parameter in self._row.inputs:
            if not parameter.suffix and parameter.base in C_INTEGERS:
                name = parameter.name
                self.namespace[f"check_{name}"] = C_INTEGERS[parameter.base].check
                self._first.append(f"{name} = check_{name}({name})")

    def _types(self) -> list[Any]:
        """The C types of what is passed, which the row's `call` puts into HIP's order where it has one."""
        types = [self._c_type(parameter) for parameter in self._row.parameters]
        if self._row.call is None:
            return types
        if self._row.outputs:
            raise UnsupportedAPI(f"{self._row.name}: outputs beside HIP's own order of arguments need an adapter")
        given = {p.name: (self._passed[at], types[at]) for at, p in enumerate(self._row.parameters)}
        chosen = [given.get(item) or self._fixed(item) for item in self._row.call]
        # What has no place in HIP's call is converted all the same, for the errors that this raises.
        self._before += [expression for name, (expression, _) in given.items() if name not in self._row.call]
        self._passed = [expression for expression, _ in chosen]
        return [kind for _, kind in chosen]

    def _fixed(self, item: str) -> tuple[str, Any]:
        """An argument that is the same in every call: a number, or a constant of a HIP enum."""
        if "." in item:
            return self._constant(item), ctypes.c_int
        return item, ctypes.c_longlong if item.startswith("-") else ctypes.c_ulonglong

    def _function(self, types: list[Any]) -> Callable[..., int]:
        from cuda_shim.backends import native

        return native.function(self._row.hip or "", ctypes.c_int, *types)

    def _c_type(self, parameter: Parameter) -> Any:
        if parameter.mode != "in" or parameter.suffix:
            return ctypes.c_char_p if parameter.base == "char" and parameter.mode == "in" else ctypes.c_void_p
        return self._cell_type(parameter)

    def _cell_type(self, parameter: Parameter) -> Any:
        """The C type of a parameter's value."""
        base = parameter.base
        if base == "char" and parameter.suffix == "*":
            return ctypes.c_char_p
        if parameter.suffix or base == "void":
            return ctypes.c_void_p
        if base in C_INTEGERS:
            return C_INTEGERS[base].ctype
        if base in _FLOATS:
            return _FLOATS[base]
        _, row = self._catalogue.base_row(base, self._table)
        if isinstance(row, EnumRow):
            return ctypes.c_int
        if isinstance(row, HandleRow):
            integer = self._catalogue.class_of(base, self._table).__handle__.ctype
            return ctypes.c_void_p if integer is ctypes.c_ulonglong else integer
        if isinstance(row, StructRow) and parameter.mode == "in":
            return ctypes.Structure  # any: what `native_value` makes knows its own size
        raise UnsupportedAPI(f"{self._row.name}: {parameter.name} of type {base} by value needs an adapter")

    def _input(self, parameter: Parameter) -> None:
        name, base = parameter.name, parameter.base
        if not parameter.suffix and base in C_INTEGERS:
            self._passed.append(name)
        elif not parameter.suffix and isinstance(self._catalogue.base_row(base, self._table)[1], EnumRow):
            self._passed.append(f"int({self._converted(parameter)})")
        elif not parameter.suffix and isinstance(self._catalogue.base_row(base, self._table)[1], StructRow):
            from cuda_shim.binding.structs import native_value

            self.namespace["native_value"] = native_value
            self._before.append(self._converted(parameter))
            self._passed.append(f"native_value({name})")
        elif parameter.suffix in ("*", "**") and base == "void":
            self.namespace["memory_address"] = memory_address
            self._before.append(f"memory_{name}, address_{name} = memory_address({name})")
            self._passed.append(f"address_{name}")
        elif parameter.suffix == "*" and base == "char":
            self._passed.append(f"bytes({self._converted(parameter)})")
        else:
            self._passed.append(self._converted(parameter))

    def _list(self, parameter: Parameter) -> None:
        name = parameter.name
        count = lists.count_of(parameter, self._row)
        check = lists.type_check(parameter, self._table, self._catalogue)
        if check is not None:
            self.namespace[f"check_{name}"] = check
            self._checks.append(f"check_{name}({name})")
        self.namespace[f"list_{name}"] = lists.converter(parameter, self._table, self._catalogue)
        self._before.append(f"array_{name}, address_{name} = list_{name}({name}, {count.name if count else 0})")
        self._passed.append(f"address_{name}")

    def _spare(self, parameter: Parameter) -> None:
        """What HIP's function writes and CUDA's has no output for."""
        self.namespace[f"type_{parameter.name}"] = self._cell_type(parameter)
        self._passed.append(f"byref(type_{parameter.name}())")

    def _count(self, parameter: Parameter) -> None:
        cell = f"cell_{parameter.name}"
        self.namespace["size_cell"] = C_INTEGERS[parameter.base].ctype
        self._before.insert(0, f"{cell} = size_cell({parameter.name})")
        self._passed.append(f"byref({cell})")
        self._returned.append(f"{cell}.value")

    def _array(self, parameter: Parameter, counts: list[str]) -> None:
        """An array that the caller sizes; where HIP tells the size, no room asks only for that."""
        base = parameter.base
        _, row = self._catalogue.base_row(base, self._table)
        given = lists.count_of(parameter, self._row)
        if not isinstance(row, (HandleRow, StructRow)) or not (counts or given):
            raise UnsupportedAPI(f"{self._row.name}: arrays of {base} need an adapter")
        asked, length = counts[0] if counts else "", f"cell_{counts[0]}.value" if counts else ""
        if given and not counts:
            asked = length = given.name
        room = f"array_{parameter.name}"
        self.namespace[base] = self._catalogue.class_of(base, self._table)
        self.namespace[f"slot_{base}"] = ctypes.c_void_p if isinstance(row, HandleRow) else self._element(base)
        self.namespace["room_for"] = lists.room_for
        self._before.append(f"{room} = room_for(slot_{base}, {length}) if {asked} else None")
        self._passed.append(room)
        if isinstance(row, HandleRow):
            self._returned.append(f"[{base}(item or 0) for item in {room} or ()]")
        else:
            self._returned.append(f"array_from_hip({base}, addressof({room}), len({room})) if {room} else []")

    def _element(self, base: str) -> Any:
        """The C type of one struct of an array that HIP fills."""
        from cuda_shim.binding.structs import array_from_hip, hip_size

        self.namespace.update(array_from_hip=array_from_hip, addressof=ctypes.addressof)
        return ctypes.c_char * hip_size(self.namespace[base])

    def _output(self, parameter: Parameter) -> None:
        name, base = parameter.name, parameter.base
        _, row = self._catalogue.base_row(base, self._table)
        if isinstance(row, StructRow) and not parameter.suffix:
            from cuda_shim.binding.structs import output

            self.namespace["output"] = output
            self.namespace[base] = self._catalogue.class_of(base, self._table)
            self._before.append(f"address_{name}, finish_{name} = output({base})")
            self._passed.append(f"address_{name}")
            self._returned.append(f"finish_{name}()")
            return
        self.namespace[f"type_{name}"] = self._cell_type(parameter)
        self._before.append(f"cell_{name} = type_{name}()")
        self._passed.append(f"byref(cell_{name})")
        self._returned.append(self._wrapped(parameter, f"cell_{name}.value"))

"""Writes the body of a function that its row describes completely: convert, call HIP, wrap, return.

Two forms. The ordinary one calls hip-python's function, which takes Python values and returns a tuple. The
native one calls the C function of the same library, for the generations of hip-python whose binding of it
is broken, or keeps the interpreter locked in a wait; it fills C memory for the outputs.
"""

from __future__ import annotations

import ctypes

from cuda_shim.binding import arguments
from cuda_shim.binding.handles import handle_number
from cuda_shim.binding.hip_calls import find_hip, locks_while_waiting
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.outcome import Outcome
from cuda_shim.binding.translation import Refused
from cuda_shim.errors import UnsupportedAPI
from cuda_shim.mapping.rows import EnumRow, FunctionRow, HandleRow, Parameter, Row, StructRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CallWriter"]

_FLOATS = {"float": ctypes.c_float, "double": ctypes.c_double}


class CallWriter:
    """The source of one function and the names it uses."""

    def __init__(self, row: FunctionRow, table: str, catalogue: Any, outcome: Outcome) -> None:
        self._row = row
        self._table = table
        self._catalogue = catalogue
        self.namespace: dict[str, Any] = {
            "Refused": Refused,
            "refused": outcome.refused,
            "failed": outcome.failed,
            "success": outcome.success,
            "address": arguments.address,
            "void_pointer": arguments.void_pointer,
            "largest": C_INTEGERS["unsigned long long"].high,
            "c_string": arguments.c_string,
            "number": arguments.number,
            "byte_string": arguments.byte_string,
            "require": arguments.require,
        }

    def source(self) -> str:
        """The function's text. Raises UnsupportedAPI where this hip-python, or library, has no such call."""
        hip_python = self._catalogue.hip_python
        generation = str(hip_python.generation)
        missing = generation in self._row.native or generation not in self._row.hip_python
        locked = locks_while_waiting(self._row.hip or "", hip_python.generation)
        if missing or locked or self._beyond_hip_python():
            return self._native()
        return self._through_hip_python(hip_python)

    def _beyond_hip_python(self) -> bool:
        """Whether the call takes lists, or gives an enum constant.

        hip-python packs some lists and not others; of an enum that a failed call left unwritten it makes a
        constant all the same, which raises ValueError.
        """
        for parameter in self._row.parameters:
            if parameter.mode == "in":
                if parameter.suffix.endswith("[]"):
                    return True
            elif not parameter.suffix and isinstance(self._kind(parameter.base), EnumRow):
                return True
        return False

    def _kind(self, base: str) -> Row | None:
        return self._catalogue.base_row(base, self._table)[1]  # type: ignore[no-any-return]

    def _name(self, name: str, value: Any) -> str:
        self.namespace[name] = value
        return name

    def _head(self) -> str:
        parts = [p.name if p.default is None else f"{p.name}={p.default}" for p in self._row.inputs]
        return f"def {self._row.name}({', '.join(parts)}):"

    # The ordinary form.

    def _through_hip_python(self, hip_python: Any) -> str:
        self._name("hip", find_hip(self._row.hip or "", hip_python))
        outputs = self._row.outputs
        results = [f"result{index}" for index in range(len(outputs))]
        call = f"hip({', '.join(self._hip_arguments())})"
        wrapped = [self._wrapped(p, result) for p, result in zip(outputs, results, strict=True)]
        return "\n".join(
            [
                self._head(),
                "    try:",
                *(f"        {line}" for line in self._unused()),
                f"        status, {', '.join(results)} = {call}" if results else f"        status, = {call}",
                *self._refusals(),
                "    if status:",
                "        return failed(status)",
                f"    return ({', '.join(['success', *wrapped])},)",
                "",
            ]
        )

    def _refusals(self) -> list[str]:
        """The lines that make outcomes, or cuda-python's errors, of arguments that no call can be given."""
        constants = [
            f"{p.name}={p.name}" for p in self._row.inputs if not p.suffix and isinstance(self._kind(p.base), EnumRow)
        ]
        refusals = ["    except Refused as refusal:", "        return refused(refusal)"]
        if constants:
            refusals += ["    except TypeError:", f"        require({', '.join(constants)})", "        raise"]
        return refusals

    def _unused(self) -> list[str]:
        """Conversions of arguments that HIP's call has no place for, for the errors that they raise."""
        if self._row.call is None:
            return []
        return [self._converted(p) for p in self._row.inputs if p.name not in self._row.call]

    def _hip_arguments(self) -> list[str]:
        given = {p.name: p for p in self._row.inputs}
        if self._row.call is None:
            return [self._converted(p) for p in self._row.parameters if p.mode in ("in", "inout")]
        return [self._called_with(item, given) for item in self._row.call]

    def _called_with(self, item: str, given: dict[str, Parameter]) -> str:
        """One entry of a row's `call`: an argument, a number, or a constant of a HIP enum."""
        if item in given:
            return self._converted(given[item])
        enum_name, dot, member = item.partition(".")
        if not dot:
            return item
        return self._name(f"constant_{member}", getattr(getattr(self._catalogue.hip_python.hip, enum_name), member))

    def _converted(self, parameter: Parameter) -> str:
        """The expression that makes an argument what hip-python takes."""
        name, base, suffix = parameter.name, parameter.base, parameter.suffix
        if suffix == "":
            return self._converted_value(name, base)
        if suffix == "*" and base == "char":
            return f"c_string({name})"
        if suffix in ("*", "**"):
            _, row = self._catalogue.base_row(base, self._table)
            if isinstance(row, StructRow):
                return f"{self._struct_input(name, base)}({name})"
            if isinstance(row, HandleRow):
                return f"{self._handle_pointer(name, base)}({name})"
            return f"({name} if {name}.__class__ is int and 0 <= {name} <= largest else void_pointer({name}))"
        raise UnsupportedAPI(f"{self._row.name}: the list {name} needs an adapter")

    def _converted_value(self, name: str, base: str) -> str:
        if base == "size_t" and self._catalogue.hip_python.generation == 7:
            # hip-python 7 declares sizes unsigned long, and says so in its errors.
            check = self._name("check_size_t", C_INTEGERS[base].check)
            return f"({name} if {name}.__class__ is int and {name} >= 0 else {check}({name}))"
        if base in C_INTEGERS or base in _FLOATS:
            return name
        _, row = self._catalogue.base_row(base, self._table)
        if isinstance(row, EnumRow):
            return f"{self._name(f'to_hip_{base}', self._catalogue.enums(base).to_hip)}[{name}]"
        if isinstance(row, HandleRow):
            return f"{self._handle_input(base)}({name})"
        if isinstance(row, StructRow):
            return f"{self._struct_input(name, base, optional=False)}({name})"
        raise UnsupportedAPI(f"{self._row.name}: argument {name} has type {base}, which no row describes")

    def _handle_input(self, base: str) -> str:
        """The name of what makes a handle its number: `address` for pointers, a check for smaller integers."""
        convert = handle_number(self._catalogue.class_of(base, self._table).__handle__)
        return "address" if convert is arguments.address else self._name(f"number_of_{base}", convert)

    def _struct_input(self, name: str, base: str, optional: bool = True) -> str:
        from cuda_shim.binding.structs import by_value

        wanted = self._catalogue.class_of(base, self._table)

        def convert(value: Any) -> int | None:
            if optional and value is None:
                return None
            arguments.require_type(name, wanted, value)
            return by_value(value)

        return self._name(f"struct_{name}", convert)

    def _handle_pointer(self, name: str, base: str) -> str:
        """The name of what makes a pointer to handles: the memory of one handle, or an address."""
        wanted = self._catalogue.class_of(base, self._table)
        return self._name(f"pointer_{name}", arguments.handle_pointer(name, wanted))

    def _wrapped(self, parameter: Parameter, result: str) -> str:
        """The expression that makes hip-python's result what cuda-python returns."""
        base, suffix = parameter.base, parameter.suffix
        if suffix == "*" and base == "char":
            return f"byte_string({result})"
        if suffix == "*" or base == "void":
            return f"number({result})"
        if suffix:
            raise UnsupportedAPI(f"{self._row.name}: the returned list {parameter.name} needs an adapter")
        if base in C_INTEGERS or base in _FLOATS:
            return result
        _, row = self._catalogue.base_row(base, self._table)
        if isinstance(row, EnumRow):
            return f"{self._name(f'from_hip_{base}', self._catalogue.enums(base).from_hip)}[int({result})]"
        cls = self._name(base, self._catalogue.class_of(base, self._table))
        if isinstance(row, HandleRow):
            return f"{cls}(number({result}))"
        from cuda_shim.binding.structs import from_hip

        return f"{self._name('from_hip', from_hip)}({cls}, {result})"

    # The native form.

    def _native(self) -> str:
        from cuda_shim.binding.native_source import NativeCall

        native = NativeCall(
            self._row,
            self._table,
            self._catalogue,
            self._converted,
            self._wrapped,
            lambda constant: self._called_with(constant, {}),
            self._refusals(),
        )
        self.namespace.update(native.namespace)
        body = native.lines()
        self.namespace.update(native.namespace)
        return "\n".join([self._head(), *body, ""])

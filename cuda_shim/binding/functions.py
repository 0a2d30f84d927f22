"""From a function's row to a Python function that behaves as cuda-python's.

The function exists as soon as its name is read, with CUDA's signature, and needs no HIP for that. Its first
call writes the real body (`call_source`), loads hip-python, and puts the compiled code into the very same
function object: whoever imported it earlier runs the short body from then on, with no second lookup.
"""

from __future__ import annotations

import functools
import importlib

# From _thread: threading takes longer to import than the rest of this module.
from _thread import RLock
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType, MappingProxyType

from cuda_shim.binding import counting
from cuda_shim.binding.call_source import CallWriter
from cuda_shim.binding.handles import address, handle_number
from cuda_shim.binding.hip_calls import find_hip
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.outcome import Outcome
from cuda_shim.errors import UnsupportedAPI
from cuda_shim.mapping.rows import FunctionRow, HandleRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Binding", "make_function"]

_lock = RLock()


class Binding:
    """What an adapter needs to serve one function: its row, its layout's objects, and its outcomes."""

    def __init__(self, row: FunctionRow, table: str, catalogue: Any) -> None:
        self.row = row
        self.table = table
        self.catalogue = catalogue
        self.outcome = Outcome(row, table, catalogue)

    @property
    def hip_python(self) -> Any:
        """The loaded hip-python (`.hip`, `.hiprtc`, `.generation`)."""
        return self.catalogue.hip_python

    @property
    def hip(self) -> Callable[..., Any]:
        """hip-python's function that the row names."""
        return find_hip(self.row.hip or "", self.hip_python)

    def class_of(self, base: str) -> type[Any]:
        """The class of a C type name, as this function's module sees it."""
        found: type[Any] = self.catalogue.class_of(base, self.table)
        return found

    def enums(self, name: str) -> Any:
        """The translation of an enum class (`.to_hip`, `.from_hip`)."""
        return self.catalogue.enums(name)

    def native(self, name: str, *argtypes: Any) -> Callable[..., int]:
        """The C function `name` of the loaded library, returning HIP's status as an int."""
        import ctypes

        from cuda_shim.backends import native

        return native.function(name, ctypes.c_int, *argtypes)

    def generated(self) -> Callable[..., tuple[Any, ...]]:
        """The function that the row would get without its adapter, for adapters that only add to it."""
        writer = CallWriter(self.row, self.table, self.catalogue, self.outcome)
        return _compile(self.row.name, writer.source(), writer.namespace)


def make_function(row: FunctionRow, table: str, catalogue: Any) -> FunctionType:
    """The function of a row, bound to HIP by its first call."""
    binding = Binding(row, table, catalogue)
    namespace: dict[str, Any] = {"__name__": catalogue.module_names[table]}
    arguments = ", ".join(parameter.name for parameter in row.inputs)
    source = f"def {row.name}({signature(row)}):\n    return __bind__()({arguments})\n"
    exec(compile(source, f"cuda_shim:{row.name}", "exec"), namespace)
    function: FunctionType = namespace[row.name]
    function.__doc__ = documentation(row)
    function.__qualname__ = row.name
    namespace["__bind__"] = functools.partial(_bind, binding, function, function.__code__)
    return function


def _bind(binding: Binding, function: FunctionType, unbound: CodeType) -> FunctionType:
    """Give `function` its real body; called by the body that it was made with, perhaps by many threads."""
    with _lock:
        if function.__code__ is unbound:
            body = _body(binding)
            function.__globals__.update(body.__globals__)
            function.__code__ = body.__code__
            counting.bound(binding.row, function)
    return function


def _body(binding: Binding) -> FunctionType:
    row = binding.row
    if row.unsupported is not None:
        return _unsupported(binding, row.unsupported)
    served_by = row.provided or row.adapter
    try:
        if served_by is not None:
            module, _, factory = served_by.partition(".")
            make = getattr(importlib.import_module(f"cuda_shim.adapters.{module}"), factory)
            return _forwarding(row, make(binding), *_conversions(binding))
        writer = CallWriter(row, binding.table, binding.catalogue, binding.outcome)
        return _compile(row.name, writer.source(), writer.namespace)
    except UnsupportedAPI as missing:
        return _unsupported(binding, str(missing))


def _unsupported(binding: Binding, reason: str) -> FunctionType:
    """The body of a call that HIP cannot serve: arguments checked as for any other one."""
    from cuda_shim.binding.argument_checks import checks

    check, answer = checks(binding.row, binding.table, binding.catalogue), binding.outcome.unsupported(reason)

    def call(*arguments: Any) -> tuple[Any, ...]:
        check(*arguments)
        return answer()

    return _forwarding(binding.row, call)


def _forwarding(
    row: FunctionRow,
    implementation: Callable[..., Any],
    lines: Sequence[str] = (),
    names: Mapping[str, Any] = MappingProxyType({}),
) -> FunctionType:
    """A body with CUDA's signature that hands its arguments to `implementation` by position, after some lines."""
    arguments = ", ".join(parameter.name for parameter in row.inputs)
    body = [*lines, f"return __implementation__({arguments})"]
    source = "\n    ".join([f"def {row.name}({signature(row)}):", *body, ""])
    return _compile(row.name, source, {"__implementation__": implementation, **names})


# hip-python converts what a launch is given, and this is where each microsecond counts.
_CONVERTED_BY_HIP_PYTHON = ("launch.",)


def _conversions(binding: Binding) -> tuple[list[str], dict[str, Any]]:
    """What an adapter need not do: C's integers converted ahead of all else, as in cuda-python's own signatures,
    and handles looked at."""
    lines: list[str] = []
    names: dict[str, Any] = {"address": address}
    row = binding.row
    if (row.adapter or "").startswith(_CONVERTED_BY_HIP_PYTHON):
        return lines, names
    handles = []
    for parameter in row.inputs:
        name, base = parameter.name, parameter.base
        if parameter.suffix:
            continue
        if base in C_INTEGERS:
            names[f"check_{name}"] = C_INTEGERS[base].check
            lines.append(f"{name} = check_{name}({name})")
        elif isinstance(binding.catalogue.base_row(base, binding.table)[1], HandleRow):
            names[f"check_{name}"] = handle_number(binding.class_of(base).__handle__)
            handles.append(f"check_{name}({name})")
    return lines + handles, names


def _compile(name: str, source: str, namespace: dict[str, Any]) -> FunctionType:
    # A loader that gives the text is how a traceback through the generated body gets to show its lines.
    namespace["__loader__"] = _Source(source)
    exec(compile(source, f"cuda_shim:{name}", "exec"), namespace)
    function: FunctionType = namespace[name]
    return function


class _Source:
    """The text of a generated function, in the form that linecache asks for it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, name: str) -> str:
        """The text, whatever module name the function's globals have."""
        return self._text


def signature(row: FunctionRow) -> str:
    """The Python parameters, with defaults."""
    return ", ".join(
        parameter.name if parameter.default is None else f"{parameter.name}={parameter.default}"
        for parameter in row.inputs
    )


def documentation(row: FunctionRow) -> str:
    """The docstring: types of the arguments and results, and what serves the call."""
    arguments = ", ".join(f"{parameter.name}: {parameter.spelling}" for parameter in row.inputs)
    results = ", ".join(f"{parameter.name}: {parameter.spelling}" for parameter in row.outputs)
    lines = [f"{row.name}({arguments})", "", f"Returns the status{', ' + results if results else ''}."]
    if row.unsupported:
        lines += ["", f"Not supported: {row.unsupported}."]
    elif row.hip:
        lines += ["", f"Served by {row.hip}."]
    if row.note:
        lines += ["", row.note]
    return "\n".join(lines)

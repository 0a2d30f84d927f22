"""The body of a function that its row describes completely: convert, call HIP, wrap, return.

It calls the C function of the library that hip-python has opened. The row's types are C's, so the body does not depend
on hip-python's treatment of arguments, and a call costs half as much as through hip-python's own function.
A test compares the types with AMD's declarations in HIP's headers.
"""

from __future__ import annotations

import ctypes

from cuda_shim.binding.arguments import require
from cuda_shim.binding.c_arguments import as_argument
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions.context_guard import context_guard
from cuda_shim.binding.functions.order import conversions
from cuda_shim.binding.native_calls import native_call
from cuda_shim.binding.parameters.code import Code
from cuda_shim.generated_source import compiled, deferred

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FunctionType

    from cuda_shim.binding.c_arguments import CType
    from cuda_shim.binding.functions.binding import Binding
    from cuda_shim.binding.parameters.code import CArgument
    from cuda_shim.binding.untyped import AnyFunction

__all__ = ["compiled_query", "mapped"]


def mapped(binding: Binding) -> FunctionType:
    """Return the function. Raises UnsupportedAPI where the library has no such call, or a type needs an adapter."""
    from cuda_shim.binding.functions.signature import signature

    row, code = binding.row, Code()
    types, arguments = _call(binding, _c_arguments(binding, code), code)
    native = binding.native(row.hip or "", *types)
    code.name("native", native)
    guard, guard_names = context_guard(binding)
    head = f"def {row.name}({signature(row)}):"

    def python() -> FunctionType:
        code.namespace.update(guard_names)
        source = "\n".join([head, *_lines(binding, code, arguments, guard), ""])
        return compiled(row.name, binding.scope.module, ", bound", source, code.namespace)

    compiled_call = native_call(binding, native, deferred(python), minds_context=bool(guard))
    if compiled_call is None:
        return python()
    source = f"{head}\n    return call({', '.join(parameter.name for parameter in row.inputs)})\n"
    return compiled(row.name, binding.scope.module, ", compiled", source, {"call": compiled_call})


def compiled_query(binding: Binding, python: AnyFunction, watched: tuple[int, int]) -> AnyFunction:
    """Return the compiled call of a row that gives a struct, with `python` for the cases of `native_call`'s `watched`.

    Without the library of compiled calls it is `python`.
    """
    code = Code()
    types, _ = _call(binding, _c_arguments(binding, code), code)
    native = binding.native(binding.row.hip or "", *types)
    guard, _ = context_guard(binding)
    return native_call(binding, native, python, minds_context=bool(guard), watched=watched) or python


def _c_arguments(binding: Binding, code: Code) -> dict[str, CArgument]:
    """Return the C type and expression of each parameter: arguments first, evaluated in Python's order."""
    arguments: dict[str, CArgument] = {}
    inline: list[str] = []
    for bound in binding.inputs:
        at = len(code.arguments)
        arguments[bound.name] = bound.c_argument(code)
        if len(code.arguments) > at:  # this one runs in lines of its own, so the ones before it must do so as well
            for name in reversed(inline):
                c_type, expression = arguments[name]
                code.arguments.insert(at, f"value_{name} = {expression}")
                arguments[name] = c_type, f"value_{name}"
            inline.clear()
        if not arguments[bound.name][1].isidentifier():
            inline.append(bound.name)
    for name, bound in binding.parameters.items():
        if name not in arguments:
            arguments[name] = bound.c_argument(code)
    return arguments


def _call(binding: Binding, arguments: Mapping[str, CArgument], code: Code) -> tuple[list[CType], list[str]]:
    """Return the C types and expressions of HIP's arguments: the row's parameters, or the items of its `call`."""
    call = binding.row.call
    if call is None:
        items = [arguments[name] for name in binding.parameters]
    else:
        items = [arguments.get(item) or _fixed(item, binding) for item in call]
        # Arguments without a place in HIP's call are converted all the same, for the errors that this raises.
        code.arguments += [expression for name, (_, expression) in arguments.items() if name not in call]
    return [c_type for c_type, _ in items], [expression for _, expression in items]


def _fixed(item: str, binding: Binding) -> CArgument:
    """Return an argument that is the same in every call: a number, or a constant of a HIP enum."""
    enum_name, dot, member = item.partition(".")
    if dot:
        return as_argument(ctypes.c_int), str(int(getattr(getattr(binding.hip_python.hip, enum_name), member)))
    return as_argument(ctypes.c_longlong), item


def _lines(binding: Binding, code: Code, arguments: list[str], guard: list[str]) -> list[str]:
    """Return the body, indented; `guard` holds the lines that go ahead of the call."""
    outcome, call = binding.outcome, f"native({', '.join(arguments)})"
    outputs = [code.outputs[parameter.name] for parameter in binding.row.outputs]
    before = [*conversions(code), *guard]
    code.namespace["byref"] = ctypes.byref
    if not outputs:
        code.name("answers", outcome.answers)
        last = (
            [f"status = {call}", *code.after, "return answers[status]"] if code.after else [f"return answers[{call}]"]
        )
        lines = [*before, *last]
        return _indented(_refusing(binding, code, lines))
    code.namespace.update(success=outcome.success, failures=outcome.failures)
    after = ["if status:", "    return failures[status]", *code.results, f"return success, {', '.join(outputs)}"]
    return _indented([*_refusing(binding, code, [*before, f"status = {call}", *code.after]), *after])


def _refusing(binding: Binding, code: Code, lines: list[str]) -> list[str]:
    """Return the lines in a block that turns arguments that HIP cannot be given into outcomes or errors."""
    if not code.may_refuse:
        return lines
    code.namespace.update(Refused=Refused, refused=binding.outcome.refused)
    guarded = ["try:", *_indented(lines), "except Refused as refusal:", "    return refused(refusal)"]
    if code.constants:
        constants = ", ".join(f"{name}={name}" for name in code.constants)
        code.name("require", require)
        guarded += ["except TypeError:", f"    require({constants})", "    raise"]
    return guarded


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]

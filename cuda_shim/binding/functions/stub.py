"""The function that a program sees, and how it gets its body.

The function exists as soon as its name is read, with CUDA's signature, and needs no HIP for that. Its first
call writes the real body, loads hip-python, and puts the compiled code into the very same function object: a module
that imported it earlier runs the short body from then on, with no second lookup.
"""

from __future__ import annotations

import functools
import importlib

# From _thread: threading takes longer to import than the rest of this module.
from _thread import RLock
from collections.abc import Mapping, Sequence
from types import CodeType, FunctionType, MappingProxyType

from cuda_shim.binding.functions import open_files, per_thread, prebind_at_exit
from cuda_shim.binding.functions.binding import Binding
from cuda_shim.binding.functions.docstring import Docstring
from cuda_shim.binding.functions.initialization import before_initialization
from cuda_shim.binding.functions.signature import signature
from cuda_shim.binding.parameters.code import Code
from cuda_shim.errors import ShimError, UnsupportedAPI
from cuda_shim.generated_source import compiled, show_in_tracebacks
from cuda_shim.instrumentation import functions as instrumentation
from cuda_shim.mapping.rows import FunctionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope
    from cuda_shim.binding.untyped import AnyFunction, RowObject

__all__ = ["make_function"]

_lock = RLock()


def make_function(row: FunctionRow, scope: Scope) -> FunctionType:
    """Return the function of a row, bound to HIP by its first call."""
    binding = Binding(row, scope)
    namespace: dict[str, object] = {"__name__": scope.module, **open_files.answering(binding)}
    scope.status()  # what a call that can open no file answers with
    arguments = ", ".join(parameter.name for parameter in row.inputs)
    body = open_files.guarded(f"return __bind__()({arguments})")
    source = "\n    ".join([f"def {row.name}({signature(row)}):", *body, ""])
    function = compiled(row.name, scope.module, "", source, namespace)
    function.__doc__ = Docstring(row)
    function.__qualname__ = row.name
    namespace["__bind__"] = functools.partial(_bind, binding, function, function.__code__)
    return function


def _bind(binding: Binding, function: FunctionType, unbound: CodeType) -> AnyFunction:
    """Return the function that serves a call: `function` with its real body, or, before cuInit, a refusal.

    The stub's first body calls it, perhaps in many threads.
    """
    bind = functools.partial(_bind_for_good, binding, function, unbound)
    early = before_initialization(binding, bind, functools.partial(_body, binding))
    return bind() if early is None else early


def _bind_for_good(
    binding: Binding, function: FunctionType, unbound: CodeType, body: FunctionType | None = None
) -> FunctionType:
    with _lock:
        if function.__code__ is unbound:
            show_in_tracebacks()
            body = body or _body(binding)
            if per_thread.is_default():
                body = per_thread.on_own_stream(binding, body)
            function.__globals__.update(body.__globals__)
            function.__code__ = body.__code__
            instrumentation.add_function(binding.row, function)
            prebind_at_exit.note_outputs(binding.row, binding.scope)
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
            return _forwarding(binding, make(binding), *_conversions(binding))
        from cuda_shim.binding.functions.body import mapped

        return mapped(binding)
    except UnsupportedAPI as missing:
        return _unsupported(binding, str(missing))
    except ShimError as error:
        raise error.with_traceback(None)  # noqa: B904  the frames between show nothing that a user could change


def _unsupported(binding: Binding, reason: str) -> FunctionType:
    """Return the body of a call that HIP cannot serve: arguments checked as for any other one."""
    from cuda_shim.binding.functions.checks import checks

    check, answer = checks(binding), binding.outcome.unsupported(reason)

    def call(*arguments: object) -> tuple[RowObject, ...]:
        check(*arguments)
        return answer()

    return _forwarding(binding, call)


def _forwarding(
    binding: Binding,
    implementation: AnyFunction,
    lines: Sequence[str] = (),
    names: Mapping[str, object] = MappingProxyType({}),
) -> FunctionType:
    """Return a body with CUDA's signature that hands its arguments to `implementation` by position, after lines."""
    row = binding.row
    arguments = ", ".join(parameter.name for parameter in row.inputs)
    body = [*lines, *open_files.guarded(f"return __implementation__({arguments})")]
    source = "\n    ".join([f"def {row.name}({signature(row)}):", *body, ""])
    namespace = {"__implementation__": implementation, **open_files.answering(binding), **names}
    return compiled(row.name, binding.scope.module, ", adapted", source, namespace)


# These adapters convert their arguments themselves, because each microsecond of a launch counts.
_CONVERTED_THERE = ("launch.",)


def _conversions(binding: Binding) -> tuple[list[str], dict[str, object]]:
    """Return the lines that run ahead of an adapter, the context guard included, and the names that they use.

    C's integers are converted ahead of all else, as in cuda-python's own signatures, and handles are checked.
    """
    from cuda_shim.binding.functions.context_guard import context_guard
    from cuda_shim.binding.functions.order import conversions

    code, (guard, guard_names) = Code(), context_guard(binding)
    if not (binding.row.adapter or "").startswith(_CONVERTED_THERE):
        for bound in binding.inputs:
            bound.ahead(code)
    return [*conversions(code), *guard], {**code.namespace, **guard_names}

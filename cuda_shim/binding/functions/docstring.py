"""Docstrings of functions, made when they are read: the purpose of a call, its parameters, how HIP's differs.

Most programs read none, and the texts of all parameters take longer to load than everything else that a name needs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.untyped import AnyFunction
    from cuda_shim.mapping.rows import FunctionRow

__all__ = ["Docstring", "difference", "documentation"]


def documentation(row: FunctionRow) -> str:
    """Return a function's purpose, the meaning of its arguments and results, and the HIP function that serves it."""
    from cuda_shim.mapping import parameters

    lines = [f"{row.name}({', '.join(parameter.name for parameter in row.inputs)})", "", row.text]
    if row.inputs:
        lines += ["", "Args:", *(f"    {line}" for line in parameters.arguments(row))]
    lines += ["", "Returns:", *(f"    {line}" for line in parameters.results(row))]
    if row.unsupported:
        lines += ["", f"Not supported: {row.unsupported}."]
    elif row.hip:
        differs = f", which differs. {difference(row.adapter)}" if row.adapter else "."
        lines += ["", f"Served by {row.hip}{differs}"]
    if row.note:
        lines += ["", row.note]
    return "\n".join(lines)


def difference(adapter: str) -> str:
    """Return how HIP's call differs: the docstring of the adapter of this name."""
    import importlib
    import inspect

    module, _, factory = adapter.partition(".")
    text = inspect.getdoc(getattr(importlib.import_module(f"cuda_shim.adapters.{module}"), factory)) or ""
    return " ".join(text.split())


class Docstring(str):
    """The docstring of a function: to Python's code all of it, to C code, which looks inside, its first sentence."""

    __slots__ = ("_row",)
    _row: FunctionRow

    def __new__(cls, row: FunctionRow) -> Docstring:
        """Keep the row, which the full text is made from."""
        docstring = super().__new__(cls, row.text)
        docstring._row = row
        return docstring

    def __str__(self) -> str:
        """Return all of it."""
        return documentation(self._row)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Copy and pickle as plain text."""
        return str, (str(self),)


def _reading(method: AnyFunction) -> AnyFunction:
    def read(self: Docstring, *arguments: object, **options: object) -> object:
        return method(str(self), *arguments, **options)

    return read


for _name, _method in vars(str).items():
    if callable(_method) and _name not in ("__new__", "__str__", "__getattribute__", "maketrans"):
        setattr(Docstring, _name, _reading(_method))

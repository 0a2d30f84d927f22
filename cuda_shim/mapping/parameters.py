"""The meaning of a parameter, in a sentence with its unit: only docstrings and `explain` load these texts."""

from __future__ import annotations

from cuda_shim.mapping.text_tables import load_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from cuda_shim.mapping.rows import FunctionRow, Parameter

__all__ = ["arguments", "chosen", "meaning", "results"]


def arguments(row: FunctionRow) -> list[str]:
    """Return a line for each Python argument: its name, its C type and its meaning."""
    return [_line(row, parameter) for parameter in row.inputs]


def results(row: FunctionRow) -> list[str]:
    """Return a line for each value that a call returns, in order."""
    status = ["The status."] if row.has_status else []
    result = [f"The result ({row.result})."] if row.result else []
    return [*status, *(_line(row, parameter) for parameter in row.outputs), *result]


def _line(row: FunctionRow, parameter: Parameter) -> str:
    return f"{parameter.name} ({parameter.spelling}): {meaning(row.name, parameter)}"


def meaning(function: str, parameter: Parameter) -> str:
    """Return the sentence for a parameter of a function; "" where the table has none."""
    texts = load_text("parameters").get(parameter.name, {})
    key = chosen(texts, function, parameter)
    return "" if key is None else str(texts[key])


def chosen(texts: Mapping[str, str], function: str, parameter: Parameter) -> str | None:
    """Return the key of the text that applies: the function's own, that of a pattern, the type's, or `any`."""
    from fnmatch import fnmatchcase

    named = [(key, pattern) for key in texts if key.startswith("of ") for pattern in key[3:].split()]
    for key, pattern in named:
        if pattern == function:
            return key
    for key, pattern in named:
        if "*" in pattern and fnmatchcase(function, pattern):
            return key
    mode = "" if parameter.mode == "in" else f"{parameter.mode} "
    typed = f"as {mode}{parameter.spelling}"
    return typed if typed in texts else "any" if "any" in texts else None

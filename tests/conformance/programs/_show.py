"""Print the results of calls, without the parts that differ from one device or run to the next.

One line a call: its name, a note that tells it from others of its kind, then the status and the outputs. An address, a
size or a time shows as its type alone; a value is printed only where a program asks for it.
"""

from __future__ import annotations

import re
from typing import Any


def described(value: Any) -> str:
    """A value's kind: enums by member, handles by class and whether they are null, numbers by type."""
    kind = type(value).__name__
    if value is None:
        return "None"
    name = getattr(value, "name", None)
    if isinstance(value, int) and name is not None and hasattr(value, "value"):
        return f"{kind}.{name}"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(described, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, (bool, int, float, str, bytes)):
        return kind
    if hasattr(value, "__int__") and kind not in ("CUdevice", "cuuint32_t", "cuuint64_t"):
        return kind if int(value) else f"{kind}(0)"
    return kind


def valued(value: Any) -> str:
    """A value itself, for those that must be the same everywhere."""
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(valued, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, (bool, int, float, str, bytes)) and not hasattr(value, "name"):
        return repr(value)
    return described(value)


def raised(error: BaseException) -> str:
    """An exception's class and text, without addresses."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x...", str(error))
    return f"raises {type(error).__name__}: {text}"


def call(function: Any, *arguments: Any, note: str = "", values: bool = False, **keywords: Any) -> Any:
    """Call the function, print the result and return the outputs: None, one value, or a tuple of several."""
    label = f"{function.__name__} [{note}]" if note else function.__name__
    try:
        result = function(*arguments, **keywords)
    except Exception as error:  # noqa: BLE001  any exception is an answer to print
        print(f"{label}: {raised(error)}", flush=True)
        return None
    write = valued if values else described
    if not isinstance(result, tuple):
        print(f"{label}: bare {write(result)}", flush=True)
        return result
    print(f"{label}: {', '.join(map(write, result))}", flush=True)
    outputs = result[1:]
    return None if not outputs else outputs[0] if len(outputs) == 1 else outputs


def show(label: str, value: Any) -> None:
    """Print a value that must be the same everywhere, or the exception that a function raises for it."""
    try:
        print(f"{label}: {valued(value() if callable(value) else value)}", flush=True)
    except Exception as error:  # noqa: BLE001  any exception is an answer to print
        print(f"{label}: {raised(error)}", flush=True)


def kind(label: str, value: Any) -> None:
    """Print a value's kind."""
    try:
        print(f"{label}: {described(value() if callable(value) else value)}", flush=True)
    except Exception as error:  # noqa: BLE001  any exception is an answer to print
        print(f"{label}: {raised(error)}", flush=True)


def fields(label: str, struct: Any, *names: str, values: bool = False) -> None:
    """Print a struct's members by kind, or by value."""
    for name in names:
        try:
            member = struct
            for part in name.split("."):
                member = getattr(member, part)
        except Exception as error:  # noqa: BLE001  any exception is an answer to print
            print(f"{label}.{name}: {raised(error)}", flush=True)
            continue
        print(f"{label}.{name}: {(valued if values else described)(member)}", flush=True)

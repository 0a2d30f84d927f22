"""The HIP functions that a library calls, each by its number in the library's table of pointers."""

from __future__ import annotations

from cuda_shim.backends.native import symbol

__all__ = ["HipPointers"]


class HipPointers:
    """Numbers HIP functions in the order in which they are asked for."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def name(self, function: str) -> str:
        """Return the C name of a function's number."""
        self._numbers.setdefault(function, len(self._numbers))
        return f"number_of_{function}"

    def text(self) -> str:
        """Return the numbers, and the table of names that the pointers are found by."""
        numbers = ", ".join(f"number_of_{name}" for name in self._numbers)
        names = ",\n    ".join(f'"{symbol(name)}"' for name in self._numbers)
        table = f"static const char *const hip_names[] = {{\n    {names}}};"
        return f"enum {{ {numbers}, number_of_hip_functions }};\n{table}\n"

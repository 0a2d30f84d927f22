"""Enum constants between CUDA and HIP, as C functions: the numbers that `HipEnums` has, and no others."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from cuda_shim.binding.scope import Catalogue

__all__ = ["EnumFunctions"]


class EnumFunctions:
    """The translations that a library's functions ask for, each written once.

    Layouts number few enums differently, so a function is named after its enum and the layout.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def to_hip(self, name: str, table: str, catalogue: Catalogue) -> str:
        """Return the name of the C function from CUDA's number to HIP's; it gives `no_constant` where HIP has none."""
        numbers = catalogue.enums(name, table).numbers
        return self._function("to_hip", name, catalogue.cuda, numbers, "no_constant")

    def from_hip(self, name: str, table: str, catalogue: Catalogue) -> str:
        """Return the name of the C function from HIP's number to CUDA's; an unknown one stays as it is."""
        cuda_numbers = catalogue.enums(name, table).from_hip
        return self._function(
            "from_hip", name, catalogue.cuda, {key: int(value) for key, value in cuda_numbers.items()}, "number"
        )

    def status(self, table: str, unknown: int, catalogue: Catalogue) -> str:
        """Return the name of the C function from HIP's status to that of a module."""
        cuda_numbers = {key: int(value) for key, value in catalogue.status(table).from_hip.items()}
        return self._function("status_of", table, catalogue.cuda, cuda_numbers, str(unknown))

    def text(self) -> str:
        """All of them."""
        return "\n".join(self._texts.values())

    def _function(self, direction: str, enum: str, cuda: str, numbers: Mapping[int, int], otherwise: str) -> str:
        name = f"{direction}_{enum}_{cuda.replace('.', '_')}"
        if name not in self._texts:
            cases = "\n".join(
                f"    case {key}: return {_int(value)};" for key, value in sorted(_distinct(numbers).items())
            )
            lines = [f"[[maybe_unused]] static int {name}(int number) {{", "  switch (number) {", cases]
            self._texts[name] = "\n".join([*lines, f"    default: return {otherwise};", "  }", "}", ""])
        return name


def _distinct(numbers: Mapping[int, int]) -> dict[int, int]:
    """Return the numbers as C's int has them; the first of two that are one there counts."""
    distinct: dict[int, int] = {}
    for key, value in numbers.items():
        distinct.setdefault(_int(int(key)), int(value))
    return distinct


def _int(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number

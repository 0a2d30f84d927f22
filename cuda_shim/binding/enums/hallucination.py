"""Hallucination: constants that HIP lacks, invented on request as HIP Python does, but distinct.

Off by default. Switched on for one enum class by `HIP_PYTHON_<Enum>_HALLUCINATE` in the environment, by the
module variable of that name, or by `Enum.hallucinate = True`; the program's last choice wins over the
environment. Each invented constant has a value of its own that no defined constant has, the same in every
process; it is never an argument: API calls refuse it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cuda_shim import settings
from cuda_shim.instrumentation import events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Hallucination", "InventedConstants", "switch"]

_FIRST_INVENTED = 1 << 24  # above every number that CUDA or HIP defines, below 2**31: a C int still


class Hallucination:
    """The switch that allows one enum, by name, to invent constants."""

    def __init__(self, enum_name: str) -> None:
        self.enum_name = enum_name
        self._chosen: bool | None = None

    def enabled(self) -> bool:
        """Return whether it is on. Raises SettingError when the environment variable holds no yes or no."""
        if self._chosen is None:
            return settings.hallucination(self.enum_name) or False
        return self._chosen

    def set(self, value: object) -> None:
        """Set it. Raises SettingError when `value` is neither a bool nor a yes or no in words."""
        self._chosen = settings.parse_hallucination(f"HIP_PYTHON_{self.enum_name}_HALLUCINATE", value)


@cache
def switch(enum_name: str) -> Hallucination:
    """Return the switch of an enum: one for all layouts and modules, as the environment variable is one."""
    return Hallucination(enum_name)


class InventedConstants:
    """The constants of one class that are not CUDA's: invented ones, and constants that HIP alone has."""

    def __init__(
        self,
        cls: Any,
        hallucination: Hallucination,
        hidden: frozenset[str],
        new: Callable[[Any, str, int], Any],
    ) -> None:
        self.hallucination = hallucination
        self._cls = cls
        self._hidden = hidden
        self._new = new
        self._by_name: dict[str, Any] = {}
        self._hip: dict[str, Any] = {}

    def constant(self, name: str) -> Any:
        """Return the constant `name`: CUDA's own where CUDA has it, else an invented one."""
        if name in self._hidden:
            return self._cls.__members__[name]
        events.hallucinated(self._cls.__name__, name)
        constant = self._by_name.get(name)
        if constant is None:
            constant = self._by_name.setdefault(name, self._new(self._cls, name, self._free_value(name)))
        return constant

    def from_hip(self, name: str, value: int) -> Any:
        """Return the constant that HIP alone has, under HIP's name, and number where CUDA has no other use for it."""
        constant = self._hip.get(name)
        if constant is None:
            is_used = any(value == int(member) for member in self._cls.__members__.values())
            constant = self._new(self._cls, name, self._free_value(name) if is_used else value)
            constant = self._hip.setdefault(name, constant)
        return constant

    def hip_name(self, constant: object) -> str | None:
        """Return the name of a constant that HIP alone has, None for every other object."""
        name = getattr(constant, "_name", "")
        return name if self._hip.get(name) is constant else None

    def is_invented(self, constant: object) -> bool:
        """Return whether this constant was made up, so that no API call may be given it."""
        return self._by_name.get(getattr(constant, "_name", "")) is constant

    def _free_value(self, name: str) -> int:
        # The value comes from the name, so that it is the same in every process, in any order of lookups.
        import zlib  # only invented constants need it

        value = _FIRST_INVENTED + zlib.crc32(name.encode()) % (1 << 30)
        used = {int(constant) for constant in self._by_name.values()}
        while value in used:
            value += 1
        return value

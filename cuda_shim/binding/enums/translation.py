"""Numbers of enum constants between CUDA and HIP, per enum class, made when a call first needs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from cuda_shim.binding.arguments import require
from cuda_shim.binding.enums.fast_enum import UnknownCodes, hip_members
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.mapping.rows import EnumRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["HipEnums", "Refused", "enum_number", "require_constant"]


class Refused(Exception):
    """An argument that no HIP call can be given; the call answers with a failure of CUDA's instead.

    `supported` is False where CUDA knows the value and HIP has no counterpart, so that the answer is
    not-supported and not an invalid value; `enum` names the class that has no constant of this number;
    `logged` has the reason logged, where CUDA's status does not show it.
    """

    def __init__(self, message: str, supported: bool = True, enum: str = "", logged: bool = False) -> None:
        super().__init__(message)
        self.supported = supported
        self.enum = enum
        self.logged = logged


_LONG = C_INTEGERS["long"]
_LARGEST_CONSTANT = C_INTEGERS["unsigned int"].high
# Enums whose C name is not made of the class's.
_NAMES_IN_C = {
    "CUdevResourceType": "CUdevResourceType",
    "CUkernelNodeAttrID": "CUlaunchAttributeID_enum",
    "CUresult": "cudaError_enum",
    "CUstreamAttrID": "CUlaunchAttributeID_enum",
    "cudaError_t": "enum cudaError",
    "cudaKernelNodeAttrID": "enum cudaLaunchAttributeID",
    "cudaStreamAttrID": "enum cudaLaunchAttributeID",
    "nvrtcResult": "nvrtcResult",
}


def enum_number(cls: Any, value: Any) -> int:
    """Return a number given for a constant of enum class `cls`, as C takes it: an unsigned int.

    Raises ValueError or TypeError if it is not a number, OverflowError for one that no C enum can hold, with
    cuda-python's texts.
    """
    number = _LONG.check(int(value))
    if 0 <= number <= _LARGEST_CONSTANT:
        return number
    name = cls.__name__
    c_name = _NAMES_IN_C.get(name) or (f"enum {name}" if name.startswith("cuda") else f"{name}_enum")
    raise OverflowError(f"value too large to convert to {c_name}")


def require_constant(cls: Any, **arguments: object) -> None:
    """Refuse None, texts and numbers that no C enum can hold, for arguments that are constants of enum class `cls`."""
    require(**arguments)
    for value in arguments.values():
        if value.__class__ is not cls:
            enum_number(cls, value)


class _ToHip(dict[int, "Any"]):
    """CUDA's number to HIP's constant; numbers that HIP lacks raise Refused."""

    def __init__(self, cls: Any, hip_constants: dict[str, Any]) -> None:
        super().__init__()
        self._cls = cls
        self._hip_constants = hip_constants

    def __missing__(self, key: object) -> Any:
        if key is None:
            raise TypeError("an integer is required")
        hip_name = self._cls.__invented__.hip_name(key)
        if hip_name is not None:
            return self._hip_constants[hip_name]
        if self._cls.__invented__.is_invented(key):
            raise TypeError(f"{key!r} was invented by hallucination; it cannot be an argument")
        number = enum_number(self._cls, key)
        if number is not key and number in self:
            return self[number]
        member = next((m.name for m in self._cls.__row__.members if m.value == number), None)
        if member is not None and not _closes_a_list(member):
            raise Refused(f"{member} has no HIP counterpart", supported=False)
        raise Refused(f"{number} is not a valid {self._cls.__name__}", enum=self._cls.__name__)


class _Numbers(dict["int", int]):
    """CUDA's number to HIP's, as C takes it; a number that HIP lacks raises as in `_ToHip`."""

    def __init__(self, to_hip: dict[int, Any]) -> None:
        super().__init__((number, int(constant)) for number, constant in to_hip.items())
        self._to_hip = to_hip

    def __missing__(self, key: Any) -> int:
        return int(self._to_hip[key])


def _closes_a_list(name: str) -> bool:
    """Return whether a constant counts the members of its enum, and stands for none: no call takes it."""
    return name.endswith(("_MAX", "Max"))


class _FromHip(dict[int, "Any"]):
    """HIP's number to CUDA's constant; numbers that CUDA lacks become constants under HIP's name."""

    def __init__(self, unknown: UnknownCodes) -> None:
        super().__init__()
        self._unknown = unknown

    def __missing__(self, key: int) -> Any:
        return self._unknown[key]


class HipEnums:
    """One enum class beside its HIP enum. `hip_python` loads hip-python when a translation needs it."""

    def __init__(self, cls: Any, row: EnumRow, hip_python: Callable[[], Any]) -> None:
        self.cls = cls
        self.row = row
        self._hip_python = hip_python

    @cached_property
    def hip_enum(self) -> Any:
        """HIP's enum class, None where HIP, or this hip-python, has none."""
        if self.row.hip is None:
            return None
        loaded = self._hip_python()
        enum = getattr(loaded.hip, self.row.hip, None)
        return enum if enum is not None else getattr(loaded.hiprtc, self.row.hip, None)

    @property
    def hip_constants(self) -> dict[str, Any]:
        """HIP's constants by name, aliases included."""
        return {} if self.hip_enum is None else dict(self.hip_enum.__members__)

    @cached_property
    def to_hip(self) -> dict[int, Any]:
        """CUDA's number to HIP's constant; reading a number that HIP lacks raises Refused."""
        constants = self.hip_constants
        table = _ToHip(self.cls, constants)
        if self.row.hip is None:
            # HIP has no such enum: the numbers are passed on as they are.
            table.update((member.value, member.value) for member in self.row.members)
        for member, constant in hip_members(self.row, constants):
            if not _closes_a_list(member.name):
                table.setdefault(member.value, constant)
        return table

    @cached_property
    def numbers(self) -> dict[int, int]:
        """CUDA's number to HIP's, for calls of C functions; reading a number that HIP lacks raises Refused."""
        return _Numbers(self.to_hip)

    @cached_property
    def from_hip(self) -> dict[int, Any]:
        """HIP's number, as a plain int, to CUDA's constant."""
        constants = self.hip_constants
        by_number = {int(constant): name for name, constant in reversed(constants.items())}
        table = _FromHip(UnknownCodes(self.cls, by_number.get))
        members = self.cls.__members__
        for member, constant in hip_members(self.row, constants):
            table.setdefault(int(constant), members[member.name])
        for hip_name, name in self.row.from_hip:
            if hip_name in constants and name in members:
                table.setdefault(int(constants[hip_name]), members[name])
        if self.row.hip is None:
            for member in self.row.members:
                table.setdefault(member.value, members[member.name])
        return table

    def hip_value(self, name: str) -> int | None:
        """Return the number of a HIP constant by name, None where HIP's enum has none of that name."""
        constant = self.hip_constants.get(name)
        return None if constant is None else int(constant)

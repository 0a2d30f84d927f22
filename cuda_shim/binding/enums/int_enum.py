"""Enum classes of layout 11.8, where CUDA Python used `enum.IntEnum`."""

from __future__ import annotations

import enum

from cuda_shim.binding.enums.fast_enum import missing_constant, unreadable
from cuda_shim.binding.enums.hallucination import Hallucination, InventedConstants
from cuda_shim.binding.enums.texts import class_doc, member_docs
from cuda_shim.mapping.rows import EnumRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cuda_shim.binding.enums.fast_enum import OtherNames

__all__ = ["make_intenum"]


class _ShimEnumMeta(enum.EnumMeta):
    """Adds HIP's names, hallucination and the constants that are unreadable without it."""

    __row__: EnumRow
    __names__: OtherNames
    __invented__: InventedConstants
    __hidden__: frozenset[str] = frozenset()

    def __getattribute__(cls, name: str) -> Any:
        # Enum members are found by ordinary lookup, so hiding one needs this hook; layout 11.8 alone pays.
        if name[:1] != "_" and name in type.__getattribute__(cls, "__hidden__"):
            return missing_constant(cls, name)
        return super().__getattribute__(name)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_") or "__row__" not in cls.__dict__:
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls)
        return missing_constant(cls, name)

    def __setattr__(cls, name: str, value: object) -> None:
        if name == "hallucinate":
            cls.__invented__.hallucination.set(value)
        elif name.startswith("__"):
            type.__setattr__(cls, name, value)
        else:
            super().__setattr__(name, value)

    @property
    def hallucinate(cls) -> bool:
        """True if names that HIP lacks are invented instead of refused."""
        return cls.__invented__.hallucination.enabled()


# Errors name an enum's metaclass; the standard one is called EnumType since Python 3.11.
_ShimEnumMeta.__name__ = _ShimEnumMeta.__qualname__ = enum.EnumMeta.__name__


def make_intenum(
    row: EnumRow,
    module: str,
    *,
    status: bool,
    names: OtherNames,
    hallucination: Hallucination,
) -> Any:
    """Return the enum class of a row, as `fast_enum.make_enum` but derived from `enum.IntEnum`."""
    namespace: Any = _ShimEnumMeta.__prepare__(row.name, (enum.IntEnum,))
    dunders = {"__module__": module, "__qualname__": row.name, "__doc__": class_doc(row)}
    for name, value in (*dunders.items(), *((member.name, member.value) for member in row.members)):
        namespace[name] = value  # one by one: the enum's own dictionary takes note of each
    cls: Any = _ShimEnumMeta(row.name, (enum.IntEnum,), namespace)
    for member, doc in zip(row.members, member_docs(row), strict=True):
        constant = cls(member.value)
        if constant.name == member.name:
            constant.__doc__ = doc
    cls.__row__ = row
    cls.__names__ = names
    cls.__invented__ = InventedConstants(cls, hallucination, unreadable(row, status), _new_constant)
    cls.__hidden__ = unreadable(row, status)
    return cls


def _new_constant(cls: Any, name: str, value: int) -> Any:
    constant = int.__new__(cls, value)
    constant._name_ = constant._name = name
    constant._value_ = value
    return constant

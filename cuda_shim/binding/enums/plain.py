"""Enums of `cuda.bindings._v2`: CUDA Python's own subclass of int, without the names of HIP."""

from __future__ import annotations

from collections.abc import Mapping

from cuda_shim.binding.enums.fast_enum import FastEnum, FastEnumMetaclass, new_constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["plain_enum"]


class _PlainMetaclass(FastEnumMetaclass):
    """The type of enums that have no HIP names and invent nothing."""

    def __getattr__(cls, name: str) -> Any:  # noqa: N805  it is a metaclass
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls)


def plain_enum(module: str, name: str, doc: str, values: Mapping[str, int]) -> Any:
    """Return the enum class of a module with these constants."""
    cls = _PlainMetaclass(name, (FastEnum,), {"__module__": module, "__doc__": doc})
    members = {each: new_constant(cls, each, value) for each, value in values.items()}
    cls.__members__ = members
    cls.__singletons__ = {int(member): member for member in members.values()}
    for each, member in members.items():
        setattr(cls, each, member)
    return cls

"""Enum classes with CUDA's names, values and behaviour, and their translation to and from HIP's.

CUDA Python 12.9 and 13 use an int subclass of their own instead of `enum.IntEnum`; the classes here behave
as it does. CUDA Python 11 uses `enum.IntEnum`, and so does layout 11.8 here (`int_enum`).

The names that HIP, and the other CUDA API, have for a constant are attributes of the class too: HIP Python's
classes have them all, and programs written for it use them. They are looked up when one is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping

from cuda_shim.binding.enums.hallucination import Hallucination, InventedConstants
from cuda_shim.binding.enums.texts import class_doc, member_docs
from cuda_shim.mapping.rows import EnumRow, Member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Protocol

    class OtherNames(Protocol):
        """Lookup of the names that are not the class's own: those of HIP, and of the other CUDA API."""

        def hip_value(self, name: str) -> int | None:
            """Return the number of a constant of the HIP enum, None where it has none of that name."""

        def hip_name(self, name: str) -> str | None:
            """Return the HIP constant that the other CUDA API calls `name`, None where there is none."""


__all__ = ["FastEnum", "FastEnumMetaclass", "UnknownCodes", "make_enum", "unreadable"]

_MODULE = "cuda.bindings._internal._fast_enum"
# Beside these, `cuda` itself holds only served modules, which run no code of their own.
_NVIDIAS_PACKAGES = ("cuda.", "numba.cuda.", "numba_cuda.", "nvmath.", "rmm.")


class FastEnumMetaclass(type):
    """The type of the enum classes: iteration, length and membership over CUDA's constants."""

    __members__: dict[str, Any]
    __singletons__: dict[int, Any]
    __row__: EnumRow
    __names__: OtherNames
    __invented__: InventedConstants

    def __repr__(cls) -> str:
        return f"<enum '{cls.__name__}'>"

    def __len__(cls) -> int:
        return len(cls.__singletons__)

    def __iter__(cls) -> Iterator[Any]:
        return iter(cls.__singletons__.values())

    def __contains__(cls, item: object) -> bool:
        return item in cls.__singletons__

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__(), *cls.__members__})

    def __getattr__(cls, name: str) -> Any:
        # Reached only for names that are not readable constants of CUDA.
        if name.startswith("__"):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls)
        return missing_constant(cls, name)

    def __setattr__(cls, name: str, value: object) -> None:
        if name == "hallucinate":
            cls.__invented__.hallucination.set(value)
        else:
            super().__setattr__(name, value)

    @property
    def hallucinate(cls) -> bool:
        """True if names that HIP lacks are invented instead of refused."""
        return cls.__invented__.hallucination.enabled()


FastEnumMetaclass.__module__ = _MODULE


class FastEnum(int, metaclass=FastEnumMetaclass):
    """Base of the enum classes of layouts 12.9 and 13.5."""

    __members__: ClassVar[dict[str, Any]] = {}
    __singletons__: ClassVar[dict[int, Any]] = {}
    _name: str

    def __new__(cls, value: int) -> FastEnum:
        """Return the constant of that number. Raises ValueError where there is none."""
        singleton: FastEnum | None = cls.__singletons__.get(value)
        if singleton is None:
            raise ValueError(f"{value} is not a valid {cls.__name__}")
        return singleton

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self._name}: {int(self)}>"

    @property
    def name(self) -> str:
        """The constant's name in CUDA."""
        return self._name

    @property
    def value(self) -> int:
        """The constant's number in CUDA."""
        return int(self)

    def __reduce__(self) -> Any:
        if type(self).__singletons__.get(int(self)) is self:
            return type(self), (int(self),)
        return getattr, (type(self), self._name)


FastEnum.__module__ = _MODULE


def unreadable(row: EnumRow, status: bool) -> frozenset[str]:
    """Return the constants that cannot be read by name unless hallucination is on.

    They are the codes of a status enum that HIP never returns: a test against one of them is a branch that
    cannot be taken here, which HIP Python made an error by default, and so do we. The class still knows them
    by value, in iteration and in `__members__`, as NVIDIA's does, and NVIDIA's own packages read them.
    """
    if not status:
        return frozenset()
    return frozenset(member.name for member in row.members if member.hip is None)


def make_enum(
    row: EnumRow,
    module: str,
    *,
    status: bool,
    names: OtherNames,
    hallucination: Hallucination,
) -> type[FastEnum]:
    """Return the enum class of a row.

    `status` marks the classes that API calls return.
    """
    cls: Any = FastEnumMetaclass(row.name, (FastEnum,), {"__module__": module, "__doc__": class_doc(row)})
    singletons: dict[int, FastEnum] = {}
    members: dict[str, FastEnum] = {}
    hidden = unreadable(row, status)
    for member, doc in zip(row.members, member_docs(row), strict=True):
        constant = singletons.get(member.value)
        if constant is None:
            constant = singletons[member.value] = new_constant(cls, member.name, member.value)
            constant.__doc__ = doc
        members[member.name] = constant
        if member.name not in hidden:
            type.__setattr__(cls, member.name, constant)
    cls.__singletons__ = singletons
    cls.__members__ = members
    cls.__row__ = row
    cls.__names__ = names
    cls.__invented__ = InventedConstants(cls, hallucination, hidden, new_constant)
    return cls  # type: ignore[no-any-return]


def new_constant(cls: Any, name: str, value: int) -> FastEnum:
    """Return a constant of `cls` outside its list of members."""
    constant: FastEnum = int.__new__(cls, value)
    constant._name = name
    return constant


def missing_constant(cls: Any, name: str) -> Any:
    """Return the constant for a `name` that is read from an enum class and is no readable constant of CUDA's.

    A HIP name, or the other API's name of a constant, gives the CUDA constant that stands for it, or one of
    HIP's own where CUDA has none; any other name is invented where hallucination is on. Raises AttributeError
    otherwise, naming the close ones.
    """
    other: OtherNames = cls.__names__
    hip_name = name if name.startswith(("hip", "HIP")) else other.hip_name(name)
    if hip_name is not None:
        for member in cls.__row__.members:
            if member.hip == hip_name:
                return cls.__members__[member.name]
        value = other.hip_value(hip_name)
        if value is not None:
            return cls.__invented__.from_hip(hip_name, value)
    elif cls.__invented__.hallucination.enabled():
        return cls.__invented__.constant(name)
    elif name in cls.__members__ and _is_read_by_nvidias_package():
        return cls.__members__[name]
    raise AttributeError(_missing_message(cls, name), name=name, obj=cls)


def _is_read_by_nvidias_package() -> bool:
    """Return whether a module of NVIDIA's reads a constant: such a comparison is not the program's."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("cuda_shim."):
        frame = frame.f_back
    return f"{frame.f_globals.get('__name__', '')}.".startswith(_NVIDIAS_PACKAGES)


def _missing_message(cls: Any, name: str) -> str:
    variable = f"HIP_PYTHON_{cls.__name__}_HALLUCINATE"
    if name in cls.__members__:
        return (
            f"{cls.__name__}.{name} has no HIP counterpart: no call returns it here; "
            f"set {variable}=1 or {cls.__name__}.hallucinate = True to read it all the same"
        )
    import difflib

    close = difflib.get_close_matches(name, cls.__members__, 3)
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    return f"type object {cls.__name__!r} has no attribute {name!r}{hint} (or set {variable}=1 to invent it)"


class UnknownCodes:
    """Members for numbers from HIP that CUDA has no constant for, made when first met."""

    def __init__(self, cls: Any, hip_name: Callable[[int], str | None]) -> None:
        self._cls = cls
        self._hip_name = hip_name
        self._members: dict[int, Any] = {}

    def __getitem__(self, code: int) -> Any:
        member = self._members.get(code)
        if member is None:
            name = self._hip_name(code) or f"UNKNOWN_HIP_CODE_{code}"
            member = self._members.setdefault(code, self._cls.__invented__.from_hip(name, code))
        return member


def hip_members(row: EnumRow, hip_enum: Mapping[str, Any]) -> Iterator[tuple[Member, Any]]:
    """Yield the members of a row that this hip-python has, each with its HIP constant."""
    for member in row.members:
        constant = hip_enum.get(member.hip) if member.hip is not None else None
        if constant is not None:
            yield member, constant

"""The base of rows and their like: immutable records whose classes cost next to nothing to make.

Every program that makes a HIP call pays for those classes. A NamedTuple or dataclass compiles code for each, a
quarter of a millisecond that a dozen of them need not take.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_):  # only type checkers ask
        return lambda cls: cls


__all__ = ["Record"]


@dataclass_transform(frozen_default=True)
class Record:
    """An immutable record: the annotations of a class are its fields, in order, and their values the defaults.

    The fields of a class that it derives from come first.
    """

    _names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._names = (*cls._names, *cls.__annotations__)

    def __init__(self, *values: Any, **named: Any) -> None:
        # No checks at run time: mypy checks the callers, and the strict reader checks YAML.
        self.__dict__.update(zip(self._names, values, strict=False), **named)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        pairs = zip(self._names, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with other values in some fields."""
        return type(self)(**{**self.__dict__, **changes})

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._names)

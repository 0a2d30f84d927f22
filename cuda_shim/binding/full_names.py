"""Classes whose errors name them in full, as the errors of C types do."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


__all__ = ["NamedInFull"]


class NamedInFull(type):
    """The type of handle and struct classes.

    cuda-python's classes are C types, whose errors name them in full ("'cuda.bindings.driver.CUuuid' object
    has no attribute …"). Python puts the name that a class was created with into those errors, so these are
    created with their full name, and `__name__` gives the short one.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> NamedInFull:
        """Return a class whose instances have no attributes but the ones that its members define."""
        module = namespace.get("__module__", __name__)
        namespace = {"__slots__": (), "__qualname__": name, **namespace}
        return super().__new__(mcs, f"{module}.{name}", bases, namespace)

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return cls.__qualname__.rpartition(".")[2]

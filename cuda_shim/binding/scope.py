"""The meaning of a row's type names in one layout, as one module sees them.

The binder reads rows through a scope, and scopes read through the catalogue of a layout, of which this file declares
only the part that the rest of the binder needs.
"""

from __future__ import annotations

from cuda_shim.mapping.rows import HandleRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from cuda_shim.backends.hip_python import HipPython
    from cuda_shim.binding.enums.hallucination import Hallucination
    from cuda_shim.binding.enums.translation import HipEnums
    from cuda_shim.binding.integers import CInteger
    from cuda_shim.binding.untyped import RowClass, RowObject
    from cuda_shim.mapping.layouts import CudaLayout
    from cuda_shim.mapping.rows import Row

    class Catalogue(Protocol):
        """One layout's objects, as scopes and the binder ask for them (`catalogue.Catalogue` is the only one)."""

        module_names: Mapping[str, str]

        @property
        def layout(self) -> CudaLayout:
            """The CUDA layout."""

        @property
        def cuda(self) -> str:
            """The layout's name."""

        @property
        def hip_python(self) -> HipPython:
            """The loaded hip-python. Raises BackendNotFound where there is none."""

        def row(self, api: str, name: str) -> Row | None:
            """Return the row of `name` in an API, None where this layout has no such name."""

        def object(self, api: str, name: str) -> RowObject:
            """Return the object `name` of a module. Raises KeyError where this layout has no such name."""

        def home(self, base: str, api: str) -> str | None:
            """Return the API that defines a type as a module sees it, None for C's own types."""

        def class_of(self, base: str, api: str) -> RowClass:
            """Return the class of a C type name as a module sees it. Raises KeyError for C's own types."""

        def base_row(self, base: str, api: str) -> tuple[str, Row | None]:
            """Return the API that defines a type and the type's row, typedefs followed."""

        def enums(self, name: str, api: str = "driver") -> HipEnums:
            """Return the translation of an enum class to HIP's numbers and back."""

        def status(self, api: str) -> HipEnums:
            """Return the translation of the codes that calls of a module return."""

        def hallucination(self, enum_name: str) -> Hallucination:
            """Return the switch of one enum; raises KeyError where no module has such an enum."""

        def scope(self, api: str) -> Scope:
            """Return the scope of a module."""


__all__ = ["Catalogue", "Scope"]


class Scope:
    """A module of one layout, as its rows see the names of types."""

    __slots__ = ("api", "catalogue")

    def __init__(self, api: str, catalogue: Catalogue) -> None:
        self.api = api
        self.catalogue = catalogue

    @property
    def layout(self) -> CudaLayout:
        """The CUDA layout."""
        return self.catalogue.layout

    @property
    def hip_python(self) -> HipPython:
        """The loaded hip-python. Raises BackendNotFound where there is none."""
        return self.catalogue.hip_python

    @property
    def module(self) -> str:
        """The full name of the module whose objects these are."""
        return self.catalogue.module_names[self.api]

    def home(self, base: str) -> Scope | None:
        """Return the scope of the API that defines a type, None for C's own types."""
        api = self.catalogue.home(base, self.api)
        return None if api is None else self.catalogue.scope(api)

    def own_row(self, base: str) -> Row | None:
        """Return the row of a type by this very name, a typedef's own; None for C's own types."""
        home = self.home(base)
        return None if home is None else self.catalogue.row(home.api, base)

    def base_row(self, base: str) -> tuple[Scope, Row | None]:
        """Return the scope of the API that defines a type and the type's row, typedefs followed."""
        api, row = self.catalogue.base_row(base, self.api)
        return self.catalogue.scope(api), row

    def kind(self, base: str) -> Row | None:
        """Return the row of a type, typedefs followed; None for C's own types."""
        return self.catalogue.base_row(base, self.api)[1]

    def class_of(self, base: str) -> RowClass:
        """Return the class of a type. Raises KeyError for C's own types."""
        return self.catalogue.class_of(base, self.api)

    def handle_integer(self, base: str) -> CInteger:
        """Return the C integer that a handle type is. Raises KeyError for other types."""
        from cuda_shim.binding.handles import integer_of

        row = self.kind(base)
        if not isinstance(row, HandleRow):
            raise KeyError(base)
        return integer_of(row.storage)

    def enums(self, name: str) -> HipEnums:
        """Return the translation of an enum class to HIP's numbers and back. Raises KeyError for other types."""
        return self.catalogue.enums(name)

    def status(self) -> HipEnums:
        """Return the translation of the codes that this module's calls return."""
        return self.catalogue.status(self.api)

"""One layout's objects: each class, function and constant made from its row once, when first asked for.

`cuda.bindings.driver`, `cuda.cuda` and their siblings are views on a catalogue. Where the legacy modules
speak an older layout than `cuda.bindings` does, they have a catalogue of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from cuda_shim.binding import handles
from cuda_shim.binding.enums.hallucination import Hallucination, switch
from cuda_shim.binding.enums.translation import HipEnums
from cuda_shim.binding.integers import C_INTEGERS, C_REALS
from cuda_shim.binding.scope import Scope
from cuda_shim.mapping import layouts, store
from cuda_shim.mapping.names import STATUS_ENUMS
from cuda_shim.mapping.rows import ConstantRow, EnumRow, ExtendsRow, FunctionRow, HandleRow, Row, StructRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.backends.hip_python import HipPython
    from cuda_shim.binding.untyped import RowClass, RowObject
    from cuda_shim.mapping.layouts import CudaLayout

__all__ = ["Catalogue"]

_OTHER_TYPES_OF_C = frozenset({"void", *C_REALS})


class Catalogue:
    """The objects of layout `cuda`.

    `module_names` gives the `__module__` of the classes of each API: "cuda.bindings.driver"
    for driver, or "cuda.cuda" where the legacy modules have a layout of their own, so that pickles find
    the class again. `beside` is the catalogue of `cuda.bindings`, whose enums and handles are used where they have all
    that this layout's have.
    """

    def __init__(self, cuda: str, module_names: Mapping[str, str], beside: Catalogue | None = None) -> None:
        self._layout = layouts.layout(cuda)
        self.module_names = module_names
        self._beside = beside
        self._scopes = {api: Scope(api, self) for api in module_names}
        self._objects: dict[tuple[str, str], RowObject] = {}
        self._enums: dict[str, HipEnums] = {}

    @property
    def layout(self) -> CudaLayout:
        """The CUDA layout."""
        return self._layout

    @property
    def cuda(self) -> str:
        """The layout's name."""
        return self._layout.name

    def scope(self, api: str) -> Scope:
        """Return the scope of a module."""
        return self._scopes[api]

    @cached_property
    def hip_python(self) -> HipPython:
        """The loaded hip-python. Raises BackendNotFound where there is none."""
        from cuda_shim.backends import hip_python

        return hip_python.load()

    def row(self, api: str, name: str) -> Row | None:
        """Return the row of `name` in an API, None where this layout has no such name."""
        return store.load(api).row(name, self._layout.name)

    def object(self, api: str, name: str) -> RowObject:
        """Return the object `name` of a module. Raises KeyError where this layout has no such name."""
        value = self.find(api, name)
        if value is None:
            raise KeyError(name)
        return value

    def find(self, api: str, name: str) -> RowObject:
        """Return the object `name` of a module, None where this layout has no such name."""
        key = (api, name)
        value = self._objects.get(key)
        if value is None:
            row = self.row(api, name)
            if row is not None:
                # Two threads may both make the object; all threads see the first one that was stored.
                value = self._objects.setdefault(key, self._make(api, row))
        return value

    def home(self, base: str, api: str) -> str | None:
        """Return the API that defines the type named `base` as the module of `api` sees it, None for C's own types."""
        if base in C_INTEGERS or base in _OTHER_TYPES_OF_C:
            return None  # most parameters; the tables of three modules would be opened to find that out
        for candidate in (api, "driver", "runtime", "nvrtc"):
            if self.row(candidate, base) is not None:
                return candidate
        return None

    def class_of(self, base: str, api: str) -> RowClass:
        """Return the class of a C type name as the module of `api` sees it. Raises KeyError for C's own types."""
        home = self.home(base, api)
        if home is None:
            raise KeyError(base)
        cls: RowClass = self.object(home, base)
        return cls

    def base_row(self, base: str, api: str) -> tuple[str, Row | None]:
        """Return the API that defines a type and the type's row, typedefs followed."""
        home = self.home(base, api)
        row = self.row(home, base) if home is not None else None
        while isinstance(row, ExtendsRow):
            module, _, name = row.base.rpartition(".")
            home = module or home
            row = self.row(home or api, name)
        return home or api, row

    def enums(self, name: str, api: str = "driver") -> HipEnums:
        """Return the translation of an enum class, as the module of `api` sees its name, to HIP's numbers and back."""
        enums = self._enums.get(name)
        if enums is None:
            api, row = self.base_row(name, api)
            if not isinstance(row, EnumRow):
                raise KeyError(name)
            cls = self.object(api, name)
            enums = self._enums.setdefault(name, HipEnums(cls, row, lambda: self.hip_python))
        return enums

    def status(self, api: str) -> HipEnums:
        """Return the translation of the codes that calls of a module return."""
        return self.enums(STATUS_ENUMS[api], api)

    def hallucination(self, enum_name: str) -> Hallucination:
        """Return the switch of one enum; raises KeyError where no module has such an enum."""
        if not self.has_enum(enum_name):
            raise KeyError(enum_name)
        return switch(enum_name)

    def has_enum(self, name: str) -> bool:
        """Return whether some module has an enum of that name."""
        return self.base_row(name, "driver")[1].__class__ is EnumRow

    def _make(self, api: str, row: Row) -> RowObject:
        module = self.module_names[api]
        if self._beside is not None and self._is_shared(row, self._beside.row(api, row.name)):
            return self._beside.object(api, row.name)
        if isinstance(row, FunctionRow):
            from cuda_shim.binding.functions import make_function

            return make_function(row, self.scope(api))
        if isinstance(row, EnumRow):
            return self._make_enum(row, api, module)
        if isinstance(row, HandleRow):
            return handles.make_handle(row.name, row.storage, module, by_address=not self.layout.handles_by_identity)
        if isinstance(row, ConstantRow):
            return row.value
        if isinstance(row, ExtendsRow):
            return self._make_typedef(row, api, module)
        return self._make_struct(row, api)

    def _is_shared(self, row: Row, other: Row | None) -> bool:
        """Return whether a class of the other catalogue can stand for this row's."""
        if isinstance(row, HandleRow) and isinstance(other, HandleRow):
            return row.storage == other.storage
        if isinstance(row, EnumRow) and isinstance(other, EnumRow):
            others = {(member.name, member.value) for member in other.members}
            return row.hip == other.hip and all((member.name, member.value) in others for member in row.members)
        return False

    def _make_enum(self, row: EnumRow, api: str, module: str) -> RowClass:
        if self.layout.int_enums:
            from cuda_shim.binding.enums.int_enum import make_intenum as make
        else:
            from cuda_shim.binding.enums.fast_enum import make_enum as make
        is_status = row.name == STATUS_ENUMS[api]
        cls: RowClass = make(row, module, status=is_status, names=_Names(row, self), hallucination=switch(row.name))
        return cls

    def _make_typedef(self, row: ExtendsRow, api: str, module: str) -> RowClass:
        home, _, name = row.base.rpartition(".")
        base = self.object(home or api, name)
        namespace: dict[str, RowObject] = {"__slots__": (), "__module__": module, "__doc__": base.__doc__}
        return type(row.name, (base,), namespace)

    def _make_struct(self, row: StructRow, api: str) -> RowClass:
        from cuda_shim.binding.structs import make_struct

        return make_struct(row, self.scope(api))


class _Names:
    """The names of an enum's constants in HIP and in the other CUDA API."""

    def __init__(self, row: EnumRow, catalogue: Catalogue) -> None:
        self._row = row
        self._catalogue = catalogue

    def hip_value(self, name: str) -> int | None:
        """Return the number of a constant of the HIP enum, None where it has none of that name."""
        return self._catalogue.enums(self._row.name).hip_value(name)

    def hip_name(self, name: str) -> str | None:
        """Return the HIP constant that the other CUDA API calls `name`, None where there is none."""
        return self._of_twins.get(name) if name.startswith(("cuda", "CU")) else None

    @cached_property
    def _of_twins(self) -> dict[str, str]:
        """The constants of all enums that the same HIP enum serves."""
        if self._row.hip is None:
            return {}
        twins = (self._catalogue.row(api, name) for api in store.TABLES for name in self._twin_names(api))
        return {m.name: m.hip for twin in twins if isinstance(twin, EnumRow) for m in twin.members if m.hip}

    def _twin_names(self, api: str) -> list[str]:
        rows = store.load(api).rows
        return [name for name, bodies in rows.items() if any(b.get("hip") == self._row.hip for b in bodies)]

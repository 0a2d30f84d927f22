"""The contents of one proxied module: names, objects, HIP's detection attributes, hallucination switches."""

from __future__ import annotations

from collections.abc import Mapping

from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.mapping import store
from cuda_shim.mapping.names import switched_enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.untyped import RowObject

__all__ = ["ModuleBinder"]

_HIP_MODULE = {"driver": "hip", "runtime": "hip", "nvrtc": "hiprtc"}


class ModuleBinder:
    """The contents of a module, from the rows of `apis`; the first API that has a name defines it.

    A module of the bindings has one API. The legacy `cuda.cuda` answers for runtime names too, as in HIP
    Python.
    """

    def __init__(self, catalogue: Catalogue, apis: tuple[str, ...]) -> None:
        self._catalogue = catalogue
        self._apis = apis
        self._hip_module = _HIP_MODULE[apis[0]]

    def names(self) -> frozenset[str]:
        """Return the public names; for `dir()` and `from … import *`."""
        own = store.load(self._apis[0]).names(self._catalogue.cuda)
        return own | {"HIP_PYTHON", "hip_python_mod", self._hip_module}

    def resolve(self, name: str) -> RowObject:
        """Return the object behind a name, None where the module has none.

        Raises BackendNotFound where the name is hip-python's module and that is not available.
        """
        value = self._detection(name)
        for api in self._apis:
            if value is not None:
                break
            value = self._catalogue.find(api, name)
        return value

    def set_hallucination(self, enum_name: str, value: object) -> bool:
        """Switch hallucination of an enum; False where there is no such enum.

        Raises SettingError for a value that is neither yes nor no.
        """
        exists = self._catalogue.has_enum(enum_name)
        if exists:
            self._catalogue.hallucination(enum_name).set(value)
        return exists

    def _detection(self, name: str) -> RowObject:
        if name == "HIP_PYTHON":
            return True
        if name in ("hip_python_mod", self._hip_module):
            return getattr(self._catalogue.hip_python, self._hip_module)
        enum_name = switched_enum(name)
        if enum_name is None or not self._catalogue.has_enum(enum_name):
            return None
        return self._catalogue.hallucination(enum_name).enabled()


class UtilsBinder:
    """`cuda.bindings.utils`: a handful of Python functions, ours."""

    def __init__(self, contents: Mapping[str, object]) -> None:
        self._contents = contents

    def names(self) -> frozenset[str]:
        """Return the public names."""
        return frozenset(self._contents)

    def resolve(self, name: str) -> RowObject:
        """Return the object behind a name, None where there is none."""
        return self._contents.get(name)

    def set_hallucination(self, enum_name: str, value: object) -> bool:
        """There are no enums here: False."""
        return False

"""The modules that stand for ``cuda.bindings.driver`` and its siblings, and their loader.

A served module starts empty.  The first use of a name asks the binder for the object and publishes it in
the module's ``__dict__``; from then on it is a plain attribute.  The module class defines ``__setattr__``
(for ``module.HIP_PYTHON_<Enum>_HALLUCINATE = True``) but no ``__getattribute__`` or class ``__getattr__``:
these would slow down every attribute, a ``__getattr__`` in the module's dictionary slows down none.
"""

from __future__ import annotations

import importlib
from importlib.machinery import ModuleSpec
from types import ModuleType

from cuda_shim.mapping.names import is_legacy, switched_enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.abc import Loader as AnyLoader
    from typing import Protocol

    class Binder(Protocol):
        """The contents of one module, as `binding` opens them."""

        def names(self) -> frozenset[str]:
            """Return the public names."""

        def resolve(self, name: str) -> object:
            """Return the object behind a name, None if there is none."""

        def set_hallucination(self, enum_name: str, value: object) -> bool:
            """Let an enum class invent constants, or stop it; False if there is no such class."""

else:
    AnyLoader = object  # importlib.abc adds nothing that we use, and costs an import at start-up


__all__ = ["ORIGIN", "Contents", "LegacyModule", "Loader", "PackageContents", "ServedModule", "materialize"]

#: Start of the origin of every module that is served; shows in its repr.
ORIGIN = "cuda_shim:"

#: The attribute in which a served module keeps its contents: a dunder, so that no scan of public names meets it.
_CONTENTS = "__cuda_shim__"

#: The table of C functions by which compiled modules reach each other (Cython's cimport).
_C_FUNCTIONS = "__pyx_capi__"

#: Python suggests no names where there are more than this.
_PYTHONS_LIMIT = 750


class Contents:
    """The contents of a served module: found on first use, published in the module's namespace."""

    def __init__(self, module: ModuleType, open_module: Callable[[str], Binder]) -> None:
        self.fullname = module.__name__
        self.module = module
        self.namespace = module.__dict__
        self.published: set[str] = set()
        self._open_module = open_module

    @property
    def binder(self) -> Binder:
        """The module's binder.  setdefault: threads that open it together must end with the same one."""
        binder: Binder | None = self.__dict__.get("_binder")
        if binder is None:
            binder = self.__dict__.setdefault("_binder", self._open_module(self.fullname))
        return binder

    def getattr(self, name: str) -> object:
        """Answer module ``__getattr__``.

        Tools such as inspect and doctest ask every loaded module for ``__file__``, ``__wrapped__`` and the
        like: these lookups must cost nothing, so dunders are refused before the binder is opened.
        """
        __tracebackhide__ = True  # by pytest and IPython
        if name[:2] == "__" and name[-2:] == "__":
            if name == "__all__":
                return self.publish(name, sorted(self.binder.names()))
            if name == _C_FUNCTIONS:
                return self.publish(name, self.resolve(name))
            raise self.unknown(name)
        value = self.resolve(name)
        # A hallucination switch is a live state of its enum, not a value to remember.
        return value if switched_enum(name) else self.publish(name, value)

    def resolve(self, name: str) -> object:
        """Return the object behind a name, AttributeError if there is none."""
        __tracebackhide__ = True
        value = self.binder.resolve(name)
        if value is None:
            many = len(self.binder.names()) > _PYTHONS_LIMIT
            raise self.unknown(name, _Nearby(self, name) if many else None)
        return value

    def publish(self, name: str, value: object) -> object:
        """Make a value a plain attribute; when threads race for it, all of them get the first."""
        self.published.add(name)
        return self.namespace.setdefault(name, value)

    def unknown(self, name: str, nearby: _Nearby | None = None) -> AttributeError:
        """Return the AttributeError of plain Python, with the object that its "did you mean" needs."""
        message = f"module {self.fullname!r} has no attribute {name!r}"
        return AttributeError(message, name=name, obj=nearby or self.module)

    def dir(self) -> list[str]:
        """Answer module ``__dir__``: the names that are published, and the ones that can be."""
        return sorted(self.binder.names().union(self.namespace))

    def forget(self) -> None:
        """Drop the published names, so that ``importlib.reload`` finds them again."""
        while self.published:
            self.namespace.pop(self.published.pop(), None)

    def set_hallucination(self, enum_name: str, value: object) -> None:
        """Switch the hallucination of one of this module's enums."""
        if not self.binder.set_hallucination(enum_name, value):
            raise self.unknown(f"HIP_PYTHON_{enum_name}_HALLUCINATE")

    def materialize(self) -> None:
        """Publish every name, for tools that read ``__dict__``."""
        for name in self.binder.names():
            self.getattr(name)


class _Nearby:
    """Stands for a module of many names where Python looks for names to suggest.

    Most missing names are never reported (``hasattr``), so names are compared only when Python looks for some.
    """

    def __init__(self, contents: Contents, name: str) -> None:
        self._contents = contents
        self._name = name

    def __dir__(self) -> list[str]:
        from difflib import get_close_matches

        return get_close_matches(self._name, self._contents.dir(), 9)


class PackageContents(Contents):
    """The contents of a served package such as ``cuda.bindings``: its version, and HIP's detection marks.

    NVIDIA's package imports ``utils`` with itself; here the first use imports it, which a program does not notice.
    """

    def __init__(
        self, module: ModuleType, open_module: Callable[[str], Binder], version: str,
        children: frozenset[str],
    ) -> None:  # fmt: skip
        super().__init__(module, open_module)
        self.namespace["__version__"] = version
        self.namespace["HIP_PYTHON"] = True
        self._children = children

    def getattr(self, name: str) -> object:
        """Answer module ``__getattr__``: ``utils``, and ``hip`` and ``hip_python_mod`` as the driver has them."""
        if name == "utils" and "utils" in self._children:
            return importlib.import_module(f"{self.fullname}.utils")
        if name in ("hip", "hip_python_mod") and "driver" in self._children:
            driver = importlib.import_module(f"{self.fullname}.driver")
            return self.publish(name, getattr(driver, name))
        raise self.unknown(name)

    def dir(self) -> list[str]:
        """Answer module ``__dir__``."""
        return sorted({*self.namespace, "hip", "hip_python_mod"})

    def materialize(self) -> None:
        """Publish nothing: packages have no names of their own."""


class ServedModule(ModuleType):
    """A module that is filled on use."""

    def __setattr__(self, name: str, value: object) -> None:
        enum_name = switched_enum(name)
        if enum_name is None:
            super().__setattr__(name, value)
        else:
            contents: Contents = self.__dict__[_CONTENTS]
            contents.set_hallucination(enum_name, value)

    def __reduce__(self) -> tuple[Callable[..., ModuleType], tuple[str]]:
        # cloudpickle knows modules by their exact type; without this it would pickle our contents when a
        # function that uses a served module is sent to a worker.
        return importlib.import_module, (self.__name__,)


class LegacyModule(ServedModule):
    """``cuda.cuda``, ``cuda.cudart``, ``cuda.nvrtc``: ``"HIP_PYTHON" in cuda`` works on them."""

    def __contains__(self, name: str) -> bool:
        return hasattr(self, name)


class Loader(AnyLoader):
    """Loader of one served module."""

    def __init__(
        self, open_module: Callable[[str], Binder], version: str = "",
        children: frozenset[str] | None = None,
    ) -> None:  # fmt: skip
        """Args: how to open the binder; for a package its version and the names of its modules."""
        self._open_module = open_module
        self._version = version
        self._children = children

    def opens_with(self, open_module: Callable[[str], Binder]) -> bool:
        """Return whether this loader was made for the session that owns ``open_module``."""
        return self._open_module == open_module

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the empty module."""
        legacy = is_legacy(spec.name)
        return (LegacyModule if legacy else ServedModule)(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its contents; on a reload, drop the published names first."""
        namespace = module.__dict__
        contents = namespace.get(_CONTENTS)
        if contents is not None:
            contents.forget()
        if self._children is None:
            contents = Contents(module, self._open_module)
        else:
            contents = PackageContents(module, self._open_module, self._version, self._children)
        namespace["__doc__"] = f"{module.__name__}, served by cuda_shim on AMD's HIP."
        namespace[_CONTENTS] = contents
        namespace["__getattr__"] = contents.getattr
        namespace["__dir__"] = contents.dir

    def is_package(self, fullname: str) -> bool:
        """Return whether this loader's module is a package."""
        return self._children is not None

    def get_code(self, fullname: str) -> None:
        """There is no code object: ``python -m cuda.bindings.driver`` must report just that."""

    def get_source(self, fullname: str) -> None:
        """There is no source file."""


def materialize(module: ModuleType) -> ModuleType:
    """Publish every name of a served module in its ``__dict__`` and return the module.

    Names appear on use; a tool that reads ``vars(module)`` sees them all after this call.

    Raises:
        TypeError: the module is not one that cuda_shim serves.
    """
    contents: Contents | None = getattr(module, "__dict__", {}).get(_CONTENTS)
    if contents is None:
        raise TypeError(f"{module!r} is not a module that cuda_shim serves")
    contents.materialize()
    return module

"""`cuda.bindings.nvvm` and `cuda.bindings.nvjitlink` where NVIDIA's package is not installed.

Packages such as cuda.core import both without using either. So the modules are there, as NVIDIA's own are on a machine
without the compilers behind them, and a call names the missing library.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from typing import Any

from cuda_shim.c_level.interface import signatures

__all__ = ["NvidiasOwnBinder"]

_ERRORS = {"nvvm": "nvvmError", "nvjitlink": "nvJitLinkError"}
_ENUMS: dict[str, dict[str, tuple[str, ...]]] = {
    "nvvm": {
        "Result": (
            "SUCCESS", "ERROR_OUT_OF_MEMORY", "ERROR_PROGRAM_CREATION_FAILURE", "ERROR_IR_VERSION_MISMATCH",
            "ERROR_INVALID_INPUT", "ERROR_INVALID_PROGRAM", "ERROR_INVALID_IR", "ERROR_INVALID_OPTION",
            "ERROR_NO_MODULE_IN_PROGRAM", "ERROR_COMPILATION",
        ),
    },
    "nvjitlink": {
        "Result": (
            "SUCCESS", "ERROR_UNRECOGNIZED_OPTION", "ERROR_MISSING_ARCH", "ERROR_INVALID_INPUT", "ERROR_PTX_COMPILE",
            "ERROR_NVVM_COMPILE", "ERROR_INTERNAL",
        ),
        "InputType": ("NONE", "CUBIN", "PTX", "LTOIR", "FATBIN", "OBJECT", "LIBRARY"),
    },
}  # fmt: skip
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class NvidiasOwnBinder:
    """The contents of one of the two modules."""

    def __init__(self, table: str, module: str, layout: str) -> None:
        self._module = module
        members = _ENUMS[table]
        self._contents: dict[str, Any] = {
            _ERRORS[table]: type(_ERRORS[table], (Exception,), {"__module__": module}),
            **{name: enum.IntEnum(name, list(words), start=0, module=module) for name, words in members.items()},
        }
        # In `cuda.bindings._internal` alone, packages ask for the address of a function in the library: there is none.
        if "._internal." in module:
            self._contents = {"_inspect_function_pointer": _address, "_inspect_function_pointers": dict}
            return
        for function in signatures(table, layout):
            name = _WORD.sub("_", re.sub("^(nvvm|nvJitLink)", "", function)).lower()
            self._contents[name] = self._missing(name)

    def names(self) -> frozenset[str]:
        """Return the public names."""
        return frozenset(self._contents)

    def resolve(self, name: str) -> Any:
        """Return the object behind a name, None where there is none."""
        return self._contents.get(name)

    def set_hallucination(self, enum_name: str, value: object) -> bool:
        """Return False: none of the enums invents constants."""
        return False

    def _missing(self, name: str) -> Callable[..., Any]:
        def call(*arguments: object, **named: object) -> Any:
            _expect_warning()
            from cuda_shim.hook.not_served import NOT_SERVED

            raise _error()(f"{self._module}.{name}: {NOT_SERVED[self._module]}", name=self._module)

        call.__name__ = call.__qualname__ = name
        return call


def _address(name: str) -> int:
    """Return the address of a function in NVIDIA's library: 0, as there is none."""
    _expect_warning()
    return 0


def _expect_warning() -> None:
    """Have the warning ignored that packages give when they have asked for nvJitLink and link by the driver then.

    cuda.core advises to install a newer nvJitLink, which could link nothing here: the driver's linker is the one that
    the shim serves. The package has no other answer that leads to the driver's linker, and asks right before it warns,
    so the filter precedes those that pytest and ``-W error`` have set by then.
    """
    import warnings

    warnings.filterwarnings("ignore", r"(libnvJitLink\.so\*|nvJitLink|cuda\.bindings\.nvjitlink) is ", RuntimeWarning)


def _error() -> type[ImportError]:
    """Return an ImportError that is also the exception of NVIDIA's modules without their library."""
    try:
        from cuda.pathfinder import DynamicLibNotFoundError
    except ImportError:
        return ImportError
    return type("NotInstalledError", (ImportError, DynamicLibNotFoundError), {"__module__": __name__})

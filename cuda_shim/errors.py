"""Every exception that cuda_shim raises, in one tree.

::

    ShimError                                base of them all
    ├── AlreadyImported   (RuntimeError)     cuda.* was imported before the shim was enabled
    ├── BackendNotFound   (ImportError)      no HIP library, or not the one that was asked for
    ├── SettingError      (ValueError)       a setting has a value that is not allowed
    ├── TableError        (ValueError)       a mapping table is wrong: file, line, column
    └── UnsupportedAPI    (NotImplementedError)  strict mode met a CUDA name that HIP cannot serve

Each also derives from the built-in exception that a program would have met in that place, so code that
catches the built-in keeps working.  A failing CUDA call raises nothing: it returns CUDA's own status.
"""

from __future__ import annotations

__all__ = [
    "AlreadyImported",
    "BackendNotFound",
    "SettingError",
    "ShimError",
    "TableError",
    "UnsupportedAPI",
]


class ShimError(Exception):
    """Base of every exception raised by cuda_shim."""


class UnsupportedAPI(ShimError, NotImplementedError):
    """Strict mode: the program called a CUDA name that has no counterpart in HIP."""


class BackendNotFound(ShimError, ImportError):
    """hip-python, or the HIP library that the chosen backend needs, could not be found."""


class TableError(ShimError, ValueError):
    """A mapping table breaks a rule; the message starts with ``file:line:column``."""


class AlreadyImported(ShimError, RuntimeError):
    """``cuda.*`` modules of another package were imported before the shim was enabled.

    Attributes:
        modules: full names of those modules.
        importers: names of the loaded modules that hold them, or names taken from them.
    """

    def __init__(self, message: str, modules: tuple[str, ...] = (), importers: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.modules = modules
        self.importers = importers


class SettingError(ShimError, ValueError):
    """A setting has a value that is not allowed; the message names it and the allowed values."""

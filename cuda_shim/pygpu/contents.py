"""What the module `PyGPU` answers: the names of the table, each made when it is first used."""

from __future__ import annotations

import importlib

from cuda_shim.mapping.text_tables import load_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Contents"]


class Contents:
    """The binder of `PyGPU`, as the import hook asks for it."""

    def names(self) -> frozenset[str]:
        """The public names."""
        return frozenset(load_text("pygpu"))

    def resolve(self, name: str) -> object:
        """The object behind a name.

        Raises KeyError where there is none, ImportError for a name of the arrays where numpy is not installed.
        """
        row = load_text("pygpu")[name]
        if "calls" in row:
            from .control import function

            return function(name, row)
        found = _object(row["code"])
        if row["dtype"] is None:
            return found
        from .dtypes import class_for

        return class_for(found, row["dtype"])

    def set_hallucination(self, enum_name: str, value: object) -> None:
        """There are no enums here: raises KeyError."""
        raise KeyError(enum_name)


def _object(path: str) -> Any:
    """What stands at `module.name` of this package."""
    module, _, name = path.partition(".")
    try:
        found = importlib.import_module(f"{__package__}.{module}")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "numpy":
            raise
        raise ImportError("the arrays of PyGPU need numpy, which is not installed: pip install numpy") from missing
    return getattr(found, name)

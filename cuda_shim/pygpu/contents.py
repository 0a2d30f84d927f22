"""The contents of the module `PyGPU`: the names of the table, each made when it is first used."""

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
        """Return the public names."""
        return frozenset(load_text("pygpu"))

    def resolve(self, name: str) -> object:
        """Return the object behind a name, None where there is none.

        Raises ImportError for a name of the arrays where numpy is not installed.
        """
        row = load_text("pygpu").get(name)
        if row is None:
            return None
        if "calls" in row:
            from cuda_shim.pygpu.control import function

            return function(name, row)
        code = _object(row["code"])
        if row["dtype"] is None:
            return code
        from cuda_shim.pygpu.dtypes import class_for

        return class_for(code, row["dtype"])

    def set_hallucination(self, enum_name: str, value: object) -> bool:
        """There are no enums here: always False."""
        return False


def _object(path: str) -> Any:
    """Return the object at `module.name` of this package."""
    module, _, name = path.partition(".")
    try:
        code = importlib.import_module(f"{__package__}.{module}")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "numpy":
            raise
        raise ImportError("the arrays of PyGPU need numpy, which is not installed: pip install numpy") from missing
    return getattr(code, name)

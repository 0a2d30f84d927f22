"""The parameters of a served function, as Python writes them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.mapping.rows import FunctionRow

__all__ = ["signature"]


def signature(row: FunctionRow) -> str:
    """Return the Python parameters, with defaults."""
    return ", ".join(
        parameter.name if parameter.default is None else f"{parameter.name}={parameter.default}"
        for parameter in row.inputs
    )

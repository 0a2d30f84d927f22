"""The logger `cuda_shim`: silent until the program sets up logging."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logging import Logger

__all__ = ["logger"]


def logger() -> Logger:
    """The logger, imported on the first message: logging takes 4 ms, and most programs log nothing here.

    Its handler does nothing, but keeps Python from printing warnings in programs that set up no logging.
    """
    import logging

    found = logging.getLogger("cuda_shim")
    if not found.handlers:
        found.addHandler(logging.NullHandler())
    return found

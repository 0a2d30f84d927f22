"""The logger `cuda_shim`: on stderr, unless the program has set up logging, which then decides."""

from __future__ import annotations

import sys

from cuda_shim import notices, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from logging import Handler, Logger

__all__ = ["debug", "log_command", "logger"]


def logger() -> Logger:
    """Return the logger, imported on the first message: logging takes 4 ms, and most programs log nothing here."""
    import logging

    shim_logger = logging.getLogger("cuda_shim")
    if not shim_logger.handlers:
        shim_logger.addHandler(_stderr_handler())
    if settings.current().log == "debug" and shim_logger.level == logging.NOTSET:
        shim_logger.setLevel(logging.DEBUG)
    return shim_logger


def debug(message: str, *arguments: object) -> None:
    """Log a detail, without importing logging where neither the program nor a setting asks for it."""
    if "logging" in sys.modules or settings.current().log == "debug":
        logger().debug(message, *arguments)


def log_command(command: Sequence[str]) -> None:
    """Show a process that is about to start, where CUDA_SHIM_CPU_LOG is debug, as the CPU runtime shows its own."""
    if settings.current().cpu_log == "debug":
        notices.notify(f"starts {' '.join(command)}")


def _stderr_handler() -> Handler:
    import logging

    class Stderr(logging.Handler):
        """Writes a line for each message of the setting `log`, unless the program has handlers."""

        def emit(self, record: logging.LogRecord) -> None:
            """Write one line."""
            levels = {"off": logging.CRITICAL + 1, "warn": logging.WARNING, "debug": logging.DEBUG}
            if not logging.root.handlers and record.levelno >= levels[settings.current().log]:
                notices.notify(record.getMessage())

    return Stderr()

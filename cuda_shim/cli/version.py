"""``python -m cuda_shim --version``."""

from __future__ import annotations

import sys

from cuda_shim import __version__

__all__ = ["version"]


def version(arguments: list[str]) -> int:
    """Print the version of cuda_shim and return the exit status."""
    if arguments in (["-h"], ["--help"]):
        print("usage: python -m cuda_shim (version | --version)\n\nPrint the version of cuda_shim.")
        return 0
    if arguments:
        print(f"cuda_shim: version takes no arguments, not {' '.join(arguments)}", file=sys.stderr)
        return 2
    print(f"cuda_shim {__version__}")
    return 0

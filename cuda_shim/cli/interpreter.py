"""The start-up of the interpreter at hand: is our start-up file among those it reads?"""

from __future__ import annotations

import os
import sys

__all__ = ["STARTUP_NAMES", "startup_file", "startup_folder"]

#: Python 3.15 reads ``.start`` files (PEP 829); a ``.pth`` is read by all.
STARTUP_NAMES = ("cuda_shim.start", "cuda_shim.pth") if sys.version_info >= (3, 15) else ("cuda_shim.pth",)


def startup_file() -> str | None:
    """Return the start-up file that an interpreter with our flags will read, None if there is none."""
    if sys.flags.no_site:
        return None
    for folder in _site_folders():
        for name in STARTUP_NAMES:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return path
    return None


def startup_folder() -> str:
    """Return the folder whose ``sitecustomize`` activates the shim when it is first on PYTHONPATH."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_bootstrap")


def _site_folders() -> list[str]:
    """Return the folders whose ``.pth`` files ``site`` reads."""
    import site

    folders = site.getsitepackages()
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return folders

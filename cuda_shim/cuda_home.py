"""A folder that programs find as ``CUDA_HOME``: what a source that NVRTC compiles may include lies in its ``include``.

Programs pass ``-I$CUDA_HOME/include`` to NVRTC, or look for ``CUDA_HOME`` before they compile. The headers are those of
the CPU runtime. No compiler needs to be shown them, as each has what stands for CUDA's headers anyway: an option that
names the folder is left out, on an AMD GPU as on host cores.
"""

from __future__ import annotations

import os

from cuda_shim.backends import host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VARIABLE", "folder", "holds", "is_include_folder", "offered"]

VARIABLE = "CUDA_HOME"
# Where one of them is set, there is a toolkit, or the user has said where to look.
_SET_BY_USERS = (VARIABLE, "CUDA_PATH")


def folder() -> str:
    """Return the folder that stands for a CUDA toolkit."""
    return host.device_headers()


def offered(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what a program's environment lacks: nothing where it says which toolkit to use.

    Nothing either where the package is not in a folder, but in an archive.
    """
    said = any(environ.get(name) for name in _SET_BY_USERS)
    return {} if said or not os.path.isdir(folder()) else {VARIABLE: folder()}


def is_include_folder(path: bytes) -> bool:
    """Return whether a folder of headers is the one offered, however it is written."""
    try:
        return os.path.samefile(path, os.path.join(folder(), "include"))
    except OSError:
        return False


def holds(name: bytes, text: bytes) -> bool:
    """Return whether a program that gives a header with its source has read it from the folder."""
    path = os.path.join(os.fsencode(folder()), b"include", name)
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read() == text

"""A folder that programs find as ``CUDA_HOME``: its ``include`` has the headers that sources for NVRTC may include.

Programs pass ``-I$CUDA_HOME/include`` to NVRTC, or look for ``CUDA_HOME`` before they compile. The headers are those of
the CPU runtime. No compiler needs an option for them, as each has substitutes for CUDA's headers anyway: an option that
names the folder is left out, on an AMD GPU as on host cores.
"""

from __future__ import annotations

import os

from cuda_shim.backends import host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VARIABLE", "folder", "holds", "is_include_folder", "missing_variables"]

VARIABLE = "CUDA_HOME"
# If one of them is set, there is a toolkit, or the user has chosen the folder.
_SET_BY_USERS = (VARIABLE, "CUDA_PATH")


def folder() -> str:
    """Return the folder that stands for a CUDA toolkit."""
    return host.device_headers()


def missing_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variable that a program's environment lacks: none where the environment names a toolkit.

    None either where the package is not in a folder, but in an archive.
    """
    has_toolkit = any(environ.get(name) for name in _SET_BY_USERS)
    return {} if has_toolkit or not os.path.isdir(folder()) else {VARIABLE: folder()}


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

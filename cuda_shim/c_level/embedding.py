"""The start of the shim by its C library, in a program that has not started it (`embed.h`).

As a program (`python -m cuda_shim.c_level.embedding`) it prints the path of the interpreter's shared library, which a
program without Python loads.
"""

from __future__ import annotations

import os
import sys
import sysconfig

from cuda_shim.atomic_write import atomic_write

__all__ = ["NOTE", "note_interpreter", "serve", "shared_library"]

#: The file beside the library that names the interpreter: see embed.h.
NOTE = "interpreter.txt"


def shared_library() -> str:
    """Return the path of this interpreter's shared library, "" where it has none."""
    name = sysconfig.get_config_var("INSTSONAME") or ""
    # An interpreter that was moved after its build has its library beside it.
    folders = (sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib"))
    paths = (os.path.join(folder, name) for folder in folders)
    return next((path for path in paths if ".so" in name and os.path.isfile(path)), "")


def note_interpreter(folder: str) -> bool:
    """Note this interpreter beside the library in `folder`; return whether programs find it there from now on."""
    path, text = os.path.join(folder, NOTE), f"{sys.executable}\n"
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return True
    except (OSError, UnicodeDecodeError):
        pass  # it is not there yet, or damaged
    try:
        atomic_write(path, text)
    except OSError:  # a wheel's library, in a folder that is not the user's
        return False
    return True


def serve(folder: bytes) -> None:
    """Enable the shim and let the library in `folder`, which has been opened, answer through this interpreter.

    Raises:
        BackendNotFound: the settings want a backend that is not there.
    """
    import cuda_shim
    from cuda_shim.c_level import library

    if not cuda_shim.is_enabled():
        cuda_shim.enable()
    library.serve(os.fsdecode(folder))


if __name__ == "__main__":
    print(shared_library())

"""The file that stands for one of NVIDIA's libraries, by its name or path."""

from __future__ import annotations

import os

from cuda_shim import layouts, log, settings
from cuda_shim.c_level import build, embedding, library
from cuda_shim.errors import BackendNotFound

__all__ = ["get_library_dir", "library_file"]

# Versions in the names of the runtime and NVRTC, for programs of another CUDA than the one that is served.
_LAYOUTS = {"11": "11.8", "12": "12.9", "13": "13.5"}


def get_library_dir() -> str:
    """Return the folder of `libcuda.so.1`, `libcudart.so`, `libnvrtc.so`, which are built if they are not there yet.

    It is for programs that look for files before they open one, and for programs in C, which are linked with
    ``-L<folder> -lcuda``: put it on their search path (`LD_LIBRARY_PATH`, or their equivalent). In a process that has
    not enabled the shim, the first call does, in this interpreter, whose shared library a program without Python loads.
    The libraries are of the CUDA that is served: the setting `cuda`, else the installed one, else the newest.

    Raises:
        BackendNotFound: there is no compiler, or the cache folder cannot be written.
    """
    chosen = settings.current()
    folder = build.ensure_library(layouts.served_layout(chosen).name, chosen)
    embedding.note_interpreter(folder)
    return folder


def library_file(path: str, layout: str) -> str | None:
    """Return the path of the library for a file name such as `libcuda.so.1`, which is loaded from then on.

    In a folder a name is answered where there is no such file, and where it is one of the shim's own. None where a file
    of others is there, where the library cannot be built, which the log reports, or where the shim has none of that
    name.
    """
    folder, name = os.path.split(path)
    if folder and os.path.exists(path) and not os.path.exists(os.path.join(folder, build.LIBRARY)):
        return None
    stem, _, version = name.partition(".so.")
    of_version = _LAYOUTS.get(version.partition(".")[0]) if stem != "libcuda" else None
    served = of_version or layout
    names = build.file_names(served)
    file_name = next((each for each in names if each.partition(".so")[0] == stem.removesuffix(".so")), None)
    if file_name is None:
        return None
    try:
        opened = library.load(served)
    except BackendNotFound as missing:
        log.logger().warning("%s: %s", name, missing)
        return None
    return os.path.join(opened.folder, name if name in names else file_name)

"""Which file stands for the name of one of NVIDIA's libraries."""

from __future__ import annotations

import os

from cuda_shim import log
from cuda_shim.binding import runtime_use
from cuda_shim.c_level import build, library
from cuda_shim.errors import BackendNotFound

__all__ = ["library_file"]

# Versions in the names of the runtime and NVRTC, for programs of another CUDA than the one that is served.
_LAYOUTS = {"11": "11.8", "12": "12.9", "13": "13.5"}


def library_file(name: str, layout: str) -> str | None:
    """Return the path of the library for a file name such as `libcuda.so.1`, which is loaded from then on.

    None where it cannot be built, which the log reports, or where the shim has no library of that name.
    """
    stem, _, version = name.partition(".so.")
    of_version = _LAYOUTS.get(version.partition(".")[0]) if stem != "libcuda" else None
    served = of_version or layout
    names = build.sonames(served)
    found = next((each for each in names if each.partition(".so")[0] == stem.removesuffix(".so")), None)
    if found is None:
        return None
    try:
        opened = library.load(served)
    except BackendNotFound as missing:
        log.logger().warning("%s: %s", name, missing)
        return None
    if stem.startswith("libcudart"):
        runtime_use.note(name)
    return os.path.join(opened.folder, name if name in names else found)

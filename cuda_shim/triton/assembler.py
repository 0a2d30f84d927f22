"""The program that Triton starts as `ptxas`: its output is the PTX text itself, which the CPU backend loads.

NVIDIA's ptxas, which Triton's wheel brings, makes machine code of NVIDIA's GPUs. The key of Triton's cache holds the
version that the program prints, so that kernels from either do not meet.
"""

from __future__ import annotations

import os

from cuda_shim.atomic_write import atomic_write
from cuda_shim.cache import entries
from cuda_shim.cache.folder import cache_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.settings import Settings

__all__ = ["ensure_assembler"]

_SCRIPT = """\
#!/bin/sh
# Stands for NVIDIA's ptxas where cuda_shim runs Triton's kernels: copies the PTX text, which is loaded as it is.
output= source=
while [ $# -gt 0 ]; do
    case "$1" in
        --version|-V) echo "ptxas of cuda_shim, which keeps PTX: release {release}"; exit 0 ;;
        -o|--output-file) output="$2"; shift ;;
        *.ptx) source="$1" ;;
    esac
    shift
done
if [ -z "$source" ] || [ -z "$output" ]; then
    echo "ptxas of cuda_shim: a .ptx file and -o with the output's name are needed" >&2
    exit 1
fi
exec cat "$source" > "$output"
"""


def ensure_assembler(layout: str, chosen: Settings) -> str:
    """Return the path of the program, which is written into the cache if it is not there yet.

    Its release is that of the served layout: Triton writes PTX of the version that this release has.

    Raises:
        BackendNotFound: the cache folder cannot be written.
    """
    cache = cache_of(chosen)
    folder = cache.path("triton")
    path, text = os.path.join(folder, f"ptxas-{layout}"), _SCRIPT.format(release=layout)
    if cache.trusts(folder) and _holds(path, text):
        return path
    entries.make(cache, folder)
    try:
        atomic_write(path, text, 0o700)
    except OSError as error:
        raise entries.cannot_write(cache, error) from None
    return path


def _holds(path: str, text: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read() == text and os.access(path, os.X_OK)
    except OSError:
        return False

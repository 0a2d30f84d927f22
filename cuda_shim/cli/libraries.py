"""``python -m cuda_shim libraries``: where programs in C, and others that open files, find CUDA's libraries."""

from __future__ import annotations

import os
import shlex
import sys

from cuda_shim.c_level import build, embedding
from cuda_shim.c_level.by_name import get_library_dir

__all__ = ["libraries"]

USAGE = """\
usage: python -m cuda_shim libraries [--folder | --include]

Build libcuda.so.1, libcudart.so, libnvrtc.so and their headers for C, if they are not there yet, and print a line for
the shell: eval "$(python -m cuda_shim libraries)". A program in C is compiled with -I and --include, and linked with -L
and --folder.

  --folder   print the folder of the libraries alone
  --include  print the folder of cuda.h, cuda_runtime_api.h and nvrtc.h alone
"""


def libraries(words: list[str]) -> int:
    """Run the verb and return the exit status; BackendNotFound where the libraries cannot be built."""
    if words in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    if words not in ([], ["--folder"], ["--include"]):
        print(USAGE, end="", file=sys.stderr)
        return 2
    folder = get_library_dir()
    if words:
        print(folder if words == ["--folder"] else os.path.join(folder, build.INCLUDE))
        return 0
    print(f"export LD_LIBRARY_PATH={shlex.quote(folder)}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}")
    if not embedding.shared_library():
        print(
            f"cuda_shim: {sys.executable} has no shared library of Python, which programs in C need "
            f"(Debian: apt install libpython{sys.version_info[0]}.{sys.version_info[1]}; pyenv: "
            "PYTHON_CONFIGURE_OPTS=--enable-shared)",
            file=sys.stderr,
        )
    return 0

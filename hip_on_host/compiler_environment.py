"""The environment of compilers: a list of variables, since others change what a compiler builds.

`kernel_compiler/build/process.cpp` makes the same one for the compilers of kernels.
"""

from __future__ import annotations

import os

from hip_on_host.compiler_names import DEFAULT_PATH, ENVIRONMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["compiler_environment"]


def compiler_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a compiler, with `variables` in place of the program's or beside them."""
    inherited = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return {"LC_ALL": "C", "PATH": os.environ.get("PATH") or DEFAULT_PATH, **inherited, **variables}

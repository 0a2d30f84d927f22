"""The CPU backend: its libraries, and the environment that they read."""

from __future__ import annotations

import os
import shlex

from cuda_shim.backends import compilers, host, host_libraries
from cuda_shim.cache.folder import cache_of
from cuda_shim.errors import BackendNotFound
from cuda_shim.settings import SETTINGS, Settings

__all__ = ["is_ours", "kernel_compiler", "libraries", "prepare_environment"]

# Variables that this process added to the environment for its C++ runtime, one NAME=value a line. A child inherits the
# values too, and recognises by this list that they are not the user's choice: in another virtual environment it has
# headers and a compiler of its own.
_FILLED_IN = "_CUDA_SHIM_FILLED_IN"


def libraries(chosen: Settings) -> tuple[str, str]:
    """libamdhip64 and libhiprtc, built if there are none yet, with the environment of their C++ side set.

    Raises BackendNotFound when they can neither be found nor built.
    """
    folder = os.path.join(host_libraries.ensure_libraries(chosen), "lib")
    prepare_environment(chosen)
    return os.path.join(folder, "libamdhip64.so"), os.path.join(folder, "libhiprtc.so")


def is_ours(libamdhip64: str, chosen: Settings) -> bool:
    """Return whether this library is one that cuda_shim built or shipped."""
    path = os.path.realpath(libamdhip64)
    homes = [os.path.dirname(host.shipped())]
    cache = cache_of(chosen)
    if cache.root:
        homes.append(cache.path("runtime"))
    return any(path.startswith(os.path.realpath(home) + os.sep) for home in homes)


def prepare_environment(chosen: Settings) -> None:
    """Set the environment variables that the C++ runtime reads; a value that the user set stays."""
    values = {"CUDA_SHIM_CPU_DEVICE_HEADERS": host.device_headers()}
    compiler = kernel_compiler(chosen)
    if compiler is not None:
        values["CUDA_SHIM_CPU_CXX"] = command = shlex.join(compiler.command)
        # The C++ side need not ask the compiler again; it compares the command, since the user's may stay.
        os.environ["_CUDA_SHIM_CPU_CXX_KIND"] = f"{compiler.kind} {command}"
        values.update(compilers.zig_environment(compiler.kind, cache_of(chosen)))
        # The C++ side looks on PATH alone, and needs a reader where CUDA_SHIM_CPU_CXX has gcc compile.
        reader = compiler.command if compiler.kind != "gcc" else (compilers.find_ziglang(),)
        if reader[0]:
            values["CUDA_SHIM_CPU_CLANG"] = shlex.join(reader)
    inherited = _inherited()
    filled_in = []
    for name, value in values.items():
        if os.environ.get(name, "") in ("", inherited.get(name)):
            os.environ[name] = value
            filled_in.append(f"{name}={value}")
    os.environ[_FILLED_IN] = "\n".join(filled_in)
    _export_arguments(chosen)


def kernel_compiler(chosen: Settings) -> compilers.Compiler | None:
    """Return the compiler that is to build kernels; None when there is none, which hiprtc reports when it needs one."""
    try:
        return compilers.find(chosen)
    except BackendNotFound:
        if chosen.cxx:
            raise  # the user chose it, so no other compiler will do
        return None


def _inherited() -> dict[str, str]:
    lines = (line.partition("=") for line in os.environ.get(_FILLED_IN, "").splitlines())
    return {name: value for name, _, value in lines}


def _export_arguments(chosen: Settings) -> None:
    """Hand settings given as arguments of the session to the C++ side, through the environment."""
    for item in SETTINGS:
        if item.reader != "shim" and chosen.sources[item.name] == "argument":
            os.environ[item.variable] = chosen.text(item.name)

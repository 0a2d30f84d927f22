"""The CPU-hosted HIP runtime as a backend: its libraries, and what they read from the environment."""

from __future__ import annotations

import os
import shlex

from cuda_shim import backends, settings
from cuda_shim.backends.cpu import build, cache, compilers, sources
from cuda_shim.errors import BackendNotFound

__all__ = ["backend", "is_ours"]

# What this process added to the environment for its C++ runtime, one NAME=value a line. A child inherits the
# values too, and tells by this list that they are no choice of the user's: in another virtual environment it
# has headers and a compiler of its own.
_FILLED_IN = "_CUDA_SHIM_FILLED_IN"


def backend(why: str) -> backends.Backend:
    """The cpu backend with its libraries built and the environment of its C++ side set.

    Raises BackendNotFound when the libraries can neither be found nor built.
    """
    folder = os.path.join(build.ensure_libraries(), "lib")
    prepare_environment()
    hip, hiprtc = (os.path.join(folder, name) for name in ("libamdhip64.so", "libhiprtc.so"))
    return backends.Backend("cpu", hip, hiprtc, why)


def is_ours(libamdhip64: str) -> bool:
    """Whether this library is one that cuda_shim built or shipped."""
    path = os.path.realpath(libamdhip64)
    prebuilt = os.path.join(os.path.dirname(sources.runtime_folder()), "prebuilt")
    homes = (os.path.join(cache.root(), "runtime"), prebuilt)
    return any(path.startswith(os.path.realpath(home) + os.sep) for home in homes)


def prepare_environment() -> None:
    """Give the C++ runtime what it reads from the environment; a value that the user set stays."""
    values = {"CUDA_SHIM_CPU_DEVICE_HEADERS": os.path.join(sources.runtime_folder(), "device")}
    compiler = kernel_compiler()
    if compiler is not None:
        values["CUDA_SHIM_CPU_CXX"] = shlex.join(compiler.command)
        values.update(compilers.zig_environment(compiler.kind))
    if not os.environ.get("HOME") and not os.environ.get("XDG_CACHE_HOME"):
        values["CUDA_SHIM_CACHE_DIR"] = cache.root()  # the C++ side would not find the same one
    inherited = _inherited()
    filled_in = []
    for name, value in values.items():
        if os.environ.get(name, "") in ("", inherited.get(name)):
            os.environ[name] = value
            filled_in.append(f"{name}={value}")
    os.environ[_FILLED_IN] = "\n".join(filled_in)
    _export_arguments()


def kernel_compiler() -> compilers.Compiler | None:
    """The compiler that is to build kernels; None when there is none, which hiprtc says when it needs one."""
    try:
        return compilers.find()
    except BackendNotFound:
        if settings.text("cxx"):
            raise  # the user chose it, so nothing else will do
        return None


def _inherited() -> dict[str, str]:
    lines = (line.partition("=") for line in os.environ.get(_FILLED_IN, "").splitlines())
    return {name: value for name, _, value in lines}


def _export_arguments() -> None:
    """Settings given as arguments of the session reach the C++ side through the environment as well."""
    for item in settings.SETTINGS:
        resolved = settings.resolve(item.name)
        if resolved.source == "argument" and (item.name.startswith("cpu_") or item.name == "cache_dir"):
            os.environ[item.variable] = resolved.value

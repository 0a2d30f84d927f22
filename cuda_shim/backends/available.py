"""The backends that can answer HIP calls on this machine."""

from __future__ import annotations

from cuda_shim import settings
from cuda_shim.backends import compilers, cpu, generation, hip_python, host_libraries, rocm
from cuda_shim.cache.folder import cache_of
from cuda_shim.errors import BackendNotFound, ShimError

__all__ = ["hip_backends", "require"]


def hip_backends() -> list[str]:
    """Return "rocm" where an AMD GPU answers, "cpu" where its libraries are built or a compiler can build them.

    Loads no HIP library into this process and builds nothing.
    """
    number = generation.installed()
    if number is None:
        return []
    chosen = settings.current()
    names = []
    if rocm.probe(number, chosen).libraries is not None:
        names.append("rocm")
    try:
        if host_libraries.find_libraries(chosen) is not None or compilers.find(chosen):
            names.append("cpu")
    except ShimError:
        return names
    return names


def require() -> str:
    """Return the name of this process's backend, chosen now if it was not yet.

    Raises BackendNotFound where there is none, or it has no device, or nothing there compiles kernels. Devices are
    counted in another process, so that this one may still fork.
    """
    backend = hip_python.load().backend
    chosen = settings.current()
    if backend.name == "rocm":
        count, problem = rocm.device_count(backend.libamdhip64, cache_of(chosen))
        if count < 1:
            raise BackendNotFound(f"backend rocm: {problem}")
    elif not chosen.cpu_cxx and cpu.kernel_compiler(chosen) is None:
        compilers.find(chosen)  # raises an error that lists the compilers looked for
    return backend.name

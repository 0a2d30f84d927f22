"""Which backends can answer HIP calls on this machine."""

from __future__ import annotations

from cuda_shim.errors import BackendNotFound, ShimError

__all__ = ["hip_backends", "require"]


def hip_backends() -> list[str]:
    """ "rocm" where an AMD GPU answers, "cpu" where its libraries are built or a compiler can build them.

    Loads no HIP library into this process and builds nothing.
    """
    from cuda_shim.backends import report, rocm
    from cuda_shim.backends.cpu import build, compilers

    generation = report.installed_generation()
    if generation is None:
        return []
    found = []
    if rocm.probe(generation).libraries is not None:
        found.append("rocm")
    try:
        if build.find_libraries() is not None or compilers.find():
            found.append("cpu")
    except ShimError:
        return found
    return found


def require() -> str:
    """The name of this process's backend, chosen now if it was not yet.

    Raises BackendNotFound where there is none, or it has no device. Devices are counted in another process, so
    that this one may still fork.
    """
    from cuda_shim import backends
    from cuda_shim.backends import rocm

    backend = backends.current()
    if backend.name == "rocm":
        count, problem = rocm.device_count(backend.libamdhip64)
        if count < 1:
            raise BackendNotFound(f"backend rocm: {problem}")
    return backend.name

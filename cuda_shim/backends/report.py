"""What there is to say about backends when a person asks (`doctor`). Answers on a broken machine too."""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib.util import find_spec

from cuda_shim import backends
from cuda_shim.errors import BackendNotFound, ShimError

__all__ = ["describe", "installed_generation"]

Facts = dict[str, object]


def describe() -> Facts:
    """Names to short texts: hip-python, the backend chosen or asked for, AMD's side, the CPU side.

    Loads no HIP library into this process and builds nothing; a fact that cannot be had says why instead.
    """
    generation = installed_generation()
    questions: dict[str, Callable[[], object]] = {
        "hip-python": lambda: _hip_python(generation),
        "backend": _backend,
        "rocm library": lambda: _rocm_library(generation),
        "rocm devices": lambda: _rocm_devices(generation),
        "cpu": lambda: f"{platform.machine()}, {_cores()} cores",
        "cpu compiler": _compiler,
        "cpu runtime": _runtime,
        "cache": _cache,
    }
    return {name: _answer(question) for name, question in questions.items()}


def _answer(question: Callable[[], object]) -> object:
    try:
        return question()
    except (ShimError, ImportError, OSError, ValueError) as error:
        return f"problem: {error}".splitlines()[0]


def installed_generation() -> int | None:
    """Which hip-python is installed (10 or 7), None where there is none."""
    for generation, package in ((10, "rocm.bindings.hip"), (7, "hip.hip")):
        try:
            if find_spec(package) is not None:
                return generation
        except ImportError:
            continue  # the parent package is missing, or is another one of that name
    return None


def _hip_python(generation: int | None) -> str:
    from cuda_shim.backends import hip_python

    if generation is None:
        raise BackendNotFound("hip-python is not installed: pip install hip-python")
    package = "rocm.bindings" if generation == 10 else "hip"
    return f"{hip_python.installed_version() or 'of unknown version'} ({package})"


def _backend() -> str:
    decided = backends.decided()
    if decided is not None:
        return f"{decided.name} ({decided.why}): {decided.libamdhip64}"
    asked = backends.wanted()
    if asked is not None:
        return f"{asked} (asked for), nothing loaded yet"
    from cuda_shim.backends import rocm

    obstacle = rocm.node_obstacle()
    expected = f"cpu ({obstacle})" if obstacle else "rocm if a device answers"
    return f"{expected}, nothing loaded yet"


def _rocm_library(generation: int | None) -> str:
    from cuda_shim.backends import rocm

    if generation is None:
        return "unknown without hip-python"
    return ", then ".join(pair[0] for pair in rocm.candidates(generation))


def _rocm_devices(generation: int | None) -> str:
    from cuda_shim.backends import rocm

    obstacle = rocm.node_obstacle()
    if obstacle or generation is None:
        return f"none: {obstacle or 'unknown without hip-python'}"
    count, problem = rocm.device_count(rocm.candidates(generation)[0][0])
    return f"none: {problem}" if problem else str(count)


def _cores() -> int:
    from cuda_shim.backends.cpu import compile as compilation

    return compilation.cores()


def _compiler() -> str:
    from cuda_shim.backends.cpu import compilers

    found = compilers.find()
    return f"{found} ({found.why})"


def _runtime() -> str:
    from cuda_shim.backends.cpu import build

    ready = build.find_libraries()
    return ready if ready is not None else "not built yet: the first use builds it"


def _cache() -> str:
    from cuda_shim.backends.cpu import cache_files

    held = cache_files.info()
    return f"{held.folder} ({held.total_bytes / 1e6:.1f} MB)"

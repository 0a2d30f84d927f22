"""Descriptions of backends for people who ask (`doctor`). Answers on a broken machine too."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

from cuda_shim import backends
from cuda_shim.backends import compilers, decision, generation, host, host_libraries, rocm
from cuda_shim.cache import entries
from cuda_shim.cache.folder import Cache, cache_of
from cuda_shim.errors import BackendNotFound, ShimError
from cuda_shim.frozen_record import Record
from cuda_shim.settings import Settings

__all__ = ["Observation", "describe"]


class Observation(Record):
    """One observation of the machine.

    `values` are its plain values for machines, `text` the same for people. `problem` names the error, "" where there is
    none; a wrong thing is `needed` where the backend that would be chosen cannot work without it.
    """

    name: str
    values: dict[str, Any]
    text: str
    problem: str = ""
    needed: bool = False


Answer = tuple[dict[str, Any], str]


def describe(chosen: Settings) -> list[Observation]:
    """hip-python, the backend chosen or asked for, AMD's side, the CPU side, the cache.

    Loads no HIP library into this process and builds nothing, but the cache folder is made, and a file in it written
    and removed: an observation that fails has the reason instead.
    """
    number = generation.installed()
    cache = cache_of(chosen)
    on_rocm = _backend_name(chosen) == "rocm"
    questions: list[tuple[str, bool, Callable[[], Answer]]] = [
        ("hip-python", True, lambda: _hip_python(number)),
        ("backend", True, lambda: _backend(chosen)),
        ("rocm library", on_rocm, lambda: _rocm_library(number, on_rocm)),
        ("rocm devices", on_rocm, lambda: _rocm_devices(number, cache, on_rocm)),
        ("cpu", False, _processor),
        ("cpu compiler", not on_rocm, lambda: _compiler(chosen)),
        ("cpu runtime", not on_rocm, lambda: _runtime(chosen)),
        ("cache", not on_rocm, lambda: _cache(cache)),
    ]
    return [_answer(name, needed, question) for name, needed, question in questions]


def _answer(name: str, needed: bool, question: Callable[[], Answer]) -> Observation:
    try:
        values, text = question()
    except (ShimError, ImportError, OSError, ValueError) as error:
        return Observation(name, {}, "", str(error).splitlines()[0], needed)
    return Observation(name, values, text)


def _backend_name(chosen: Settings) -> str | None:
    decided = backends.decided()
    return decision.explicit_backend(chosen) if decided is None else decided.name


def _hip_python(number: int | None) -> Answer:
    if number is None:
        raise generation.not_installed()
    package = "rocm.bindings" if number == 10 else "hip"
    version = generation.installed_version()
    values = {"version": version, "package": package, "generation": number}
    return values, f"{version or 'of unknown version'} ({package})"


def _backend(chosen: Settings) -> Answer:
    decided = backends.decided()
    if decided is not None:
        values = {"name": decided.name, "why": decided.why, "library": decided.libamdhip64}
        return values, f"{decided.name} ({decided.why}): {decided.libamdhip64}"
    explicit = decision.explicit_backend(chosen)
    if explicit is not None:
        return {"name": explicit, "why": "asked for"}, f"{explicit} (asked for), nothing loaded yet"
    obstacle = rocm.node_obstacle()
    if obstacle:
        return {"name": "cpu", "why": obstacle}, f"cpu ({obstacle}), nothing loaded yet"
    return {"name": "auto", "why": "a device node is there"}, "rocm if a device answers, nothing loaded yet"


def _rocm_library(number: int | None, needed: bool) -> Answer:
    if number is None:
        return {"candidates": []}, "unknown without hip-python"
    tried = [pair[0] for pair in rocm.candidates(number)]
    if needed:
        rocm.explicit(number, "asked for")  # raises where none of them opens
    return {"candidates": tried}, ", then ".join(tried)


def _rocm_devices(number: int | None, cache: Cache, needed: bool) -> Answer:
    problem = rocm.node_obstacle() or ("" if number is not None else "unknown without hip-python")
    count = 0
    if not problem and number is not None:
        count, problem = rocm.device_count(rocm.candidates(number)[0][0], cache)
    if problem and needed:
        raise BackendNotFound(problem)
    return {"count": count, "why": problem}, f"none: {problem}" if problem else str(count)


def _processor() -> Answer:
    cores = host.cores()
    return {"machine": platform.machine(), "cores": cores}, f"{platform.machine()}, {cores} cores"


def _compiler(chosen: Settings) -> Answer:
    compiler = compilers.find(chosen)
    weakness = compilers.weakness(compiler)
    values = {
        "kind": compiler.kind,
        "version": compiler.version,
        "command": list(compiler.command),
        "why": compiler.why,
    }
    return values | {"weakness": weakness}, f"{compiler} ({compiler.why})" + (f": {weakness}" if weakness else "")


def _runtime(chosen: Settings) -> Answer:
    ready = host_libraries.find_libraries(chosen)
    return {"folder": ready}, ready if ready is not None else "not built yet: the first use builds it"


def _cache(cache: Cache) -> Answer:
    entries.try_writing(cache)
    contents = entries.info(cache)
    values = {"folder": str(contents.folder), "bytes": contents.total_bytes}
    return values, f"{contents.folder} ({contents.total_bytes / 1e6:.1f} MB)"

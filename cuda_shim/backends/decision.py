"""Deciding which backend answers: by the settings, by the libraries that hip-python uses already, or by the machine."""

from __future__ import annotations

import os

from cuda_shim import backends
from cuda_shim.backends import cpu, rocm
from cuda_shim.errors import BackendNotFound
from cuda_shim.notices import notify
from cuda_shim.settings import Settings

__all__ = ["decide", "explicit_backend"]

# Set once it was reported that the program runs on the CPU; children inherit it, so that a program with
# worker processes reports it once and not once a worker.
_NOTICE_GIVEN = "_CUDA_SHIM_TOLD"


def explicit_backend(chosen: Settings) -> str | None:
    """Return the backend asked for by `backends.select()` or by the setting; None when the machine is to decide."""
    name = backends.selected() or chosen.backend
    return None if name == "auto" else name


def decide(generation: int, in_use: str | None, chosen: Settings) -> backends.Backend:
    """Choose for hip-python of this generation; called by `hip_python.load()`, with `backends.lock` held.

    `in_use` is the libamdhip64 that hip-python itself opened before cuda_shim was asked, if it did: then
    the choice is taken already, since one process cannot give hip-python a second library.
    """
    name = explicit_backend(chosen)
    if in_use is not None:
        backend = _adopt(in_use, name, chosen)
    elif name == "rocm":
        why = _who_chose(chosen)
        backend = backends.Backend("rocm", *rocm.explicit(generation, why), why)
    elif name == "cpu":
        backend = backends.Backend("cpu", *cpu.libraries(chosen), _who_chose(chosen))
    else:
        backend = _by_machine(generation, chosen)
    backends.settle(backend)
    return backend


def _by_machine(generation: int, chosen: Settings) -> backends.Backend:
    answer = rocm.probe(generation, chosen)
    if answer.libraries is not None:
        return backends.Backend("rocm", *answer.libraries, answer.why)
    backend = backends.Backend("cpu", *cpu.libraries(chosen), answer.why)
    if not os.environ.get(_NOTICE_GIVEN):
        os.environ[_NOTICE_GIVEN] = "1"
        if not chosen.quiet:
            notify(f"{answer.why}; kernels run on the host CPU (CUDA_SHIM_QUIET=1 silences this line)")
    return backend


def _adopt(in_use: str, name: str | None, chosen: Settings) -> backends.Backend:
    kind = "cpu" if cpu.is_ours(in_use, chosen) else "rocm"
    if name is not None and name != kind:
        raise BackendNotFound(
            f"backend {name} cannot be used: hip-python has already opened {in_use}; "
            "enable cuda_shim before the first HIP call"
        )
    beside = os.path.join(os.path.dirname(in_use), "libhiprtc.so")
    libhiprtc = beside if os.path.exists(beside) else "libhiprtc.so"
    return backends.Backend(kind, in_use, libhiprtc, "hip-python had opened it already")


def _who_chose(chosen: Settings) -> str:
    if backends.selected() or chosen.sources["backend"] == "argument":
        return "selected by the program"
    return chosen.origin("backend")

"""The backends on which HIP calls run: an AMD GPU through ROCm, or the host's cores through the runtime in `cpu/`.

This file holds the choice, and nothing here chooses. The choice is made once a process, in `decision`, when
`hip_python.load()` is first called, and before hip-python has looked for a library: hip-python keeps its first lookup
for the life of the process, even a failed one. Nothing above this package knows which backend answers.

Backends: "rocm" (AMD's libamdhip64 and libhiprtc) and "cpu" (cuda_shim's own libraries of those names).
"""

from __future__ import annotations

import os

# From _thread: threading takes longer to import than the rest of this module.
from _thread import RLock

from cuda_shim import settings
from cuda_shim.errors import BackendNotFound
from cuda_shim.frozen_record import Record

__all__ = ["Backend", "decided", "select", "selected", "settle"]


class Backend(Record):
    """The libraries that answer HIP calls in this process.

    `libamdhip64` and `libhiprtc` are the arguments of dlopen: a path, or a bare name where the dynamic loader is to
    search. `why` gives the reason for the choice in a few words.
    """

    name: str
    libamdhip64: str
    libhiprtc: str
    why: str


lock = RLock()  # held while the choice is made, a build included


def _renew_lock() -> None:
    # A child forked while another thread held the lock would wait for ever: that thread is not there.
    global lock
    lock = RLock()


os.register_at_fork(after_in_child=_renew_lock)

_selected: str | None = None
_decided: Backend | None = None


def select(name: str | None) -> None:
    """Choose the backend by name ("rocm" or "cpu"); None leaves it to the settings and the machine.

    A chosen backend never falls back to another. Raises SettingError for a name that does not exist, and
    BackendNotFound when another backend already answers HIP calls in this process.
    """
    global _selected
    if name is not None:
        name = settings.setting("backend").check(name, "backend")
    if name == "auto":
        name = None
    with lock:
        if name is not None and _decided is not None and _decided.name != name:
            raise BackendNotFound(
                f"backend {name} cannot be selected: {_decided.name} already answers HIP calls in this "
                f"process ({_decided.libamdhip64}); select it before the first CUDA or HIP call"
            )
        _selected = name


def selected() -> str | None:
    """Return the last argument of `select()`."""
    return _selected


def decided() -> Backend | None:
    """Return the backend if it was chosen already, else None."""
    return _decided


def settle(backend: Backend) -> None:
    """Make this the backend of the process; called when the choice is made, with `lock` held."""
    global _decided
    _decided = backend

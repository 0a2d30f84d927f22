"""Where HIP calls run: an AMD GPU through ROCm, or the host's cores through the runtime in `cpu/`.

The choice is made once a process, when `hip_python.load()` is first called, and before hip-python has
looked for a library: hip-python keeps its first lookup for the life of the process, even a failed one.
Nothing above this room knows which backend answers.

Backends: "rocm" (AMD's libamdhip64 and libhiprtc) and "cpu" (cuda_shim's own libraries of those names).
"""

from __future__ import annotations

import os
import sys

# From _thread: threading takes longer to import than the rest of this module.
from _thread import RLock

from cuda_shim import settings
from cuda_shim.errors import BackendNotFound
from cuda_shim.record import Record

__all__ = ["Backend", "current", "describe", "select"]

# Set once the program was told that it runs on the CPU; children inherit it, so that a program with
# worker processes is told once and not once a worker.
_TOLD = "_CUDA_SHIM_TOLD"


class Backend(Record):
    """The libraries that answer HIP calls in this process.

    `libamdhip64` and `libhiprtc` are what is passed to dlopen: a path, or a bare name where the dynamic
    loader is to search. `why` says in a few words how the choice came about.
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
_current: Backend | None = None


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
        if name is not None and _current is not None and _current.name != name:
            raise BackendNotFound(
                f"backend {name} cannot be selected: {_current.name} already answers HIP calls in this "
                f"process ({_current.libamdhip64}); select it before the first CUDA or HIP call"
            )
        _selected = name


def current() -> Backend:
    """The backend of this process, chosen now if nothing asked for it before. Raises BackendNotFound."""
    from cuda_shim.backends import hip_python

    face = hip_python.load()
    return _current or decide(face.generation, None)


def decided() -> Backend | None:
    """The backend if it was chosen already, else None. Chooses nothing."""
    return _current


def describe() -> dict[str, object]:
    """What was found, for `doctor`: names to short texts.

    Loads no HIP library into this process, builds nothing, and never raises.
    """
    from cuda_shim.backends import report

    return report.describe()


def wanted() -> str | None:
    """The backend asked for by `select()` or by the setting; None when the machine is to decide."""
    name = _selected or settings.text("backend")
    return None if name == "auto" else name


def decide(generation: int, in_use: str | None) -> Backend:
    """Choose for hip-python of this generation; called by `hip_python.load()`, with `lock` held.

    `in_use` is the libamdhip64 that hip-python itself opened before cuda_shim was asked, if it did: then
    the choice is taken already, since one process cannot give hip-python a second library.
    """
    global _current
    name = wanted()
    if in_use is not None:
        _current = _adopt(in_use, name)
    elif name == "rocm":
        from cuda_shim.backends import rocm

        _current = rocm.explicit(generation, _who_chose())
    elif name == "cpu":
        from cuda_shim.backends import cpu

        _current = cpu.backend(_who_chose())
    else:
        _current = _by_machine(generation)
    return _current


def _by_machine(generation: int) -> Backend:
    from cuda_shim.backends import cpu, rocm

    answer = rocm.probe(generation)
    if answer.libraries is not None:
        return Backend("rocm", *answer.libraries, answer.why)
    backend = cpu.backend(answer.why)
    if not os.environ.get(_TOLD):
        os.environ[_TOLD] = "1"
        tell(f"{answer.why}; kernels run on the host CPU (CUDA_SHIM_QUIET=1 silences this line)")
    return backend


def _adopt(in_use: str, name: str | None) -> Backend:
    from cuda_shim.backends import cpu

    kind = "cpu" if cpu.is_ours(in_use) else "rocm"
    if name is not None and name != kind:
        raise BackendNotFound(
            f"backend {name} cannot be used: hip-python has already opened {in_use}; "
            "enable cuda_shim before the first HIP call"
        )
    beside = os.path.join(os.path.dirname(in_use), "libhiprtc.so")
    libhiprtc = beside if os.path.exists(beside) else "libhiprtc.so"
    return Backend(kind, in_use, libhiprtc, "hip-python had opened it already")


def _who_chose() -> str:
    if _selected or settings.resolve("backend").source == "argument":
        return "selected by the program"
    return "CUDA_SHIM_BACKEND"


def tell(text: str) -> None:
    """One line on stderr, unless the setting `quiet` is on or the program has no stderr."""
    if settings.flag("quiet") or sys.stderr is None:
        return
    try:
        print(f"cuda_shim: {text}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        # A closed or full stderr must not stop the program: the line is a courtesy.
        return

"""The loaded hip-python behind one face, with the backend that answers it.

The backend is decided here, between importing hip-python's modules, which opens nothing, and handing them out.
"""

from __future__ import annotations

import atexit
import os
import sys
from types import ModuleType

from cuda_shim import backends, settings
from cuda_shim.backends import decision, generation
from cuda_shim.errors import BackendNotFound
from cuda_shim.frozen_record import Record

__all__ = ["HipPython", "load"]

# HIP's AMD_SERIALIZE_KERNEL: wait before a kernel is enqueued (1), and after (2).
_BEFORE_AND_AFTER = "3"


class HipPython(Record):
    """hip-python's two modules; `generation` is 10 for `rocm.bindings`, 7 for the older `hip` package."""

    hip: ModuleType
    hiprtc: ModuleType
    generation: int
    backend: backends.Backend

    @property
    def describes_functions(self) -> bool:
        """True if hipKernelGetParamInfo answers for functions of modules; AMD's takes a library's kernels alone."""
        return self.backend.name == "cpu" and not settings.current().cpu_rocm

    @property
    def version(self) -> str:
        """hip-python's version as pip knows it, such as "10.0.0.0.1.2"."""
        return generation.installed_version() or str(getattr(sys.modules.get("hip"), "__version__", "unknown"))


_loaded: HipPython | None = None


def load() -> HipPython:
    """Import hip-python and fix the libraries that it will open; later calls return the same object.

    Raises BackendNotFound when hip-python is not installed or does not import, or when the backend asked for
    is not available.
    """
    global _loaded
    if _loaded is not None:
        return _loaded
    with backends.lock:
        if _loaded is None:
            _loaded = _load(settings.current())
    return _loaded


def _load(chosen: settings.Settings) -> HipPython:
    _serialise_launches()
    imported_before = generation.imported_before()
    hip, hiprtc, number = generation.import_modules()
    in_use = generation.library_in_use(number) if imported_before else None
    backend = backends.decided() or decision.decide(number, in_use, chosen)
    generation.point_to(number, backend.libamdhip64, backend.libhiprtc)
    if imported_before and in_use is None:
        _repair_failed_lookup(backend)
    face = HipPython(hip, hiprtc, number, backend)
    _open_libraries(face)
    if backend.name == "cpu":
        atexit.register(_end_host_functions, backend.libamdhip64)
    return face


def _serialise_launches() -> None:
    """Have HIP wait for each kernel where CUDA is asked to: before its library starts, which is when it looks.

    The variable is set for the library alone: the program's own environment is not the shim's to change. A value that
    the program has set for HIP stays.
    """
    if os.environ.get("CUDA_LAUNCH_BLOCKING", "") not in ("", "0") and "AMD_SERIALIZE_KERNEL" not in os.environ:
        os.putenv("AMD_SERIALIZE_KERNEL", _BEFORE_AND_AFTER)


def _open_libraries(face: HipPython) -> None:
    # hip-python opens a library at the first call of it, and two threads that come together read a path that
    # is half written. So the first calls are made here, under the lock; asking for versions starts no device.
    try:
        face.hip.hipRuntimeGetVersion()
        face.hiprtc.hiprtcVersion()
    except RuntimeError as error:  # hip-python's own, from dlopen
        raise BackendNotFound(f"backend {face.backend.name}: hip-python {error}") from None


def _end_host_functions(libamdhip64: str) -> None:
    """End streams' host functions before the interpreter ends: most are Python functions, and would find none."""
    import ctypes

    ctypes.CDLL(libamdhip64).hipExtEndHostFunctions()


def _repair_failed_lookup(backend: backends.Backend) -> None:
    # A program that called hip-python before, without any library to find, left the bare name in hip-python's
    # own cache. dlopen answers a bare name with a loaded library of that soname, so loading ours by path
    # makes the next call succeed.
    if backend.name == "cpu":
        import ctypes

        for path in (backend.libamdhip64, backend.libhiprtc):
            ctypes.CDLL(path)  # never closed

"""Functions of the loaded hip-python by name, and which of them wait."""

from __future__ import annotations

from collections.abc import Callable

from cuda_shim.errors import UnsupportedAPI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["find_hip", "locks_while_waiting"]

# Names without the prefix "hip": calls that wait for a stream, an event or a device,
_WAIT_FOR_WORK = """
    CtxDestroy CtxSynchronize DevicePrimaryCtxRelease DevicePrimaryCtxReset DeviceReset DeviceSynchronize
    EventSynchronize StreamDestroy StreamSynchronize
"""
# for what still uses the thing that goes away,
_WAIT_BEFORE_AN_END = """
    ArrayDestroy Free FreeArray FreeHost FreeMipmappedArray GraphExecDestroy HostFree HostUnregister
    IpcCloseMemHandle LibraryUnload MemPoolDestroy MemPoolTrimTo MemRelease MemUnmap MipmappedArrayDestroy
    ModuleUnload GraphicsUnmapResources
"""
# for a copy or fill, and what its stream has before it; asynchronous copies do, where memory is pageable.
_WAIT_FOR_COPIES = """
    DrvMemcpy2DUnaligned DrvMemcpy3D DrvMemcpy3DAsync Memcpy Memcpy2D Memcpy2DArrayToArray Memcpy2DAsync
    Memcpy2DFromArray Memcpy2DFromArrayAsync Memcpy2DToArray Memcpy2DToArrayAsync Memcpy3D Memcpy3DAsync
    Memcpy3DPeer Memcpy3DPeerAsync MemcpyAsync MemcpyAtoA MemcpyAtoD MemcpyAtoH MemcpyAtoHAsync MemcpyDtoA
    MemcpyDtoD MemcpyDtoDAsync MemcpyDtoH MemcpyDtoHAsync MemcpyFromArray MemcpyHtoA MemcpyHtoAAsync
    MemcpyHtoD MemcpyHtoDAsync MemcpyParam2D MemcpyParam2DAsync MemcpyPeer MemcpyPeerAsync MemcpyToArray
    Memset Memset2D Memset3D MemsetD16 MemsetD2D16 MemsetD2D32 MemsetD2D8 MemsetD32 MemsetD8
"""

_WAITING = frozenset(
    f"hip{name}" for names in (_WAIT_FOR_WORK, _WAIT_BEFORE_AN_END, _WAIT_FOR_COPIES) for name in names.split()
)


def find_hip(name: str, hip_python: Any) -> Callable[..., Any]:
    """A function of hip-python by name. Raises UnsupportedAPI where this hip-python has none."""
    module = hip_python.hiprtc if name.startswith("hiprtc") else hip_python.hip
    found: Callable[..., Any] | None = getattr(module, name, None)
    if found is None:
        raise UnsupportedAPI(f"hip-python {hip_python.version} has no {name}: update hip-python")
    return found


def locks_while_waiting(name: str, generation: int) -> bool:
    """Whether hip-python's function waits for work that was queued before, with the interpreter locked.

    A Python function among that work would then never run. Generation 7 unlocks in no call, 10 in all.
    """
    return generation == 7 and name in _WAITING

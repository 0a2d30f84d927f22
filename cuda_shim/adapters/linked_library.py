"""Libraries of the kernels that nvcc has linked into a program, which are compiled when the program asks for one.

NVIDIA's runtime loads all of them before it does anything else: hundreds of kernels, of which the program launches a
few. Each is compiled by itself, with the functions and variables that it needs, in a HIP library of its own. The
handle that the program gets is that of an empty HIP library, in which HIP finds no kernel, so that the search comes
here.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuda_shim import log
from cuda_shim.adapters.function import note_ptx_version
from cuda_shim.adapters.image import Image, fat_binary_bytes, ptx_of_fat_binary, refuse
from cuda_shim.adapters.ptx import compile_ptx
from cuda_shim.binding.arguments import address, c_string
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call

if TYPE_CHECKING:
    from cuda_shim.translate.ptx.pieces import Pieces

__all__ = ["find", "kernel_count", "load", "unload"]

_EMPTY = b".version 7.0\n.target sm_80\n.address_size 64\n"
_TRAP = b".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry kernel_is_missing() { trap; }\n"
_Load = Callable[[bytes], tuple[int, int]]


class _Library:
    """The image of one library, and the HIP libraries of its compiled pieces."""

    def __init__(self, image: bytes, load_code: _Load) -> None:
        self._image = image
        self._load_code = load_code
        self._pieces: Pieces | Image | None = None
        self._handles: dict[str, int] = {}
        self._lock = threading.RLock()

    @property
    def handles(self) -> list[int]:
        """The handles of the HIP libraries."""
        return list(self._handles.values())

    def pieces(self, binding: Binding) -> Pieces | Image:
        """Return the pieces, or the report why there are none."""
        with self._lock:
            if self._pieces is None:
                from cuda_shim.translate.ptx.pieces import Pieces

                text = ptx_of_fat_binary(binding, self._image)
                self._pieces = text if isinstance(text, Image) else Pieces(text.decode("utf-8", "replace"))
                self._image = b""
            return self._pieces

    def with_name(self, binding: Binding, name: str) -> int | Image | None:
        """Return the HIP library with a kernel or a variable, the report of an error, or None for no such name."""
        with self._lock:
            pieces = self.pieces(binding)
            text = pieces if isinstance(pieces, Image) else pieces.text_with(name)
            if text is None or isinstance(text, Image):
                return text
            if text not in self._handles:
                compiled = compile_ptx(binding, text.encode(), name)
                if compiled.code is None:
                    return Image(None, _FAILED[binding.api], compiled.log)
                status, handle = self._load_code(compiled.code)
                if status:
                    return Image(None, _FAILED[binding.api], f"{name}: HIP's status for its code object is {status}\n")
                self._handles[text] = handle
            return self._handles[text]


_FAILED = {"driver": "CUDA_ERROR_INVALID_PTX", "runtime": "cudaErrorInvalidPtx"}
_libraries: dict[int, _Library] = {}


def load(binding: Binding, image: Any, load_code: _Load) -> tuple[int, int]:
    """Return HIP's status and the handle of a library whose kernels are compiled when they are asked for."""
    empty = compile_ptx(binding, _EMPTY)
    if empty.code is None:
        raise RuntimeError(f"the empty library cannot be compiled: {empty.log}")
    status, handle = load_code(empty.code)
    if not status:
        _libraries[handle] = _Library(fat_binary_bytes(image), load_code)
    return status, handle


def find(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuLibraryGetKernel, cuLibraryGetGlobal, cuLibraryGetManaged and the runtime's: in the piece that has the name."""
    generated, handle_class = generated_call(binding), binding.class_of(_handle_name(binding))
    is_kernel = binding.row.name.endswith("GetKernel")
    fail_context = _context_failure(binding)

    def get(library: Any, name: Any) -> tuple[Any, ...]:
        linked = _libraries.get(address(library)) if _libraries else None
        if linked is None:
            return generated(library, name)
        piece = linked.with_name(binding, c_string(name).decode("utf-8", "replace"))
        if isinstance(piece, Image):
            if is_kernel:
                fail_context()
            return refuse(binding, piece)
        answer = generated(library if piece is None else handle_class(piece), name)
        if is_kernel and not answer[0]:
            pieces = linked.pieces(binding)
            note_ptx_version(int(answer[1]), 0 if isinstance(pieces, Image) else pieces.architecture)
        return answer

    return get


def _context_failure(binding: Binding) -> Callable[[], None]:
    """Return the function that launches a kernel which fails, so that the next wait in this context reports a failure.

    Programs such as CuPy ignore the status of a launch, and would take memory that no kernel has written for a result.
    """
    pointer, number = ctypes.c_void_p, ctypes.c_uint
    load = binding.native("hipModuleLoadData", pointer, pointer)
    get = binding.native("hipModuleGetFunction", pointer, pointer, ctypes.c_char_p)
    launch = binding.native("hipModuleLaunchKernel", pointer, *[number] * 7, pointer, pointer, pointer)

    def fail() -> None:
        trap = compile_ptx(binding, _TRAP)
        if trap.code is None:
            raise RuntimeError(f"the kernel that fails cannot be compiled: {trap.log}")
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        status = load(ctypes.byref(module), trap.code) or get(ctypes.byref(kernel), module, b"kernel_is_missing")
        status = status or launch(kernel, 1, 1, 1, 1, 1, 1, 0, None, None, None)
        if status:  # most often the context has failed already, and waits report that
            log.logger().warning("%s: the context does not fail for it: HIP's status is %s", binding.row.name, status)

    return fail


def kernel_count(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuLibraryGetKernelCount, cudaLibraryGetKernelCount."""
    generated, outcome = generated_call(binding), binding.outcome

    def count(library: Any) -> tuple[Any, ...]:
        linked = _libraries.get(address(library)) if _libraries else None
        if linked is None:
            return generated(library)
        pieces = linked.pieces(binding)
        return refuse(binding, pieces) if isinstance(pieces, Image) else (outcome.success, len(pieces.kernels))

    return count


def unload(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuLibraryUnload, cudaLibraryUnload: the pieces as well."""
    generated, unload_hip = generated_call(binding), binding.native("hipLibraryUnload", ctypes.c_void_p)

    def end(library: Any) -> tuple[Any, ...]:
        linked = _libraries.pop(address(library), None) if _libraries else None
        for handle in () if linked is None else linked.handles:
            unload_hip(handle)
        return generated(library)

    return end


def _handle_name(binding: Binding) -> str:
    return "CUlibrary" if binding.api == "driver" else "cudaLibrary_t"

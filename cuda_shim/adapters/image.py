"""The format of a module image, by its content, and the code object that HIP can run for it.

Code objects run as they are. PTX is compiled when it is loaded, and a text of nvrtcGetPTX carries its code object. An
image with machine code for NVIDIA GPUs alone gets CUDA's own status, and the log names the GPUs that it is built for.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from cuda_shim.adapters import code_object
from cuda_shim.adapters.architecture import of_current_device
from cuda_shim.binding.arguments import void_pointer
from cuda_shim.binding.buffers import Buffer
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.outside_memory import bytes_at
from cuda_shim.frozen_record import Record

if TYPE_CHECKING:
    from cuda_shim.adapters.ptx import Others

__all__ = [
    "Image",
    "fat_binary_bytes",
    "first_bytes",
    "for_another_gpu",
    "foreign_kind",
    "is_linked",
    "ptx_of",
    "ptx_of_fat_binary",
    "refuse",
    "resolve",
]

_EM_CUDA = 190
_HEADER_BYTES = 64
_PIECE_BYTES = 1 << 16
_PTX_MARKS = (b".version", b"//", b"/*")
_FATBIN = b"\x50\xed\x55\xba"
_FATBIN_WRAPPER = b"\xb1\x43\x62\x46"
_LLVM = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_LTO_IR = b"\xed\x43\x4e\x7f"
_NO_BINARY = {"driver": "CUDA_ERROR_NO_BINARY_FOR_GPU", "runtime": "cudaErrorNoKernelImageForDevice"}
_INVALID_PTX = {"driver": "CUDA_ERROR_INVALID_PTX", "runtime": "cudaErrorInvalidPtx"}
_OTHER_VERSION = {"driver": "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "runtime": "cudaErrorUnsupportedPtxVersion"}
_ADVICE = {
    "LTO-IR": "have PTX made of it (-ptx, or linking without -lto)",
    "LLVM bitcode": "have PTX made of it",
}


class Image(Record):
    """The result of resolving an image.

    Attributes:
        code: a code object; None where there is none, for the reason in `status` and `log`.
        status: CUDA's status for it, by its name.
        log: lines for the error log.
        text: PTX that is still to be compiled.
    """

    code: bytes | None
    status: str = ""
    log: str = ""
    text: bytes | None = None


def foreign_kind(image: Any) -> str | None:
    """Return the format of NVIDIA's that an image is in ("PTX text", "a cubin"…), None when it is none of them.

    `image` is a buffer, or the address of memory of unknown length; of that only the first bytes are read.
    """
    start = first_bytes(image, _HEADER_BYTES)
    if start.startswith(b"\x7fELF"):
        return "a cubin" if int.from_bytes(start[18:20], "little") == _EM_CUDA else None
    if start.startswith((_FATBIN, _FATBIN_WRAPPER)):
        return "a fatbin"
    if start.startswith(_LTO_IR):
        return "LTO-IR"
    if start.startswith(_LLVM):
        return "LLVM bitcode"
    return "PTX text" if start.lstrip().startswith(_PTX_MARKS) else None


def is_linked(start: bytes) -> bool:
    """Return whether an image is one that nvcc has linked into a program, by its first bytes."""
    return start.startswith(_FATBIN_WRAPPER)


def resolve(binding: Binding, image: Any, kind: str, name: str | None = None, *, others: Others | None = None) -> Image:
    """Return the code object for an image in a format of NVIDIA's, `kind` by `foreign_kind`.

    `others` are the functions that it is linked with; None for an image that is loaded by itself.
    """
    opened = _open_image(binding, image, kind, name)
    if opened.text is None:
        return opened
    from cuda_shim.adapters.ptx import PTX_NAME, compile_ptx

    compiled = compile_ptx(binding, opened.text, name or PTX_NAME, others)
    statuses = _OTHER_VERSION if compiled.status == "version" else _INVALID_PTX
    return Image(compiled.code, statuses[binding.api], compiled.log)


def ptx_of(binding: Binding, image: Any, kind: str, name: str | None) -> Image:
    """Return the PTX in an image, which is known to be right but not compiled yet, or its code object."""
    opened = _open_image(binding, image, kind, name)
    if opened.text is None:
        return opened
    from cuda_shim.adapters.ptx import PTX_NAME
    from cuda_shim.translate.ptx.errors import PtxError, UnsupportedVersion
    from cuda_shim.translate.ptx.writer import translate

    try:
        translate(opened.text.decode("utf-8", "replace"), newest=binding.scope.layout.ptx)
    except PtxError as wrong:
        statuses = _OTHER_VERSION if isinstance(wrong, UnsupportedVersion) else _INVALID_PTX
        return Image(None, statuses[binding.api], wrong.message(name or PTX_NAME))
    return opened


def _open_image(binding: Binding, image: Any, kind: str, name: str | None) -> Image:
    """Return the code object or the PTX text that an image holds."""
    if kind == "PTX text":
        return _from_text(binding, _text(image), name)
    if kind == "a fatbin":
        return _from_fat_binary(binding, fat_binary_bytes(image), name)
    return _refused(binding, _described(image, kind), kind)


def for_another_gpu(binding: Binding, image: Any) -> Image | None:
    """Return the report for an image that HIP did not load because it is a code object for other AMD GPUs.

    None if HIP had another reason.
    """
    size = code_object.size_of(first_bytes(image, code_object.HEADER_BYTES))
    targets = code_object.targets_of(first_bytes(image, size)) if size else []
    here = of_current_device(binding.hip_python)
    if not targets or here == "" or (here is not None and any(_runs_on(target, here) for target in targets)):
        return None
    device = "the CPU backend runs kernels on host cores" if here is None else f"the current device is {here}"
    advice = "compile its CUDA C++ source through nvrtc here"
    if here is not None:
        advice += f", or for this device with CUDA_SHIM_GFX={here.partition(':')[0]}"
    log = f"the image is a code object for {', '.join(targets)}, and {device}: {advice}\n"
    return Image(None, _NO_BINARY[binding.api], log)


def _runs_on(target: str, device: str) -> bool:
    """Return whether a target fits a device's: it may leave features open, or name a family."""
    processor, *features = target.split(":")
    other, *present = device.split(":")
    return "generic" in processor or (processor == other and all(feature in present for feature in features))


def refuse(binding: Binding, image: Image) -> tuple[Any, ...]:
    """Return the tuple for an image without a code object; the log has the reason.

    Raises UnsupportedAPI under the setting `strict`.
    """
    binding.outcome.report_unsupported(image.log.strip(), "%s: %s")
    return binding.outcome.named(image.status)


def _from_text(binding: Binding, text: bytes, name: str | None) -> Image:
    from cuda_shim.adapters.ptx_image import BrokenText, unwrap

    try:
        code = unwrap(text)
    except BrokenText as broken:
        return Image(None, _INVALID_PTX[binding.api], f"{name or 'the text'}: {broken}\n")
    return Image(None, text=text) if code is None else Image(code)


def _from_fat_binary(binding: Binding, image: bytes, name: str | None) -> Image:
    text = ptx_of_fat_binary(binding, image, name)
    return text if isinstance(text, Image) else _from_text(binding, text, name)


def ptx_of_fat_binary(binding: Binding, image: bytes, name: str | None = None) -> bytes | Image:
    """Return the PTX in a fat binary, or the report why it has none that can be read."""
    from cuda_shim.adapters.fat_binary import entries_of
    from cuda_shim.adapters.zstandard import MissingLibrary

    try:
        entries = entries_of(image)
        # The newest architecture's text, as the driver takes it for a GPU that is newer still.
        texts = sorted((entry for entry in entries if entry.kind == "ptx"), key=lambda entry: -entry.architecture)
        text = next((text for text in (entry.data.partition(b"\0")[0] for entry in texts) if text), None)
    except MissingLibrary as missing:
        status = {"driver": "CUDA_ERROR_NOT_SUPPORTED", "runtime": "cudaErrorNotSupported"}[binding.api]
        return Image(None, status, f"{name or 'the image'}: its PTX is compressed with Zstandard, and {missing}\n")
    except ValueError as broken:
        status = {"driver": "CUDA_ERROR_INVALID_IMAGE", "runtime": "cudaErrorInvalidKernelImage"}[binding.api]
        return Image(None, status, f"{name or 'the image'}: {broken}\n")
    if text is not None:
        return text
    built = ", ".join(dict.fromkeys(f"sm_{entry.architecture}" for entry in entries if entry.kind == "cubin"))
    return _refused(binding, f"a fatbin with machine code for {built or 'no GPU'} and no PTX", "a fatbin")


def _refused(binding: Binding, what: str, kind: str) -> Image:
    advice = _ADVICE.get(kind, "build it with PTX (compute_XX), or compile its CUDA C++ source through nvrtc")
    statuses = _INVALID_PTX if kind == "LTO-IR" else _NO_BINARY
    return Image(None, statuses[binding.api], f"the image is {what}: {advice}\n")


def _described(image: Any, kind: str) -> str:
    """Return the GPU that a cubin is for, from the flags of its header."""
    if kind != "a cubin":
        return kind
    flags = int.from_bytes(first_bytes(image, _HEADER_BYTES)[48:52], "little")
    # Up to CUDA 12 the low byte is the architecture; later files keep it in the second.
    number = flags & 0xFF if 20 <= flags & 0xFF <= 130 else flags >> 8 & 0xFF
    return f"a cubin, machine code for sm_{number}" if number else "a cubin, machine code for NVIDIA GPUs"


def _buffer(image: Any) -> tuple[Buffer | None, int]:
    """Return the buffer that holds an image, or None, and the image's address."""
    pointer = void_pointer(image)
    if pointer.__class__ is not int:
        buffer = Buffer(pointer)
        return buffer, buffer.address
    return None, pointer


def _text(image: Any) -> bytes:
    """Return a text up to its NUL, or to the end of the buffer or of the memory that holds it."""
    buffer, pointer = _buffer(image)
    if buffer is not None:
        return ctypes.string_at(pointer, buffer.size).partition(b"\0")[0]
    text = b""
    while b"\0" not in text:
        piece = bytes_at(pointer + len(text), _PIECE_BYTES)
        text += piece
        if len(piece) < _PIECE_BYTES:
            break
    return text.partition(b"\0")[0]


def fat_binary_bytes(image: Any) -> bytes:
    """Return the fat binary in a buffer, or at an address, which may be a wrapper's."""
    from cuda_shim.adapters.fat_binary import size_at

    buffer, pointer = _buffer(image)
    if buffer is not None and not is_linked(ctypes.string_at(pointer, min(buffer.size, 4))):
        return ctypes.string_at(pointer, buffer.size)
    begin, size = size_at(pointer)
    return bytes_at(begin, size)


def first_bytes(image: Any, max_bytes: int) -> bytes:
    """Return at most `max_bytes` bytes of an image: fewer where the buffer ends, or the memory at the address."""
    pointer = void_pointer(image)
    if pointer.__class__ is not int:
        buffer = Buffer(pointer)
        return ctypes.string_at(buffer.address, min(buffer.size, max_bytes))
    return bytes_at(pointer, max_bytes) if pointer else b""

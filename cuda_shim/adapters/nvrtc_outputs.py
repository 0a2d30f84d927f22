"""The outputs of NVRTC's programs: the code object, the PTX text and the log, each with its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.nvrtc_program import program_at
from cuda_shim.binding.arguments import address, c_string
from cuda_shim.binding.functions import Binding

__all__ = ["absent", "absent_size", "code", "code_size", "log", "log_size", "ptx", "ptx_size"]


def code_size(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetCUBINSize: the code object's bytes, 0 where there is none."""
    outcome, hiprtc_size = binding.outcome, _size(binding, "hiprtcGetCodeSize")

    def get(prog: Any) -> tuple[Any, ...]:
        return (outcome.success, 0) if program_at(address(prog)).failed else hiprtc_size(prog)

    return get


def code(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetCUBIN: fill the caller's bytes with the code object, in place; without one they stay as they are."""
    outcome, hiprtc_code = binding.outcome, _fill(binding, "hiprtcGetCode")

    def get(prog: Any, buffer: Any) -> tuple[Any, ...]:
        return (outcome.success,) if program_at(address(prog)).failed else hiprtc_code(prog, buffer)

    return get


# Only LTO-IR is asked for by an option that is taken here: --optix-ir is refused, and tile code has other sources.
_NO_LTO_IR = (
    "LTO-IR exists for NVIDIA GPUs alone; compile without -dlto, and use nvrtcGetPTX or nvrtcGetCUBIN, which give a "
    "code object here"
)


def _refuse_lto_ir(binding: Binding, prog: Any) -> Any:
    """Return the status for LTO-IR that the last compilation was to make; None where it was to make none."""
    if binding.row.name not in ("nvrtcGetLTOIR", "nvrtcGetLTOIRSize") or not program_at(address(prog)).for_linking:
        return None
    binding.outcome.report_unsupported(_NO_LTO_IR)
    return binding.outcome.named("NVRTC_ERROR_INVALID_PROGRAM")


def absent_size(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetLTOIRSize, nvrtcGetOptiXIRSize, nvrtcGetTileIRSize: 0 for a program without that form."""
    outcome, known = binding.outcome, _size(binding, "hiprtcGetProgramLogSize")

    def get(prog: Any) -> tuple[Any, ...]:
        status = known(prog)[0]
        if status:
            return status, *outcome.failure_outputs()
        return _refuse_lto_ir(binding, prog) or (outcome.success, 0)

    return get


def absent(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetLTOIR, nvrtcGetOptiXIR, nvrtcGetTileIR: nothing is written where a program has no such form."""
    outcome, known = binding.outcome, _size(binding, "hiprtcGetProgramLogSize")

    def get(prog: Any, buffer: Any) -> tuple[Any, ...]:
        c_string(buffer)
        status = known(prog)[0]
        if status:
            return (status,)
        return _refuse_lto_ir(binding, prog) or (outcome.success,)

    return get


def ptx_size(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetPTXSize: bytes of the text, its closing NUL included; 1 where nothing is compiled."""
    outcome, text_of = binding.outcome, _ptx_text(binding)

    def get(prog: Any) -> tuple[Any, ...]:
        status, text = text_of(address(prog))
        return outcome.failed(status) if status else (outcome.success, len(text))

    return get


def ptx(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetPTX: fill the caller's bytes, in place, with a text that carries the code object (see `ptx_image`)."""
    outcome, text_of = binding.outcome, _ptx_text(binding)

    def get(prog: Any, buffer: Any) -> tuple[Any, ...]:
        handle, room = address(prog), _buffer_size(buffer)
        status, text = text_of(handle)
        if status:
            return outcome.failed(status)
        _write(buffer, text[:room])
        return (outcome.success,)

    return get


def _ptx_text(binding: Binding) -> Callable[[int], tuple[Any, bytes]]:
    """Return the getter of the status and the text of a program, which is made once for each compilation.

    The text of a program without code is empty.
    """
    from cuda_shim.adapters.kernel_list import kernels_of
    from cuda_shim.adapters.ptx_image import wrap

    hiprtc = binding.hip_python.hiprtc

    def get(handle: int) -> tuple[Any, bytes]:
        program = program_at(handle)
        text = b"\0" if program.failed else program.ptx
        if text is not None:
            return 0, text
        status, size = hiprtc.hiprtcGetCodeSize(handle)
        if status or size == 0:  # nothing was compiled
            return status, b"\0"
        image = bytearray(size)
        (status,) = hiprtc.hiprtcGetCode(handle, image)
        if status:
            return status, b""
        code = bytes(image)
        functions = "" if program.ptx_source is None else _functions(program.ptx_source)
        program.ptx = wrap(code, kernels_of(binding, code), binding.catalogue.cuda, program.target, functions)
        return 0, program.ptx

    return get


def _functions(source: bytes) -> str:
    """Return the PTX declarations of a source's functions, for PTX that is linked with it."""
    from cuda_shim.translate.ptx.signatures import functions_of, texts_of

    return texts_of(functions_of(source))


def log_size(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetProgramLogSize: bytes, the closing NUL included."""
    outcome, hiprtc_size = binding.outcome, _size(binding, "hiprtcGetProgramLogSize")

    def get(prog: Any) -> tuple[Any, ...]:
        log = program_at(address(prog)).log
        return hiprtc_size(prog) if log is None else (outcome.success, len(log))

    return get


def log(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetProgramLog: fill the caller's bytes, in place."""
    outcome, hiprtc_log = binding.outcome, _fill(binding, "hiprtcGetProgramLog")

    def get(prog: Any, buffer: Any) -> tuple[Any, ...]:
        log = program_at(address(prog)).log
        if log is None:
            return hiprtc_log(prog, buffer)
        _write(buffer, log[: _buffer_size(buffer)])
        return (outcome.success,)

    return get


def _size(binding: Binding, name: str) -> Callable[..., tuple[Any, ...]]:
    """Return the function that gives hiprtc's size of an output."""
    outcome, hip = binding.outcome, getattr(binding.hip_python.hiprtc, name)

    def get(prog: Any) -> tuple[Any, ...]:
        status, size = hip(address(prog))
        return outcome.failed(status) if status else (outcome.success, size)

    return get


def _fill(binding: Binding, name: str) -> Callable[..., tuple[Any, ...]]:
    """Return the function that fills the caller's bytes; it cuts an output that is longer, where NVRTC writes on."""
    outcome, hip = binding.outcome, getattr(binding.hip_python.hiprtc, name)
    size_of = getattr(binding.hip_python.hiprtc, f"{name}Size")

    def get(prog: Any, buffer: Any) -> tuple[Any, ...]:
        handle, room = address(prog), _buffer_size(buffer)
        status, size = size_of(handle)
        if not status and size == 0:
            return (outcome.success,)
        plain = buffer.__class__ in (bytes, bytearray)  # hip-python fills no others
        if status or (plain and room > 1 and size <= room):
            status = status or hip(handle, buffer)[0]
            return outcome.failed(status) if status else (outcome.success,)
        output = bytearray(size)
        (status,) = hip(handle, output)
        if status:
            return outcome.failed(status)
        _write(buffer, output[:room])
        return (outcome.success,)

    return get


def _buffer_size(buffer: Any) -> int:
    """Return the number of bytes that a buffer holds, even if a subclass of it reports another length."""
    return len(c_string(buffer))


def _write(buffer: Any, text: bytes | bytearray) -> None:
    """Overwrite the start of the caller's bytes or bytearray, in place as NVRTC does.

    One byte is left as it is: Python has one object for all bytes of one value, so writing there would change every b"
    " of the program.
    """
    import ctypes

    if isinstance(buffer, bytearray):
        buffer[: len(text)] = text
    elif len(buffer) > 1:
        ctypes.memmove(buffer, bytes(text), len(text))

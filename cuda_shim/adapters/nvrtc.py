"""NVRTC on hiprtc: programs, compilation, the image, logs and names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuda_shim import settings
from cuda_shim.adapters.compilation_target import compiled_for, device_options, has_image_units, untranslatable
from cuda_shim.binding.arguments import address, byte_string, c_string, number
from cuda_shim.binding.functions import Binding
from cuda_shim.log import debug
from cuda_shim.translate.constructs import concerns_the_cpu, names_files
from cuda_shim.translate.program_texts import ProgramTexts
from cuda_shim.translate.refusal_log import without_refused_names

if TYPE_CHECKING:
    from cuda_shim.translate.program_files import ProgramFile

__all__ = [
    "add_name_expression",
    "code",
    "code_size",
    "compile_program",
    "create_program",
    "destroy_program",
    "log",
    "log_size",
    "lowered_name",
    "ptx",
    "ptx_size",
    "supported_arch_count",
    "supported_archs",
]

# Logs that stand for hiprtc's, by the program's address: of options that were refused before it saw them, and of
# failures that it does not explain. Such a program has no code, though hiprtc may keep that of an earlier compilation.
_refusals: dict[int, bytes] = {}
# The texts that nvrtcGetPTX gives, and the architectures that programs were compiled for, by the program's address.
_texts: dict[int, bytes] = {}
_targets: dict[int, str] = {}
# The texts of programs that include headers, which are searched for when the options are known.
_sources: dict[int, ProgramTexts] = {}
# The texts of programs whose functions PTX may call.
_linkable: dict[int, bytes] = {}
# Errors of AMD's header, and of its compiler, for textures and surfaces on hardware without them.
_IMAGE_ERRORS = (b"image/texture API not supported", b"image-insts")
_TARGET = re.compile(rb"(?:compute|sm|lto)_(\d+[af]?)")


def create_program(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcCreateProgram: source and name as bytes, headers and their names as lists of bytes or None.

    Two headers of one name are NVRTC_ERROR_INVALID_INPUT.
    The source and the headers are translated here, since hiprtc keeps them from now on. The compiler reports code that
    cannot be translated, with its line.
    """
    outcome, program = binding.outcome, binding.class_of("nvrtcProgram")
    hip = binding.hip_python.hiprtc.hiprtcCreateProgram

    def create(src: Any, name: Any, count: Any, headers: Any, include_names: Any) -> tuple[Any, ...]:
        texts = _byte_list("headers", headers, count)
        names = _byte_list("includeNames", include_names, count)
        if count < 0 or len({name.partition(b"\0")[0] for name in names[:count]}) < count:
            return outcome.named("NVRTC_ERROR_INVALID_INPUT")
        texts, names = texts[:count], names[:count]
        own = list(zip(names, texts, strict=False))
        label = c_string(name)
        # A C string ends at its first NUL, even if the bytes object is longer.
        source = c_string(src).partition(b"\0")[0]
        architecture = compiled_for(binding.hip_python)
        given, names, texts = source, [], []
        files: list[ProgramFile] = []
        if architecture is not None or own or concerns_the_cpu(source) or names_files(source):
            from cuda_shim.translate.source import to_hip  # takes longer to import than most sources to compile

            translated = to_hip(source, label, own, architecture=architecture)
            for note in translated.notes:
                debug("nvrtcCreateProgram: %s", note)
            given, files = translated.source, translated.files
            names, texts = [pair[0] for pair in translated.headers], [pair[1] for pair in translated.headers]
        status, made = hip(given, label, len(texts), texts or None, names or None)
        if status:
            return outcome.failed(status)
        # Remove the entries of an earlier program at that address.
        _refusals.pop(number(made), None)
        _sources.pop(number(made), None)
        _linkable.pop(number(made), None)
        if b'"C"' in source and b"__device__" in source:
            _linkable[number(made)] = source
        every = [source, *(text for _, text in own)]
        if files or (architecture is None and any(b"include" in text for text in every)):
            _sources[number(made)] = ProgramTexts(every, frozenset(name for name, _ in own), files)
        return outcome.success, program(number(made))

    return create


def destroy_program(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcDestroyProgram, through ctypes: hip-python passes the program where its address is due."""
    import ctypes

    outcome = binding.outcome
    native = binding.native("hiprtcDestroyProgram", ctypes.c_void_p)
    program_class = binding.class_of("nvrtcProgram")

    def destroy(prog: Any) -> tuple[Any, ...]:
        if prog is not None and not isinstance(prog, program_class):
            if not isinstance(prog, int):
                raise TypeError(
                    "Argument 'prog' is not instance of type "
                    f"(expected <class 'int, nvrtc.nvrtcProgram'>, found {type(prog)}"
                )
            # cuda-python takes the address of the variable, as prog.getPtr() gives it.
            status = native(address(prog))
            return outcome.failed(status) if status else (outcome.success,)
        cell = ctypes.c_void_p(address(prog))
        for kept in (_refusals, _texts, _targets, _sources, _linkable):
            kept.pop(address(prog), None)
        status = native(ctypes.byref(cell))
        return outcome.failed(status) if status else (outcome.success,)

    return destroy


def compile_program(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcCompileProgram, its options translated to hiprtc's.

    Through ctypes, which lets other threads run meanwhile: hip-python 7 keeps the interpreter locked. Returns
    NVRTC_ERROR_INVALID_OPTION, with the reason in the program's log, for an option that NVRTC or the shim does
    not take.
    """
    import ctypes

    from cuda_shim.translate.options import cuda_program, to_hiprtc

    outcome, cuda = binding.outcome, binding.catalogue.cuda
    native = binding.native("hiprtcCompileProgram", ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    log_of = _hip_log(binding)

    def compile_it(prog: Any, count: Any, options: Any) -> tuple[Any, ...]:
        given = _byte_list("options", options, count)
        architecture = compiled_for(binding.hip_python)
        translated = to_hiprtc(given[:count], architecture=architecture, cuda=cuda)
        for note in translated.notes:
            debug("nvrtcCompileProgram: %s", note)
        program = address(prog)
        _refusals.pop(program, None)
        _texts.pop(program, None)
        for found in _TARGET.finditer(b" ".join(given[:count])):
            _targets[program] = f"sm_{found[1].decode()}"
        if translated.refused is not None:
            _refusals[program] = translated.refused.encode("utf-8", "surrogateescape") + b"\n\0"
            return outcome.named("NVRTC_ERROR_INVALID_OPTION")
        if architecture is None and settings.current().gfx:
            setting = settings.current().assignment("gfx")
            cores = "the CPU backend compiles for host cores; set CUDA_SHIM_BACKEND=rocm"
            _refusals[program] = f"nvrtc: error: {setting}: {cores}\n\0".encode()
            return outcome.named("NVRTC_ERROR_INVALID_OPTION")
        reason = None if translated.architecture is None else untranslatable(translated.architecture)
        if reason is not None:
            _refusals[program] = f"nvrtc: error: {reason}\n\0".encode()
            return outcome.named("NVRTC_ERROR_COMPILATION")
        passed = translated.options
        texts = _sources.get(program)
        if texts is not None and (texts.files or translated.include_paths):
            from cuda_shim.adapters.translated_headers import options_for

            passed = options_for(texts, translated)
        passed = [*device_options(binding.hip_python, translated.architecture), *passed]
        if architecture is None:
            passed = [cuda_program(cuda), *passed]
        status = native(program, len(passed), (ctypes.c_char_p * len(passed))(*passed))
        if not status:
            return (outcome.success,)
        failure = outcome.failed(status)
        explained = _explained(log_of(program), failure[0].name, translated.architecture)
        if explained is not None:
            _refusals[program] = explained
        return failure

    return compile_it


def _explained(log: bytes | None, status: str, architecture: str | None) -> bytes | None:
    """Return the log of a compilation that failed, where hiprtc's is empty or does not name the reason; else None.

    `log` is None where the program is none.
    """
    if log is None:
        return None
    if not log.strip(b"\0\n "):
        return f"nvrtc: error: hiprtc failed with {status} and says nothing more\n\0".encode()
    if architecture and not has_image_units(architecture) and any(mark in log for mark in _IMAGE_ERRORS):
        reason = f"{architecture} has no image units, so textures and surfaces do not compile for it"
        return log.rstrip(b"\0") + f"nvrtc: note: {reason}: read the array by its address\n\0".encode()
    return without_refused_names(log)


def code_size(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetCUBINSize: the code object's bytes, 0 where there is none."""
    outcome, hiprtc_size = binding.outcome, _size(binding, "hiprtcGetCodeSize")

    def get(prog: Any) -> tuple[Any, ...]:
        return (outcome.success, 0) if address(prog) in _refusals else hiprtc_size(prog)

    return get


def code(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetCUBIN: fill the caller's bytes with the code object, in place; without one they stay as they are."""
    outcome, hiprtc_code = binding.outcome, _fill(binding, "hiprtcGetCode")

    def get(prog: Any, buffer: Any) -> tuple[Any, ...]:
        return (outcome.success,) if address(prog) in _refusals else hiprtc_code(prog, buffer)

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
        program, room = address(prog), _room(buffer)
        status, text = text_of(program)
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

    def get(program: int) -> tuple[Any, bytes]:
        known = b"\0" if program in _refusals else _texts.get(program)
        if known is not None:
            return 0, known
        status, size = hiprtc.hiprtcGetCodeSize(program)
        if status or size == 0:  # nothing was compiled
            return status, b"\0"
        image = bytearray(size)
        (status,) = hiprtc.hiprtcGetCode(program, image)
        if status:
            return status, b""
        code = bytes(image)
        functions = _functions(_linkable[program]) if program in _linkable else ""
        text = wrap(code, kernels_of(binding, code), binding.catalogue.cuda, _targets.get(program), functions)
        _texts[program] = text
        return 0, text

    return get


def _functions(source: bytes) -> str:
    """Return the PTX declarations of a source's functions, for PTX that is linked with it."""
    from cuda_shim.translate.ptx.signatures import functions_of, texts_of

    return texts_of(functions_of(source))


def log_size(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetProgramLogSize: bytes, the closing NUL included."""
    outcome, hiprtc_size = binding.outcome, _size(binding, "hiprtcGetProgramLogSize")

    def get(prog: Any) -> tuple[Any, ...]:
        refusal = _refusals.get(address(prog))
        return hiprtc_size(prog) if refusal is None else (outcome.success, len(refusal))

    return get


def log(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetProgramLog: fill the caller's bytes, in place."""
    outcome, hiprtc_log = binding.outcome, _fill(binding, "hiprtcGetProgramLog")

    def get(prog: Any, buffer: Any) -> tuple[Any, ...]:
        refusal = _refusals.get(address(prog))
        if refusal is None:
            return hiprtc_log(prog, buffer)
        _write(buffer, refusal[: _room(buffer)])
        return (outcome.success,)

    return get


def _hip_log(binding: Binding) -> Callable[[int], bytes | None]:
    """Return the getter of hiprtc's own log of a program, None for a program that hiprtc does not know."""
    hiprtc = binding.hip_python.hiprtc

    def get(program: int) -> bytes | None:
        status, size = hiprtc.hiprtcGetProgramLogSize(program)
        if status:
            return None
        text = bytearray(size)
        if text:
            hiprtc.hiprtcGetProgramLog(program, text)
        return bytes(text)

    return get


def add_name_expression(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcAddNameExpression."""
    outcome = binding.outcome
    hip = binding.hip_python.hiprtc.hiprtcAddNameExpression

    def add(prog: Any, name_expression: Any) -> tuple[Any, ...]:
        (status,) = hip(address(prog), c_string(name_expression))
        return outcome.failed(status) if status else (outcome.success,)

    return add


def lowered_name(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetLoweredName: bytes."""
    outcome = binding.outcome
    hip = binding.hip_python.hiprtc.hiprtcGetLoweredName

    def get(prog: Any, name_expression: Any) -> tuple[Any, ...]:
        status, lowered = hip(address(prog), c_string(name_expression))
        return outcome.failed(status) if status else (outcome.success, byte_string(lowered))

    return get


def supported_archs(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetSupportedArchs: those of the NVRTC that is stood for; each is compiled for the device at hand."""
    outcome, known = binding.outcome, binding.scope.layout.architectures
    return lambda: (outcome.success, list(known))


def supported_arch_count(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetNumSupportedArchs."""
    answer = (binding.outcome.success, len(binding.scope.layout.architectures))
    return lambda: answer


def _size(binding: Binding, name: str) -> Callable[..., tuple[Any, ...]]:
    outcome, hip = binding.outcome, getattr(binding.hip_python.hiprtc, name)

    def get(prog: Any) -> tuple[Any, ...]:
        status, size = hip(address(prog))
        return outcome.failed(status) if status else (outcome.success, size)

    return get


def _fill(binding: Binding, name: str) -> Callable[..., tuple[Any, ...]]:
    """Fill the caller's bytes; of a text that is longer, as much as they hold, where NVRTC would write beyond."""
    outcome, hip = binding.outcome, getattr(binding.hip_python.hiprtc, name)
    size_of = getattr(binding.hip_python.hiprtc, f"{name}Size")

    def get(prog: Any, buffer: Any) -> tuple[Any, ...]:
        program, room = address(prog), _room(buffer)
        status, size = size_of(program)
        if not status and size == 0:
            return (outcome.success,)
        plain = buffer.__class__ in (bytes, bytearray)  # hip-python fills no others
        if status or (plain and room > 1 and size <= room):
            status = status or hip(program, buffer)[0]
            return outcome.failed(status) if status else (outcome.success,)
        whole = bytearray(size)
        (status,) = hip(program, whole)
        if status:
            return outcome.failed(status)
        _write(buffer, whole[:room])
        return (outcome.success,)

    return get


def _room(buffer: Any) -> int:
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


def _byte_list(name: str, value: Any, count: Any) -> list[bytes]:
    """Return a list argument of bytes, None for none, each up to its first zero, as C reads them.

    Raises TypeError and RuntimeError as cuda-python.
    """
    items = [] if value is None else value
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, bytes) for item in items):
        raise TypeError(f"Argument '{name}' is not instance of type (expected tuple[bytes] or list[bytes]")
    if count > len(items):
        raise RuntimeError(f"List is too small: {len(items)} < {count}")
    return [item.partition(b"\0")[0] for item in items]

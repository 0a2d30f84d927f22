"""NVRTC on hiprtc: programs, compilation and names; `nvrtc_outputs` has the code, the texts and the logs."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuda_shim import settings
from cuda_shim.adapters.compilation_target import compiled_for, device_options, has_image_units, untranslatable
from cuda_shim.adapters.nvrtc_program import DEFAULT_NAME, Program, enter, program_at, program_of, remove
from cuda_shim.adapters.nvrtc_times import add_times, file_of_times
from cuda_shim.binding.arguments import address, byte_string, c_string, number
from cuda_shim.binding.functions import Binding
from cuda_shim.log import debug
from cuda_shim.translate.constructs import concerns_the_cpu, names_files
from cuda_shim.translate.program_texts import ProgramTexts

if TYPE_CHECKING:
    from cuda_shim.translate.options import Translation
    from cuda_shim.translate.program_files import ProgramFile

__all__ = [
    "add_name_expression",
    "compile_program",
    "create_program",
    "destroy_program",
    "lowered_name",
    "supported_arch_count",
    "supported_archs",
]

# Errors of AMD's header, and of its compiler, for textures and surfaces on hardware without them.
_IMAGE_ERRORS = (b"image/texture API not supported", b"image-insts")


def create_program(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcCreateProgram: source and name as bytes, headers and their names as lists of bytes or None.

    Two headers of one name are NVRTC_ERROR_INVALID_INPUT.
    The source and the headers are translated here, since hiprtc keeps them from now on. The compiler reports code that
    cannot be translated, with its line.
    """
    outcome, program_class = binding.outcome, binding.class_of("nvrtcProgram")
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
        source = c_string(src).partition(b"\0")[0].removeprefix(codecs.BOM_UTF8)
        architecture = compiled_for(binding.hip_python)
        translation, names, texts = source, [], []
        files: list[ProgramFile] = []
        if architecture is not None or own or concerns_the_cpu(source) or names_files(source):
            from cuda_shim.translate.source import to_hip  # takes longer to import than most sources to compile

            translated = to_hip(source, label, own, architecture=architecture)
            for note in translated.notes:
                debug("nvrtcCreateProgram: %s", note)
            translation, files = translated.source, translated.files
            names, texts = [pair[0] for pair in translated.headers], [pair[1] for pair in translated.headers]
        status, pointer = hip(translation, label, len(texts), texts or None, names or None)
        if status:
            return outcome.failed(status)
        handle, program = number(pointer), Program()
        program.sources = {label or DEFAULT_NAME: source, **dict(own)}
        if b'"C"' in source and b"__device__" in source:
            program.ptx_source = source
        originals = [source, *(text for _, text in own)]
        if files or (architecture is None and any(b"include" in text for text in originals)):
            program.texts = ProgramTexts(originals, frozenset(name for name, _ in own), files)
        enter(handle, program)
        return outcome.success, program_class(handle)

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
        remove(address(prog))
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
        arguments = _byte_list("options", options, count)[:count]
        architecture = compiled_for(binding.hip_python)
        translated = to_hiprtc(arguments, architecture=architecture, cuda=cuda)
        for note in translated.notes:
            debug("nvrtcCompileProgram: %s", note)
        handle = address(prog)
        program = program_of(handle)
        program.begin_compilation(arguments)
        refused = _refuse(program, translated, on_cpu=architecture is None)
        if refused is not None:
            return outcome.named(refused)
        hip_options = translated.options
        if program.texts is not None and (program.texts.files or translated.include_paths):
            from cuda_shim.adapters.translated_headers import options_for

            hip_options = options_for(program.texts, translated)
        hip_options = [*device_options(binding.hip_python, translated.architecture), *hip_options]
        if architecture is None:
            hip_options = [cuda_program(cuda), *hip_options]
        began = time.perf_counter()
        status = native(handle, len(hip_options), (ctypes.c_char_p * len(hip_options))(*hip_options))
        seconds = time.perf_counter() - began
        if status:
            failure = outcome.failed(status)
            program.failed = True
            program.log = _explained(log_of(handle), failure[0].name, translated.architecture)
            _write_as_nvrtc(program, program.log or log_of(handle), translated)
            return failure
        _write_as_nvrtc(program, log_of(handle), translated)
        if program.failed:
            return outcome.named("NVRTC_ERROR_COMPILATION")
        file = file_of_times(arguments)
        if file is not None and not add_times(program, file, seconds, program.log or log_of(handle) or b""):
            return outcome.named("NVRTC_ERROR_TIME_FILE_WRITE_FAILED")
        return (outcome.success,)

    return compile_it


def _write_as_nvrtc(program: Program, log: bytes | None, options: Translation) -> None:
    """Make a compiler's log the program's in NVRTC's form; it may show that NVRTC refuses what has compiled."""
    if log is None or (b": error: " not in log and b": warning: " not in log):
        return
    from cuda_shim.translate.message_options import diagnostics_of
    from cuda_shim.translate.nvrtc_log import nvrtc_log  # only programs with messages need it

    def text_of(text: bytes) -> str:
        return text.decode("utf-8", "surrogateescape")

    sources = {text_of(name): text_of(source) for name, source in program.sources.items()}
    lenient = options.on_gpu or settings.current().cpu_lenient
    written = nvrtc_log(text_of(log.rstrip(b"\0")), program.name, sources, diagnostics_of(options, lenient))
    if written is not None:
        program.log = written.text.encode("utf-8", "surrogateescape") + b"\0"
        program.failed = program.failed or written.refused


def _refuse(program: Program, options: Translation, on_cpu: bool) -> str | None:
    """Return the status of options that hiprtc does not get to see, after writing why to the log; else None."""
    if options.refused is not None:
        program.refuse(options.refused)
        return "NVRTC_ERROR_INVALID_OPTION"
    if on_cpu and settings.current().gfx:
        setting = settings.current().assignment("gfx")
        cores = "the CPU backend compiles for host cores; set CUDA_SHIM_BACKEND=rocm"
        program.refuse(f"nvrtc: error: {setting}: {cores}")
        return "NVRTC_ERROR_INVALID_OPTION"
    if program.has_blank_name:
        error = "name expression (1): error: expected an expression"
        program.refuse(f'{error}\n\n1 error detected in the compilation of "{program.name}".')
        return "NVRTC_ERROR_COMPILATION"
    reason = None if options.architecture is None else untranslatable(options.architecture)
    if reason is not None:
        program.refuse(f"nvrtc: error: {reason}")
        return "NVRTC_ERROR_COMPILATION"
    return None


def _explained(log: bytes | None, status: str, architecture: str | None) -> bytes | None:
    """Return the log of a compilation that failed, where hiprtc's is empty or does not name the reason; else None.

    `log` is None where hiprtc knows no such program.
    """
    from cuda_shim.translate.refusal_log import without_refused_names  # only failures need it

    if log is None:
        return None
    if not log.strip(b"\0\n "):
        return f"nvrtc: error: hiprtc failed with {status} and says nothing more\n\0".encode()
    if architecture and not has_image_units(architecture) and any(mark in log for mark in _IMAGE_ERRORS):
        reason = f"{architecture} has no image units, so textures and surfaces do not compile for it"
        return log.rstrip(b"\0") + f"nvrtc: note: {reason}: read the array by its address\n\0".encode()
    return without_refused_names(log)


def _hip_log(binding: Binding) -> Callable[[int], bytes | None]:
    """Return the getter of hiprtc's own log of a program, None for a program that hiprtc does not know."""
    hiprtc = binding.hip_python.hiprtc

    def get(handle: int) -> bytes | None:
        status, size = hiprtc.hiprtcGetProgramLogSize(handle)
        if status:
            return None
        text = bytearray(size)
        if text:
            hiprtc.hiprtcGetProgramLog(handle, text)
        return bytes(text)

    return get


def add_name_expression(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcAddNameExpression. NVRTC takes a blank expression, which the compilation then refuses; hiprtc does not."""
    outcome = binding.outcome
    hip, log_of = binding.hip_python.hiprtc.hiprtcAddNameExpression, _hip_log(binding)

    def add(prog: Any, name_expression: Any) -> tuple[Any, ...]:
        handle, expression = address(prog), c_string(name_expression)
        if not expression.partition(b"\0")[0].strip() and log_of(handle) is not None:
            program_of(handle).has_blank_name = True
            return (outcome.success,)
        (status,) = hip(handle, expression)
        return outcome.failed(status) if status else (outcome.success,)

    return add


def lowered_name(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetLoweredName: bytes."""
    outcome = binding.outcome
    hip = binding.hip_python.hiprtc.hiprtcGetLoweredName

    def get(prog: Any, name_expression: Any) -> tuple[Any, ...]:
        handle, expression = address(prog), c_string(name_expression)
        if program_at(handle).has_blank_name and not expression.partition(b"\0")[0].strip():
            return outcome.named("NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION")
        status, lowered = hip(handle, expression)
        return outcome.failed(status) if status else (outcome.success, byte_string(lowered))

    return get


def supported_archs(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetSupportedArchs: the list of NVIDIA's NVRTC; code for each of them is compiled for the current device."""
    outcome, architectures = binding.outcome, binding.scope.layout.architectures
    return lambda: (outcome.success, list(architectures))


def supported_arch_count(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """nvrtcGetNumSupportedArchs."""
    answer = (binding.outcome.success, len(binding.scope.layout.architectures))
    return lambda: answer


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

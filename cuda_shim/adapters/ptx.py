"""PTX text as a code object: translated to C++ and compiled by hiprtc, on every backend."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cuda_shim import settings
from cuda_shim.adapters.architecture import of_current_device
from cuda_shim.adapters.compilation_target import device_options, has_image_units, untranslatable
from cuda_shim.binding.functions import Binding
from cuda_shim.log import debug

if TYPE_CHECKING:
    from cuda_shim.translate.ptx.errors import PtxError
    from cuda_shim.translate.ptx.signatures import Signature
    from cuda_shim.translate.ptx.writer import Translation

__all__ = ["PTX_NAME", "CompiledPtx", "Others", "compile_ptx"]

PTX_NAME = "ptx_input"
"""The name that NVIDIA's assembler gives a text without one."""

_MAX_COMPILED = 64
_FIRST_WITH_CLUSTERS = 90
_UNTRANSLATED = "ptxas {}; error   : the text has no translation that compiles; the log at level debug says why\n"


@dataclass
class Others:
    """The functions that a PTX text is linked with.

    Attributes:
        functions: the functions of CUDA C++, with their types.
        texts: other PTX, which declares the parameters of its functions.
    """

    functions: dict[str, Signature] = field(default_factory=dict)
    texts: list[bytes] = field(default_factory=list)

    def have(self, name: str) -> bool:
        """Return whether a function's parameters are known."""
        marks = (f"{name}(".encode(), f"{name} ".encode(), f"{name}\n".encode())
        return name in self.functions or any(mark in text for text in self.texts for mark in marks)


class CompiledPtx:
    """The result of compiling a PTX text: its code object, or the lines for an error log.

    `status` is done, invalid, unsupported, failed, or version: the text's version of PTX is not taken.
    """

    def __init__(self, code: bytes | None, log: str, status: str) -> None:
        self.code = code
        self.log = log
        self.status = status


_compiled: OrderedDict[bytes, CompiledPtx] = OrderedDict()
_lock = threading.Lock()


def compile_ptx(binding: Binding, text: bytes, name: str = PTX_NAME, others: Others | None = None) -> CompiledPtx:
    """Return the code object of a PTX text, for the current device, `others` to be linked with it.

    Without a device it is for the setting `gfx`. Results are cached by the text in this process; hiprtc's own cache
    spans processes.
    """
    architecture = of_current_device(binding.hip_python)
    if architecture == "":
        architecture = settings.current().gfx
    conditions = repr((architecture, name, others, settings.current().fast_atomics, binding.scope.layout.ptx))
    key = hashlib.sha256(b"\0".join((conditions.encode(), text))).digest()
    with _lock:
        cached = _compiled.get(key)
        if cached is not None:
            _compiled.move_to_end(key)
            return cached
    compiled = _compile(binding, text, name, architecture, others)
    with _lock:
        _compiled[key] = compiled
        while len(_compiled) > _MAX_COMPILED:
            _compiled.popitem(last=False)
    return compiled


def _compile(binding: Binding, text: bytes, name: str, architecture: str | None, others: Others | None) -> CompiledPtx:
    from cuda_shim.translate import headers
    from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx, UnsupportedVersion
    from cuda_shim.translate.ptx.writer import OPTIONS, translate
    from cuda_shim.translate.source import to_hip

    try:
        functions = None if others is None else others.functions
        translation = translate(text.decode("utf-8", "replace"), functions=functions, newest=binding.scope.layout.ptx)
    except UnsupportedVersion as newer:
        return CompiledPtx(None, newer.message(name), "version")
    except UnsupportedPtx as refused:
        return CompiledPtx(None, refused.message(name), "unsupported")
    except PtxError as wrong:
        return CompiledPtx(None, wrong.message(name), "invalid")
    limit = _limit(translation, architecture)
    if limit is not None:
        return CompiledPtx(None, limit.message(name), "unsupported")
    reason = None if architecture is None else untranslatable(architecture)
    if reason is not None:
        return CompiledPtx(None, f"ptxas fatal   : {reason}\n", "failed")
    if translation.undefined and others is None:
        report = "".join(
            f"ptxas fatal   : Unresolved extern function '{function}'\n" for function in translation.undefined
        )
        return CompiledPtx(None, report, "invalid")
    if others is not None and architecture is None:
        # A host's processor takes floating numbers elsewhere than whole ones: a guess would give wrong answers.
        unknown = [function for function in translation.undefined if not others.have(function)]
        if unknown:
            report = f"what '{unknown[0]}' takes is not known: link the text that nvrtcGetPTX gives for it"
            report = f"ptxas fatal   : {report}\n"
            return CompiledPtx(None, report, "unsupported")
    source = translation.source.encode()
    texts = headers.texts(
        [
            "cuda_shim/ptx_module.h",
            "cuda_shim/ptx_threads.h",
            *(["cuda_shim/ptx_groups.h"] if b"ptx_groups" in source else []),
        ],
        set(),
    )
    options = [*OPTIONS]
    if architecture is None:
        texts = [pair for pair in texts if pair[0].startswith(b"cuda_shim/ptx")]
        if _has_clusters(translation.target):
            options.append(b"-D__CUDA_ARCH__=900")  # hiprtc then has the functions of clusters
        if others is not None:
            options.append(b"-fgpu-rdc")
    else:
        program = to_hip(translation.source_for_amd().encode(), name.encode(), texts, architecture=architecture)
        source, texts = program.source, program.headers
        options += [b"-std=c++17", b"--offload-arch=" + architecture.encode()]
        options += device_options(binding.hip_python, architecture)
    return _built(binding, source, _program_name(name, translation.entries), texts, options)


def _has_clusters(target: str) -> bool:
    """Return whether a module's target has clusters of thread blocks."""
    return int("".join(filter(str.isdigit, target)) or "0") >= _FIRST_WITH_CLUSTERS


def _program_name(name: str, entries: list[str]) -> str:
    """Return the name under which hiprtc reports on a text: a PTX text has none of its own, its kernels do."""
    if name != PTX_NAME or not entries:
        return name
    return entries[0] if len(entries) == 1 else f"{entries[0]} and {len(entries) - 1} more"


def _limit(translation: Translation, architecture: str | None) -> PtxError | None:
    """Return why a text cannot be compiled for an AMD GPU; None where it can, as for host cores (None)."""
    if architecture is None:
        return None
    if translation.hosts_only:
        return translation.hosts_only[0]
    if translation.images and not has_image_units(architecture):
        first = translation.images[0]
        reason = f"{first.reason}, which {architecture} does not have: read the array by its address"
        return type(first)(reason, first.line, first.column)
    return None


def _built(
    binding: Binding, source: bytes, name: str, texts: list[tuple[bytes, bytes]], options: list[bytes]
) -> CompiledPtx:
    """Compile C++ through hiprtc; through ctypes, which lets other threads run meanwhile."""
    hiprtc = binding.hip_python.hiprtc
    status, program = hiprtc.hiprtcCreateProgram(
        source, name.encode(), len(texts), [text for _, text in texts], [header for header, _ in texts]
    )
    if status:
        return CompiledPtx(None, f"{name}: {status!r}\n", "failed")
    handle = int(program)
    try:
        pointer = ctypes.c_void_p
        run = binding.native("hiprtcCompileProgram", pointer, ctypes.c_int, pointer)
        if run(handle, len(options), (ctypes.c_char_p * len(options))(*options)):
            # The translation is wrong, not the text: the C++ compiler's report is for the authors of cuda_shim.
            debug("%s: %s", name, _log(binding, handle))
            return CompiledPtx(None, _UNTRANSLATED.format(name), "failed")
        size = ctypes.c_size_t()
        binding.native("hiprtcGetCodeSize", pointer, pointer)(handle, ctypes.byref(size))
        code = ctypes.create_string_buffer(size.value)
        failed = binding.native("hiprtcGetCode", pointer, pointer)(handle, code)
        return CompiledPtx(None if failed else code.raw, "", "failed" if failed else "done")
    finally:
        cell = ctypes.c_void_p(handle)
        binding.native("hiprtcDestroyProgram", pointer)(ctypes.byref(cell))


def _log(binding: Binding, handle: int) -> str:
    pointer, size = ctypes.c_void_p, ctypes.c_size_t()
    binding.native("hiprtcGetProgramLogSize", pointer, pointer)(handle, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value + 1)
    binding.native("hiprtcGetProgramLog", pointer, pointer)(handle, text)
    return text.value.decode("utf-8", "replace")

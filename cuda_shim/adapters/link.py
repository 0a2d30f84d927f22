"""cuLink*: images put together into one that a module can be loaded from.

NVIDIA's linker takes PTX text and cubins. Compiling through nvrtc gives a code object here, or a text that carries one:
linking one is handing it on. PTX of other origin is checked when it is added and compiled when the link is completed.
Several go to hiprtc's linker, and so does LLVM bitcode, which AMD's own tools make. The CPU device links code objects
compiled with relocatable device code; AMD's linker takes bitcode alone.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cuda_shim.adapters.image import Image, first_bytes, foreign_kind, ptx_of, refuse, resolve
from cuda_shim.adapters.jit_options import check_options, write_logs
from cuda_shim.adapters.ptx import PTX_NAME, Others
from cuda_shim.binding.arguments import address, c_string, number
from cuda_shim.binding.enums.translation import require_constant
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.translate.ptx.signatures import Signature, declared_in

__all__ = ["add_data", "add_file", "complete", "create", "destroy"]

_BITCODE = "LLVM bitcode"
_ARCHIVE = b"!<arch>\n"
# libcudadevrt.a, NVIDIA's device runtime, is linked for cooperative groups.
_DEVICE_RUNTIME = b"cudadevrt"
_CODE_MARKS = (b"\x7fELF", b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB")
# The driver's status for each of hiprtc's.
_STATUS = {
    "HIPRTC_ERROR_OUT_OF_MEMORY": "CUDA_ERROR_OUT_OF_MEMORY",
    "HIPRTC_ERROR_INVALID_INPUT": "CUDA_ERROR_INVALID_VALUE",
    "HIPRTC_ERROR_INVALID_PROGRAM": "CUDA_ERROR_INVALID_HANDLE",
    "HIPRTC_ERROR_LINKING": "CUDA_ERROR_INVALID_SOURCE",
}
_MAX_BYTES = 1 << 28  # the longest image: no compiler makes a longer one
_LOG_BYTES = 1 << 14  # of the linker's report of a failure
_UNDEFINED = re.compile(r"(?:Unresolved extern function|what) '([^']+)'(?: takes is not known|\n)")
_Call = Callable[..., tuple[Any, ...]]


def _no_logs(image: Image) -> None:
    """Drop the log of a link whose options ask for none."""


class _Link:
    """One link in progress: the only code object that was added, or the inputs of hiprtc's linker.

    PTX texts wait with their names.
    """

    def __init__(self) -> None:
        self.code: bytes | None = None
        self.name = b""
        self.at_hiprtc = False
        self.texts: list[tuple[bytes, bytes]] = []
        self.functions: dict[str, Signature] = {}
        self.logs: Callable[[Image], None] = _no_logs
        self.report = ctypes.create_string_buffer(_LOG_BYTES)
        self.finished = False

    def log_failure(self, otherwise: str) -> None:
        """Write the linker's report of a failure into the program's error log, or `otherwise`."""
        self.logs(Image(None, log=self.report.value.decode("utf-8", "replace") or otherwise))


# Links by the address of hiprtc's link state, which is the handle that programs see.
_links: dict[int, _Link] = {}


def create(binding: Binding) -> _Call:
    """cuLinkCreate. The options steer NVIDIA's assembler and have no effect here, but for the logs."""
    outcome, state, check = binding.outcome, binding.class_of("CUlinkState"), check_options(binding)
    pointer = ctypes.c_void_p
    native = binding.native("hiprtcLinkCreate", ctypes.c_uint, pointer, pointer, pointer)
    hip_options = binding.enums("CUjit_option").hip_constants
    log_options = (ctypes.c_int * 2)(
        *(int(hip_options[f"hipJitOptionErrorLog{part}"]) for part in ("Buffer", "BufferSizeBytes"))
    )

    def make(count: Any, options: Any, values: Any) -> tuple[Any, ...]:
        check(count, options, values)
        link, handle = _Link(), ctypes.c_void_p()
        log = (ctypes.c_void_p * 2)(ctypes.addressof(link.report), _LOG_BYTES)
        status = native(2, log_options, log, ctypes.byref(handle))
        if status:
            return _failed(binding, status)
        _links[handle.value or 0] = link
        link.logs = write_logs(binding, count, options, values)
        return outcome.success, state(handle.value or 0)

    return make


def add_data(binding: Binding) -> _Call:
    """cuLinkAddData: a code object as nvrtcGetPTX and nvrtcGetCUBIN give it, or LLVM bitcode."""
    check, add, size_of = check_options(binding), _Adder(binding), C_INTEGERS["size_t"].check
    kinds = binding.class_of("CUjitInputType")

    def add_image(
        state: Any, kind: Any, data: Any, size: Any, name: Any, count: Any, options: Any, values: Any
    ) -> tuple[Any, ...]:
        check(count, options, values)
        require_constant(kinds, typename=kind)
        label, length = c_string(name), size_of(size)
        image = first_bytes(data, min(length, _MAX_BYTES))
        if len(image) < length:
            return binding.outcome.invalid()  # the image is shorter than that
        return add(address(state), image, label)

    return add_image


def add_file(binding: Binding) -> _Call:
    """cuLinkAddFile: the same, read from a file."""
    outcome, check, add = binding.outcome, check_options(binding), _Adder(binding)
    kinds = binding.class_of("CUjitInputType")

    def add_image(state: Any, kind: Any, path: Any, count: Any, options: Any, values: Any) -> tuple[Any, ...]:
        handle = address(state)
        check(count, options, values)
        require_constant(kinds, typename=kind)
        name = c_string(path)
        try:
            image = Path(name.decode("utf-8", "surrogateescape")).read_bytes()
        except OSError:
            return outcome.named("CUDA_ERROR_FILE_NOT_FOUND")
        return add(handle, image, name)

    return add_image


def complete(binding: Binding) -> _Call:
    """cuLinkComplete: the address and size of the image, which lives as long as the link state."""
    outcome, hip, add = binding.outcome, binding.hip_python.hiprtc.hiprtcLinkComplete, _Adder(binding)

    def finish(state: Any) -> tuple[Any, ...]:
        handle = address(state)
        link = _links.get(handle)
        if link is None or link.finished:
            return outcome.named("CUDA_ERROR_INVALID_HANDLE")
        failed = add.compile_texts(link, handle) or add.check_alone(link, handle)
        if failed is not None:
            return failed
        if link.code is not None:
            link.finished = True
            place = ctypes.cast(ctypes.c_char_p(link.code), ctypes.c_void_p).value
            return outcome.success, place, len(link.code)
        status, image, size = hip(handle)
        if status:
            link.log_failure("error   : the inputs cannot be linked\n")
            return _failed(binding, status)
        link.finished = True
        return outcome.success, number(image), size

    return finish


def destroy(binding: Binding) -> _Call:
    """cuLinkDestroy."""
    outcome, hip = binding.outcome, binding.hip_python.hiprtc.hiprtcLinkDestroy

    def end(state: Any) -> tuple[Any, ...]:
        if _links.pop(address(state), None) is None:
            return outcome.named("CUDA_ERROR_INVALID_HANDLE")
        (status,) = hip(address(state))
        return _failed(binding, status) if status else (outcome.success,)

    return end


class _Adder:
    """Adds one image to a link."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._outcome = binding.outcome
        # Through ctypes: hip-python packs option arrays that are empty here.
        pointer, count = ctypes.c_void_p, ctypes.c_uint
        self._native = binding.native(
            "hiprtcLinkAddData", pointer, ctypes.c_int, pointer, ctypes.c_size_t, ctypes.c_char_p, count, pointer,
            pointer,
        )  # fmt: skip
        constants = binding.enums("CUjitInputType").hip_constants
        self._bitcode, self._object = (int(constants[kind]) for kind in ("hipJitInputLLVMBitcode", "hipJitInputObject"))

    def __call__(self, handle: int, image: bytes, name: bytes) -> tuple[Any, ...]:
        link = _links.get(handle)
        if link is None or link.finished:
            return self._outcome.named("CUDA_ERROR_INVALID_HANDLE")
        if not image:
            return self._outcome.invalid()
        kind = foreign_kind(image)
        if kind == _BITCODE:
            return self._add_bitcode(link, handle, image, name)
        if kind is not None:
            return self._add_foreign(link, handle, image, kind, name)
        if image.startswith(_ARCHIVE) and _DEVICE_RUNTIME in name:
            return (self._outcome.success,)  # translation provides the functions of it that PTX calls
        if image.startswith(_CODE_MARKS):
            return self._add_code(link, handle, image, name)
        label = name.decode("utf-8", "replace") or "an input without a name"
        link.logs(Image(None, log=f"error   : '{label}' is no image that can be linked\n"))
        return self._outcome.named("CUDA_ERROR_INVALID_IMAGE")

    def _add_foreign(self, link: _Link, handle: int, image: bytes, kind: str, name: bytes) -> tuple[Any, ...]:
        label = name.decode("utf-8", "replace") or None
        opened = ptx_of(self._binding, image, kind, label)
        link.logs(opened)
        if opened.text is not None:
            link.texts.append((opened.text, name))
            return (self._outcome.success,)
        if opened.code is None:
            return refuse(self._binding, opened)
        link.functions.update(declared_in(image))
        return self._add_code(link, handle, opened.code, name)

    def compile_texts(self, link: _Link, handle: int) -> tuple[Any, ...] | None:
        """Compile the PTX of a link: alone, or to be linked with the rest.

        The tuple of a failure, None where all is well.
        """
        texts, link.texts = link.texts, []
        objects = link.code is not None or link.at_hiprtc  # code objects, which may define functions that PTX calls
        alone = len(texts) == 1 and link.code is None and not link.at_hiprtc
        for text, name in texts:
            others = None if alone else Others(link.functions, [other for other, _ in texts if other is not text])
            label = name.decode("utf-8", "replace") or None
            compiled = resolve(self._binding, text, "PTX text", label, others=others)
            undefined = () if compiled.code is not None or objects else _UNDEFINED.findall(compiled.log)
            if undefined:
                return self._refuse_undefined(link, undefined, label or PTX_NAME)
            link.logs(compiled)
            if compiled.code is None:
                return refuse(self._binding, compiled)
            result = self._add_code(link, handle, compiled.code, name)
            if result != (self._outcome.success,):
                return result
        return None

    def check_alone(self, link: _Link, handle: int) -> tuple[Any, ...] | None:
        """Check the only code object of a link, where the linker is the CPU device's.

        The tuple of a failure, None where all its names are defined.
        """
        if link.code is None or self._binding.hip_python.backend.name != "cpu":
            return None
        if self._native(handle, self._object, link.code, len(link.code), link.name, 0, None, None):
            return None  # no code object for this machine: loading it reports why
        link.code, link.at_hiprtc = None, True
        return None

    def _refuse_undefined(self, link: _Link, names: Sequence[str], label: str) -> tuple[Any, ...]:
        """Return the failure of a link whose only input calls functions that it does not define."""
        lines = "".join(f"error   : Undefined reference to '{name}' in '{label}'\n" for name in names)
        image = Image(None, _STATUS["HIPRTC_ERROR_LINKING"], lines)
        link.logs(image)
        return refuse(self._binding, image)

    def _add_code(self, link: _Link, handle: int, image: bytes, name: bytes) -> tuple[Any, ...]:
        if link.code is None and not link.at_hiprtc:
            link.code, link.name = image, name
            return (self._outcome.success,)
        first = [] if link.code is None else [(link.code, link.name)]
        for part, label in [*first, (image, name)]:
            if self._native(handle, self._object, part, len(part), label, 0, None, None):
                return self._complete_already(name)
            link.code, link.at_hiprtc = None, True
        return (self._outcome.success,)

    def _add_bitcode(self, link: _Link, handle: int, image: bytes, name: bytes) -> tuple[Any, ...]:
        if link.code is not None:
            return self._complete_already(name)
        status = self._native(handle, self._bitcode, image, len(image), name, 0, None, None)
        if status:
            return _failed(self._binding, status)
        link.at_hiprtc = True
        return (self._outcome.success,)

    def _complete_already(self, name: bytes) -> tuple[Any, ...]:
        image = name.decode("utf-8", "replace") or "an image"
        self._outcome.report_unsupported(
            f"{image} cannot be linked with another image, since code objects are complete: compile the sources as one",
            "%s: %s",
        )
        return self._outcome.named("CUDA_ERROR_NOT_SUPPORTED")


def _failed(binding: Binding, status: Any) -> tuple[Any, ...]:
    """Return the tuple for a hiprtc status other than success."""
    name = binding.hip_python.hiprtc.hiprtcResult(int(status)).name
    return binding.outcome.named(_STATUS.get(name, "CUDA_ERROR_UNKNOWN"))

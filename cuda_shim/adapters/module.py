"""Loading modules and libraries: code objects as they are, PTX compiled, and clear refusals of other images."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.context_stack import context_stack
from cuda_shim.adapters.image import Image, first_bytes, for_another_gpu, foreign_kind, is_linked, refuse, resolve
from cuda_shim.adapters.jit_options import check_options, write_logs
from cuda_shim.binding.arguments import address, c_string, number, require
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.enums.translation import Refused, require_constant
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.lists import check_list

__all__ = [
    "kernel_attribute",
    "kernel_cache_config",
    "library_load_data",
    "library_load_file",
    "load_data",
    "load_data_ex",
    "load_file",
    "loading_mode",
]


class _Loader:
    """Loads an image into a module or library of one kind of handle.

    `from_file` is HIP's call for a path, None where there is only the one for memory.
    """

    def __init__(
        self, binding: Binding, handle: str, hip: Callable[..., Any], from_file: Callable[..., Any] | None = None
    ) -> None:
        self.outcome = binding.outcome
        self._binding = binding
        self._handle = binding.class_of(handle)
        self._hip = hip
        self._from_file = from_file

    def data(self, image: Any, logs: Callable[[Image], None] | None = None) -> tuple[Any, ...]:
        """Return the tuple for an image in memory: a buffer or an address. `logs` receives the result for PTX."""
        kind = foreign_kind(image)
        if kind is not None:
            return self._foreign(image, kind, None, logs)
        return self._loaded(image)

    def _loaded(self, image: Any) -> tuple[Any, ...]:
        """Return the tuple for a code object."""
        buffer, place = memory_address(image)
        result = self._hip(place)
        other = for_another_gpu(self._binding, image) if result[0] and place else None
        del buffer
        return self.wrapped(result) if other is None else refuse(self._binding, other)

    def _foreign(
        self, image: Any, kind: str, name: str | None, logs: Callable[[Image], None] | None = None
    ) -> tuple[Any, ...]:
        compiled = resolve(self._binding, image, kind, name)
        if logs is not None:
            logs(compiled)
        if compiled.code is None:
            return refuse(self._binding, compiled)
        return self._loaded(compiled.code)

    def wrapped(self, result: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the tuple for hip-python's answer."""
        status, loaded = result
        return self.outcome.failed(status) if status else (self.outcome.success, self._handle(number(loaded)))

    def file(self, path: bytes, logs: Callable[[Image], None] | None = None) -> tuple[Any, ...]:
        """Return the tuple for a file; HIP's own status for a file that cannot be opened."""
        if self._from_file is None:
            raise TypeError("this loader takes no files")
        name = path.decode("utf-8", "surrogateescape")
        try:
            with open(name, "rb") as opened:
                start = opened.read(64)
                kind = foreign_kind(start)
                if kind is not None:
                    return self._foreign(start + opened.read(), kind, name, logs)
                result = self._from_file(path)
                other = for_another_gpu(self._binding, start + opened.read()) if result[0] else None
        except OSError:
            return self.wrapped(self._from_file(path))  # HIP's status reports the error of the file
        return self.wrapped(result) if other is None else refuse(self._binding, other)


def load_data(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuModuleLoadData, cuModuleLoadFatBinary; HIP's is hipModuleLoadData."""
    return _Loader(binding, "CUmodule", binding.hip_python.hip.hipModuleLoadData).data


def load_data_ex(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuModuleLoadDataEx.

    Options steer NVIDIA's assembler and have no effect but for the logs, which are written where PTX is compiled.
    """
    loader = _Loader(binding, "CUmodule", binding.hip_python.hip.hipModuleLoadData)
    check = check_options(binding)

    def load(image: Any, count: Any, options: Any, values: Any) -> tuple[Any, ...]:
        check(count, options, values)
        return loader.data(image, write_logs(binding, count, options, values))

    return load


def load_file(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuModuleLoad; HIP's is hipModuleLoad."""
    hip = binding.hip_python.hip
    loader = _Loader(binding, "CUmodule", hip.hipModuleLoadData, hip.hipModuleLoad)
    return lambda path: loader.file(c_string(path))


def library_load_data(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuLibraryLoadData, cudaLibraryLoadData; HIP's is hipLibraryLoadData."""
    hip = _library_call(binding, "hipLibraryLoadData")
    loader = _Loader(binding, _library(binding), hip)
    check = _check_library_options(binding)

    def load(image: Any, *options: Any) -> tuple[Any, ...]:
        check(*options)
        if is_linked(first_bytes(image, 4)):
            # It reads PTX, and importing that takes longer than loading a code object.
            from cuda_shim.adapters import linked_library

            return loader.wrapped(linked_library.load(binding, image, hip))
        return loader.data(image, write_logs(binding, options[2], options[0], options[1]))

    return load


def library_load_file(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuLibraryLoadFromFile, cudaLibraryLoadFromFile; HIP's is hipLibraryLoadFromFile."""
    calls = (_library_call(binding, name) for name in ("hipLibraryLoadData", "hipLibraryLoadFromFile"))
    loader, check = _Loader(binding, _library(binding), *calls), _check_library_options(binding)

    def load(path: Any, *options: Any) -> tuple[Any, ...]:
        name = c_string(path)
        check(*options)
        return loader.file(name, write_logs(binding, options[2], options[0], options[1]))

    return load


def _library(binding: Binding) -> str:
    return "CUlibrary" if binding.api == "driver" else "cudaLibrary_t"


def _library_call(binding: Binding, name: str) -> Callable[..., Any]:
    """Return the C function through ctypes: hip-python turns its option arrays into outputs."""
    pointer, count = ctypes.c_void_p, ctypes.c_uint
    native = binding.native(name, pointer, pointer, pointer, pointer, count, pointer, pointer, count)
    read = binding.native("hipLibraryGetKernelCount", pointer, pointer)
    unload = binding.native("hipLibraryUnload", pointer)

    def load(source: Any) -> tuple[Any, ...]:
        library, kernels, (buffer, place) = ctypes.c_void_p(), count(), memory_address(source)
        status = native(ctypes.byref(library), place, None, None, 0, None, None, 0)
        if not status:
            # AMD's runtime keeps the address, and reads the image when the library is first asked for something.
            status = read(ctypes.byref(kernels), library)
            if status:
                unload(library)
        del buffer
        return status, library.value

    return load


def _check_library_options(binding: Binding) -> Callable[..., None]:
    jit_enum, library_enum = {
        "driver": ("CUjit_option", "CUlibraryOption"),
        "runtime": ("cudaJitOption", "cudaLibraryOption"),
    }[binding.api]
    check_jit = check_options(binding, jit_enum)
    check_library = check_list("libraryOptions", library_enum, binding.scope)

    def check(jit: Any, jit_values: Any, jit_count: Any, options: Any, values: Any, count: Any) -> None:
        number = C_INTEGERS["unsigned int"].check(count)
        check_jit(jit_count, jit, None if jit_values is None else list(jit_values))
        check_library(options, number)
        entries = [] if values is None else list(values)
        if number > len(entries):
            raise RuntimeError(f"List is too small: {len(entries)} < {number}")

    return check


def loading_mode(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuModuleGetLoadingMode: NVIDIA's runtime asks for a kernel when it launches it, and otherwise for all at once."""
    answer = (binding.outcome.success, binding.class_of("CUmoduleLoadingMode").CU_MODULE_LAZY_LOADING)
    return lambda: answer


def kernel_cache_config(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuKernelSetCacheConfig: accepted, as a preference that no AMD GPU has a choice for."""
    outcome, to_hip, device = binding.outcome, binding.enums("CUfunc_cache").to_hip, C_INTEGERS["int"].check

    def assign(kernel: Any, config: Any, dev: Any) -> tuple[Any, ...]:
        require(config=config)
        device(0 if dev is None else dev)
        try:
            to_hip[config]
        except Refused as refusal:
            return outcome.refused(refusal)
        return (outcome.success,) if address(kernel) else outcome.named("CUDA_ERROR_INVALID_HANDLE")

    return assign


def kernel_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaKernelSetAttributeForDevice, as the function's on that device; HIP's is hipFuncSetAttribute."""
    outcome, stack = binding.outcome, context_stack()
    attributes = {member.value for member in binding.enums("cudaFuncAttribute").row.members if member.hip}
    attribute_class = binding.class_of("cudaFuncAttribute")
    integer = C_INTEGERS["int"].check
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_int, ctypes.c_int)

    def assign(kernel: Any, attr: Any, value: Any, device: Any) -> tuple[Any, ...]:
        require_constant(attribute_class, attr=attr)
        if int(attr) not in attributes:
            return outcome.invalid()
        # The driver and the runtime number these attributes alike, and HIP as the driver does.
        handle, number = address(kernel), integer(value)
        status = stack.inside_primary(integer(device), lambda: native(handle, int(attr), number))
        return outcome.failed(status) if status else (outcome.success,)

    return assign

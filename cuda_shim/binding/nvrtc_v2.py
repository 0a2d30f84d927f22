"""`cuda.bindings._v2.nvrtc`, which came with cuda-bindings 13.4: NVRTC with exceptions and plain results.

A function returns its results alone, as int, bytes, str or tuple, and raises the subclass of `NvrtcError` that belongs
to a failed call's status. Each one calls the function of `cuda.bindings.nvrtc` that it stands for, so that reports, the
log and strict mode know of the call. Where NVIDIA's wheel is installed its own module is imported instead: it is
compiled against `cuda.bindings.cynvrtc`, which is served.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Callable, Sequence

from cuda_shim.binding.bundled_headers import BundledHeadersInfo, bundled_headers_info_dtype
from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.enums.plain import plain_enum
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import EnumRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["NvrtcV2Binder", "other_names"]

_MODULE = "cuda.bindings._v2.nvrtc"
_DTYPE = "bundled_headers_info_dtype"
_FLAGS_DOC = "What `install_bundled_headers` does where headers, or another process, are there already."
_HEADER_FLAGS = {"SKIP_IF_EXISTS": 0, "FORCE_OVERWRITE": 1, "NO_WAIT": 2}


def other_names(cuda: str) -> frozenset[str]:
    """Return the names that are no functions of NVRTC's, from the tables alone: classes, exceptions, the dtype."""
    row = store.load("nvrtc").row("nvrtcResult", cuda)
    codes = row.members if isinstance(row, EnumRow) else ()
    errors = (_title(member.name.removeprefix("NVRTC_")) for member in codes if member.value)
    return frozenset({*errors, "BundledHeadersInfo", "InstallHeadersFlag", "NvrtcError", "Result", _DTYPE})


class NvrtcV2Binder:
    """The contents of the module: functions, the status enum, an exception for each status."""

    def __init__(self, catalogue: Catalogue) -> None:
        calls = _Calls(catalogue)
        functions = (name for name in vars(_Calls) if not name.startswith("_"))
        self._contents: dict[str, Any] = {
            **{name: getattr(calls, name) for name in functions},
            **{error.__name__: error for error in calls._errors.values()},
            "BundledHeadersInfo": BundledHeadersInfo,
            "InstallHeadersFlag": plain_enum(_MODULE, "InstallHeadersFlag", _FLAGS_DOC, _HEADER_FLAGS),
            "NvrtcError": calls._base_error,
            "Result": calls._result,
        }

    def names(self) -> frozenset[str]:
        """Return the public names."""
        return frozenset({*self._contents, "HIP_PYTHON", _DTYPE})

    def resolve(self, name: str) -> Any:
        """Return the object behind a name, None where there is none."""
        if name == "HIP_PYTHON":
            return True
        if name == _DTYPE:  # made when asked for: nothing else here needs numpy
            return bundled_headers_info_dtype()
        return self._contents.get(name)

    def set_hallucination(self, enum_name: str, value: object) -> bool:
        """Return False: none of the enums invents constants."""
        return False


class _Calls:
    """The functions of the module; the public methods are its names."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._handle: Any = self._function("nvrtcProgram")
        members = self._function("nvrtcResult").__members__.items()
        codes = {name.removeprefix("NVRTC_"): int(code) for name, code in members}
        self._result = plain_enum(_MODULE, "Result", "The statuses of NVRTC's calls.", codes)
        self._base_error = _base_error(self.get_error_string)
        self._errors = _errors(self._result, self._base_error)

    def version(self) -> tuple[int, int]:
        """Return the major and the minor version of NVRTC."""
        major, minor = self._call("nvrtcVersion")
        return major, minor

    def get_error_string(self, result: int) -> str:
        """Return the name of a status, such as "NVRTC_ERROR_COMPILATION"."""
        text: bytes = self._call("nvrtcGetErrorString", operator.index(result))[0]
        return text.decode()

    def get_num_supported_archs(self) -> int:
        """Return how many architectures `get_supported_archs` has."""
        return int(self._call("nvrtcGetNumSupportedArchs")[0])

    def get_supported_archs(self) -> memoryview:
        """Return the architectures that NVRTC compiles for, such as 90, in ascending order."""
        return memoryview(array("i", self._call("nvrtcGetSupportedArchs")[0]))

    def create_program(
        self, src: bytes, name: bytes | None, headers: Sequence[bytes] | None = None,
        include_names: Sequence[bytes] | None = None,
    ) -> int:  # fmt: skip
        """Make a program of its source and return its handle, which `destroy_program` takes.

        Args:
            src: the source.
            name: the program's name in messages; NVRTC has one of its own for None and b"".
            headers: sources of headers.
            include_names: the names under which the source includes them, one for each.
        """
        texts, names = _all_bytes("headers", headers), _all_bytes("include_names", include_names)
        if len(texts) != len(names):
            raise ValueError(f"{len(texts)} headers, but {len(names)} include_names: each header needs one name")
        title = b"" if name is None else _bytes("name", name)
        return int(self._call("nvrtcCreateProgram", _bytes("src", src), title, len(texts), texts, names)[0])

    def destroy_program(self, prog: int) -> None:
        """Destroy a program."""
        self._call("nvrtcDestroyProgram", self._program(prog))

    def compile_program(self, prog: int, options: Sequence[bytes] | None = None) -> None:
        """Compile a program; `get_program_log` has the messages if that fails."""
        words = _all_bytes("options", options)
        self._call("nvrtcCompileProgram", self._program(prog), len(words), words)

    def add_name_expression(self, prog: int, name_expression: str | bytes) -> None:
        """Ask, before compilation, for the name that an expression such as "kernel<int>" has after it."""
        self._call("nvrtcAddNameExpression", self._program(prog), _expression(name_expression))

    def get_lowered_name(self, prog: int, name_expression: str | bytes) -> bytes:
        """Return the name in the compiled image that an expression stands for."""
        return bytes(self._call("nvrtcGetLoweredName", self._program(prog), _expression(name_expression))[0])

    def get_program_log_size(self, prog: int) -> int:
        """Return the size of the compiler's messages, with the zero byte at their end."""
        return self._size("nvrtcGetProgramLog", prog)

    def get_program_log(self, prog: int) -> bytes:
        """Return the compiler's messages, with a zero byte at their end."""
        return self._bytes("nvrtcGetProgramLog", prog)

    def get_ptx_size(self, prog: int) -> int:
        """Return the size of the PTX, with the zero byte at its end."""
        return self._size("nvrtcGetPTX", prog)

    def get_ptx(self, prog: int) -> bytes:
        """Return the PTX, which holds the image for HIP, with a zero byte at its end."""
        return self._bytes("nvrtcGetPTX", prog)

    def get_cubin_size(self, prog: int) -> int:
        """Return the size of the compiled image, 0 for a virtual architecture."""
        return self._size("nvrtcGetCUBIN", prog)

    def get_cubin(self, prog: int) -> bytes:
        """Return the compiled image, which is one for HIP."""
        return self._bytes("nvrtcGetCUBIN", prog)

    def get_ltoir_size(self, prog: int) -> int:
        """Return the size of the LTO IR."""
        return self._size("nvrtcGetLTOIR", prog)

    def get_ltoir(self, prog: int) -> bytes:
        """Return the LTO IR."""
        return self._bytes("nvrtcGetLTOIR", prog)

    def get_optix_ir_size(self, prog: int) -> int:
        """Return the size of the OptiX IR."""
        return self._size("nvrtcGetOptiXIR", prog)

    def get_optix_ir(self, prog: int) -> bytes:
        """Return the OptiX IR."""
        return self._bytes("nvrtcGetOptiXIR", prog)

    def get_tile_ir_size(self, prog: int) -> int:
        """Return the size of the cuda_tile IR."""
        return self._size("nvrtcGetTileIR", prog)

    def get_tile_ir(self, prog: int) -> bytes:
        """Return the cuda_tile IR."""
        return self._bytes("nvrtcGetTileIR", prog)

    def get_pch_heap_size(self) -> int:
        """Return the size of the heap for precompiled headers."""
        return int(self._call("nvrtcGetPCHHeapSize")[0])

    def set_pch_heap_size(self, size: int) -> None:
        """Set the size of the heap for precompiled headers."""
        self._call("nvrtcSetPCHHeapSize", operator.index(size))

    def get_pch_create_status(self, prog: int) -> int:
        """Return the status of the precompiled header that the last compilation was to write; it raises nothing."""
        return int(self._function("nvrtcGetPCHCreateStatus")(self._program(prog))[0])

    def get_pch_heap_size_required(self, prog: int) -> int:
        """Return the size that the heap for precompiled headers needs for a program."""
        return int(self._call("nvrtcGetPCHHeapSizeRequired", self._program(prog))[0])

    def set_flow_callback(self, prog: int, callback: int, payload: int) -> None:
        """Have the compiler call a C function, by its address, which can cancel the compilation."""
        self._call("nvrtcSetFlowCallback", self._program(prog), operator.index(callback), operator.index(payload))

    def get_bundled_headers_info(self) -> tuple[BundledHeadersInfo, bytes]:
        """Return what is known of the headers that come with NVRTC, and a message."""
        info, message = self._call("nvrtcGetBundledHeadersInfo")
        return BundledHeadersInfo.from_ptr(int(info.getPtr())), message or b""

    def install_bundled_headers(self, install_path: str, flags: int) -> bytes:
        """Write the headers that come with NVRTC to a folder; return a message."""
        path = _encoded("install_path", install_path)
        return self._call("nvrtcInstallBundledHeaders", path, operator.index(flags))[0] or b""

    def remove_bundled_headers(self, install_path: str) -> bytes:
        """Remove the folder that `install_bundled_headers` wrote; return a message."""
        return self._call("nvrtcRemoveBundledHeaders", _encoded("install_path", install_path))[0] or b""

    def _function(self, name: str) -> Any:
        return self._catalogue.find("nvrtc", name)

    def _call(self, name: str, *arguments: object) -> tuple[Any, ...]:
        """Call a function of `cuda.bindings.nvrtc`; return its outputs, or raise its status."""
        status, *outputs = self._function(name)(*arguments)
        if status:
            raise self._errors.get(int(status), self._base_error)(int(status))
        return tuple(outputs)

    def _size(self, getter: str, prog: int) -> int:
        return int(self._call(f"{getter}Size", self._program(prog))[0])

    def _bytes(self, getter: str, prog: int) -> bytes:
        buffer = bytearray(self._size(getter, prog))
        if buffer:
            self._call(getter, self._program(prog), buffer)
        return bytes(buffer)

    def _program(self, value: int) -> Any:
        """Return the handle of a program's number; handles themselves are refused, as by NVIDIA's module."""
        if isinstance(value, self._handle):
            raise TypeError(f"prog: an integer is required, such as create_program returns, not {type(value).__name__}")
        return self._handle(operator.index(value))


def _base_error(message: Callable[[int], str]) -> Any:
    """Return the class `NvrtcError`, whose text is the name of its status."""

    class NvrtcError(Exception):
        """A status other than success; `status` holds it."""

        def __init__(self, status: int) -> None:
            super().__init__(message(status))
            self.status = status

        def __reduce__(self) -> tuple[type, tuple[int]]:
            return type(self), (int(self.status),)

    NvrtcError.__module__, NvrtcError.__qualname__ = _MODULE, "NvrtcError"
    return NvrtcError


def _errors(result: Any, base: type) -> dict[int, Any]:
    """Return the exception of each failure: ERROR_OUT_OF_MEMORY raises OutOfMemoryError."""
    members = ((name, int(code)) for name, code in result.__members__.items())
    return {code: type(_title(name), (base,), {"__module__": _MODULE}) for name, code in members if code}


def _title(name: str) -> str:
    """Return the name of the exception for a status: OutOfMemoryError for ERROR_OUT_OF_MEMORY."""
    words = name.removeprefix("ERROR_").removesuffix("_ERROR").split("_")
    return "".join(map(str.capitalize, words)) + "Error"


def _bytes(what: str, value: object) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"{what}: bytes are required, not {type(value).__name__}")
    return value


def _all_bytes(what: str, values: Sequence[bytes] | None) -> list[bytes]:
    """Return a list of bytes, empty for None."""
    return [_bytes(f"{what}[{index}]", value) for index, value in enumerate(values or ())]


def _expression(value: str | bytes) -> bytes:
    """Return a name expression as bytes, which NVIDIA's module takes in release 13.4, and text in 13.5."""
    return value if isinstance(value, bytes) else _encoded("name_expression", value)


def _encoded(what: str, value: object) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{what}: a str is required, not {type(value).__name__}")
    return value.encode()

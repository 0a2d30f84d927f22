"""Calls of `cuda.bindings._v2.nvrtc`: prints as JSON what each returns or raises, without what depends on the compiler.

Its arguments are the parts that are run; all, if there are none.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import cuda.bindings._v2.nvrtc as nvrtc

SOURCE = b'extern "C" __global__ void k(int* p) { *p = 1; }'
TEMPLATE = b"template <class T> __global__ void k(T* p) { *p = 1; }"
results: dict[str, Any] = {}


def call(label: str, function: Callable[[], Any]) -> None:
    """Keep what a call returns, or the exception that it raises."""
    try:
        results[label] = shown(function())
    except nvrtc.NvrtcError as error:
        results[label] = [type(error).__name__, str(error), int(error.status)]
    except (TypeError, ValueError) as error:  # the words are each module's own
        results[label] = type(error).__name__


def shown(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, bytes):
        return f"bytes {value.decode()}"
    return value if type(value) in (int, str, bool, list, type(None)) else repr(value)


def programs() -> None:
    """Creation and destruction, with what is refused."""
    create = nvrtc.create_program
    call("source is text", lambda: create(SOURCE.decode(), b"k.cu"))
    call("source is a bytearray", lambda: create(bytearray(SOURCE), b"k.cu"))
    call("source is None", lambda: create(None, b"k.cu"))
    call("name is text", lambda: create(SOURCE, "k.cu"))
    call("header is text", lambda: create(SOURCE, b"k.cu", ["int x;"], [b"x.h"]))
    call("a name is missing", lambda: create(SOURCE, b"k.cu", [b"int x;"], []))
    call("names alone", lambda: create(SOURCE, b"k.cu", None, [b"x.h"]))
    call("a number", lambda: type(create(SOURCE, None)) is int)
    call("by keywords", lambda: create(src=SOURCE, name=b"", headers=(b"int x;",), include_names=(b"x.h",)) > 0)
    program = create(SOURCE, b"k.cu")
    call("destroyed", lambda: nvrtc.destroy_program(program))
    call("destroyed: none", lambda: nvrtc.destroy_program(0))


def compilation() -> None:
    """Compilation, and what comes of it."""
    program = nvrtc.create_program(b'#include "x.h"\n' + SOURCE, b"k.cu", [b"#define X 1"], [b"x.h"])
    call("option is text", lambda: nvrtc.compile_program(program, ["-G"]))
    call("options are text", lambda: nvrtc.compile_program(program, "-G"))
    call("unknown option", lambda: nvrtc.compile_program(program, [b"--nonsense"]))
    call("compiled", lambda: nvrtc.compile_program(program, [b"-arch=sm_90"]))
    for name in ("ptx", "cubin", "program_log"):
        data, size = getattr(nvrtc, f"get_{name}")(program), getattr(nvrtc, f"get_{name}_size")(program)
        results[name] = [type(data).__name__, len(data) == size]
    call("words in the PTX", lambda: [word in nvrtc.get_ptx(program) for word in (b".version", b".entry k(", b"\0")])
    call("log", lambda: nvrtc.get_program_log(program))
    for wrong in ("1", None, 1.0):
        call(f"program {wrong!r}", partial(nvrtc.get_ptx, wrong))
    call("no program", lambda: nvrtc.get_ptx(0))
    broken = nvrtc.create_program(b"nonsense", b"broken.cu")
    call("broken", lambda: nvrtc.compile_program(broken))
    call("its log", lambda: b"broken.cu" in nvrtc.get_program_log(broken))


def lowered_names() -> None:
    """Names of instances of templates."""
    program = nvrtc.create_program(TEMPLATE, b"k.cu")
    call("lowered too early", lambda: nvrtc.get_lowered_name(program, "k<int>"))
    call("expression", lambda: nvrtc.add_name_expression(program, "k<int>"))
    call("expression as bytes", lambda: nvrtc.add_name_expression(program, b"k<int>"))
    call("compiled", lambda: nvrtc.compile_program(program, None))
    call("lowered", lambda: nvrtc.get_lowered_name(program, "k<int>"))
    call("lowered as bytes", lambda: nvrtc.get_lowered_name(program, b"k<int>"))
    call("lowered unknown", lambda: nvrtc.get_lowered_name(program, "k<char>"))
    call("expression too late", lambda: nvrtc.add_name_expression(program, "k<char>"))


def enums_and_errors() -> None:
    """The classes."""
    result = nvrtc.Result
    call("members", lambda: [f"{name} {int(member)}" for name, member in result.__members__.items()])
    call("flags", lambda: [f"{name} {int(member)}" for name, member in nvrtc.InstallHeadersFlag.__members__.items()])
    call("constant", lambda: [repr(result.SUCCESS), str(result(6)), result(6).name, result(6).value])
    call("enum", lambda: [len(result), 3 in result, result.SUCCESS in result, result(0) is result.SUCCESS])
    call("no constant", lambda: result(99))
    call("subscript", lambda: result["SUCCESS"])
    call("pickled", lambda: pickle.loads(pickle.dumps(result.ERROR_COMPILATION)) is result.ERROR_COMPILATION)
    names = sorted(name for name in dir(nvrtc) if name.endswith("Error"))
    call("errors", lambda: [name for name in names if issubclass(getattr(nvrtc, name), nvrtc.NvrtcError)])
    call("error", lambda: [str(nvrtc.NvrtcError(6)), str(nvrtc.NvrtcError(99)), nvrtc.CompilationError(6).status])
    call("error without a status", nvrtc.NvrtcError)
    call("error of text", lambda: nvrtc.NvrtcError("text"))
    call("error pickled", lambda: repr(pickle.loads(pickle.dumps(nvrtc.CompilationError(6)))))
    call("strings", lambda: [nvrtc.get_error_string(status) for status in (0, result(11), 99)])


def structs() -> None:
    """The struct that describes headers."""
    import numpy as np

    info_class, dtype = nvrtc.BundledHeadersInfo, nvrtc.bundled_headers_info_dtype
    array, buffer = np.ones(1, dtype), bytearray(40)
    call("dtype", lambda: [dtype.itemsize, *dtype.names, *(dtype.fields[name][1] for name in dtype.names)])
    call("new", lambda: [info_class().num_files, bytes(info_class()).hex(), info_class() == info_class()])
    call("of an array", lambda: info_class.from_data(array).compressed_size)
    call("of an element", lambda: info_class.from_data(array[0]))
    call("of other elements", lambda: info_class.from_data(np.ones(1)))
    shared = info_class.from_buffer(buffer)
    shared.num_files = 3
    call("of a buffer", lambda: [buffer[32], shared.num_files])
    call("of a short buffer", lambda: info_class.from_buffer(bytearray(4)))
    copied = info_class.from_ptr(array.ctypes.data)
    array["num_files"] = 9
    call("of an address", lambda: [copied.num_files, int(copied) == copied.ptr])
    there = info_class.from_ptr(array.ctypes.data, readonly=True, owner=array)
    call("of an address with an owner", lambda: there.num_files)
    call("read-only", lambda: setattr(there, "num_files", 1))
    call("of no address", lambda: info_class.from_ptr(0))


def functions() -> None:
    """The names, and what needs no program."""
    call("names", lambda: sorted(name for name in dir(nvrtc) if name[0] != "_" and name not in ("HIP_PYTHON",)))
    call("version", lambda: [type(part).__name__ for part in nvrtc.version()])
    archs = nvrtc.get_supported_archs()
    call("architectures", lambda: [len(archs) == nvrtc.get_num_supported_archs(), 90 in list(archs), archs[0]])
    call("too many arguments", lambda: nvrtc.version(1))


for part in (programs, compilation, lowered_names, enums_and_errors, structs, functions):
    if part.__name__ in sys.argv[1:] or not sys.argv[1:]:
        part()
print(json.dumps(results, indent=1))

"""The part of zig's C++ library that the runtime uses, compiled with it.

zig links its own libc++, which it builds for each target when it first links with it: a hundred files, a minute and a
half of a core, most of it for streams and locales that the runtime does not have. These files are the ones that it
does use, and take a tenth of that. A function that they lack is an undefined symbol while the libraries are linked,
and then the whole library is linked instead.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["LINK", "Part", "parts"]

#: Instead of zig's own C++ library; its unwinder is built within a second.
LINK = ("-nostdlib++", "-lunwind")

# Files that are compiled together; the others define functions that are inline in these, and stand alone.
_TOGETHER = {
    "libcxx": (
        "algorithm", "call_once", "condition_variable", "exception", "functional", "future", "hash", "mutex",
        "new_handler", "new_helpers", "optional", "shared_mutex", "string", "system_error", "thread", "typeinfo",
        "vector", "verbose_abort",
    ),
    "libcxxabi": (
        "abort_message", "cxa_aux_runtime", "cxa_default_handlers", "cxa_exception", "cxa_exception_storage",
        "cxa_guard", "cxa_handlers", "cxa_personality", "cxa_thread_atexit", "cxa_vector", "cxa_virtual",
        "fallback_malloc", "private_typeinfo", "stdlib_exception", "stdlib_new_delete", "stdlib_stdexcept",
        "stdlib_typeinfo",
    ),
}  # fmt: skip
_SEPARATE = {
    "libcxx": ("chrono", "condition_variable_destructor", "error_category", "memory", "mutex_destructor", "stdexcept"),
    "libcxxabi": ("cxa_demangle",),
}

# The flags and definitions of libc++'s own build.
_FLAGS = (
    "-O1", "-std=c++23", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-w", "-DNDEBUG",
    "-D_LIBCPP_BUILDING_LIBRARY", "-D_LIBCXXABI_BUILDING_LIBRARY", "-DLIBCXX_BUILDING_LIBCXXABI",
    "-DHAVE___CXA_THREAD_ATEXIT_IMPL",
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """Files for one run of the compiler: their name for it, their text, and its flags."""

    name: str
    text: str
    flags: tuple[str, ...]


def parts(program: str) -> list[Part]:
    """Return the parts of the C++ library beside the zig program; none where its files are in unexpected places."""
    folder = _folder(program)
    if not folder:
        return []
    includes = [f"-I{folder}/{name}" for name in ("libcxx/src", "libcxxabi/include", "libcxxabi/src", "libcxx/libc")]
    flags = (*_FLAGS, *includes)
    groups = list(_TOGETHER.items())
    groups += [(library, (name,)) for library, names in _SEPARATE.items() for name in names]
    found = []
    for library, names in groups:
        files = [f"{folder}/{library}/src/{name}.cpp" for name in names]
        if not all(map(os.path.isfile, files)):
            return []
        text = "".join(f'#include "{file}"\n' for file in files)
        found.append(Part(f"{library}-{names[0]}", text, flags))
    return found


def _folder(program: str) -> str:
    """Return zig's folder of libraries: beside the program, or where Linux distributions put it."""
    home = os.path.dirname(os.path.realpath(program))
    for folder in (os.path.join(home, "lib"), os.path.join(os.path.dirname(home), "lib", "zig")):
        if os.path.isdir(os.path.join(folder, "libcxx", "src")):
            return folder
    return ""

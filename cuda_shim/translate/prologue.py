"""The prologue in front of a translated text: headers, the macros of names, and refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate.edits import Edit
from cuda_shim.translate.lexer import IDENTIFIER, Text
from cuda_shim.translate.own_names import global_declarations
from cuda_shim.translate.refusal_log import NAME

__all__ = ["Needs"]

_BASE = "cuda_shim/base.h"
_PTX = "cuda_shim/ptx_threads.h"
# The objects of this header are needed only if they are named as a whole: their members are HIP's.
_THREAD_INDEX = "cuda_shim/thread_index.h"
_ALLOCATION = "cuda_shim/allocation.h"
# AMD's header has a function with C's linkage of this name. Clang crashes on a variable with the same symbol.
_SYMBOLS_OF_HIP = frozenset(("abort",))
# CUDA's headers that declare names which a program may otherwise define itself.
_NARROW = re.compile(rb"cuda_(fp16|bf16)\.hp*")
# NVRTC's -default-device is known only when the program is compiled: the options then define this macro.
_DEFAULT_DEVICE = b"#ifdef __CUDA_SHIM_DEFAULT_DEVICE__\n#pragma clang force_cuda_host_device %s\n#endif\n"


class Needs:
    """Collects the headers, macros and refusals that the texts of one program need.

    Attributes:
        on_gpu: True if the program is compiled for an AMD GPU; the CPU runtime has CUDA's names itself.
    """

    def __init__(self, on_gpu: bool, own_headers: frozenset[bytes], *, header: bytes = b"") -> None:
        """Begin with nothing.

        `header` names the translated header if it is not the program itself: the names of its refusals must be
        its own, and it may hold functions that no program calls.
        """
        self.on_gpu = on_gpu
        self._refused = NAME.encode() + (re.sub(rb"\W", b"_", header) + b"_" if header else b"")
        self._only_called = bool(header)
        self._own_headers = own_headers
        self._table = load_text("device")
        self._includes: set[str] = set()
        self._defines: dict[str, str] = {}
        # The program's own names that AMD's header has too, and whether each is a function, and one with C's linkage.
        self._own: dict[str, tuple[bool, bool]] = {}
        self._includes_narrow = False
        self._allocates = False
        self._has_own_allocation = False
        self._refusals: list[str] = []

    def add_include(self, file: bytes) -> str | None:
        """Record an include of the program. Returns the reason if it is unavailable."""
        self._includes_narrow |= _NARROW.fullmatch(file) is not None
        if file in self._own_headers:
            return None
        row = self._header_row(file)
        if row is None:
            # A header on disk is not read here, so any name may be in it.
            if self.on_gpu:
                built_in = (name for name in self._table["declared"] if name.startswith("std::"))
                for each in (*self._table["functions"], *self._table["names"], *built_in):
                    self._add_name(each)
            return None
        # The CPU runtime takes headers from the program's own folders, and names the package of a missing one.
        return self.refused_on_gpu(file) if self.on_gpu else None

    def refused_on_gpu(self, file: bytes) -> str | None:
        """Return why an AMD GPU's compiler cannot have a header; None if it can, or if the header is unknown."""
        row = self._header_row(file)
        return str(row["refuse"]) if row is not None and "refuse" in row else None

    def _header_row(self, file: bytes) -> dict[str, str] | None:
        name = file.decode("utf-8", "replace")
        return self._table["headers"].get(name) or self._folder_row(name)

    def add_names(self, text: Text) -> None:
        """Record the names that a text uses."""
        tokens, depth = text.tokens, 0
        for index, token in enumerate(tokens):
            if token.kind != IDENTIFIER:
                depth += (token.text == b"{") - (token.text == b"}")
                continue
            if token.text in (b"new", b"delete"):
                # In a class, an operator is for the class alone.
                is_operator = index > 0 and tokens[index - 1].text == b"operator"
                self._has_own_allocation |= is_operator and depth == 0
                self._allocates |= not is_operator
            name = token.text.decode("utf-8", "replace")
            following = tokens[index + 1].text if index + 1 < len(tokens) else b""
            if name == "std" and index + 2 < len(tokens) and following == b"::":
                name = f"std::{tokens[index + 2].text.decode('utf-8', 'replace')}"
            if following == b"." and self._table["functions"].get(name, ("", ""))[1] == _THREAD_INDEX:
                continue
            self._add_name(name)

    def add_own_names(self, text: Text) -> Iterator[Edit]:
        """Record names that a text declares although AMD's header has them, and keep the symbols of its variables."""
        taken = self._table["own"]
        if not any(token.text.decode("utf-8", "replace") in taken for token in text.tokens if token.kind == IDENTIFIER):
            return
        for declaration in global_declarations(text):
            if declaration.name not in taken:
                continue
            is_function, linked_as_c = self._own.get(declaration.name, (True, False))
            self._own[declaration.name] = (
                is_function and declaration.kind == "function",
                linked_as_c or declaration.linked_as_c,
            )
            if declaration.declarator_end is not None and declaration.name not in _SYMBOLS_OF_HIP:
                yield Edit(
                    declaration.declarator_end, declaration.declarator_end, f' __asm__("{declaration.name}")'.encode()
                )

    def add_ptx(self, expression: str) -> None:
        """Record the names used by an expression that replaces inline PTX."""
        self._includes.add(_PTX)
        if self.on_gpu:
            self.add_names(Text(expression.encode("utf-8", "surrogateescape")))

    def refusal(self, message: str) -> bytes:
        """Return a call that the compiler refuses with `message`."""
        if message not in self._refusals:
            self._refusals.append(message)
        return b"%s%d()" % (self._refused, self._refusals.index(message))

    def headers(self) -> set[str]:
        """Return the headers to pass to hiprtc.

        A GPU gets all headers, since headers on disk and the options may include any of them. The cost is not
        measurable.
        """
        every = {name for name in self._table["headers"] if not name.endswith("/")} if self.on_gpu else set()
        return self._included() | every

    def _included(self) -> set[str]:
        return self._includes | ({_ALLOCATION} if self._allocates and not self._has_own_allocation else set())

    def prologue(self) -> bytes:
        """Return the lines in front of the text."""
        includes = self._included()
        first = [_BASE] if self.on_gpu and (includes or self._defines) else []
        # A header may be included inside a namespace: the options include the headers that it needs.
        included = [] if self._only_called else first + sorted(includes - {_BASE})
        lines = [f"#include <{name}>" for name in included]
        own = {
            name: linked_as_c
            for name, (overload, linked_as_c) in self._own.items()
            if not (overload and self._includes_narrow)
        }
        defines = {**self._defines, **{name: f"cuda_on_hip_own_{name}" for name in own}}
        # A kernel is looked up by its name.
        lines += [f"#pragma redefine_extname {defines[name]} {name}" for name in sorted(own) if own[name]]
        lines += [f"#define {name} {target}".rstrip() for name, target in sorted(defines.items())]
        for number, message in enumerate(self._refusals):
            quoted = message.replace("\\", "\\\\").replace('"', "'")
            function = f"void {self._refused.decode()}{number}()"
            if self._only_called:
                lines.append(f'extern __attribute__((error("{quoted}"))) {function};')
            else:
                lines.append(f'static __device__ __attribute__((unavailable("{quoted}"))) {function} {{}}')
        text = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        return text + (_DEFAULT_DEVICE % b"begin" if self.on_gpu else b"")

    def epilogue(self) -> bytes:
        """Return the lines behind the text."""
        return b"\n" + _DEFAULT_DEVICE % b"end" if self.on_gpu else b""

    def _add_name(self, name: str) -> None:
        if name in self._table["functions"]:
            target, header = self._table["functions"][name]
            self._defines[name] = target
            self._includes.add(header)
        elif name in self._table["declared"]:
            self._includes.add(self._table["declared"][name])
        elif name in self._table["names"]:
            macro, target = self._table["names"][name]
            self._defines[macro] = target
        elif name in self._table["refused"]:
            reason = f"{name}: {self._table['refused'][name]}".replace('"', "'")
            self._defines[f"{name}(...)"] = f'_Pragma("GCC error \\"{reason}\\"")'

    def _folder_row(self, name: str) -> dict[str, str] | None:
        """Return the table's row for the nearest folder that contains a header."""
        parts = name.split("/")
        for count in range(len(parts) - 1, 0, -1):
            row: dict[str, str] | None = self._table["headers"].get("/".join(parts[:count]) + "/")
            if row is not None:
                return row
        return None

"""Compiles a translated program for an AMD GPU as hiprtc does, with clang and lld of the `ziglang` wheel."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cuda_shim.translate.source import Program
from tests.amd import zig

# The device functions' switches, which AMD's compiler driver sets by options: the values of a program without options.
_SWITCHES = {
    "__oclc_finite_only_opt": "i8 0",
    "__oclc_unsafe_math_opt": "i8 0",
    "__oclc_daz_opt": "i8 0",
    "__oclc_correctly_rounded_sqrt32": "i8 1",
    "__oclc_ABI_version": "i32 600",
}


class NotCompiledError(Exception):
    """A program that the compiler refused; the text is its log."""


@dataclass(frozen=True)
class Target:
    """A GPU as the compiler and the emulator name it.

    Attributes:
        architecture: the compiler's name.
        instructions: the emulator's name of its instruction set.
        wave: lanes of a wave.
    """

    architecture: str
    instructions: str
    wave: int

    @property
    def isa_version(self) -> int:
        """The number that AMD's device library compares: 9402 for gfx942, 11000 for gfx1100."""
        digits = self.architecture.removeprefix("gfx")
        return int(digits[:-2]) * 1000 + int(digits[-2]) * 100 + int(digits[-1], 16)


TARGETS = {
    target.architecture: target
    for target in (Target("gfx942", "cdna", 64), Target("gfx1100", "rdna3", 32), Target("gfx1201", "rdna4", 32))
}


def kernel_pointer(number: int) -> str:
    """Return the variable with a kernel's address: one without a name in C is found by it, as hiprtc finds it."""
    return f"emulated_kernel_pointer_{number}"


class Toolchain:
    """Compiles with one of AMD's headers and device libraries.

    Args:
        header: `hiprtc_runtime.h` as AMD's compiler library has it built in.
        libraries: the folder of `ocml.bc` and `ockl.bc`.
    """

    def __init__(self, header: Path, libraries: Path) -> None:
        self._header, self._libraries = header, libraries

    def versions(self) -> dict[str, str]:
        """Return the compiler's version, and digests of the header and the libraries."""
        clang = zig.output("clang", "--version").splitlines()[0]
        files = (self._header, *(self._libraries / f"{name}.bc" for name in ("ocml", "ockl")))
        return {"clang": clang, **{file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}}

    def code_object(
        self, program: Program, target: Target, options: Sequence[bytes], kernels: Sequence[str] = ()
    ) -> bytes:
        """Return the code object of a translated program, with hiprtc's options.

        `kernels` are name expressions; the address of each is in the variable that `kernel_pointer` names. Raises
        NotCompiledError with the compiler's log.
        """
        with tempfile.TemporaryDirectory(prefix="cuda_shim-emulated-") as name:
            folder = Path(name)
            try:
                self._write(folder, program, target, kernels)
                words = [option.decode() for option in options]
                zig.output("clang", *self._arguments(folder, target), *words, folder / "program.hip")
                return zig.code_object(folder / "program.s", target.architecture)
            except zig.RefusedError as error:
                raise NotCompiledError(str(error).replace(str(folder), ".")) from error

    def _write(self, folder: Path, program: Program, target: Target, kernels: Sequence[str]) -> None:
        include = folder / "include"
        for name, text in program.headers:
            path = include / name.decode()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        pointers = "".join(
            f'extern "C" __device__ __attribute__((used)) const void* const {kernel_pointer(number)} = '
            f"(const void*)({kernel});\n"
            for number, kernel in enumerate(kernels)
        )
        (folder / "program.hip").write_bytes(program.source + b"\n" + pointers.encode())
        wave = {
            "__oclc_wavefrontsize64": f"i8 {int(target.wave == 64)}",
            "__oclc_wavefrontsize_log2": f"i32 {target.wave.bit_length() - 1}",
        }
        switches = {**_SWITCHES, "__oclc_ISA_version": f"i32 {target.isa_version}", **wave}
        lines = [
            f"@{name} = linkonce_odr hidden local_unnamed_addr addrspace(4) constant {value}\n"
            for name, value in switches.items()
        ]
        (folder / "switches.ll").write_text(
            "".join(['target triple = "amdgcn-amd-amdhsa"\n', *lines]), encoding="utf-8"
        )
        words = ["-x", "ir", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-emit-llvm", "-c", "-o"]
        zig.output("clang", *words, folder / "switches.bc", folder / "switches.ll")

    def _arguments(self, folder: Path, target: Target) -> list[str | Path]:
        libraries = (self._libraries / "ocml.bc", self._libraries / "ockl.bc", folder / "switches.bc")
        linked: list[str | Path] = [
            word for path in libraries for word in ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", path)
        ]
        return [
            *zig.device_words(target.architecture), "-O3", "-include", self._header, "-w", f"-I{folder / 'include'}",
            *linked, "-S", "-o", folder / "program.s",
        ]  # fmt: skip


_COMMENT_OR_LITERAL = re.compile(rb"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?\*/""", re.DOTALL)


_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:[<"]([^>"]+)[>"]|(\w+))', re.MULTILINE)


def digest(program: Program) -> str:
    """Name a translated program: its source and the headers that it includes, without their comments and layout."""
    digested = hashlib.sha256()
    for text in (program.source, *(part for header in _included(program) for part in header)):
        code = _COMMENT_OR_LITERAL.sub(lambda match: match[1] or b" ", text)
        digested.update(b"\0" + b" ".join(code.split()))
    return digested.hexdigest()[:16]


def _included(program: Program) -> list[tuple[bytes, bytes]]:
    """Return the headers that the source includes, directly or not; all of them where a macro names one."""
    given = dict(program.headers)
    included: dict[bytes, bytes] = {}
    waiting = [program.source]
    while waiting:
        for name, macro in _INCLUDE.findall(waiting.pop()):
            if macro:
                return sorted(given.items())
            if name in given and name not in included:
                included[name] = given[name]
                waiting.append(given[name])
    return sorted(included.items())

"""Finds the names that hiprtc's built-in headers declare in the global namespace and NVRTC leaves to programs.

    python -m tests.amd.record_names FOLDER

writes them into the section `own` of tables/device.yaml. The headers are those of ROCm 5.2 (in Debian's
libhiprtc-builtins5), of ROCm 7.2.2, and that with the names of next_header.h; NVRTC is that of every installed wheel.
FOLDER keeps the fetched and the compiled files.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.amd import toolchain
from tests.environments import ROOT
from tests.kernels import compilers

TABLE = ROOT / "tables" / "device.yaml"
#: The language's own words, the compiler's built-in functions, the names of C's library, and names that only a program
#: written for HIP has.
NO_PROGRAM_S = re.compile(
    r"(__)?(hip|HIP|amd|AMD|ockl|ocml|llvm_amd)\w*|_?hip_\w+|__builtin_\w+|__(inline__|PRETTY_FUNCTION__|FUNCTION__|func__|int128|make_integer_seq|underlying_type|asm|declspec|cxa_\w+|is_\w+|has_\w+|atomic_\w+)|std|_Float16|__bf16|__assert_?fail"
    r"|alignas|alignof|and|asm|auto|bool|break|case|char\w*|class|const\w*|continue|decltype|default|delete|do|double|else|enum"
    r"|explicit|export|extern|false|float|for|friend|goto|if|inline|int|long|mutable|namespace|new|noexcept|not|nullptr|operator|or|xor"
    r"|private|protected|public|reinterpret_cast|return|short|signed|sizeof|static\w*|struct|switch|template|this|throw|true|try"
    r"|typedef|typename|union|unsigned|using|virtual|void|volatile|wchar_t|while|__attribute__"
)
#: Namespaces of HIP's that a program may have as well, and integer types that some release may declare.
ALWAYS = {
    "__hip", "__hip_internal", "hip_impl", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
}  # fmt: skip


def rocm_5_header(folder: Path) -> Path:
    """Return the built-in header of ROCm 5.2, taken out of Debian's library."""
    library = ctypes.CDLL("libhiprtc-builtins.so.5")
    size = ctypes.c_uint.in_dll(library, "__hipRTC_header_size").value
    header = folder / "rocm-5.2.h"
    header.write_bytes((ctypes.c_char * size).in_dll(library, "__hipRTC_header").raw)
    return header


def declared(header: Path, folder: Path) -> set[str]:
    """Return the identifiers of a header that cannot be another type in the global namespace behind it."""
    done = toolchain.clang("gfx1100", "-std=c++17", "-E", "-P", "-o", "-", str(header))
    text = re.sub(r'"(\\.|[^"\\\n])*"', "", done.stdout)
    names = sorted(name for name in set(re.findall(r"\b[A-Za-z_]\w*", text)) if not NO_PROGRAM_S.fullmatch(name))
    program = folder / "names.hip"
    program.write_text(_redeclared(names))
    done = toolchain.clang("gfx1100", "-std=c++17", "-w", "-include", str(header), "-fsyntax-only", str(program))
    found = {names[int(line) // 3 - 1] for line in re.findall(r"names\.hip:(\d+):\d+: error", done.stderr)}
    assert found, done.stderr
    return found


def free_in_nvrtc(names: Iterable[str]) -> set[str]:
    """Return the names that some release of NVRTC lets a program declare as a type."""
    ordered, free = sorted(names), set()
    for compiler in compilers.nvrtc().values():
        taken: set[str] = set()
        while True:  # the compiler reports a hundred errors at a time
            kept = [name for name in ordered if name not in taken]
            done = compiler.compile(_redeclared(kept).encode(), b"names.cu", [b"-arch=compute_80"])
            found = {kept[int(line) // 3 - 1] for line in re.findall(r"names\.cu\((\d+)\): error", done.log)}
            if not found:
                assert done.status == 0, done.log
                break
            taken |= found
        free |= set(ordered) - taken
    return free


def _redeclared(names: Iterable[str]) -> str:
    """Return a program that declares each name as a type, unless it is a macro: the nth on line 3 * n."""
    return "struct another;\n" + "".join(f"#ifndef {name}\ntypedef struct another {name};\n#endif\n" for name in names)


def main(folder: Path) -> None:
    headers = [rocm_5_header(folder), toolchain.rocm_header(folder), toolchain.next_header(folder)]
    names = set().union(*(declared(header, folder) for header in headers))
    own = sorted(free_in_nvrtc(names) | ALWAYS)
    before, _, after = TABLE.read_text(encoding="utf-8").partition("\nown:\n")
    rest = after[after.index("\n\n") :]
    TABLE.write_text(before + "\nown:\n" + "\n".join(f"  - {name}" for name in own) + rest, encoding="utf-8")
    print(f"{len(own)} names")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

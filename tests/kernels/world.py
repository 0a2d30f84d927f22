"""Predefined macros and free names: the macros that NVRTC defines and the names that it leaves to programs.

`python -m tests.kernels.world` asks NVRTC 11.8, 12.9 and 13 (no GPU is needed) and writes their answers to
`tests/kernels/world.json`, and the macros to the runtime's `device/prelude/nvrtc_macros.h` and
`device/prelude/nvrtc_language_macros.h`.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.kernels import compilers

RECORDED = Path(__file__).with_name("world.json")
RUNTIME = Path(__file__).resolve().parents[2] / "hip_on_host"
HEADER = RUNTIME / "device/prelude/nvrtc_macros.h"
LANGUAGE_HEADER = RUNTIME / "device/prelude/nvrtc_language_macros.h"
ATTRIBUTES = RUNTIME / "device/prelude/device_attributes.h"

#: The dialects that are recorded of each release, by the value of `__cplusplus`. Older ones are read as C++17 here.
STANDARDS = {"11.8": [201703], "12.9": [201703, 202002], "13.5": [201703, 202002]}
_NAMES = {201703: "c++17", 202002: "c++20"}
#: The releases of a layout, as values of `CUDART_VERSION`.
_RELEASES = {"11.8": "CUDA_SHIM_CUDA < 12000", "12.9": "CUDA_SHIM_CUDA / 1000 == 12", "13.5": "CUDA_SHIM_CUDA >= 13000"}

#: Macros that predefined.h and expansion_pass.h write themselves, that every compiler has, or that follow the options.
_WRITTEN = re.compile(
    r"__(FILE|LINE|cplusplus|STDC|STDC_HOSTED|CUDACC|CUDACC_RTC|CUDA_ARCH|CUDA_ARCH_LIST|CUDA_MINIMUM_ARCH)(__)?"
    r"|__STDCPP_DEFAULT_NEW_ALIGNMENT__|CUDART_VERSION|NULL|assert|_?NV_.*|__NV_(PAREN|TEST|TARGET).*"
)
#: Macros by which the host's library detects features of its own compiler.
_LANGUAGE = re.compile(r"__cpp_\w+|__EDG\w*__|__EXCEPTIONS")
_NO_NAMES = {"__VA_ARGS__", "__VA_OPT__", "__is_identifier"}

# Names of C's library, of its types and of functions in CUDA programs.
_FURTHER_NAMES = """
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t ssize_t
    int_fast32_t int_least8_t uint_fast64_t wchar uchar ushort uint ulong longlong ulonglong byte half half2 bfloat16
    float16 float8 fp16 bf16 memcmp memmove strlen strcmp strcpy strncpy strchr memchr calloc realloc abort exit atoi
    snprintf sprintf fprintf puts putchar qsort bsearch rand srand time isnan isinf signbit div ldiv index min3 max3
    clamp lerp sign fract mix saturate swap warp_size WARP_SIZE real imag conj complex matrix vec2 vec3 vec4 float5
    dim2 Complex atomicMul atomicAddFloat __half __nv_bfloat16 texture surface
"""


def defined_macros(command: Sequence[str]) -> set[str]:
    """The macros that a compiler has before it reads anything."""
    run = subprocess.run([*command, "-dM", "-E", "-"], input="", capture_output=True, text=True, check=True)
    names = {re.split(r"[ (]", line, maxsplit=2)[1] for line in run.stdout.splitlines()}
    return {name for name in names if _is_probed(name)}


def _is_probed(name: str) -> bool:
    """Return whether `#ifdef name` has a meaning: some names are the preprocessor's own."""
    return name not in _NO_NAMES and not name.startswith(("__has_", "cuda_shim", "CUDA_SHIM"))


def declared_names() -> set[str]:
    """The names of the global scope that the prelude declares to a CUDA program, every part of it included."""
    parts = re.findall(
        r"#ifdef (CUDA_SHIM_(?!STANDARD|CHECKED|HALF|BFLOAT16|COMPLEX|HOST_STRUCTS|MATH_CONSTANTS)\w+)",
        (RUNTIME / "device/prelude/prelude.h").read_text(),
    )
    run = subprocess.run(
        ["clang++-19", "-x", "c++", "-std=c++17", "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json",
         "-DCUDA_SHIM_CUDA=13050", *(f"-D{part}" for part in parts), "-include",
         str(RUNTIME / "device/prelude/prelude.h"), "/dev/null"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    names: set[str] = set()
    waiting = [json.loads(run.stdout)]
    while waiting:
        for node in waiting.pop().get("inner", []):
            kind, name = node.get("kind", ""), node.get("name", "")
            if kind == "LinkageSpecDecl":
                waiting.append(node)
            elif kind == "EnumDecl" and "scopedEnumTag" not in node:
                names.update(item["name"] for item in node.get("inner", []) if item["kind"] == "EnumConstantDecl")
            if name.isidentifier() and kind.endswith("Decl") and not node.get("isImplicit"):
                names.add(name)
    return {name for name in names if not re.match(r"cuda_?shim|hip[A-Z_]|__builtin|std$", name, re.IGNORECASE)}


def macro_probe(names: Iterable[str]) -> str:
    """A program whose image holds the defined macros and their values."""
    lines = ["#define TEXT(...) #__VA_ARGS__", "#define VALUE(...) TEXT(__VA_ARGS__)"]
    for name in sorted(names):
        lines += [f"#ifdef {name}", f'extern "C" __device__ const char probe_{name}[] = "=" VALUE({name});', "#endif"]
    return "\n".join(lines) + "\n"


def macros(compiler: compilers.RuntimeCompiler, names: Iterable[str], standard: int) -> dict[str, str]:
    options = [b"-arch=compute_80", f"-std={_NAMES[standard]}".encode()]
    image = compiler.ptx(macro_probe(names).encode(), b"probe.cu", options, {}, [])
    assert image is not None
    found = re.findall(r"probe_(\w+)\[\d+\] = \{([\d, ]*)\}", image[0].decode())
    return {
        name: bytes(int(byte) for byte in values.split(",")).rstrip(b"\0").decode()[1:]
        for name, values in sorted(found)
    }


def free_probe(names: Sequence[str]) -> str:
    """A program that takes every name for a type of its own, a line each."""
    return "".join(f"typedef struct probe_{name} {{}} {name};\n" for name in names)


def _free(compiler: compilers.RuntimeCompiler, names: Iterable[str]) -> list[str]:
    """The names that a program may take for a type of its own, on every architecture."""
    free = sorted(names)
    for option in (b"-arch=compute_80", b"-arch=compute_75"):
        while True:
            log = compiler.compile(free_probe(free).encode(), b"probe.cu", [option]).log
            taken = {int(line) for line in re.findall(r"probe\.cu\((\d+)\): error", log)}
            if not taken:
                break
            free = [name for line, name in enumerate(free, 1) if line not in taken]
    return free


def _candidates() -> set[str]:
    """Macros that a host compiler has, or that NVIDIA's headers ask for."""
    host = [[compiler, "-x", "c++", f"-std={name}"] for compiler in ("clang++-19", "g++") for name in _NAMES.values()]
    names = set().union(*(defined_macros(command) for command in host))
    for folder in compilers.toolkit_folders("13.5"):
        for path in Path(folder).rglob("*"):
            if path.is_file():
                text = path.read_text(errors="replace")
                names.update(re.findall(r"(?:#\s*ifn?def\s+|defined\s*\(?\s*)(\w+)", text))
                names.update(re.findall(r"\b(?:CUDA\w+|NV_\w+|__NV\w+|__CUDA\w+|__[A-Z][A-Z0-9_]{3,}__)\b", text))
    return {name for name in names if _is_probed(name)}


def record() -> dict[str, Any]:
    """NVRTC's answers, by the layout."""
    candidates, names = _candidates(), declared_names() | set(_FURTHER_NAMES.split())
    answers = {}
    for layout, compiler in compilers.nvrtc().items():
        found = {str(standard): macros(compiler, candidates, standard) for standard in STANDARDS[layout]}
        answers[layout] = {"macros": found, "free": _free(compiler, names)}
    return {"names": sorted(names), "layouts": answers}


def header(recorded: dict[str, Any]) -> str:
    """The macros that are plain values, without those of the language."""
    title = "// The macros that NVRTC defines before a program's first line, as its releases answered."
    return _definitions(recorded, title, lambda name: not _LANGUAGE.fullmatch(name))


def language_header(recorded: dict[str, Any]) -> str:
    """The macros of the language's features. The host's own headers must not meet them."""
    title = (
        "// NVRTC's macros about the language. A program's own conditions meet them; host headers test their own "
        "compiler's\n// (`__cpp_rtti` under -fno-rtti), so these are defined only where none is read."
    )
    return _definitions(recorded, title, lambda name: bool(_LANGUAGE.fullmatch(name)))


def _definitions(recorded: dict[str, Any], title: str, chosen: Callable[[str], bool]) -> str:
    """The chosen macros, under the releases and dialects that have them."""
    contexts = [(layout, standard) for layout in STANDARDS for standard in STANDARDS[layout]]
    found: dict[frozenset[tuple[str, int]], list[str]] = {}
    macros = {(layout, s): recorded["layouts"][layout]["macros"][str(s)] for layout, s in contexts}
    for name in filter(chosen, sorted(set().union(*macros.values()))):
        values: dict[str, set[tuple[str, int]]] = {}
        for context in contexts:
            value = macros[context].get(name)
            if value is not None and value != name and "__attribute__" not in value and not _WRITTEN.fullmatch(name):
                values.setdefault(value, set()).add(context)
        for value, where in values.items():
            found.setdefault(frozenset(where), []).append(f"#define {name} {value}".rstrip())
    lines = [
        title,
        "// Written by `python -m tests.kernels.world`.",
        "#pragma once",
    ]
    for group in sorted(found, key=lambda group: (-len(group), sorted(group))):
        lines += [
            "",
            f"#if {_condition(group)}" if len(group) < len(contexts) else "// In every release.",
            *found[group],
        ]
        lines += ["#endif"] if len(group) < len(contexts) else []
    return "\n".join(lines) + "\n"


def attributes() -> str:
    """CUDA's numbers of device attributes, which NVRTC declares, from the table of the runtime API."""
    table = (RUNTIME.parent / "tables/runtime/device.yaml").read_text(encoding="utf-8")
    lines = [
        f"    {name} = {number}," for name, number in re.findall(r"^    (cudaDevAttr\w+): (\d+)", table, re.MULTILINE)
    ]
    return "\n".join(
        ["// CUDA's device attributes, for device code that names them.",
         "// Written by `python -m tests.kernels.world` from tables/runtime/device.yaml.", "#pragma once",
         "// Part for programs with names that begin with: cudaDevAttr cudaDeviceAttr", "",
         "enum cudaDeviceAttr {", *lines, "};", ""]
    )  # fmt: skip


def _condition(where: frozenset[tuple[str, int]]) -> str:
    parts = []
    for layout, standards in STANDARDS.items():
        here = [standard for standard in standards if (layout, standard) in where]
        if here == standards:
            parts.append(_RELEASES[layout])
        elif here:
            newest = here[-1] == standards[-1]
            parts.append(f"({_RELEASES[layout]} && __cplusplus {'>' if newest else '<='} 201703)")
    return " || ".join(parts)


if __name__ == "__main__":
    answers = record()
    RECORDED.write_text(json.dumps(answers, indent=0, sort_keys=True) + "\n")
    HEADER.write_text(header(answers))
    LANGUAGE_HEADER.write_text(language_header(answers))
    ATTRIBUTES.write_text(attributes())

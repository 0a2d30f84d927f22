"""`cuda.h`, `cuda_runtime_api.h` and `nvrtc.h`, written from the tables for C and C++ programs.

They declare the functions of the libraries beside them. The kernels' side of CUDA (`cuda_fp16.h` and others) is not in
them: programs that are compiled at run time find that without any header.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cuda_shim.c_level.declarations import Declarations, spelled
from cuda_shim.c_level.interface import functions
from cuda_shim.mapping.rows import ConstantRow

__all__ = ["FILES", "write_headers"]

#: The file of each table.
FILES = {"driver": "cuda.h", "runtime": "cuda_runtime_api.h", "nvrtc": "nvrtc.h"}
_VERSION = {"driver": "CUDA_VERSION", "runtime": "CUDART_VERSION"}
# Parameters, by place, whose types in C are other than in NVIDIA's Cython modules, whose signatures are recorded.
_IN_C = {
    "cudaMemcpyBatchAsync": {0: ("const void**", "void* const*"), 1: ("const void**", "const void* const*")},
    "nvrtcCompileProgram": {2: ("const char**", "const char* const*")},
    "nvrtcCreateProgram": {4: ("const char**", "const char* const*"), 5: ("const char**", "const char* const*")},
    "nvrtcSetFlowCallback": {1: ("void*", "int (*)(void*, void*)")},
}
_TEXT = """\
/* Written by cuda_shim from its tables, for CUDA {layout}. */
#ifndef CUDA_SHIM_{name}
#define CUDA_SHIM_{name}
#include <stddef.h>
#include <stdint.h>
{includes}
#ifdef __cplusplus
extern "C" {{
#endif
{body}
#ifdef __cplusplus
}}
#endif
#endif
"""
_OF_THE_RUNTIME = """\
#ifdef __cplusplus
template <class Type> inline cudaError_t cudaMalloc(Type **pointer, size_t bytes) {
  return cudaMalloc((void **)(void *)pointer, bytes);
}
#endif
"""


def write_headers(folder: Path, layout: str) -> None:
    """Write the headers of a layout into `folder`, and `cuda_runtime.h`, which C++ programs include."""
    folder.mkdir()
    for table, file in FILES.items():
        (folder / file).write_text(_header(table, layout), encoding="utf-8")
    text = f'#include "{FILES["runtime"]}"\n{_OF_THE_RUNTIME}'
    (folder / "cuda_runtime.h").write_text(f"#pragma once\n{text}", encoding="utf-8")


def _header(table: str, layout: str) -> str:
    declarations = Declarations(table, layout)
    lines: list[str] = []
    if table in _VERSION:
        major, minor = layout.split(".")
        lines.append(f"#define {_VERSION[table]} {int(major) * 1000 + int(minor) * 10}")
    lines += [f"#define {row.name} {row.value}" for row in declarations.rows() if isinstance(row, ConstantRow)]
    lines += filter(
        None,
        (declarations.in_c(row, tagged=False) for row in declarations.ordered() if not isinstance(row, ConstantRow)),
    )
    lines += _prototypes(table, layout)
    return _TEXT.format(
        layout=layout, name=FILES[table].upper().replace(".", "_"), body="\n".join(lines),
        includes='#include "cuda.h"' if table == "runtime" else "",
    )  # fmt: skip


def _prototypes(table: str, layout: str) -> Iterator[str]:
    """Return each function by its own name, which is that of a symbol with a number where NVIDIA's library has one."""
    own = {each.name: each for each in functions(layout) if (each.table, each.layout) == (table, layout)}
    for name, function in sorted(own.items()):
        if function.nvidias_symbol != name:
            yield f"#define {name} {function.nvidias_symbol}"
        types = [spelled(argument) for argument in function.arguments]
        for place, (recorded, in_c) in _IN_C.get(name, {}).items():
            types[place] = in_c if types[place] == recorded else types[place]
        yield f"{spelled(function.result)} {name}({', '.join(types) or 'void'});"

"""The known programs: the corpus, the benchmark's kernels in a file each, programs that wait, and PTX of nvcc and of Numba."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.benchmarks.speed.contenders import kernel_text
from tests.kernels import nvcc_modules
from tests.kernels.waiting import programs as waiting
from tests.ptx import numba_modules

__all__ = ["Source", "benchmark_programs", "sources"]

_DEFINITION = re.compile(r'(?:__device__|extern "C" __global__)[^;{}]*?\b(\w+)\([^{}]*?\) \{\n(?:.*\n)*?\}\n')
#: Lines in front of a kernel that has the word.
_BEFORE = {
    "__half": "#include <cuda_fp16.h>\n",
    "uint": "typedef unsigned int uint;\n",
    "SAMPLED": "#define SAMPLED(picture, u, v) tex2D<float>(picture, u, v)\n",
}


@dataclass(frozen=True)
class Source:
    """A program as it is handed to CUDA.

    Attributes:
        name: the collection and the program's name in it.
        text: CUDA C++ or PTX.
        file: the name that NVRTC is given for it.
        is_ptx: True for PTX.
        options: NVRTC's options.
        headers: headers that the program brings along, by name.
        expressions: name expressions that NVRTC is asked for.
        core: True if it includes CUDA's C++ core libraries.
    """

    name: str
    text: str
    file: str = "program.cu"
    is_ptx: bool = False
    options: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    expressions: tuple[str, ...] = ()
    core: bool = False


def benchmark_programs() -> dict[str, str]:
    """Return each kernel of the benchmark as a file of its own, with no header but for what it names."""
    text = kernel_text(0)
    definitions = {match[1]: match[0] for match in _DEFINITION.finditer(text)}
    functions = [name for name, definition in definitions.items() if "__global__" not in definition]
    found = {}
    for name, definition in definitions.items():
        if name in functions:
            continue
        called = [definitions[function] for function in functions if re.search(rf"\b{function}\(", definition)]
        whole = "".join([*called, definition])
        before = "".join(line for word, line in _BEFORE.items() if re.search(rf"\b{word}\b", whole))
        found[name] = before + whole
    return found


def sources() -> Iterator[Source]:
    """Yield all known programs."""
    from corpus import programs  # as the corpus's own programs import it

    for name, program in programs().items():
        headers = tuple(program.headers.items())
        yield Source(f"corpus/{name}", program.source, program.file, False, program.options, headers, program.kernels)
    for name, text in benchmark_programs().items():
        yield Source(f"benchmark/{name}", text)
    for name, each in waiting.programs().items():
        yield Source(f"waiting/{name}", each.source, options=("-std=c++17",), core=each.core)
    for name, text in nvcc_modules.kept()["modules"].items():
        yield Source(f"nvcc/{name}", text, is_ptx=True)
    for name, text in numba_modules.kept(numba_modules.FILE)["modules"].items():
        if "+" not in name:  # a variant of a kernel
            yield Source(f"numba/{name}", text, is_ptx=True)

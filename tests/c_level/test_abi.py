"""The structs of the tables have the layouts of NVIDIA's headers, which C programs are compiled with."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.backends import compilers
from cuda_shim.binding import objects_of
from cuda_shim.binding.structs.layout import layout_of
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import StructRow
from tests import environments

INCLUDE = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "include"
#: The wheels with the headers of older layouts, and the least number of assertions for their structs.
OLDER = {"11.8": ("nvidia-cuda-runtime-cu11==11.8.89", 500), "12.9": ("nvidia-cuda-runtime-cu12==12.9.79", 800)}
HEADERS = ("cuda.h", "cuda_runtime_api.h")
#: The headers with the structs: names of members alone, and of structs inside of others, are CUDA Python's own.
TOLD_IN = ("cuda.h", "driver_types.h", "texture_types.h", "surface_types.h", "cuda_runtime_api.h")
#: Structs of interfaces whose headers come with other packages (EGL), and structs that C++ has only inside of others.
ELSEWHERE = ("egl", "Egl", "EGL", "CUstreamMemOp")


def assertions(layout: str, include: Path) -> Iterator[str]:
    scopes = objects_of(layout)
    named = set(re.findall(r"\w+", "".join((include / header).read_text(errors="replace") for header in TOLD_IN)))
    for table in ("driver", "runtime"):
        known = store.load(table)
        for name in sorted(known.names(layout)):
            row = known.row(name, layout)
            if not isinstance(row, StructRow) or name not in named or any(word in name for word in ELSEWHERE):
                continue
            laid_out = layout_of(row, scopes.scope(table))
            yield f'static_assert(sizeof({name}) == {laid_out.size}, "{name}");'
            own = {field.name for field in row.fields if not field.hidden and not field.inline}
            for place in laid_out.places:
                if place.field.name in own and not place.field.hidden:
                    yield f'static_assert(offsetof({name}, {place.field.name}) == {place.offset}, "{name}");'


def test_sizes_and_offsets(tmp_path: Path) -> None:
    check("13.5", INCLUDE, 900, tmp_path)


@pytest.mark.parametrize("layout", OLDER)
def test_sizes_and_offsets_of_older_layouts(layout: str, shared_folder: Path, tmp_path: Path) -> None:
    wheel, least = OLDER[layout]
    python = environments.make(shared_folder / f"headers-{layout}", wheel)
    (include,) = python.executable.parents[1].glob("lib/python*/site-packages/nvidia/cuda_runtime/include")
    check(layout, include, least, tmp_path)


def check(layout: str, include: Path, least: int, tmp_path: Path) -> None:
    """Have a compiler compare the structs of a layout with those of the headers."""
    lines = list(assertions(layout, include))
    assert len(lines) > least
    source = tmp_path / "abi.cpp"
    source.write_text("\n".join(["#include <cstddef>", *(f"#include <{name}>" for name in HEADERS), *lines, ""]))
    command = [
        *compilers.find(settings.current()).command,
        "-std=c++17",
        "-c",  # zig has no -fsyntax-only
        "-O0",
        "-o",
        str(tmp_path / "abi.o"),
        "-w",
        f"-I{include}",
        f"-idirafter{INCLUDE}",  # crt/host_defines.h, which older wheels leave to the compiler's
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]

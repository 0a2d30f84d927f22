"""The structs of the tables lie in memory as NVIDIA's headers have them, which C programs are compiled with."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from cuda_shim import settings
from cuda_shim.backends.cpu import compilers
from cuda_shim.binding import objects_of
from cuda_shim.binding.structs.layout import layout_of
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import StructRow

INCLUDE = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "include"
HEADERS = ("cuda.h", "cuda_runtime_api.h")
#: Where the structs are: names of members alone, and of structs inside of others, are CUDA Python's own.
TOLD_IN = ("cuda.h", "driver_types.h", "texture_types.h", "surface_types.h", "cuda_runtime_api.h")
#: Of interfaces whose headers come with other packages (EGL), and structs that C++ has inside of another one alone.
ELSEWHERE = ("egl", "Egl", "EGL", "CUstreamMemOp")


def assertions() -> Iterator[str]:
    scopes = objects_of("13.5")
    named = set(re.findall(r"\w+", "".join((INCLUDE / header).read_text(errors="replace") for header in TOLD_IN)))
    for table in ("driver", "runtime"):
        known = store.load(table)
        for name in sorted(known.names("13.5")):
            row = known.row(name, "13.5")
            if not isinstance(row, StructRow) or name not in named or any(word in name for word in ELSEWHERE):
                continue
            layout = layout_of(row, scopes.scope(table))
            yield f'static_assert(sizeof({name}) == {layout.size}, "{name}");'
            own = {field.name for field in row.fields if not field.hidden and not field.inline}
            for place in layout.places:
                if place.field.name in own and not place.field.hidden:
                    yield f'static_assert(offsetof({name}, {place.field.name}) == {place.offset}, "{name}");'


def test_sizes_and_offsets(tmp_path: Path) -> None:
    lines = list(assertions())
    assert len(lines) > 900
    source = tmp_path / "abi.cpp"
    source.write_text("\n".join(["#include <cstddef>", *(f"#include <{name}>" for name in HEADERS), *lines, ""]))
    command = [
        *compilers.find(settings.current()).command,
        "-std=c++17",
        "-fsyntax-only",
        "-w",
        f"-I{INCLUDE}",
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]

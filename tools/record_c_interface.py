"""Record NVIDIA's C interface as data: signatures as its Cython modules spell them, and the symbols of its headers.

    python tools/record_c_interface.py LAYOUT=BINDINGS_FOLDER:INCLUDE_FOLDER ...

A bindings folder is made by `pip install --target` of cuda-bindings (with cuda-pathfinder), an include folder is that
of nvidia-cuda-runtime. Writes `cuda_shim/c_level/data/`: for each module the functions with their signatures and the
layouts that have them, for each layout the symbol that the headers give a function's name, and the versions of CUDA in
which a driver function got each of its forms.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "cuda_shim/c_level/data"
MODULES = {
    "driver": "cydriver",
    "runtime": "cyruntime",
    "nvrtc": "cynvrtc",
    "nvvm": "cynvvm",
    "nvjitlink": "cynvjitlink",
}
HEADERS = ("cuda.h", "cudaEGL.h", "cudaGL.h", "cudaVDPAU.h", "cudaProfiler.h", "cuda_runtime_api.h")

READ_CAPSULES = """
import ctypes, importlib.util, json, sys
name = ctypes.pythonapi.PyCapsule_GetName
name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
found = {}
for module in sys.argv[1:]:
    if importlib.util.find_spec("cuda.bindings." + module) is None:
        continue
    capsules = importlib.import_module("cuda.bindings." + module).__pyx_capi__
    found[module] = {function: name(capsule).decode() for function, capsule in capsules.items()}
print(json.dumps(found))
"""
TYPEDEFS = ("cudaTypedefs.h", "cudaEGLTypedefs.h", "cudaGLTypedefs.h", "cudaVDPAUTypedefs.h", "cudaProfilerTypedefs.h")
_FORM = re.compile(r"\*PFN_(cu\w+)_v(\d+)\)\(([^;]*)\);")
_DEFINED = re.compile(r"^\s*#\s*define\s+(cu\w+)\s+(?:__CUD\w+_(PTDS|PTSZ)\((cu\w+)\)|(cu\w+))\s*$", re.MULTILINE)


def capsules(folder: str) -> dict[str, dict[str, str]]:
    """The functions of each Cython module and their signatures."""
    command = [sys.executable, "-c", READ_CAPSULES, *MODULES.values()]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={"PYTHONPATH": folder})
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


def symbols(folder: str) -> dict[str, tuple[str, str]]:
    """The symbol of each function that the headers rename, and "ptds", "ptsz" or "" for its per-thread form.

    A header that defines a name twice does so once for each interface version; the first is the newest.
    """
    found: dict[str, tuple[str, str]] = {}
    for header in HEADERS:
        path = Path(folder) / header
        if path.exists():
            for name, form, per_thread, plain in _DEFINED.findall(path.read_text(encoding="utf-8", errors="replace")):
                found.setdefault(name, (per_thread or plain, form.lower()))
    return found


def forms(folder: str) -> Iterator[tuple[str, int, str]]:
    """The driver functions whose pointers the headers declare: a version that gave one a form, and its parameters."""
    for header in TYPEDEFS:
        path = Path(folder) / header
        if path.exists():
            for name, version, parameters in _FORM.findall(path.read_text(encoding="utf-8", errors="replace")):
                types = [re.sub(r"\w+$", "", parameter.strip()) for parameter in parameters.split(",")]
                yield name, int(version), ", ".join("".join(kind.split()) for kind in types)


def versions_line(name: str, found: dict[int, str]) -> str:
    """A line of versions.txt: the versions of a function, with a + where the next form takes the same arguments."""
    ordered = sorted(found)
    same = [found[one] == found[following] for one, following in itertools.pairwise(ordered)]
    marked = [f"{version}+" if alike else str(version) for version, alike in zip(ordered, [*same, False], strict=True)]
    return f"{name}\t{' '.join(marked)}\n"


def main(places: list[str]) -> None:
    """Write the files."""
    functions: dict[str, dict[tuple[str, str], list[str]]] = {table: defaultdict(list) for table in MODULES}
    renamed: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    versions: dict[str, dict[int, str]] = defaultdict(dict)
    for place in places:
        layout, _, folders = place.partition("=")
        bindings, _, include = folders.partition(":")
        found = capsules(bindings)
        for table, module in MODULES.items():
            for name, signature in found.get(module, {}).items():
                functions[table][name, signature].append(layout)
        for name, (symbol, form) in symbols(include).items():
            renamed[name, symbol, form].append(layout)
        for name, version, parameters in forms(include):
            versions[name][version] = parameters
    TARGET.mkdir(parents=True, exist_ok=True)
    for table, rows in functions.items():
        lines = [f"{name}\t{' '.join(layouts)}\t{signature}\n" for (name, signature), layouts in sorted(rows.items())]
        (TARGET / f"{table}.txt").write_text("".join(lines), encoding="ascii")
    lines = [
        f"{name}\t{' '.join(layouts)}\t{symbol}\t{form}\n" for (name, symbol, form), layouts in sorted(renamed.items())
    ]
    (TARGET / "symbols.txt").write_text("".join(lines), encoding="ascii")
    lines = [versions_line(name, found) for name, found in sorted(versions.items())]
    (TARGET / "versions.txt").write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1:])

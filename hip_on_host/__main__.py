"""``python -m hip_on_host FOLDER [--cxx COMMAND]``: build the libraries, and print the variables that load them.

``python -m hip_on_host compile FILE --after PASS`` prints what a pass of the kernel compiler leaves of a program.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from hip_on_host import building, passes, sources


def main(words: list[str]) -> int:
    """Build libamdhip64.so and libhiprtc.so into FOLDER/lib, or print a pass's text; return the exit status."""
    if words[:1] == ["compile"]:
        return passes.main(words[1:])
    parser = argparse.ArgumentParser(prog="python -m hip_on_host", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--cxx", default="g++", metavar="COMMAND", help="a C++17 compiler (default: %(default)s)")
    options = parser.parse_args(words)
    folder: Path = options.folder.absolute()
    compiler = shlex.split(options.cxx)
    try:
        folder.mkdir(parents=True)
        building.build(folder, compiler, kind_of(compiler))
    except FileExistsError:
        parser.error(f"{folder} exists: name a new folder")
    except (building.BuildError, OSError) as error:
        print(f"hip_on_host: {error}", file=sys.stderr)
        return 1
    for name, value in (
        ("ROCM_PATH", str(folder)),
        ("LD_LIBRARY_PATH", str(folder / "lib")),
        ("CUDA_SHIM_CPU_DEVICE_HEADERS", sources.device_folder()),
        ("CUDA_SHIM_CPU_CXX", options.cxx),
    ):
        print(f"export {name}={shlex.quote(value)}")
    return 0


def kind_of(compiler: list[str]) -> str:
    """Return the kind of a compiler, by its name: zig, clang or gcc."""
    name = " ".join([Path(compiler[0]).name, *compiler[1:2]])
    return next((kind for kind in ("zig", "clang") if kind in name), "gcc")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

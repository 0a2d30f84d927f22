"""Check the layout of the runtime's C++ with clang-format, and its code with clang-tidy.

Usage::

    python tools/lint_cpp.py                  # layout: fails and names the files that differ
    python tools/lint_cpp.py --fix            # lay them out
    python tools/lint_cpp.py --tidy build     # clang-tidy too, with the compile commands of a CMake build folder
    python tools/lint_cpp.py --tidy build hip_on_host/src/hip/graphs/graph.cpp

What is checked stands in .clang-format and .clang-tidy; both tools are version 19.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNTIME = ROOT / "hip_on_host/src"
FOLDERS = [*(RUNTIME / name for name in ("common", "engine", "hip", "kernel_compiler")), ROOT / "cuda_shim/c_level"]


def find_tool(name: str) -> str:
    """Version 19 of a tool of LLVM, whatever it is called here."""
    for candidate in (f"{name}-19", name):
        found = shutil.which(candidate)
        if found:
            return found
    raise SystemExit(f"lint_cpp: {name} not found: install {name}-19")


def sources() -> list[Path]:
    """Every file of the libraries that people write."""
    return sorted(path for folder in FOLDERS for path in folder.rglob("*") if path.suffix in (".cpp", ".h"))


def check_layout(files: list[Path], fix: bool) -> list[str]:
    """The files that clang-format would change; with `fix` it does."""
    tool, differing = find_tool("clang-format"), []
    for path in files:
        laid_out = subprocess.run([tool, str(path)], check=True, capture_output=True).stdout
        if laid_out == path.read_bytes():
            continue
        differing.append(str(path.relative_to(ROOT)))
        if fix:
            path.write_bytes(laid_out)
    return differing


def check_code(files: list[Path], build: Path) -> list[str]:
    """What clang-tidy says, a file at a time on every core."""
    tool = find_tool("clang-tidy")

    def one(path: Path) -> str:
        command = [tool, "--quiet", "-p", str(build), str(path)]
        return subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [said for said in pool.map(one, [path for path in files if path.suffix == ".cpp"]) if said.strip()]


def main() -> int:
    parser = argparse.ArgumentParser(usage="%(prog)s [--fix] [--tidy BUILD] [FILE ...]")
    parser.add_argument("--fix", action="store_true", help="lay the files out")
    parser.add_argument("--tidy", type=Path, metavar="BUILD", help="run clang-tidy with this build folder's commands")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    files = [path.resolve() for path in arguments.files] or sources()
    differing = check_layout(files, arguments.fix)
    for name in differing:
        print(f"{name}: {'laid out' if arguments.fix else 'is laid out otherwise'}")
    said = check_code(files, arguments.tidy) if arguments.tidy else []
    sys.stdout.write("".join(said))
    return 1 if said or (differing and not arguments.fix) else 0


if __name__ == "__main__":
    raise SystemExit(main())

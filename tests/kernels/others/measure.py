"""How many of the programs that others hand to NVRTC each compiler takes, how long it needs, and why it refuses some.

    python -m tests.kernels.others.measure FOLDER [-n COUNT] [-c COMPILER]... [-I FOLDER]...

FOLDER holds what `draw_cupy.py` and `draw_packages.py` wrote; COUNT of each package are taken at random, always the same
ones, all of them by default. A program counts where NVRTC takes it. A COMPILER is one that the CPU runtime is to use, or
an AMD GPU such as gfx90a, for which Debian's hiprtc compiles; by default clang++-19, g++, zig and gfx90a. The folders
behind -I are given to all of them, behind those of the program's own options. Times are of NVRTC and of the first
compiler, each with an empty cache; set CUDA_SHIM_CACHE_DIR to a folder that has none.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cuda_shim import settings
from cuda_shim.adapters.translated_headers import options_for
from cuda_shim.backends import cpu
from cuda_shim.backends.cpu import build
from cuda_shim.translate.options import cuda_program, to_hiprtc
from cuda_shim.translate.source import to_hip
from tests.cpu_runtime.hiprtc_program import find_compiler
from tests.kernels import compilers

LAYOUT = "13.5"
#: Processes that compile at a time, where one that crashes may take its programs with it.
BATCH = 25
_KERNEL = re.compile(rb'extern "C" __global__ void(?: __launch_bounds__\(\d+\))? (\w+)\(')
_ERROR = re.compile(r"(?:error|fatal error): (.*)")


class Drawn(NamedTuple):
    """A program that a package hands to NVRTC."""

    file: Path
    package: str
    source: bytes
    options: list[bytes]


class Taken(NamedTuple):
    """What became of it: 0 for success, the compiler's log, seconds."""

    status: int
    log: str
    seconds: float


def drawn(folder: Path, count: int | None, includes: Sequence[str]) -> Iterator[Drawn]:
    """The programs of each package, or some of them. Folders that are not on this machine are left out."""
    packages = collections.defaultdict(list)
    for file in sorted(folder.glob("*.json")):
        packages[file.name.partition("-")[0]].append(file)
    for package, files in sorted(packages.items()):
        chosen = random.Random(5).sample(files, min(count or len(files), len(files)))  # noqa: S311 - the same ones
        for file in sorted(chosen):
            content = json.loads(file.read_text(encoding="utf-8"))
            given = [
                option for option in content["options"] if not option.startswith("-I") or os.path.isdir(option[2:])
            ]
            options = [*given, *(f"-I{include}" for include in includes)]
            if not any("arch" in option for option in given):
                options.append("-arch=compute_80")
            yield Drawn(file, package, content["source"].encode(), [option.encode() for option in options])


def compile_here(hiprtc: compilers.RuntimeCompiler, program: Drawn) -> Taken:
    """Compile with the CPU runtime, or an AMD GPU's compiler, as the shim does it."""
    architecture = os.environ.get("DRAWN_FOR")
    began = time.monotonic()
    options = to_hiprtc(program.options, architecture=architecture, cuda=LAYOUT)
    if options.refused:
        return Taken(1, f"error: {options.refused}", 0)
    made = to_hip(program.source, b"drawn.cu", [], architecture=architecture)
    passed = options.options
    if architecture is None:
        passed = [*options_for([program.source], options.include_paths), cuda_program(LAYOUT), *passed]
    done = hiprtc.compile(made.source, b"drawn.cu", passed, dict(made.headers), with_image=True)
    seconds = time.monotonic() - began
    lost = [name.decode() for name in _KERNEL.findall(program.source) if done.status == 0 and name not in done.image]
    return (
        Taken(1, f"error: kernels that are not in the image, such as {lost[0]}", 0)
        if lost
        else Taken(done.status, done.log, seconds)
    )


def worker() -> None:
    """Compile the files of the standard input one by one; a line for each before and after."""
    amd = compilers.amd() if os.environ.get("DRAWN_FOR") else None
    if amd is None:
        cpu.prepare_environment(settings.current())
        library = Path(build.ensure_libraries(settings.current())) / "lib/libhiprtc.so"
        amd = compilers.RuntimeCompiler(str(library), "hiprtc")
    for line in sys.stdin:
        name, package, options = json.loads(line)
        content = json.loads(Path(name).read_text(encoding="utf-8"))
        program = Drawn(Path(name), package, content["source"].encode(), [option.encode() for option in options])
        print(json.dumps({"file": name, "taken": compile_here(amd, program)}), flush=True)


def compile_all(compiler: str, programs: Sequence[Drawn]) -> dict[Path, Taken]:
    """What becomes of each program with one compiler, in processes of their own."""
    is_gpu = compiler.startswith("gfx")
    variables = {"DRAWN_FOR": compiler} if is_gpu else {"CUDA_SHIM_CPU_CXX": find_compiler(compiler) or compiler}
    found: dict[Path, Taken] = {}
    waiting = list(programs)
    while waiting:
        some = waiting[:BATCH]
        lines = [json.dumps((str(p.file), p.package, [option.decode() for option in p.options])) for p in some]
        done = subprocess.run(
            [sys.executable, "-m", "tests.kernels.others.measure", "--worker"],
            input="\n".join(lines), capture_output=True, text=True, check=False, env={**os.environ, **variables},
            cwd=Path(__file__).resolve().parents[3], errors="replace",
        )  # fmt: skip
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        found.update({Path(answer["file"]): Taken(*answer["taken"]) for answer in answers})
        if len(answers) < len(some):  # the next one took the process with it
            found[some[len(answers)].file] = Taken(-1, f"error: the compiler crashed: {done.stderr[-200:]}", 0)
        waiting = [program for program in waiting if program.file not in found]
    return found


def reason(taken: Taken) -> str:
    """The first error, without what differs from program to program."""
    error = _ERROR.search(taken.log)
    text = error[1] if error else taken.log.strip()[:100]
    return re.sub(r"\s+", " ", text)[:140]


def nvrtc_takes(programs: Sequence[Drawn]) -> dict[Path, Taken]:
    """Those that NVRTC compiles, and how long it takes."""
    nvrtc, found = compilers.nvrtc()[LAYOUT], {}
    for program in programs:
        began = time.monotonic()
        outcome = nvrtc.compile(program.source, b"drawn.cu", program.options)
        if outcome.status == 0:
            found[program.file] = Taken(0, "", time.monotonic() - began)
    return found


def main() -> None:
    """Compile the programs and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-n", dest="count", type=int)
    parser.add_argument("-c", dest="compilers", action="append")
    parser.add_argument("-I", dest="includes", action="append", default=[])
    asked = parser.parse_args()
    programs = list(drawn(asked.folder, asked.count, asked.includes))
    accepted = nvrtc_takes(programs)
    counted = [program for program in programs if program.file in accepted]
    names = asked.compilers or ["clang++-19", "g++", "zig", "gfx90a"]
    results = {name: compile_all(name, counted) for name in names}
    print("| package | drawn | NVRTC |", " | ".join(names), "|")
    print("|---" * (3 + len(names)) + "|")
    for package in sorted({program.package for program in programs}):
        of_it = [program for program in counted if program.package == package]
        all_of_it = sum(program.package == package for program in programs)
        cells = [sum(results[name][program.file].status == 0 for program in of_it) for name in names]
        print("|", " | ".join(map(str, (package, all_of_it, len(of_it), *cells))), "|")
    for name in names:
        reasons = collections.defaultdict(list)
        for program in counted:
            taken = results[name][program.file]
            if taken.status:
                reasons[reason(taken)].append(program.file.name)
        print(f"\n{name}: {sum(map(len, reasons.values()))} of {len(counted)} refused")
        for text, files in sorted(reasons.items(), key=lambda item: -len(item[1])):
            print(f"{len(files):5} {text} ({files[0]})")
    both = [file for file, taken in results[names[0]].items() if taken.status == 0]
    if both:
        ratios = [results[names[0]][file].seconds / accepted[file].seconds for file in both]
        ours, theirs = (statistics.median(r[file].seconds for file in both) for r in (results[names[0]], accepted))
        print(f"\nseconds, median of {len(both)}: {ours:.2f} with {names[0]}, {theirs:.2f} NVRTC;", end=" ")
        print(f"ratio {statistics.median(ratios):.2f}, least {min(ratios):.2f}, most {max(ratios):.2f}")


if __name__ == "__main__":
    worker() if sys.argv[1:] == ["--worker"] else main()

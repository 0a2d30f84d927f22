"""Run the aarch64 libraries of a release on another machine, under qemu's emulation of programs.

Usage::

    python tools/try_aarch64.py                      # the engine's C++ cases, kernels in every form, faults
    python tools/try_aarch64.py --part engine        # only that; --part may be repeated
    python tools/try_aarch64.py --random 200         # 200 random kernels (tests/hip_on_host/random_kernels)
    python tools/try_aarch64.py --cpu neoverse_v1    # kernels compiled for that processor, with SVE for one

Needs qemu-aarch64 and an aarch64 C library (Debian: qemu-user-static, libc6-arm64-cross) and the ziglang package. The
libraries are built as tools/release_wheels.py builds them; kernels are compiled by this machine's zig, which the
emulated libhiprtc starts. The memory that kernels write is compared with the results of this machine's own runtime, to
the bit. All that is built stays in build/aarch64 (``--build`` names another folder). The last line tells whether
anything differed, as does the exit status.

The emulation cannot show: orders of memory accesses that only aarch64 allows, since this machine's hold; pages of other
sizes than 4 KiB; fibres that overflow their stacks, since qemu takes the guard pages' madvise() and does nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import release_wheels  # noqa: E402 - the checkout's own

from cuda_shim import settings as settings_of  # noqa: E402
from cuda_shim.backends import (  # noqa: E402
    compilers,
    cpu,
    host_libraries,
)
from hip_on_host import sources  # noqa: E402
from tests.hip_on_host import random_kernels  # noqa: E402

MACHINE = "aarch64"
SOURCES = Path(sources.source_folder())
TESTS = ROOT / "tests/hip_on_host"
PORTABLE = TESTS / "portable"
QEMU = ("qemu-aarch64-static", "qemu-aarch64")
SYSROOT = Path("/usr/aarch64-linux-gnu")
LOADER = "lib/ld-linux-aarch64.so.1"
CXX = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{SOURCES}")
HANG = 300
TOGETHER = 25  # random kernels in one program

# Kernels of kernels.cu, as run_kernels.cpp reads them: grid, block, bytes of shared memory, cooperative.
LAUNCHES = {
    "plain": "3 32 2 1 0 0",
    "grid_stride": "4 64 1 1 0 0",
    "tree": "3 128 1 1 512 0",
    "shuffles": "3 64 1 1 0 0",
    "votes": "3 64 1 1 0 0",
    "atomics": "4 64 1 1 0 0",
    "recursive": "3 64 1 1 0 0",
    "characters": "3 64 1 1 0 0",
    "narrow": "3 64 1 1 0 0",
    "rounded": "3 64 1 1 0 0",
    "integers": "3 64 1 1 0 0",
    "whole_grid": "3 64 1 1 0 1",
    "repeated<double,7>": "3 64 1 1 0 0",
    "repeated<unsigned,9>": "3 64 1 1 0 0",
}
# Options of the compilation and settings of the runtime, for each way of running kernels.
FORMS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "split at barriers": (("--cuda-shim-split=1",), {}),
    "fibres": (("--cuda-shim-split=0",), {}),
    "checked": ((), {"CUDA_SHIM_CPU_CHECK": "1"}),
    "warps of 64": ((), {"CUDA_SHIM_CPU_WARP_SIZE": "64"}),
}
# Kernels of faults.cu: the error, and its text in the log.
FAULTS = {
    "bad_pointer": ("hipErrorIllegalAddress", "illegal memory access at address 0x40"),
    "trapping": ("hipErrorLaunchFailure", r"__trap\(\)"),
    "asserting": ("hipErrorAssert", "assertion failed"),
    "breaking": ("hipErrorLaunchFailure", "breakpoint or trap instruction"),
}
FAULT_THREAD = 5  # run_kernels.cpp's n
# A case of the engine that needs guard pages below the stacks of fibres.
NOT_EMULATED = "a_stack_overflow_is_a_launch_failure"


class Emulation:
    """The aarch64 programs and libraries, built in a folder, and the command that starts them."""

    def __init__(self, folder: Path, qemu: str, sysroot: Path, cpu_name: str) -> None:
        self.folder = folder
        self.start = (qemu, "-L", str(sysroot))
        self.compiler = release_wheels.cross_compiler(MACHINE).command
        self.wrapper = folder / "zig-aarch64"
        folder.mkdir(parents=True, exist_ok=True)
        # Commands that ask for the compiler's own processor would get this machine's.
        script = f"""#!/bin/sh
[ "$1" = c++ ] && shift
for word; do
    shift
    [ "$word" = -mcpu=native ] && word=-mcpu={cpu_name}
    set -- "$@" "$word"
done
exec {shlex.join(self.compiler)} "$@"
"""
        if not self.wrapper.exists() or self.wrapper.read_text(encoding="utf-8") != script:
            self.wrapper.write_text(script, encoding="utf-8")  # a newer one would make all cached kernels old
            self.wrapper.chmod(0o755)

    def libraries(self) -> Path:
        """The folder of both libraries, built when the sources are not those of the last time."""
        identity = sources.content_identity(str(SOURCES))
        entry = self.folder / identity
        if not host_libraries.is_complete(str(entry)):
            for old in self.folder.glob("*/lib"):
                shutil.rmtree(old.parent)
            release_wheels.build_libraries(MACHINE, entry)
        return entry / "lib"

    def program(self, name: str, parts: Sequence[Path], *more: str) -> Path:
        """Compile and link; zig caches unchanged objects."""
        target = self.folder / name
        must([*self.compiler, *CXX, *map(str, parts), *more, "-o", str(target)])
        return target

    def command(self, program: Path, *arguments: str) -> list[str]:
        """The command that starts a program of that machine."""
        return [*self.start, str(program), *arguments]


def must(command: Sequence[str]) -> None:
    """Run a compiler; SystemExit with its words when it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"try_aarch64: {shlex.join(command)}\n{done.stdout}")


def run(
    command: Sequence[str], given: str = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program; one that hangs has failed."""
    try:
        return subprocess.run(
            command, input=given, env={**os.environ, **(environment or {})}, capture_output=True, text=True,
            errors="replace", timeout=HANG, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"ran longer than {HANG} s")


def try_engine(emulation: Emulation) -> list[str]:
    """The C++ cases that failed."""
    folders = (SOURCES / "engine", SOURCES / "common", TESTS / "cpp")
    parts = [path for folder in folders for path in sorted(folder.glob("*.cpp")) if path.name != "engine_bench.cpp"]
    tests = emulation.program("engine_tests", parts, f"-I{TESTS / 'cpp'}", "-ldl", "-lpthread")
    cases = run(emulation.command(tests, "--list")).stdout.split()
    failed = [] if NOT_EMULATED in cases else [f"the cases lack {NOT_EMULATED}"]
    cases = [case for case in cases if case != NOT_EMULATED]
    for case in cases:
        done = run(emulation.command(tests, case))
        if done.returncode:
            print(f"engine: {case}\n{done.stdout}{done.stderr}", flush=True)
            failed.append(case)
    print(f"engine: {len(cases)} cases, {len(failed)} failed", flush=True)
    return failed


class Kernels(NamedTuple):
    """Kernels of one file, in one form: how each is launched, as run_kernels.cpp reads it."""

    title: str
    file: Path
    launches: Mapping[str, str]
    options: Sequence[str] = ()
    settings: Mapping[str, str] = {}


class Comparison:
    """Runs kernels here and emulated."""

    def __init__(self, emulation: Emulation) -> None:
        chosen = settings_of.current()
        cpu.prepare_environment(chosen)  # this machine's compiler of kernels, and where the kernels' headers are
        self.emulation = emulation
        parts = [PORTABLE / "run_kernels.cpp"]
        self.emulated = emulation.command(emulation.program("run_kernels", parts, *link_words(emulation.libraries())))
        self.native = [str(emulation.folder / "run_kernels-here")]
        libraries = link_words(Path(host_libraries.ensure_libraries(chosen), "lib"))
        must([*compilers.find_builder(chosen).command, *CXX, *map(str, parts), *libraries, "-o", *self.native])
        self.cross = {
            "CUDA_SHIM_CPU_CXX": str(emulation.wrapper),
            "CUDA_SHIM_CACHE_DIR": str(emulation.folder / "cache"),
        }

    def outcome(self, kernels: Kernels, *, emulated: bool) -> subprocess.CompletedProcess[str]:
        """Compile and launch; a line of the output for each kernel."""
        command = [*(self.emulated if emulated else self.native), str(kernels.file), *kernels.options]
        lines = "".join(f"{name} {how}\n" for name, how in kernels.launches.items())
        return run(command, lines, {**(self.cross if emulated else {}), **kernels.settings})

    def differences(self, kernels: Kernels) -> list[str]:
        """The kernels whose outcome, lowered name included, is another one than here."""
        here, there = (self.outcome(kernels, emulated=emulated) for emulated in (False, True))
        expected, found = ({line.split()[0]: line for line in done.stdout.splitlines()} for done in (here, there))
        # A kernel that fails here is no evidence about the other machine.
        wrong = [
            name
            for name in kernels.launches
            if "hipSuccess" not in expected.get(name, "") or found.get(name) != expected[name]
        ]
        for name in wrong:
            print(f"{kernels.title}: {name}\n  here: {expected.get(name)}\n  {MACHINE}: {found.get(name)}", flush=True)
        if wrong:
            print(here.stderr + there.stderr, flush=True)
        print(f"{kernels.title}: {len(kernels.launches)} kernels, {len(wrong)} differ", flush=True)
        return [f"{kernels.title}: {name}" for name in wrong]


def link_words(libraries: Path) -> list[str]:
    """The options that link a program to both libraries."""
    return [f"-L{libraries}", "-lamdhip64", "-lhiprtc", f"-Wl,-rpath,{libraries}"]


def try_kernels(comparison: Comparison) -> list[str]:
    """The kernels of kernels.cu, in each form, that came out differently."""
    wrong = []
    for title, (options, settings) in FORMS.items():
        arguments = ("--fmad=false", *options)
        wrong += comparison.differences(Kernels(title, PORTABLE / "kernels.cu", LAUNCHES, arguments, settings))
    return wrong


def try_random(comparison: Comparison, count: int) -> list[str]:
    """The random kernels that came out differently."""
    wrong = []
    for first in range(0, count, TOGETHER):
        program = random_kernels.program(range(first, min(first + TOGETHER, count)))
        file = comparison.emulation.folder / f"random-{first}.cu"
        file.write_text(program.source, encoding="utf-8")
        launches = {
            launch.name: " ".join(map(str, (launch.blocks, *launch.block, launch.shared_bytes, 0)))
            for launch in program.launches
        }
        for title, options in (("split", ("--cuda-shim-split=1", "-O2")), ("fibres", ("--cuda-shim-split=0", "-O1"))):
            arguments = (*random_kernels.FLAGS, *options)
            wrong += comparison.differences(Kernels(f"random kernels from {first}, {title}", file, launches, arguments))
    return wrong


def try_faults(comparison: Comparison) -> list[str]:
    """The kernels of faults.cu whose error, thread or line is wrong."""
    file = PORTABLE / "faults.cu"
    lines = file.read_text(encoding="utf-8").splitlines()
    launches = dict.fromkeys(FAULTS, "1 32 1 1 0 0")
    done = comparison.outcome(Kernels("faults", file, launches, settings={"CUDA_SHIM_CPU_DEBUG": "1"}), emulated=True)
    wrong = []
    for name, (error, words) in FAULTS.items():
        line = next(number for number, text in enumerate(lines, 1) if f"{name} stops here" in text)
        place = rf"block \(0,0,0\), thread \({FAULT_THREAD},0,0\), at kernels.cu:{line}: {words}"
        answered = re.search(rf"^{name} \S+ {error} ", done.stdout, re.MULTILINE)
        if not answered or not re.search(rf"kernel \w*{name}\w* was stopped in {place}", done.stderr):
            wrong.append(f"fault: {name}")
    if wrong:
        print(done.stdout + done.stderr, flush=True)
    print(f"faults: {len(FAULTS)} kernels, {len(wrong)} wrong", flush=True)
    return wrong


def find_tools(sysroot: Path) -> tuple[str, Path]:
    """qemu, and where an aarch64 C library is; SystemExit when one is missing."""
    qemu = next(filter(None, map(shutil.which, QEMU)), None)
    if not qemu:
        raise SystemExit(f"try_aarch64: no {' or '.join(QEMU)} found: install qemu-user-static")
    if not (sysroot / LOADER).exists():
        raise SystemExit(f"try_aarch64: no {LOADER} in {sysroot}: install libc6-arm64-cross")
    return qemu, sysroot


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=("engine", "kernels", "random", "faults"), help="only these")
    parser.add_argument("--random", type=int, default=TOGETHER, help="the number of random kernels")
    parser.add_argument("--cpu", default="generic", help="the processor that kernels are compiled for, in zig's words")
    parser.add_argument("--sysroot", type=Path, default=SYSROOT, help="the folder of lib/ld-linux-aarch64.so.1")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / MACHINE, help="the folder of the build")
    given = parser.parse_args()
    parts = given.part or ["engine", "kernels", "random", "faults"]
    emulation = Emulation(given.build.resolve(), *find_tools(given.sysroot), given.cpu)
    wrong = try_engine(emulation) if "engine" in parts else []
    if set(parts) - {"engine"}:
        comparison = Comparison(emulation)
        wrong += try_kernels(comparison) if "kernels" in parts else []
        wrong += try_random(comparison, given.random) if "random" in parts else []
        wrong += try_faults(comparison) if "faults" in parts else []
    print(f"{MACHINE}: wrong: {'; '.join(wrong)}" if wrong else f"{MACHINE}: all as here")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Build the CPU runtime with a compiler's sanitizers, and run tests with that.

Usage::

    python tools/sanitize.py thread                    # the engine's C++ cases, and a choice of tests/hip_on_host
    python tools/sanitize.py address,undefined         # the same with other sanitizers, as -fsanitize= takes them
    python tools/sanitize.py thread --engine           # the C++ cases alone
    python tools/sanitize.py thread -- tests/hip_on_host/test_graph.py -k clones

Needs CMake, Ninja and clang++ or g++; run it with a Python that has hip-python and the test packages. The build stays
in build/sanitize-<sanitizers> (``--build`` names another folder), so that the next run compiles changed files alone.
The last line tells whether anything was found, as does the exit status.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNTIME = ROOT / "hip_on_host"
TESTS = "tests/hip_on_host"
LIBRARIES = ("amdhip64", "hiprtc")  # as CMake's targets are called
# Tests of objects that many threads share, and of memory; without those that compile kernels or start many processes.
CHOSEN = (
    "stream", "event", "memory", "pool", "copy", "context", "device", "graph", "graph_instances", "graph_memory",
    "graph_branches", "capture", "stream_values", "random_streams",
)  # fmt: skip
COMPILERS = ("clang++-19", "clang++", "g++", "c++")
# Options for things that the runtime does on purpose: signal handlers of its own, threads started by a forked child.
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:allow_user_segv_handler=1:handle_segv=1:detect_stack_use_after_return=0",
    "TSAN_OPTIONS": "die_after_fork=0:halt_on_error=0:exitcode=66",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
REPORTS = ("ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "runtime error:")
CASE_SECONDS, TEST_SECONDS = 300, 1800


def find_compiler() -> str:
    """The first installed compiler; clang's sanitizers know more."""
    for name in COMPILERS:
        found = shutil.which(name)
        if found:
            return found
    raise SystemExit("sanitize: no C++ compiler found: install clang or g++")


def output(command: Sequence[str]) -> str:
    """The output of a command."""
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **OPTIONS}).stdout


def build(folder: Path, compiler: str, sanitizers: str, targets: Sequence[str]) -> None:
    """Configure and build with CMake, from where the folder was left."""
    configure = ["cmake", "-G", "Ninja", "-S", str(RUNTIME), "-B", str(folder), f"-DCMAKE_CXX_COMPILER={compiler}"]
    subprocess.run([*configure, f"-DCUDA_SHIM_SANITIZE={sanitizers}"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder), "--target", *targets], check=True, stdout=subprocess.DEVNULL)


def build_libraries(sanitizers: str, folder: Path | None = None, compiler: str | None = None) -> Path:
    """Build the runtime's libraries with sanitizers; the folder they are in."""
    folder = (folder or default_folder(sanitizers)).resolve()
    build(folder, compiler or find_compiler(), sanitizers, LIBRARIES)
    return folder


def default_folder(sanitizers: str) -> Path:
    """The folder of the build with these sanitizers."""
    return ROOT / "build" / f"sanitize-{sanitizers.replace(',', '-')}"


def sanitizer_library(compiler: str, sanitizers: str) -> str:
    """The sanitizers' own library: a program that is not built with them has to load it first."""
    kind = "tsan" if "thread" in sanitizers else "asan" if "address" in sanitizers else "ubsan"
    machine = os.uname().machine
    for name in (f"libclang_rt.{kind}-{machine}.so", f"libclang_rt.{kind}.so", f"lib{kind}.so"):
        said = output([compiler, f"-print-file-name={name}"]).strip()
        if os.path.isabs(said) and os.path.exists(said):
            return said
    raise SystemExit(f"sanitize: {compiler} has no shared library for {sanitizers}")


def run(command: Sequence[str], environment: Mapping[str, str], seconds: int) -> bool:
    """Run and show the reports; True when there are none."""
    done = subprocess.run(
        command, env={**os.environ, **OPTIONS, **environment}, cwd=ROOT, timeout=seconds, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    clean = done.returncode == 0 and not any(report in done.stdout for report in REPORTS)
    if not clean:
        print(done.stdout, flush=True)
    return clean


def engine_cases(tests: Path) -> list[str]:
    """The names of the C++ cases, which each want a process of their own."""
    return output([str(tests), "--list"]).split()


def run_engine(folder: Path) -> list[str]:
    """The C++ cases that a sanitizer reported, or that failed."""
    tests = folder / "engine_tests"
    cases = engine_cases(tests)
    found = [case for case in cases if not run([str(tests), case], {}, CASE_SECONDS)]
    print(f"engine: {len(cases)} cases, {len(found)} with findings", flush=True)
    return found


def run_tests(folder: Path, preload: str, arguments: Sequence[str]) -> list[str]:
    """The test files that a sanitizer reported, or that failed; each in a process of its own."""
    chosen = [list(arguments)] if arguments else [[f"{TESTS}/test_{name}.py"] for name in CHOSEN]
    environment = {"LD_PRELOAD": preload, "CUDA_SHIM_TEST_RUNTIME": str(folder), "PYTHONMALLOC": "malloc"}
    found = []
    for names in chosen:
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", *names]
        clean = run(command, environment, TEST_SECONDS)
        print(f"{' '.join(names)}: {'clean' if clean else 'findings'}", flush=True)
        found += [] if clean else names[:1]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        usage="%(prog)s SANITIZERS [--engine] [--build FOLDER] [--compiler NAME] [-- PYTEST ARGUMENTS]"
    )
    parser.add_argument("sanitizers", help="thread, or address,undefined")
    parser.add_argument("--engine", action="store_true", help="only the engine's C++ cases")
    parser.add_argument("--build", type=Path, help="the folder of the build")
    parser.add_argument("--compiler", default=None, help="the C++ compiler")
    given = sys.argv[1:]
    split = given.index("--") if "--" in given else len(given)
    arguments, tests = parser.parse_args(given[:split]), given[split + 1 :]  # behind it: the arguments of pytest
    compiler = arguments.compiler or find_compiler()
    folder = (arguments.build or default_folder(arguments.sanitizers)).resolve()
    targets = ["engine_tests"] if arguments.engine else ["engine_tests", *LIBRARIES]
    build(folder, compiler, arguments.sanitizers, targets)
    found = [] if tests else run_engine(folder)
    if not arguments.engine:
        found += run_tests(folder, sanitizer_library(compiler, arguments.sanitizers), tests)
    print(f"{arguments.sanitizers}: findings in {', '.join(found)}" if found else f"{arguments.sanitizers}: clean")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())

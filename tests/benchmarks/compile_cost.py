"""Measure the first compile of a kernel: with each compiler, with nothing, with the prelude and with the kernel cached.

    python tests/benchmarks/compile_cost.py [--rounds 5] [--beside FOLDER …] [--json FILE]

Every figure is of a process of its own that loads the library and compiles one program, as a user's first kernel does;
NVRTC, from NVIDIA's wheel, compiles the same source. "16 at once" is 16 programs in as many threads. Contenders take
turns and the best round counts: milliseconds on the clock, and of processor time with that of the compiler's processes,
which is the better figure on a busy machine. `--beside` adds the libraries of another folder, such as an older build.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cuda_shim import settings  # noqa: E402 - the checkout's own
from cuda_shim.backends import cpu, host_libraries  # noqa: E402
from tests.hip_on_host.hiprtc_program import find_compiler  # noqa: E402
from tests.kernels import compilers  # noqa: E402
from tests.program_files import read_program  # noqa: E402

#: Compiles programs through the C functions of NVRTC or HIPRTC: the library, the prefix, and each program's number.
WORKER = read_program(__file__, "compile_cost_worker.py")

Best = dict[str, tuple[float, float]]


def measure(library: str, prefix: str, numbers: list[int], variables: dict[str, str]) -> tuple[float, float]:
    """Milliseconds on the clock, and of processor time, of one process."""
    words = [sys.executable, "-c", WORKER, library, prefix, *map(str, numbers)]
    out = subprocess.check_output(words, env={**os.environ, **variables}, encoding="utf-8")
    clock, processor = map(float, out.split())
    return clock, processor


def keep_best(best: Best, label: str, found: tuple[float, float]) -> None:
    """The smaller of each."""
    before = best.get(label, found)
    best[label] = (min(before[0], found[0]), min(before[1], found[1]))


def stages(best: Best, name: str, folder: Path, compiler: str) -> None:
    """One round of a compiler: each stage finds the files of the one before it in the cache."""
    with tempfile.TemporaryDirectory() as cache:
        variables = {"CUDA_SHIM_CPU_CXX": compiler, "CUDA_SHIM_CACHE_DIR": cache, "CUDA_SHIM_CPU_LOG": "error"}
        own = folder / "device"
        if own.is_dir():
            variables["CUDA_SHIM_CPU_DEVICE_HEADERS"] = str(own)
        library = str(folder / "lib/libhiprtc.so")
        keep_best(best, f"{name}: nothing cached", measure(library, "hiprtc", [0], variables))
        keep_best(best, f"{name}: another kernel", measure(library, "hiprtc", [1], variables))
        keep_best(best, f"{name}: the same kernel", measure(library, "hiprtc", [1], variables))
        keep_best(best, f"{name}: 16 at once", measure(library, "hiprtc", list(range(2, 18)), variables))


def nvrtc_library() -> str:
    """NVIDIA's own compiler, from its wheel; empty where it is not installed."""
    found = compilers.nvrtc()
    return found[max(found)].path if found else ""


def take_turns(rounds: int, beside: list[Path]) -> Best:
    """Return the best of all rounds, by compiler and stage."""
    cpu.prepare_environment(settings.current())
    os.environ.pop("CUDA_SHIM_CPU_CXX", None)
    chosen = os.environ.get("CUDA_SHIM_TEST_RUNTIME") or host_libraries.ensure_libraries(settings.current())
    folders = {"": Path(chosen), **{f" ({folder.name})": folder for folder in beside}}
    names = {"clang": "clang++-19", "g++": "g++", "zig": "zig"}
    found = {name: find_compiler(command) for name, command in names.items() if find_compiler(command)}
    nvrtc = nvrtc_library()
    best: Best = {}
    for _ in range(rounds):
        for name, command in found.items():
            for label, folder in folders.items():
                stages(best, name + label, folder, command)
        if nvrtc:
            keep_best(best, "NVRTC: a process's first", measure(nvrtc, "nvrtc", [0], {}))
            keep_best(best, "NVRTC: 16 at once", measure(nvrtc, "nvrtc", list(range(16)), {}))
    return best


def main() -> None:
    """Take turns, then print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="of which the best counts")
    parser.add_argument("--beside", type=Path, nargs="+", default=[], help="folders with lib/ and device/ of others")
    parser.add_argument("--json", type=Path, help="where the figures are written as well")
    given = parser.parse_args()
    best = take_turns(given.rounds, given.beside)
    print(f"{'best of ' + str(given.rounds):36} {'ms':>9} {'processor':>10}")
    for label, (clock, processor) in sorted(best.items()):
        print(f"{label:36} {clock:9.1f} {processor:10.1f}")
    if given.json:
        given.json.write_text(json.dumps(best, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Counts the programs of others for NVRTC that each compiler takes, with its time and its reasons for refusals.

    python -m tests.kernels.others.measure FOLDER [-n COUNT] [-c COMPILER]... [-I FOLDER]... [-j JOBS] [--results FILE]

FOLDER holds the files of `draw_cupy.py` and `draw_packages.py`; COUNT of each kind are taken at random, always the same
ones, all of them by default. A program counts where NVRTC takes it. A COMPILER is one that the CPU runtime is to use,
or an AMD GPU such as gfx90a, for which Debian's hiprtc compiles; by default clang++-19, g++, zig and gfx90a. With a
share behind it (`g++:0.1`), that share of the programs is compiled, chosen at random. The folders behind -I are given
to all of them, behind those of the program's own options. Seconds are processor time, each with an empty cache; set
CUDA_SHIM_CACHE_DIR to a folder that has none. Each result is written to FILE at once, and known results are taken from
there.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cuda_shim import settings
from cuda_shim.adapters.translated_headers import options_for
from cuda_shim.backends import cpu, host_libraries
from cuda_shim.translate.options import cuda_program, to_hiprtc
from cuda_shim.translate.program_texts import ProgramTexts
from cuda_shim.translate.source import to_hip
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.kernels import compilers

LAYOUT = "13.5"
#: Programs that one process compiles.
BATCH = 10
_KERNEL = re.compile(rb'extern "C" __global__ void(?: __launch_bounds__\(\d+\))? (\w+)\(')
_ERROR = re.compile(r"(?:error|fatal error): (.*)")
#: Patterns that tell programs of one origin apart: the widest of the types that they are made for.
_TYPES = (("complex", re.compile(r"^typedef (?:thrust::)?complex", re.M)), ("half", re.compile(r"\bfloat16\b|\bhalf\b|bfloat16")))  # fmt: skip


class Drawn(NamedTuple):
    """A program that a package hands to NVRTC."""

    file: Path
    kind: str
    source: bytes
    options: list[bytes]


class Taken(NamedTuple):
    """A compilation's outcome: 0 for success, the compiler's log, seconds of processor time."""

    status: int
    log: str
    seconds: float


def kind_of(file: Path, source: str) -> str:
    """The package and, where it writes kernels of several sorts, the sort and the widest of their types."""
    package, sort, *_ = file.name.split("-")
    words = [package] if package != "cupy" else [package, sort]
    if words[-1] in ("ufunc", "reduction", "cub", "tinygrad"):
        words.append(next((name for name, pattern in _TYPES if pattern.search(source)), "real"))
    return " ".join(words)


def drawn(folder: Path, count: int | None, includes: Sequence[str]) -> Iterator[Drawn]:
    """The programs of each kind, or some of them. Folders that are not on this machine are left out."""
    kinds = collections.defaultdict(list)
    contents = {file: json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))}
    for file, content in contents.items():
        kinds[kind_of(file, content["source"])].append(file)
    for kind, files in sorted(kinds.items()):
        chosen = random.Random(5).sample(files, min(count or len(files), len(files)))  # noqa: S311 - the same ones
        for file in sorted(chosen):
            options = options_of(contents[file]["options"], includes)
            yield Drawn(file, kind, contents[file]["source"].encode(), [option.encode() for option in options])


def options_of(given: Sequence[str], includes: Sequence[str]) -> list[str]:
    """A program's options: without folders that are not on this machine, with those to search, and an architecture."""
    options = [option for option in given if not option.startswith("-I") or os.path.isdir(option[2:])]
    options += [f"-I{include}" for include in includes]
    return options if any("arch" in option for option in given) else [*options, "-arch=compute_80"]


def compile_here(hiprtc: compilers.RuntimeCompiler, program: Drawn) -> tuple[int, str]:
    """Compile with the CPU runtime, or an AMD GPU's compiler, as the shim does it."""
    architecture = os.environ.get("DRAWN_FOR")
    options = to_hiprtc(program.options, architecture=architecture, cuda=LAYOUT)
    if options.refused:
        return 1, f"error: {options.refused}"
    made = to_hip(program.source, b"drawn.cu", [], architecture=architecture)
    passed = options_for(ProgramTexts([program.source], frozenset(), made.files), options)
    if architecture is None:
        passed = [cuda_program(LAYOUT), *passed]
    done = hiprtc.compile(made.source, b"drawn.cu", passed, dict(made.headers), with_image=True)
    lost = [name.decode() for name in _KERNEL.findall(program.source) if done.status == 0 and name not in done.image]
    return (1, f"error: kernels that are not in the image, such as {lost[0]}") if lost else (done.status, done.log)


def compile_with_nvrtc(nvrtc: compilers.RuntimeCompiler, program: Drawn) -> tuple[int, str]:
    """Compile with NVIDIA's own compiler."""
    done = nvrtc.compile(program.source, b"drawn.cu", program.options)
    return done.status, done.log


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def worker() -> None:
    """Compile the files of the standard input one by one; a line for each."""
    target = os.environ.get("DRAWN_FOR")
    compile_one: Callable[[compilers.RuntimeCompiler, Drawn], tuple[int, str]] = compile_here
    if target == "nvrtc":
        compiler, compile_one = compilers.nvrtc()[LAYOUT], compile_with_nvrtc
    elif target is not None:
        found = compilers.amd()
        assert found is not None, "AMD's hiprtc is not installed"
        compiler = found
    else:
        cpu.prepare_environment(settings.current())
        library = Path(host_libraries.ensure_libraries(settings.current())) / "lib/libhiprtc.so"
        compiler = compilers.RuntimeCompiler(str(library), "hiprtc")
    for line in sys.stdin:
        name, kind, options = json.loads(line)
        content = json.loads(Path(name).read_text(encoding="utf-8"))
        program = Drawn(Path(name), kind, content["source"].encode(), [option.encode() for option in options])
        began = _processor_seconds()
        status, log = compile_one(compiler, program)
        print(json.dumps({"file": name, "taken": (status, log, _processor_seconds() - began)}), flush=True)


def compile_some(compiler: str, programs: Sequence[Drawn]) -> dict[Path, Taken]:
    """Return the outcome of each program with one compiler, in processes of their own."""
    for_another = compiler.startswith("gfx") or compiler == "nvrtc"
    variables = {"DRAWN_FOR": compiler} if for_another else {"CUDA_SHIM_CPU_CXX": find_compiler(compiler) or compiler}
    found: dict[Path, Taken] = {}
    waiting = list(programs)
    while waiting:
        lines = [json.dumps((str(p.file), p.kind, [option.decode() for option in p.options])) for p in waiting]
        done = subprocess.run(
            [sys.executable, "-m", "tests.kernels.others.measure", "--worker"],
            input="\n".join(lines), capture_output=True, text=True, check=False, env={**os.environ, **variables},
            cwd=Path(__file__).resolve().parents[3], errors="replace",
        )  # fmt: skip
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        found.update({Path(answer["file"]): Taken(*answer["taken"]) for answer in answers})
        if len(answers) < len(waiting):  # the next one took the process with it
            crash = Taken(-1, f"error: the compiler crashed: {done.stderr[-200:]}", 0)
            found[waiting[len(answers)].file] = crash
        waiting = [program for program in waiting if program.file not in found]
    return found


class Results:
    """Outcomes of each compiler with each program, kept in a file."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        known = json.loads(file.read_text(encoding="utf-8")) if file is not None and file.exists() else {}
        self._known: dict[str, dict[str, Taken]] = collections.defaultdict(dict)
        for compiler, taken in known.items():
            self._known[compiler] = {name: Taken(*one) for name, one in taken.items()}

    def of(self, compiler: str, programs: Sequence[Drawn], jobs: int) -> dict[Path, Taken]:
        """Return the outcomes of the programs, by several processes at a time."""
        known = self._known[compiler]
        missing = [program for program in programs if program.file.name not in known]
        random.Random(5).shuffle(missing)  # noqa: S311 - the results at an early stop are a fair sample
        batches = [missing[start : start + BATCH] for start in range(0, len(missing), BATCH)]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in pool.map(compile_some, [compiler] * len(batches), batches):
                known.update({file.name: taken for file, taken in done.items()})
                if self._file is not None:
                    self._file.write_text(json.dumps(self._known), encoding="utf-8")
        return {program.file: known[program.file.name] for program in programs if program.file.name in known}


def share_of(programs: Sequence[Drawn], share: float) -> list[Drawn]:
    """A share of the programs, always the same ones."""
    chosen = random.Random(5).sample(range(len(programs)), round(len(programs) * share))  # noqa: S311
    return [programs[number] for number in sorted(chosen)]


def reason(taken: Taken) -> str:
    """The first error, without the parts that differ from program to program."""
    error = _ERROR.search(taken.log)
    text = error[1] if error else taken.log.strip()[:100]
    return re.sub(r"\s+", " ", text)[:140]


def table(programs: Sequence[Drawn], accepted: Sequence[Drawn], results: dict[str, dict[Path, Taken]]) -> Iterator[str]:
    """A row for each kind: numbers of programs that were drawn, that NVRTC takes, and that each compiler takes."""
    yield f"| kind | drawn | NVRTC | {' | '.join(results)} |"
    yield "|---" * (3 + len(results)) + "|"
    for kind in (*sorted({program.kind for program in programs}), "all"):
        counted = [program for program in accepted if kind in (program.kind, "all")]
        cells = [str(sum(kind in (program.kind, "all") for program in programs)), str(len(counted))]
        for taken in results.values():
            given = [taken[program.file] for program in counted if program.file in taken]
            good = sum(one.status == 0 for one in given)
            cells.append(str(good) if len(given) == len(counted) else f"{good} of {len(given)}")
        yield f"| {kind} | {' | '.join(cells)} |"


def refusals(accepted: Sequence[Drawn], results: dict[str, dict[Path, Taken]]) -> Iterator[str]:
    """The reasons for which each compiler refuses programs that NVRTC takes, the most frequent one first."""
    for name, taken in results.items():
        reasons = collections.defaultdict(list)
        for program in accepted:
            if program.file in taken and taken[program.file].status:
                reasons[reason(taken[program.file])].append(program.file.name)
        yield f"\n{name}: {sum(map(len, reasons.values()))} of {len(taken)} refused"
        for text, files in sorted(reasons.items(), key=lambda item: -len(item[1])):
            yield f"{len(files):5} {text} ({files[0]})"


def times(ours: dict[Path, Taken], theirs: dict[Path, Taken]) -> str:
    """Processor seconds of a compiler beside NVRTC's, for the programs that both take."""
    both = [file for file, taken in ours.items() if taken.status == 0]
    ratios = [ours[file].seconds / theirs[file].seconds for file in both]
    medians = [statistics.median(taken[file].seconds for file in both) for taken in (ours, theirs)]
    return (
        f"median of {len(both)}: {medians[0]:.2f} s, NVRTC {medians[1]:.2f} s; "
        f"ratio {statistics.median(ratios):.2f}, least {min(ratios):.2f}, most {max(ratios):.2f}"
    )


def main() -> None:
    """Compile the programs and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-n", dest="count", type=int)
    parser.add_argument("-c", dest="compilers", action="append")
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("-j", dest="jobs", type=int, default=1)
    parser.add_argument("--results", type=Path)
    asked = parser.parse_args()
    programs, kept = list(drawn(asked.folder, asked.count, asked.includes)), Results(asked.results)
    by_nvrtc = kept.of("nvrtc", programs, asked.jobs)
    accepted = [program for program in programs if by_nvrtc[program.file].status == 0]
    results = {}
    for given in asked.compilers or ["clang++-19", "g++", "zig", "gfx90a"]:
        name, _, share = given.partition(":")
        results[name] = kept.of(name, share_of(accepted, float(share or 1)), asked.jobs)
    print("\n".join(table(programs, accepted, results)))
    print("\n".join(refusals(accepted, results)))
    for name, taken in results.items():
        if any(one.status == 0 for one in taken.values()):
            print(f"\nprocessor time with {name}, {times(taken, by_nvrtc)}")


if __name__ == "__main__":
    worker() if sys.argv[1:] == ["--worker"] else main()

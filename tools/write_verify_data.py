"""Writes the data of `python -m cuda_shim verify` from the recordings of the tests.

python tools/write_verify_data.py          # after a change of the corpus, of the programs or of their recordings
python tools/write_verify_data.py --check  # exit status 1 where a file of cuda_shim/verify/data is out of date
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "kernels"), str(ROOT / "tests" / "ptx")]

import numpy as np  # noqa: E402

import cuda_shim  # noqa: E402
from cuda_shim.verify import recorded  # noqa: E402
from cuda_shim.verify.launches import Array, Batch, Case, Expected, Launch, Program, Rule  # noqa: E402
from tests.conformance.differences import documented_lines  # noqa: E402
from tests.kernels import described, nvcc_modules, values  # noqa: E402
from tests.kernels.corpus import Run, cases, step_of, tolerance_of  # noqa: E402

KERNELS, CONFORMANCE, PTX = ROOT / "tests/kernels", ROOT / "tests/conformance", ROOT / "tests/ptx"
_UNLIKE_GCC = (
    "C++ leaves open what a number becomes that an integer has no room for: with g++ it is the processor's answer"
)
Recording = recorded.Recording


def kernels() -> Recording:
    """The corpus in CUDA C++, and as PTX of nvcc."""
    machine = json.loads((KERNELS / "recorded.json").read_text(encoding="utf-8"))
    by_program: dict[str, list[Any]] = {}
    for case in cases().values():
        by_program.setdefault(" ".join((case.file, *case.options)), []).append(case)
    arrays = np.load(KERNELS / "recorded.npz")
    batches = [_corpus_batch(name, group, arrays) for name, group in by_program.items()]
    described_machine = {"gpu": machine["device"], "nvrtc": ".".join(map(str, machine["nvrtc"]))}
    return Recording(described_machine, tuple(batch for batch in [*batches, *_nvcc_batches()] if batch.cases))


def _corpus_batch(name: str, group: list[Any], arrays: Mapping[str, Any]) -> Batch:
    first, subject = group[0], "kernels in CUDA C++"
    found = [_corpus_case(case, f"cuda.{case.name}", case.kernel, arrays) for case in group]
    comparable = tuple(case for case in found if case is not None)
    return Batch(name, subject, "cuda", first.file, first.source, first.options, dict(first.headers), comparable)


def _nvcc_batches() -> list[Batch]:
    modules: dict[str, list[Case]] = {}
    arrays = np.load(nvcc_modules.RECORDED)
    texts = nvcc_modules.kept()
    for name, (file, entry) in texts["kernels"].items():
        if name not in nvcc_modules.STOPS and (found := _corpus_case(cases()[name], f"ptx.{name}", entry, arrays)):
            modules.setdefault(file, []).append(found)
    return [
        Batch(f"nvcc {file}", "kernels in PTX of nvcc", "ptx", file, texts["modules"][file], (), {}, tuple(found))
        for file, found in modules.items()
    ]


def _corpus_case(case: Any, name: str, kernel: str, arrays: Mapping[str, Any]) -> Case | None:
    """A launch of the corpus with its recorded samples; None where nothing comparable is recorded."""
    run = case.run()
    launch = described.launch(run, kernel, case.cooperative)
    expected = []
    for place in [*range(len(run.args)), *run.expected_globals]:
        key = f"{case.name}/{place}"
        if run.comparable and key in arrays:
            expected.append(_expected(run, place, arrays[key]))
    return Case(name, launch, tuple(expected)) if expected else None


def _expected(run: Run, place: int | str, found: Any) -> Expected:
    whole = run.expected_globals[place] if isinstance(place, str) else run.args[place]
    size = getattr(whole, "texels", whole).size
    relative, absolute = tolerance_of(run, found.dtype)
    step = step_of(size)
    if len(range(0, size, step)) != found.size:
        raise ValueError(f"argument {place}: {found.size} of {size} elements are recorded")
    return Expected(place, described.type_of(found.dtype), step, found.tobytes(), Rule(relative, absolute))


def functions() -> Recording:
    """Every device function of numbers."""
    arrays, every = np.load(KERNELS / "values.npz"), values.functions()
    batches = []
    for number, first in enumerate(range(0, len(every), values.IN_ONE)):
        part = every[first : first + values.IN_ONE]
        found = tuple(_function_case(place, function, arrays[str(function)]) for place, function in enumerate(part))
        batches.append(Batch(f"values {number}", "device functions", "cuda", "values.cu", "", (), {}, found))
    return Recording({"gpu": "NVIDIA H100", "nvrtc": "13.0"}, tuple(batches))


def _function_case(number: int, function: values.Function, found: Any) -> Case:
    inputs = [described.array(part) for part in values.inputs(function)]
    size = found.size
    out = Array(described.type_of(found.dtype), (size,), bytes(found.nbytes))
    arguments = (*inputs, out, np.int32(size).tobytes())
    launch = Launch(f"k{number}", arguments, (-(-size // 256), 1, 1), (256, 1, 1))
    expected = Expected(len(inputs), out.type, 1, found.tobytes(), Rule(function=str(function)))
    unlike_gcc = _UNLIKE_GCC if function.name.startswith("(") else ""
    return Case(f"function.{function}", launch, (expected,), values.kernel(number, function), unlike_gcc)


def instructions() -> Recording:
    """Instructions of PTX on values at their edges."""
    with cuda_shim.enable():  # the program imports cuda.bindings, and calls nothing of it here
        import edges
    arrays, found = np.load(PTX / "recorded_edges.npz"), []
    for number, (opcode, kind, count, bits) in enumerate(edges.forms()):
        pairs = edges.pairs_of(kind, count)
        out = Array("<u8", (len(pairs),), bytes(8 * len(pairs)))
        arguments = (out, described.array(pairs), np.uint32(len(pairs)).tobytes())
        launch = Launch(f"k{number}", arguments, (1, 1, 1), (256, 1, 1))
        expected = Expected(0, "<u8", 1, arrays[opcode].tobytes(), Rule(instruction=opcode))
        text = edges.kernel(number, opcode, kind, count, bits)
        found.append(Case(f"instruction.{opcode}", launch, (expected,), text))
    batch = Batch("edges", "instructions of PTX", "ptx", "edges.ptx", edges.HEAD, (), {}, tuple(found))
    return Recording({"gpu": "NVIDIA H200"}, (batch,))


def programs() -> Recording:
    """The programs whose calls' answers are recorded."""
    whole = json.loads((CONFORMANCE / "recorded.json").read_text(encoding="utf-8"))
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted((CONFORMANCE / "programs").glob("*.py"))}
    found = []
    for name, run in whole["programs"].items():
        found.append(Program(f"program.{name}", f"{name}.py", tuple(run["lines"]), documented_lines(name)))
    return Recording(whole["recorded_with"], programs=tuple(found), files=files)


#: Writers of the archives, by the names of recorded.ARCHIVES.
SOURCES = {"kernels": kernels, "functions": functions, "instructions": instructions, "programs": programs}


def main(words: list[str]) -> int:
    """Write the archives, or compare them with the ones that would be written; return the exit status."""
    stale = []
    for name in recorded.ARCHIVES:
        path = Path(recorded.FOLDER) / f"{name}.zip"
        with tempfile.TemporaryDirectory() as folder:
            fresh = Path(folder) / path.name
            recorded.write(str(fresh), SOURCES[name]())
            if path.exists() and recorded.read(str(path)) == recorded.read(str(fresh)):
                continue
            stale.append(name)
            if "--check" not in words:
                path.write_bytes(fresh.read_bytes())
    print(f"not as the tests' recordings: {', '.join(stale)}" if stale else "as the tests' recordings")
    return 1 if stale and "--check" in words else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

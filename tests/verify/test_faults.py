"""Deliberate faults are found, and the cases behind them still run."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path

import pytest

from cuda_shim.verify import recorded
from cuda_shim.verify.launches import Array, Batch, Case, Expected, Launch, Rule
from cuda_shim.verify.recorded import Recording
from cuda_shim.verify.supervisor import Broken, Limits
from tests.environments import ROOT
from tests.verify.broken import altered, batch_with, outcomes

SAXPY = "cuda.elementwise.saxpy"


def simple(name: str, body: str) -> Case:
    """A kernel that has to write 7."""
    launch = Launch(name, (Array("<i4", (1,), bytes(4)),), (1, 1, 1), (1, 1, 1))
    text = f'extern "C" __global__ void {name}(volatile int* out) {{ {body} }}'
    return Case(name, launch, (Expected(0, "<i4", 1, (7).to_bytes(4, "little"), Rule()),), text)


def batch(*cases: Case, together: bool = False) -> Recording:
    """One compilation; its kernels are compiled apart where they do not compile together, unless `together`."""
    text = "\n".join(case.text for case in cases) if together else ""
    shown = tuple(dataclasses.replace(case, text="") for case in cases) if together else cases
    return Recording({}, (Batch("own", "own kernels", "cuda", "own.cu", text, (), {}, shown),))


def test_a_changed_recording_is_a_difference(tmp_path: Path) -> None:
    def change(case: Case) -> Case:
        first = case.expected[0]
        data = bytearray(first.recorded)
        data[6] ^= 0x40  # in the second float's significand
        return dataclasses.replace(case, expected=(dataclasses.replace(first, recorded=bytes(data)),))

    became = outcomes(tmp_path, altered(batch_with(SAXPY), SAXPY, change))
    assert {case: outcome.state for case, outcome in became.items() if outcome.state != "right"} == {SAXPY: "differs"}
    assert len(became) > 1
    assert re.fullmatch(r"argument 3\[40\] is [\d.]+, recorded [\d.]+; 1 of 125 differ", became[SAXPY].reason)


def test_a_changed_kernel_is_a_difference(tmp_path: Path) -> None:
    source = batch_with(SAXPY)
    assert "a * x[tid] + y[tid]" in source.text
    wrong = dataclasses.replace(source, text=source.text.replace("a * x[tid] + y[tid]", "a * x[tid] - y[tid]"))
    became = outcomes(tmp_path, Recording({}, (wrong,)), pattern=SAXPY)
    assert became[SAXPY].state == "differs"
    assert became[SAXPY].reason.endswith("125 of 125 differ")


def test_a_changed_device_function_is_a_difference(tmp_path: Path) -> None:
    """In the runtime's own header, which the functions' values are then found to differ from."""
    headers = tmp_path / "device"
    for name in ("device", "src/abi"):
        shutil.copytree(ROOT / "hip_on_host" / name, tmp_path / name)
    header, right = headers / "prelude/special_functions.h", "float normcdff(float x) { return (float)(0.5 *"
    text = header.read_text(encoding="utf-8")
    assert right in text
    header.write_text(text.replace(right, right.replace("0.5", "0.50001")), encoding="utf-8")
    case = "function.float normcdff(float)"
    recording = Recording({}, (batch_with(case, "functions"),))
    became = outcomes(tmp_path, recording, "functions", case, CUDA_SHIM_CPU_DEVICE_HEADERS=str(headers))
    assert became[case].state == "differs", became


def test_a_crash_takes_one_case_along(tmp_path: Path) -> None:
    cases = (
        simple("before", "*out = 7;"),
        simple("crashes", "*(volatile int*)16 = 1;"),
        simple("behind", "*out = 7;"),
        simple("wrong", "*out = 8;"),
    )
    became = outcomes(tmp_path, batch(*cases, together=True), CUDA_SHIM_CPU_FAULTS="0")
    assert {name: outcome.state for name, outcome in became.items()} == {
        "before": "right", "crashes": "failed", "behind": "right", "wrong": "differs",
    }  # fmt: skip
    assert became["crashes"].reason.startswith("crashed with SIG")
    assert became["wrong"].reason == "argument 0[0] is 8, recorded 7; 1 of 1 differ"


def test_a_fault_that_is_reported_ends_the_process_and_not_the_run(tmp_path: Path) -> None:
    cases = (simple("faults", "*(volatile int*)16 = 1;"), simple("behind", "*out = 7;"))
    became = outcomes(tmp_path, batch(*cases, together=True))
    assert (became["faults"].state, became["behind"].state) == ("failed", "right")
    assert became["faults"].reason.startswith("cuCtxSynchronize returned CUDA_ERROR_")


def test_a_hang_takes_one_case_along(tmp_path: Path) -> None:
    cases = (simple("hangs", "while (*out == 0) {}"), simple("behind", "*out = 7;"))
    became = outcomes(tmp_path, batch(*cases, together=True), limits=Limits(case=3.0))
    assert (became["hangs"].state, became["behind"].state) == ("failed", "right")
    assert became["hangs"].reason == "hangs: no answer within 3 s"


def test_what_does_not_compile_or_is_refused_is_found_among_many(tmp_path: Path) -> None:
    cases = [simple(f"k{number}", "*out = 7;") for number in range(5)]
    cases[1] = simple("unknown", "*out = no_such_function(7);")
    cases[3] = simple("refused", 'asm volatile("tcgen05.wait::ld.sync.aligned;"); *out = 7;')
    became = outcomes(tmp_path, batch(*cases))
    states = {name: outcome.state for name, outcome in became.items()}
    assert states == {"k0": "right", "unknown": "failed", "k2": "right", "refused": "refused", "k4": "right"}
    assert "no_such_function" in became["unknown"].reason
    assert became["refused"].reason.endswith("tensor memory is of NVIDIA's GPUs alone")


def test_a_changed_line_of_a_program_is_a_difference(tmp_path: Path) -> None:
    whole = recorded.read_all()["programs"]
    name = "program.memset_runtime"
    program = next(program for program in whole.programs if program.name == name)
    lines = (*program.lines[:-1], program.lines[-1] + "?")
    recording = dataclasses.replace(whole, programs=(dataclasses.replace(program, lines=lines),))
    became = outcomes(tmp_path, recording, "programs")
    assert became[name].state == "differs"
    assert became[name].details == (f"recorded {lines[-1]!r}, here {program.lines[-1]!r}",)


def test_a_program_that_crashes_or_ends_early_has_failed(tmp_path: Path) -> None:
    whole = recorded.read_all()["programs"]
    program = dataclasses.replace(whole.programs[0], documented=())
    programs = tuple(
        dataclasses.replace(program, name=name, file=f"{name}.py", lines=("one: 1", "two: 2"))
        for name in ("crashes", "ends", "hangs")
    )
    begins = "import os, time; print('one: 1', flush=True); "
    files = {
        "crashes.py": f"{begins}os.abort()",
        "ends.py": f"{begins}raise SystemExit('no more')",
        "hangs.py": f"{begins}time.sleep(60)",
    }
    recording = Recording({}, programs=programs, files=files)
    became = outcomes(tmp_path, recording, "programs", limits=Limits(program=5.0))
    assert {name: (outcome.state, outcome.reason) for name, outcome in became.items()} == {
        "crashes": ("failed", "crashed with SIGABRT"),
        "ends": ("failed", "ended with exit status 1: no more"),
        "hangs": ("failed", "hangs: not at its end within 5 s"),
    }
    assert became["ends"].details == ("recorded 'two: 2', here ''",)


def test_without_a_device_nothing_runs(tmp_path: Path) -> None:
    with pytest.raises(Broken, match="no working C"):
        outcomes(tmp_path, batch(simple("k", "*out = 7;")), CUDA_SHIM_CXX="/no/such/compiler", CUDA_SHIM_CACHE_DIR=str(tmp_path / "c"))  # fmt: skip

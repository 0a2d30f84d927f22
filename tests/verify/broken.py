"""Runs altered recordings through the supervisor, in the interpreter of the tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from cuda_shim.cli.run import program_environment
from cuda_shim.verify import recorded, selection
from cuda_shim.verify.launches import Batch, Case
from cuda_shim.verify.outcome import Outcome
from cuda_shim.verify.recorded import Recording
from cuda_shim.verify.supervisor import Limits, Supervisor

LIMITS = Limits(case=20.0)


def outcomes(
    folder: Path, recording: Recording, archive: str = "kernels", pattern: str = "", limits: Limits = LIMITS, **environment: str
) -> dict[str, Outcome]:  # fmt: skip
    """Return the outcomes of a recording's cases, which is written into `folder`, on the CPU backend."""
    recorded.write(str(folder / f"{archive}.zip"), recording)
    selection.write_programs({archive: recording}, str(folder))
    programs = program_environment(
        {"CUDA_SHIM_BACKEND": "cpu", "CUDA_SHIM_CUDA": "13.5", "CUDA_SHIM_QUIET": "1", **environment}
    )
    supervisor = Supervisor({**programs, "CUDA_SHIM_STRICT": "1"}, programs, limits)
    jobs = selection.jobs({archive: recording}, str(folder), pattern, folder=str(folder))
    return {outcome.case: outcome for outcome in supervisor.run(jobs, 1)}


def batch_with(name: str, archive: str = "kernels") -> Batch:
    """The batch that holds a case."""
    recording = recorded.read_all()[archive]
    return next(batch for batch in recording.batches if name in [case.name for case in batch.cases])


def altered(batch: Batch, name: str, change: Callable[[Case], Case]) -> Recording:
    """A recording of one batch in which a case is another."""
    cases = tuple(change(case) if case.name == name else case for case in batch.cases)
    return Recording({}, (dataclasses.replace(batch, cases=cases),))

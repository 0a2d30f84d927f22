"""Selection of the cases that run, as jobs for the supervisor."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Mapping

from cuda_shim.verify.recorded import FOLDER, Recording
from cuda_shim.verify.supervisor import Job, ProgramJob

__all__ = ["PROGRAMS", "jobs", "write_programs"]

PROGRAMS = "programs of calls"
#: With --quick, one of this number of compilations and programs of a subject runs.
_QUICK_STEP = 5


def jobs(
    recordings: Mapping[str, Recording],
    program_folder: str,
    pattern: str = "",
    quick: bool = False,
    folder: str = FOLDER,
) -> list[Job | ProgramJob]:
    """Return the jobs of the chosen cases.

    Args:
        recordings: the archives by name.
        program_folder: the folder that `write_programs` has filled.
        pattern: a case's name, a part of one, or a pattern such as "cuda.warp.*"; empty: all.
        quick: a fifth of the compilations and programs of each subject.
        folder: the folder of the archives.
    """
    by_subject: dict[str, list[Job | ProgramJob]] = {}
    for name, recording in recordings.items():
        for number, batch in enumerate(recording.batches):
            cases = tuple(case.name for case in batch.cases)
            job = Job(os.path.join(folder, f"{name}.zip"), number, batch.subject, cases)
            by_subject.setdefault(batch.subject, []).append(job)
        for program in recording.programs:
            by_subject.setdefault(PROGRAMS, []).append(ProgramJob(program, PROGRAMS, program_folder))
    chosen = [job for of_subject in by_subject.values() for job in of_subject[:: _QUICK_STEP if quick else 1]]
    return [matching for job in chosen if (matching := _matching(job, pattern)) is not None]


def write_programs(recordings: Mapping[str, Recording], folder: str) -> None:
    """Write the programs, and the modules that they import, into a folder."""
    for recording in recordings.values():
        for name, text in recording.files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)


def _matching(job: Job | ProgramJob, pattern: str) -> Job | ProgramJob | None:
    """Return a job with the cases that match; None where none does."""
    wildcards = pattern if any(sign in pattern for sign in "*?[") else f"*{pattern}*"
    cases = tuple(name for name in job.cases if fnmatch.fnmatchcase(name, wildcards))
    if not cases:
        return None
    return job if isinstance(job, ProgramJob) else Job(job.archive, job.batch, job.subject, cases)

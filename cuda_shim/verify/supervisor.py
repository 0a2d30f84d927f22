"""Keeps the processes going that run cases: time limits, crashes, and the cases that follow them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cuda_shim
from cuda_shim.verify.launches import Program
from cuda_shim.verify.outcome import FAILED, Outcome
from cuda_shim.verify.programs import judged

__all__ = ["Broken", "Job", "Limits", "ProgramJob", "Supervisor"]

_MAX_STDERR = 2000


class Broken(Exception):
    """No process could begin to run cases; the message has the reason."""


@dataclass(frozen=True)
class Limits:
    """Seconds after which a process is taken to hang: in a launch, a program, a compilation, and at its start."""

    case: float = 120.0
    program: float = 300.0  # it compiles its kernels itself
    compilation: float = 600.0
    start: float = 900.0  # the first process may build the runtime of the CPU backend


@dataclass(frozen=True)
class Job:
    """Cases of one batch: the archive's path, the number of the batch in it, its subject, and the cases' names."""

    archive: str
    batch: int
    subject: str
    cases: tuple[str, ...]


@dataclass(frozen=True)
class ProgramJob:
    """A program to run, the subject, and the folder that holds its file."""

    program: Program
    subject: str
    folder: str

    @property
    def cases(self) -> tuple[str, ...]:
        """The name of the one case."""
        return (self.program.name,)


class Supervisor:
    """Runs jobs in lanes, each with one process at a time.

    Attributes:
        machine: the processes' description of the device; empty until the first has begun.
    """

    def __init__(
        self, environment: Mapping[str, str], programs: Mapping[str, str], limits: Limits | None = None
    ) -> None:
        """Run nothing yet.

        Args:
            environment: the environment of the processes that launch kernels.
            programs: the environment of programs.
            limits: the seconds after which a process hangs.
        """
        self.machine: dict[str, Any] = {}
        self._environment, self._limits = dict(environment), limits or Limits()
        self._program_environment = dict(programs)
        self._jobs: queue.SimpleQueue[Job | ProgramJob] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Outcome | Broken | None] = queue.SimpleQueue()
        self._processes: set[_Process] = set()
        self._first: _Process | None = None
        self._stopping = threading.Event()

    def run(self, jobs: Sequence[Job | ProgramJob], lanes: int) -> Generator[Outcome, None, None]:
        """Yield outcomes as they come, in any order, from `lanes` processes at once, which end with the iterator.

        Raises Broken where no process can begin.
        """
        for job in jobs:
            self._jobs.put(job)
        # Before there are several: the first process may build libraries, and describes the device.
        if self._first is None:
            self.start()
        threads = [
            threading.Thread(target=self._lane, args=(self._first if number == 0 else None,), daemon=True)
            for number in range(min(lanes, len(jobs)))
        ]
        for thread in threads:
            thread.start()
        running = len(threads)
        try:
            while running:
                result = self._results.get()
                if isinstance(result, Broken):
                    raise result
                if result is None:
                    running -= 1
                else:
                    yield result
        finally:
            self._stopping.set()
            for process in list(self._processes):
                process.kill()
            for thread in threads:
                thread.join(timeout=10)

    def start(self) -> None:
        """Begin the first process, so that `machine` is known. Raises Broken."""
        self._first = self._begin()

    def _lane(self, process: _Process | None) -> None:
        """Run jobs until there are no more, in this process first."""
        try:
            while not self._stopping.is_set():
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if isinstance(job, ProgramJob):
                    self._results.put(self._program(job))
                else:
                    process = self._batch(job, process)
        except Broken as broken:
            self._results.put(broken)
        finally:
            if process is not None:
                self._end(process)
            self._results.put(None)

    def _batch(self, job: Job, process: _Process | None) -> _Process | None:
        """Run the cases of a batch, in new processes after crashes and hangs; return the last one if it still runs."""
        waiting = list(job.cases)
        while waiting and not self._stopping.is_set():
            if process is None:
                process = self._begin()
            ended = self._ask(process, job, waiting)
            if ended is not None:
                current, reason = ended
                self._end(process)
                process = None
                if self._stopping.is_set():
                    break
                # A process that ends while it compiles takes all cases of the text along.
                affected = [current] if current else list(waiting) if reason else []
                for case in affected:
                    waiting.remove(case)
                    self._results.put(Outcome(case, job.subject, FAILED, reason))
        return process

    def _ask(self, process: _Process, job: Job, waiting: list[str]) -> tuple[str, str] | None:
        """Have cases run; take those that are finished out of `waiting`.

        Returns None where the process is ready for more; else the case that was running, if there was one, and how the
        process ended, which is empty where it chose to.
        """
        current, last = "", FAILED
        limit = self._limits.compilation
        if not process.send({"archive": job.archive, "batch": job.batch, "cases": waiting}):
            return "", process.ending()
        while True:
            try:
                report = process.report(limit)
            except TimeoutError:
                process.kill()
                return current, f"hangs: no answer within {limit:g} s" + ("" if current else " of compilation")
            if report is None:
                chose = not current and last == "finished" and process.status() == 0
                return current, "" if chose else process.ending()
            last = report.pop("event")
            if last == "idle":
                return None
            if last == "started":
                current = report["case"]
                limit = self._limits.case if current else self._limits.compilation
            elif last == "finished":
                current = ""
                waiting.remove(report["case"])
                self._results.put(Outcome(**{**report, "details": tuple(report["details"])}))

    def _begin(self) -> _Process:
        """Return a process that has found its device. Raises Broken."""
        process = _Process(self._environment)
        self._processes.add(process)
        try:
            report = process.report(self._limits.start)
        except TimeoutError:
            report = {"event": "broken", "reason": f"no device answered within {self._limits.start:g} s"}
        if report is None:
            report = {"event": "broken", "reason": f"the process that runs kernels {process.ending()}"}
        if report["event"] != "ready":
            self._end(process)
            raise Broken(report["reason"])
        self.machine.update(report["machine"])
        return process

    def _end(self, process: _Process) -> None:
        process.close()
        self._processes.discard(process)

    def _program(self, job: ProgramJob) -> Outcome:
        began = time.monotonic()
        command = [sys.executable, "-B", os.path.join(job.folder, job.program.file)]
        process = _Process(self._program_environment, command, job.folder)
        self._processes.add(process)
        try:
            hangs = not process.wait(self._limits.program)
            if hangs:
                process.kill()
            seconds = round(time.monotonic() - began, 3)
            lines, notices = process.text(process.stdout).splitlines(), process.text(process.stderr)
            ending = f"hangs: not at its end within {self._limits.program:g} s" if hangs else process.ending()
            return judged(
                job.program, job.subject, lines, notices, ending if hangs or process.status() else "", seconds,
                self.machine.get("images", True),
            )  # fmt: skip
        finally:
            self._end(process)


class _Process:
    """A child in a process group of its own: the worker, or a program."""

    def __init__(
        self, environment: Mapping[str, str], command: Sequence[str] | None = None, folder: str | None = None
    ) -> None:  # fmt: skip
        # Files, not pipes: a process that prints much must not wait for a reader.
        self.stdout, self.stderr = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115
        self._buffer = b""
        self._reports, reports = os.pipe()
        root = os.path.dirname(os.path.dirname(os.path.abspath(cuda_shim.__file__)))
        code = f"import sys; sys.path.insert(0, {root!r}); from cuda_shim.verify import worker; worker.main({reports})"
        self._popen = subprocess.Popen(
            command or [sys.executable, "-c", code],
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL if command else subprocess.PIPE,
            stdout=self.stdout,
            stderr=self.stderr,
            pass_fds=() if command else (reports,),
            start_new_session=True,
        )
        os.close(reports)

    def send(self, request: Mapping[str, Any]) -> bool:
        """Write a request; return whether the process took it."""
        stdin = self._popen.stdin
        if stdin is None:
            return False
        try:
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
        except BrokenPipeError:
            return False
        return True

    def report(self, seconds: float) -> dict[str, Any] | None:
        """Return the next report, None where the process has ended. Raises TimeoutError."""
        end = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._reports], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError
            piece = os.read(self._reports, 1 << 16)
            if not piece:
                return None
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        report: dict[str, Any] = json.loads(line)
        return report

    def wait(self, seconds: float) -> bool:
        """Return whether the process ends within some seconds."""
        try:
            self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def status(self) -> int | None:
        """Return the exit status of a process that is ending; None where it does not end within a few seconds."""
        self.wait(5)
        return self._popen.returncode

    def ending(self) -> str:
        """Return how the process ended, with the last line of its stderr."""
        status = self.status()
        lines = self.text(self.stderr).strip().splitlines()
        how = "does not end" if status is None else f"ended with exit status {status}"
        if status is not None and status < 0:
            with contextlib.suppress(ValueError):  # a real-time signal has no name
                how = f"crashed with {signal.Signals(-status).name}"
        return f"{how}: {lines[-1]}" if lines else how

    def text(self, file: Any) -> str:
        """Return the output of the process in a file: all of stdout, the end of stderr."""
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _MAX_STDERR) if file is self.stderr else 0)
        return str(file.read().decode(errors="replace"))

    def kill(self) -> None:
        """Kill the process and its children, and wait for it a little: a process in the driver may not end."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self.wait(5)

    def close(self) -> None:
        """End the process and release its files and pipes."""
        if self._popen.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._popen.stdin.close()
            self.wait(5)
        self.kill()
        os.close(self._reports)
        self.stdout.close()
        self.stderr.close()

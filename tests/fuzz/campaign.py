"""Many processes of the fuzzer, each watched: one that crashes, hangs, makes a sanitizer speak or writes where it should not
is reported by seed and call.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.watched import Surroundings
from tests.fuzz.worker import PROGRESS_BYTES
from tests.interpreters import PACKAGE_ROOT, clean_environment

LAYOUTS = ("11.8", "12.9", "13.5")
#: A call that takes longer hangs, unless the machine is so loaded that the process has hardly run in that time.
SECONDS_PER_CALL = 60.0
#: On such a machine, a process that waits runs at least this often.
SECONDS_IDLE = 10.0
SECONDS_TO_START = 600.0  # the runtime may have to be built first
REPORTS = ("ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "runtime error:", "corrupted", "Fatal Python error")
KEPT_LINES = 60


@dataclass(frozen=True)
class Finding:
    """Problem of one process, and the call that it happened in."""

    layout: str
    seed: int
    number: int
    function: str
    what: str
    said: str
    in_c: bool = False

    def __str__(self) -> str:
        level = "--c " if self.in_c else ""
        again = f"python -m tests.fuzz {level}--layout {self.layout} --seed {self.seed} --to {self.number + 1}"
        return f"{self.what} in call {self.number}, {self.function}; again: {again}\n{self.said}"


def run(layout: str, seed: int, first: int, last: int, **environment: str) -> Finding | None:
    """Make the calls of a seed in a process of their own; None when nothing was found."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        around = Surroundings(Path(folder))
        progress, said = around.report / "progress", around.report / "said"
        progress.write_bytes(bytes(PROGRESS_BYTES))
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.worker", layout]
        environment = {
            **around.environment(), "PYTHONPATH": str(PACKAGE_ROOT), "CUDA_SHIM_QUIET": "1", "CUDA_SHIM_CPU_LOG": "off",
        } | environment  # fmt: skip
        with said.open("wb") as output, around.watched() as written:
            process = subprocess.Popen(
                [*command, *map(str, (seed, first, last)), str(progress)], cwd=around.work, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, env=clean_environment(**environment),
            )  # fmt: skip
            what = _watch(process, progress)
        number, function = _where(progress)
        text = said.read_text("utf-8", "replace")
        if what is None and any(report in text for report in REPORTS):
            what = "a sanitizer's report"
        if what is None and written:
            what = f"wrote outside its folders ({', '.join(sorted(written))})"
        if what is None:
            return None
        in_c = environment.get("FUZZ_LEVEL") == "c"
        return Finding(layout, seed, number, function, what, "\n".join(_worth_reading(text)), in_c)


def _worth_reading(text: str) -> list[str]:
    lines = text.splitlines()
    starts = [at for at, line in enumerate(lines) if any(report in line for report in REPORTS)]
    return lines[starts[0] : starts[0] + KEPT_LINES] if starts else lines[-KEPT_LINES:]


def campaign(
    layouts: tuple[str, ...], seeds: Iterator[int], calls: int, **environment: str
) -> Iterator[Finding | None]:
    """Run one process after another, the layouts in turn; yield the finding of each."""
    for at, seed in enumerate(seeds):
        yield run(layouts[at % len(layouts)], seed, 0, calls, **environment)


def _where(progress: Path) -> tuple[int, str]:
    number, name = struct.unpack("q56s", progress.read_bytes()[:64])
    return number, name.rstrip(b"\0").decode()


def _work(process: int) -> tuple[float, bool]:
    """The seconds that a process has run for, and whether any thread of it wants to run now."""
    ticks, wants_to_run = 0, False
    for thread in Path(f"/proc/{process}/task").glob("*/stat"):
        with contextlib.suppress(OSError):  # the thread has ended
            state, *fields = thread.read_text().rpartition(") ")[2].split()
            ticks += int(fields[10]) + int(fields[11])
            wants_to_run |= state == "R"
    return ticks / os.sysconf("SC_CLK_TCK"), wants_to_run


def _watch(process: subprocess.Popen[bytes], progress: Path) -> str | None:
    """Return the problem with the process's end, or None if there is none."""
    seen, since, worked = -1, time.monotonic(), 0.0
    busy, work = since, 0.0  # when it last ran or wanted to, and how long it has run
    while process.poll() is None:
        time.sleep(0.05)
        number, name = _where(progress)
        now, (has_worked, wants_to_run) = time.monotonic(), _work(process.pid)
        if wants_to_run or has_worked != work:
            busy, work = now, has_worked
        if number != seen:
            seen, since, worked = number, now, work
            continue
        most = SECONDS_PER_CALL if name else SECONDS_TO_START
        if now - since > most:
            if now - busy < SECONDS_IDLE and work - worked < most / 2:
                continue  # others have the processors
            process.send_signal(signal.SIGUSR1)  # it reports where all threads are
            time.sleep(1)
            process.kill()
            process.wait()
            return "a hang"
    status = process.returncode
    return None if status == 0 else f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"

"""``python -m cuda_shim verify``: recorded programs and kernels run here, compared with NVIDIA's GPU."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections import Counter

from cuda_shim import settings
from cuda_shim.cli.run import program_environment, read_option
from cuda_shim.errors import SettingError, ShimError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cuda_shim.verify.outcome import Outcome
    from cuda_shim.verify.report import Report
    from cuda_shim.verify.supervisor import Job, ProgramJob

__all__ = ["verify"]

USAGE = """\
usage: python -m cuda_shim verify [options]

Run recorded programs and kernels on the device that is here, an AMD GPU or host cores, compare with what NVIDIA's GPU
answered, print a table, and write a report that can be attached to an issue.  Nothing is downloaded; the report has
no names of users, hosts or folders.

  --quick         a fifth of the compilations and programs
  --only PATTERN  cases whose names hold this, or match it, such as "cuda.warp.*"
  --list          print the names of the cases, and run nothing
  --report FILE   the report, a new file; default: cuda-shim-verify-<time>.json in the current folder
  --json          print the report on stdout, in place of the table and the file, unless --report names one

Settings are options as in `run`: --backend rocm, --cpu-warp-size 64.  The CUDA version is that of the recordings.

Exit status: 0 all is right, or refused for a reason that is named; 1 something differs or failed; 2 the cases could
not run; 130 interrupted, with a report of what had run.
"""

#: Settings that the recordings decide, or that would add to the programs' stderr, which is read.
_DECIDED = {
    "cuda": "13.5", "quiet": "1", "log": "warn", "report": "0", "profile": "0", "trace": "", "strict": "0",
    "error_exitcode": "0",
}  # fmt: skip
_INTERRUPTED = 130
_MAX_LANES = 4
_SECONDS_BETWEEN_LINES = 20


class Request:
    """The request in the words after ``verify``."""

    def __init__(self, words: list[str]) -> None:
        """Read the words. Raises SettingError: an option is unknown, or its value is missing or not allowed."""
        self.quick = self.list = self.json = False
        self.only = self.report = ""
        self.environment: dict[str, str] = {}
        position = 0
        while position < len(words):
            name, equals, value = words[position].partition("=")
            if words[position] in ("--quick", "--list", "--json"):
                setattr(self, words[position][2:], True)
                position += 1
            elif name in ("--only", "--report"):
                value = value if equals else "".join(words[position + 1 : position + 2])
                if not value:
                    raise SettingError(
                        f"{name} needs a value: {'a name or a pattern' if name == '--only' else 'a file'}"
                    )
                setattr(self, name[2:], value)
                position += 1 if equals else 2
            else:
                position = self._read_setting(words, position)

    @property
    def selection(self) -> str:
        """The chosen cases in words."""
        return " ".join(filter(None, ("quick" if self.quick else "all", self.only and f"of {self.only}")))

    def _read_setting(self, words: list[str], position: int) -> int:
        word = words[position].partition("=")[0]
        if word[2:].replace("-", "_") in _DECIDED or not word.startswith("--"):
            own = "--quick, --only, --list, --report, --json and those of settings"
            raise SettingError(f"{word} is not an option of verify; the options are {own}")
        variable, value, position = read_option(words, position)
        self.environment[variable] = value
        return position


def verify(words: list[str]) -> int:
    """Run the verb and return the exit status. Raises SettingError."""
    if words in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    request = Request(words)
    from cuda_shim.verify import recorded, report, selection

    recordings = recorded.read_all()
    with tempfile.TemporaryDirectory(prefix="cuda-shim-verify-") as folder:
        jobs = selection.jobs(recordings, folder, request.only, request.quick)
        if not jobs:
            raise SettingError(f"no case is called {request.only}: see --list")
        if request.list:
            print("\n".join(name for job in jobs for name in job.cases))
            return 0
        path = request.report or ("" if request.json else report.default_name())
        _refuse_bad_path(path)
        selection.write_programs(recordings, folder)
        expected = Counter[str]()
        for job in jobs:
            expected[job.subject] += len(job.cases)
        result = report.Report(recordings, expected, request.selection)
        interrupted = _run(result, jobs, request.environment)
    if path:
        try:
            report.write_new(path, result.document())
        except OSError as error:
            result.problem = result.problem or f"the report could not be written: {error}"
            path = ""
    _show(result, path, request.json)
    return _INTERRUPTED if interrupted else result.status()


def _refuse_bad_path(path: str) -> None:
    """Raise SettingError where the report could not be written in the end."""
    if not path:
        return
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.lexists(path):
        raise SettingError(f"--report {path}: this file exists, and is not overwritten")
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise SettingError(f"{folder} is not a writable folder: name a file elsewhere with --report")


def _run(result: Report, jobs: list[Job | ProgramJob], chosen: dict[str, str]) -> bool:
    """Run jobs into a report; return whether the user interrupted it."""
    from cuda_shim.verify import machine
    from cuda_shim.verify.supervisor import Broken, Supervisor

    decided = {settings.setting(name).variable: value for name, value in _DECIDED.items()}
    programs = program_environment({**chosen, **decided})
    strict = {**programs, settings.setting("strict").variable: "1"}
    own = {name: value for name, value in {**os.environ, **chosen}.items() if name not in decided}
    result.machine.update(machine.described(own))
    supervisor = Supervisor(strict, programs)
    try:
        _say("looking for the device; on host cores the first use builds the runtime, which takes up to a minute")
        supervisor.start()
        result.machine.update(supervisor.machine)
        _say(f"{_device(result)}: {sum(len(job.cases) for job in jobs)} cases")
        # A GPU runs one process at a time: a fault of one might end others.
        lanes = min(_MAX_LANES, len(os.sched_getaffinity(0))) if supervisor.machine["backend"] == "cpu" else 1
        with contextlib.closing(supervisor.run(jobs, lanes)) as outcomes:
            for outcome in _with_progress(outcomes, sum(len(job.cases) for job in jobs)):
                result.outcomes.append(outcome)
    except (Broken, ShimError) as error:
        result.problem = str(error)
    except KeyboardInterrupt:
        return True
    return False


def _with_progress(outcomes: Iterable[Outcome], total: int) -> Iterator[Outcome]:
    """Pass outcomes on, and show on stderr how many there are: as a bar on a terminal, else a line now and then."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("cases", total=total)
        last_line = time.monotonic()
        for count, outcome in enumerate(outcomes, 1):
            progress.update(task, advance=1)
            if not console.is_terminal and time.monotonic() - last_line > _SECONDS_BETWEEN_LINES:
                _say(f"{count} of {total} cases")
                last_line = time.monotonic()
            yield outcome


def _device(result: Report) -> str:
    machine = result.machine
    kind = f", {machine['architecture']}" if machine["architecture"] else ""
    return f"{machine['backend']}: {machine['device']}{kind}, hip-python {machine['hip-python']}"


def _show(result: Report, path: str, as_json: bool) -> None:
    """Print the table, or the document, and where the report is."""
    if as_json:
        print(json.dumps(result.document(), indent=1, ensure_ascii=False))
    else:
        result.print()
    if result.problem:
        _say(f"cases could not run: {result.problem}")
    if path:
        _say(f"the report is in {path}: please attach it to an issue of cuda_shim, even if every case is right")


def _say(line: str) -> None:
    print(f"cuda_shim: verify: {line}", file=sys.stderr, flush=True)

"""The folder into which all processes of a program record, and the choice of the process that reports at its end.

The first process that is to record makes a private folder, names it in the environment that its children
inherit, and is the one that reports when it ends. Every process counts in a file of its own there, so the
report holds the calls of children however they ended, and of children that still run, their calls so far. A profile
or a trace has one file there that all of them write to (timeline.py).
"""

from __future__ import annotations

import atexit
import os
import stat
import sys
from _thread import RLock

from cuda_shim.errors import SettingError
from cuda_shim.notices import notify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.usage.profile import Profile
    from cuda_shim.usage.usage_report import Report

__all__ = ["exists", "join", "leave", "path"]

_ON_STDERR, _NOWHERE = "1", "record"
# The end of the name of a file that is to be a page for browsers, and not JSON.
_PAGE_SUFFIX = ".html"

# The outputs to make when the first process ends, "report", "profile" and "trace", each with its destination.
_destinations: dict[str, str] = {}

# The process that reports, and the folder: "<process id>:<folder>".
_VARIABLE = "_CUDA_SHIM_REPORT"
_PREFIX = "cuda_shim-report-"
_RANDOM_BYTES = 8
_PRIVATE = 0o700

_lock = RLock()
_folder: str | None = None


def join(output: str, destination: str) -> None:
    """Take part in the report that the environment names; without one, begin a report and answer for it.

    The first argument is the name of a setting, "report", "profile" or "trace", and `destination` its value: "1"
    (stderr), "record" (nowhere), or the path of a file, in which %p stands for the process id.
    Raises SettingError when no folder can be made.
    """
    global _folder
    with _lock:
        _destinations.setdefault(output, _absolute(destination))
        if _folder is not None:
            return
        reporter, _, inherited = os.environ.get(_VARIABLE, "").partition(":")
        if inherited and _is_own(inherited):
            _folder = inherited
        else:
            reporter = str(os.getpid())
            _folder = _new_folder()
            os.environ[_VARIABLE] = f"{reporter}:{_folder}"
        # The same number after an exec, in which the program became another one: still the first process.
        if reporter == str(os.getpid()):
            atexit.register(_finish, os.getpid(), _folder)


def _new_folder() -> str:
    # tempfile would import twenty modules into a program that is only starting.
    base = os.path.abspath(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - the name is random
    folder = os.path.join(base, _PREFIX + os.urandom(_RANDOM_BYTES).hex())
    try:
        os.mkdir(folder, _PRIVATE)
    except OSError as error:
        problem = f"no folder for the usage report can be made in {base} ({error.strerror}): set TMPDIR"
        raise SettingError(problem) from None
    return folder


def _is_own(folder: str) -> bool:
    """Return whether a folder of the environment was made here: no other folder is written to, or removed.

    A folder that is gone already counts as one, since the reporting process removes it.
    """
    name = os.path.basename(folder).removeprefix(_PREFIX)
    if not os.path.isabs(folder) or os.path.basename(folder) != _PREFIX + name or len(name) != 2 * _RANDOM_BYTES:
        return False
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    is_private = status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == _PRIVATE
    return stat.S_ISDIR(status.st_mode) and is_private


def exists() -> bool:
    """Return whether anything is recorded."""
    return _folder is not None


def path() -> str:
    """Return the folder. Raises SettingError when nothing is recorded."""
    if _folder is None:
        raise SettingError(
            "no usage is recorded: start with `python -m cuda_shim run --report` (or --profile), CUDA_SHIM_REPORT=1 or "
            "cuda_shim.enable(report=True)"
        )
    return _folder


def leave() -> None:
    """Record nothing more in this process."""
    global _folder
    _folder = None


def _reset_in_child() -> None:
    """Reset a forked child: another thread of the parent may hold the lock."""
    global _lock
    _lock = RLock()


os.register_at_fork(after_in_child=_reset_in_child)


def _finish(reporter: int, folder: str) -> None:
    """Make the report when the first process ends."""
    if os.getpid() != reporter:
        return  # atexit also runs in forked children
    for output, write in _WRITERS.items():
        destination = _destinations.get(output, _NOWHERE)
        try:
            if destination != _NOWHERE:
                (_page if destination.endswith(_PAGE_SUFFIX) else write)(folder, destination)
        except OSError as error:
            notify(f"the {'usage report' if output == 'report' else output} could not be written: {error}")
    try:
        _remove(folder)
    except OSError as error:
        notify(f"{folder} could not be removed: {error}")


def _remove(folder: str) -> None:
    # Renamed first: children that still run find no folder to make another file in.
    renamed = f"{folder}-over"
    os.rename(folder, renamed)
    from cuda_shim.usage import counter_file, timeline

    for name in os.listdir(renamed):
        if name == timeline.FILE or name.endswith(counter_file.SUFFIX):
            os.unlink(os.path.join(renamed, name))
    os.rmdir(renamed)


def _report(folder: str, destination: str) -> None:
    from cuda_shim.usage.usage_report import Report

    _write(Report.of_folder(folder), destination)


def _profile(folder: str, destination: str) -> None:
    from cuda_shim.usage.profile import Profile

    if destination == _ON_STDERR and _destinations.get("report") == _ON_STDERR:
        return  # it is a part of the report
    _write(Profile.of_folder(folder), destination)


def _write(output: Report | Profile, destination: str) -> None:
    if destination != _ON_STDERR:
        output.write(destination)
    elif sys.stderr is not None:
        output.print(sys.stderr)


def _trace(folder: str, destination: str) -> None:
    from cuda_shim.usage import timeline
    from cuda_shim.usage.trace import write_trace

    write_trace(destination, timeline.read(folder))


def _page(folder: str, destination: str) -> None:
    """Write a page of all that was recorded, whichever recording asked for it."""
    from cuda_shim.usage import timeline
    from cuda_shim.usage.page import write_page
    from cuda_shim.usage.profile import Profile
    from cuda_shim.usage.usage_report import Report

    events = list(timeline.read(folder))
    report = Report.of_counters(folder)
    write_page(destination, events, Profile.of_events(events) if events else None, report if report.calls else None)


_WRITERS = {"report": _report, "profile": _profile, "trace": _trace}


def _absolute(destination: str) -> str:
    if destination in (_ON_STDERR, _NOWHERE):
        return destination
    return os.path.abspath(destination.replace("%p", str(os.getpid())))

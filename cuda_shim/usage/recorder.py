"""The counters of this process, and the choice of the process that makes the report of all processes.

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.usage.counter_file import CounterFile, Key
    from cuda_shim.usage.profile import Profile
    from cuda_shim.usage.usage_report import Report

__all__ = ["add", "adopt", "folder", "has_folder"]

_ON_STDERR, _NOWHERE = "1", "record"
# The end of the name of a file that is to be a page for browsers, and not JSON.
_PAGE_SUFFIX = ".html"

# The outputs to make when the first process ends, "report", "profile" and "trace", each with its destination.
_destinations: dict[str, str] = {}

# The process that reports, and the folder of the counters: "<process id>:<folder>".
_VARIABLE = "_CUDA_SHIM_REPORT"
_PREFIX = "cuda_shim-report-"
_RANDOM_BYTES = 8
_PRIVATE = 0o700

_lock = RLock()
_folder: str | None = None
_file: CounterFile | None = None
_places: dict[Key, int] = {}
_filled = 0


def adopt(what: str, destination: str) -> None:
    """Take part in the report that the environment names; without one, begin a report and answer for it.

    The first argument is the name of a setting, "report", "profile" or "trace", and `destination` its value: "1"
    (stderr), "record" (nowhere), or the path of a file, in which %p stands for the process id.
    Raises SettingError when no folder can be made.
    """
    global _folder
    with _lock:
        _destinations.setdefault(what, _absolute(destination))
        if _folder is not None:
            return
        reporter, _, inherited = os.environ.get(_VARIABLE, "").partition(":")
        if inherited and _is_own(inherited):
            _folder = inherited
        else:
            reporter = str(os.getpid())
            # tempfile would import twenty modules into a program that is only starting.
            base = os.path.abspath(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - the name is random
            _folder = os.path.join(base, _PREFIX + os.urandom(_RANDOM_BYTES).hex())
            try:
                os.mkdir(_folder, _PRIVATE)
            except OSError as error:
                _folder = None
                said = f"no folder for the usage report can be made in {base} ({error.strerror}): set TMPDIR"
                raise SettingError(said) from None
            os.environ[_VARIABLE] = f"{reporter}:{_folder}"
        # The same number after an exec, in which the program became another one: still the first process.
        if reporter == str(os.getpid()):
            atexit.register(_finish, os.getpid(), _folder)


def _is_own(path: str) -> bool:
    """Return whether a folder of the environment was made here: no other folder is written to, or removed.

    A folder that is gone already counts as one, since the reporting process removes it.
    """
    name = os.path.basename(path).removeprefix(_PREFIX)
    if not os.path.isabs(path) or os.path.basename(path) != _PREFIX + name or len(name) != 2 * _RANDOM_BYTES:
        return False
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    is_private = about.st_uid == os.geteuid() and stat.S_IMODE(about.st_mode) == _PRIVATE
    return stat.S_ISDIR(about.st_mode) and is_private


def has_folder() -> bool:
    """Return whether anything is recorded."""
    return _folder is not None


def folder() -> str:
    """Return the folder of the counters. Raises SettingError when nothing is recorded."""
    if _folder is None:
        raise SettingError(
            "no usage is recorded: start with `python -m cuda_shim run --report` (or --profile), CUDA_SHIM_REPORT=1 or "
            "cuda_shim.enable(report=True)"
        )
    return _folder


def add(nanoseconds: int, *key: str) -> None:
    """Count `key` once more, with the time that it took."""
    global _folder
    with _lock:
        at = _places.get(key)
        try:
            if at is None:
                if _folder is None:
                    return
                at = _places[key] = _new_place(_folder, key)
        except FileNotFoundError:
            _folder = None  # the reporting process has ended, and removed the folder
        except OSError as error:
            _folder = None
            _say(f"usage is not recorded any more: {error}")
        if at is not None and _file is not None:
            _file.add(at, nanoseconds)


def _new_place(into: str, key: Key) -> int:
    global _file, _filled
    from cuda_shim.usage.counter_file import CounterFile

    if _file is None:
        _file = CounterFile(into, _filled)
    at = _file.new_counter(key)
    while at is None:
        _filled += 1
        _places.clear()
        _file = CounterFile(into, _filled)
        at = _file.new_counter(key)
    return at


def _start_anew() -> None:
    """Reset a forked child: the mapping is the parent's, and the lock may be held there."""
    global _lock, _file, _filled
    _lock = RLock()
    _file, _filled = None, 0
    _places.clear()


os.register_at_fork(after_in_child=_start_anew)


def _finish(reporter: int, path: str) -> None:
    """Make the report when the first process ends."""
    if os.getpid() != reporter:
        return  # atexit also runs in forked children
    for what, write in _WRITERS.items():
        destination = _destinations.get(what, _NOWHERE)
        try:
            if destination != _NOWHERE:
                (_page if destination.endswith(_PAGE_SUFFIX) else write)(path, destination)
        except OSError as error:
            _say(f"the {'usage report' if what == 'report' else what} could not be written: {error}")
    try:
        _remove(path)
    except OSError as error:
        _say(f"{path} could not be removed: {error}")


def _remove(path: str) -> None:
    # Renamed first: children that still run find no folder to make another file in.
    aside = f"{path}-over"
    os.rename(path, aside)
    from cuda_shim.usage import counter_file, timeline

    for name in os.listdir(aside):
        if name == timeline.FILE or name.endswith(counter_file.SUFFIX):
            os.unlink(os.path.join(aside, name))
    os.rmdir(aside)


def _report(path: str, destination: str) -> None:
    from cuda_shim.usage.usage_report import Report

    _hand_over(Report.of_folder(path), destination)


def _profile(path: str, destination: str) -> None:
    from cuda_shim.usage.profile import Profile

    if destination == _ON_STDERR and _destinations.get("report") == _ON_STDERR:
        return  # it is a part of the report
    _hand_over(Profile.of_folder(path), destination)


def _hand_over(result: Report | Profile, destination: str) -> None:
    if destination != _ON_STDERR:
        result.write(destination)
    elif sys.stderr is not None:
        result.print(sys.stderr)


def _trace(path: str, destination: str) -> None:
    from cuda_shim.usage import timeline
    from cuda_shim.usage.trace import write_trace

    write_trace(destination, timeline.read(path))


def _page(path: str, destination: str) -> None:
    """Write a page of all that was recorded, whichever recording asked for it."""
    from cuda_shim.usage import timeline
    from cuda_shim.usage.page import write_page
    from cuda_shim.usage.usage_report import Report

    report = Report.of_folder(path)
    write_page(destination, timeline.read(path), report.profile, report if report.calls else None)


_WRITERS = {"report": _report, "profile": _profile, "trace": _trace}


def _absolute(destination: str) -> str:
    if destination in (_ON_STDERR, _NOWHERE):
        return destination
    return os.path.abspath(destination.replace("%p", str(os.getpid())))


def _say(text: str) -> None:
    if sys.stderr is not None:
        print(f"cuda_shim: {text}", file=sys.stderr)

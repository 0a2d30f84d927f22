"""The listener that counts calls for the usage report, in a file of this process in the report's folder."""

from __future__ import annotations

import functools
import os
from _thread import RLock

from cuda_shim.instrumentation.listener import CallHooks, Listener
from cuda_shim.notices import notify
from cuda_shim.usage import report_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.mapping.rows import FunctionRow
    from cuda_shim.usage.counter_file import CounterFile, Key

__all__ = ["CallCounter"]

_lock = RLock()
_file: CounterFile | None = None
_places: dict[Key, int] = {}
_full_files = 0


class CallCounter(Listener):
    """Counts calls by their name and status, and adds up their times."""

    hears_c_calls = True

    def hooks(self, row: FunctionRow) -> CallHooks:
        """Return the hook that counts each call of a function."""
        return CallHooks(after=functools.partial(_count_call, row))

    def c_call(self, name: str, support: str, error: str, nanoseconds: int) -> None:
        """Count a call from C."""
        _add(nanoseconds, *(("error", name, support, error) if error else ("call", name, support)))

    def unsupported(self, name: str, reason: str) -> None:
        """Count a call that HIP cannot serve, or an argument that it lacks."""
        _add(0, "unsupported", name, reason)

    def hallucinated(self, enum_name: str, name: str) -> None:
        """Count the reading of an invented constant."""
        _add(0, "hallucinated", enum_name, name)


def _count_call(
    row: FunctionRow, _: object, began: int, ended: int, result: object, error: BaseException | None
) -> None:
    if error is not None:
        _add(ended - began, "raised", row.name, row.support, type(error).__name__)
        return
    status = result[0] if isinstance(result, tuple) and result else None
    # A few calls have no status, and their first result may be true or false for reasons of its own.
    if status and isinstance(status, int) and hasattr(status, "name"):
        _add(ended - began, "error", row.name, row.support, status.name)
    else:
        _add(ended - began, "call", row.name, row.support)


def _add(nanoseconds: int, *key: str) -> None:
    """Count `key` once more, with the time that it took."""
    with _lock:
        place = _places.get(key)
        try:
            if place is None:
                if not report_folder.exists():
                    return
                place = _places[key] = _new_place(report_folder.path(), key)
        except FileNotFoundError:
            report_folder.leave()  # the reporting process has ended, and removed the folder
        except OSError as error:
            report_folder.leave()
            notify(f"usage is not recorded any more: {error}")
        if place is not None and _file is not None:
            _file.add(place, nanoseconds)


def _new_place(folder: str, key: Key) -> int:
    global _file, _full_files
    from cuda_shim.usage.counter_file import CounterFile

    if _file is None:
        _file = CounterFile(folder, _full_files)
    place = _file.new_counter(key)
    while place is None:
        _full_files += 1
        _places.clear()
        _file = CounterFile(folder, _full_files)
        place = _file.new_counter(key)
    return place


def _reset_in_child() -> None:
    """Reset a forked child: the mapping is the parent's, and the lock may be held there."""
    global _lock, _file, _full_files
    _lock = RLock()
    _file, _full_files = None, 0
    _places.clear()


os.register_at_fork(after_in_child=_reset_in_child)

"""The report of ``run`` where the machine is not set up: one line, and exit status 2.

No compiler, no ROCm, a cache that cannot be written or a setting that is not allowed is found by the first CUDA
call of the program, a dozen frames deep in cuda_shim. Those frames do not help the user. Such an error that the program
lets through ends it with the line; every other error is printed as Python does it, less the frames of the import hook:
a name that does not exist, or a module that is not served, is the program's own line and nothing below it.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["STATUS", "install"]

STATUS = 2

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_HOOK = (os.path.join(_OURS, "hook") + os.sep, os.path.join(_OURS, "activation.py"))


def install() -> None:
    """Print setup errors in one line from now on, in this process.

    Programs compare the two hooks to detect a replaced one: they stay the same.
    """
    sys.excepthook = sys.__excepthook__ = _Hook(sys.excepthook)


class _Hook:
    """``sys.excepthook`` for setup errors; the one before it for all others."""

    def __init__(self, before: object) -> None:
        self.before = before

    def __call__(self, kind: "type[BaseException]", error: BaseException, trace: "TracebackType | None") -> None:
        at_prompt = hasattr(sys, "ps1") or sys.flags.inspect  # an error does not end these
        if at_prompt or not _is_setup_error(error):
            _leave_out_hook(trace)
            self.before(kind, error, trace)  # type: ignore[operator]
            return
        if sys.stderr is not None:
            first, newline, rest = str(error).partition("\n")
            print(f"cuda_shim: {first}{_place(trace)}{newline}{rest}", file=sys.stderr, flush=True)
        raise SystemExit(STATUS)


def _leave_out_hook(trace: "TracebackType | None") -> None:
    """End a traceback where the import hook begins, if the hook raised the error."""
    last, at, file = None, trace, ""
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if not file.startswith((*_HOOK, "<frozen importlib")):
            last = at
        at = at.tb_next
    if last is not None and file.startswith(_HOOK):
        last.tb_next = None


def _is_setup_error(error: BaseException) -> bool:
    errors = sys.modules.get("cuda_shim.errors")  # not loaded where none of ours can have been raised
    return errors is not None and isinstance(error, (errors.BackendNotFound, errors.SettingError, errors.TableError))


def _place(trace: "TracebackType | None") -> str:
    """Return where the program met the error: its own last line before ours begin, in brackets."""
    place = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith((_OURS, "<cuda_shim")) or "cuda_shim:" in file:
            break
        if not file.startswith("<frozen "):
            place = f" ({file}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return place

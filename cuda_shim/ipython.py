"""IPython and Jupyter: ``%load_ext cuda_shim`` serves ``cuda.*`` on HIP in a notebook, ``%cuda_shim`` asks and reports.

Usage is recorded from the beginning, since a notebook's earlier cells cannot be recorded later; ``CUDA_SHIM_REPORT=0``
in the kernel's environment leaves it off.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

from cuda_shim import session, settings, unknown_settings
from cuda_shim.errors import SettingError, ShimError
from cuda_shim.recording import ProfiledBlock

__all__ = ["load_ipython_extension", "unload_ipython_extension"]

USAGE = """\
%cuda_shim status                     what is enabled, and where kernels run
%cuda_shim report                     what was called so far, how often, how long, with which errors
%cuda_shim enable [name=value …]      serve cuda.*: backend=cpu, cuda=12.9, strict=1, cpu_devices=4 …
%cuda_shim disable                    put back what was there before
%%cuda_shim report                    run the cell, and say what it called
%%cuda_shim profile                   run the cell, and show what took the time: kernels, copies, lines, calls
%%cuda_shim check                     run the cell by itself in another process, whose kernels are checked
"""

_handles: list[session.Handle] = []


class CheckFailed(ShimError):
    """The cell of ``%%cuda_shim check`` ended with an error."""


def load_ipython_extension(shell: Any) -> None:
    """Make the magics and enable the shim, for ``%load_ext cuda_shim``. Raises the errors of ``enable()``."""

    def magic(line: str, cell: str | None = None) -> None:
        """``%cuda_shim status | report | enable | disable``, ``%%cuda_shim report | profile | check``."""
        verb, *words = line.split() or [""]
        if cell is not None:
            _without_frames(_run_cell, verb, cell, shell)
        elif verb in ("", "help"):
            print(USAGE, end="")
        else:
            _without_frames(_run_verb, verb, words)

    shell.register_magic_function(magic, "line_cell", "cuda_shim")
    _without_frames(_enable, [])


def unload_ipython_extension(shell: Any) -> None:
    """Let go of the shim, for ``%unload_ext cuda_shim``; the magics go with the extension."""
    _disable([])
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("cuda_shim", None)


def _without_frames(action: Callable[..., None], *arguments: object) -> None:
    """Do it; an error of ours ends the cell, and shows without the frames that led to it."""
    try:
        action(*arguments)
    except ShimError as error:
        text = f"{type(error).__name__}: {error}"
        error._render_traceback_ = lambda: [text]  # type: ignore[attr-defined]  # IPython asks for it
        raise


def _enable(words: list[str]) -> None:
    arguments: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        arguments[name.lstrip("-").replace("-", "_")] = value if equals else "1"
    if words and _begin_again():
        _disable([])
    if settings.current().sources["report"] == "default":
        arguments.setdefault("report", "record")
    _handles.append(session.enable(**arguments))
    if words:
        _status([])


def _run_verb(verb: str, words: list[str]) -> None:
    if verb not in _VERBS:
        hint = unknown_settings.nearest(verb, _VERBS, f"the line magics are {', '.join(_VERBS)}")
        raise SettingError(f"%cuda_shim {verb}: {hint}")
    _VERBS[verb](words)


def _begin_again() -> bool:
    """Return whether the shim is on by our own doing alone and nothing was used yet: other settings may still come."""
    state = session.status()
    if not _handles or state.get("handles") != len(_handles) or state["modules"]:
        return False
    from cuda_shim import backends

    return backends.decided() is None


def _run_cell(verb: str, cell: str, shell: Any) -> None:
    if verb == "report":
        before = session.report()
        result = shell.run_cell(cell)
        session.report().since(before).print()
        result.raise_error()
    elif verb == "profile":
        with ProfiledBlock(session.recording()) as measured:
            result = shell.run_cell(cell)
        if measured.profile is not None:
            measured.profile.print()
        result.raise_error()
    elif verb == "check":
        _check(cell)
    else:
        raise SettingError(f"%%cuda_shim {verb}: the cell magics are report, profile and check")


def _check(cell: str) -> None:
    """Run a cell in a process of its own: whether kernels are checked is settled when they are compiled.

    Raises CheckFailed when it ends with an error.
    """
    command = [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", "--cpu-check", "--error-exitcode=1", "-"]
    done = subprocess.run(command, input=cell, capture_output=True, encoding="utf-8", errors="replace", check=False)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode:
        raise CheckFailed(
            f"the checked cell ended with exit status {done.returncode}; it runs without the notebook's names"
        )


def _disable(_: list[str]) -> None:
    while _handles:
        _handles.pop().disable()
    session.disable()


def _status(_: list[str]) -> None:
    state = session.status()
    if not state["enabled"]:
        print("cuda_shim is disabled")
        return
    from cuda_shim import backends

    decided = backends.decided()
    where = f"{decided.name} ({decided.why})" if decided is not None else f"{state['backend']}, nothing loaded yet"
    print(f"cuda_shim is enabled, by {state['origin']}")
    print(f"  backend  {where}")
    print(f"  CUDA     {state['cuda']}: {state['cuda_reason']}")
    print(f"  strict   {'yes' if state['strict'] else 'no'}")
    print(f"  served   {', '.join(map(str, state['modules'])) or 'nothing imported yet'}")  # type: ignore[call-overload]


def _report(_: list[str]) -> None:
    session.report().print()


_VERBS = {"status": _status, "report": _report, "enable": _enable, "disable": _disable}

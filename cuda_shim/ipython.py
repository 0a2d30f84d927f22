"""IPython and Jupyter: ``%load_ext cuda_shim`` serves ``cuda.*`` on HIP in a notebook, ``%cuda_shim`` asks and tells.

Usage is recorded from the beginning, since nobody can go back in a notebook to turn that on;
``CUDA_SHIM_REPORT=0`` in the kernel's environment leaves it off.
"""

from __future__ import annotations

import sys
from typing import Any

from cuda_shim import session, settings
from cuda_shim.errors import ShimError

__all__ = ["load_ipython_extension", "unload_ipython_extension"]

USAGE = """\
%cuda_shim status                     what is enabled, and where kernels run
%cuda_shim report                     what was called so far, how often, how long, with which errors
%cuda_shim enable [name=value …]      serve cuda.*: backend=cpu, cuda=12.9, strict=1, cpu_devices=4 …
%cuda_shim disable                    put back what was there before
"""

_handles: list[session.Handle] = []


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext cuda_shim``: make the magic and enable the shim."""
    shell.register_magic_function(_magic, "line", "cuda_shim")
    _told(_enable, [])


def unload_ipython_extension(shell: Any) -> None:
    """Called by ``%unload_ext cuda_shim``: let go of the shim; the magic goes with the extension."""
    _disable([])
    shell.magics_manager.magics["line"].pop("cuda_shim", None)


def _magic(line: str) -> None:
    """``%cuda_shim status | report | enable | disable``."""
    verb, *words = line.split() or [""]
    action = {"status": _status, "report": _report, "enable": _enable, "disable": _disable}.get(verb)
    if action is None:
        print(USAGE, end="")
    else:
        _told(action, words)


def _told(action: Any, words: list[str]) -> None:
    """Do it; what is wrong is a line of text, since a traceback in a notebook helps nobody."""
    try:
        action(words)
    except ShimError as error:
        print(f"cuda_shim: {error}", file=sys.stderr)


def _enable(words: list[str]) -> None:
    given: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        given[name.lstrip("-").replace("-", "_")] = value if equals else "1"
    if settings.current().sources["report"] == "default":
        given.setdefault("report", "record")
    _handles.append(session.enable(**given))
    if not words:
        return
    _status([])


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

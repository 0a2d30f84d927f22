"""Activation from the environment when the interpreter starts: the gate, and nothing else.

``cuda_shim.pth`` (and ``cuda_shim.start`` from Python 3.15 on) call :func:`activate` at every start of the
interpreter, in programs that have nothing to do with CUDA.  So this module imports nothing that the
interpreter has not loaded by then, never raises, and with ``CUDA_SHIM`` set only installs a finder: the session
begins when the program first imports ``cuda``.

Annotations are quoted because ``from __future__ import annotations`` would load one more module.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.hook.finder import Finder

__all__ = ["activate"]

# The words for no, as `settings` has them, which is not loaded for a program that asks for nothing.
OFF = ("", "0", "off", "no", "n", "false")

# Set by `run` for the process that it becomes, and for that one alone.
RUN_VARIABLE = "_CUDA_SHIM_RUN"


def activate() -> None:
    """Install the activation finder if ``CUDA_SHIM`` asks for it; called from the start-up files, never raises.

    May be called more than once: PEP 829 does not remove duplicates.
    """
    mode = os.environ.get("CUDA_SHIM", "").strip().lower()
    if mode in OFF or "cuda_shim.session" in sys.modules:
        return
    from cuda_shim.activation import ActivationFinder, installed_finder

    if installed_finder() is not None:
        return
    _forget_early_import()
    sys.meta_path.insert(0, ActivationFinder(mode, _begin_session))
    if os.environ.pop(RUN_VARIABLE, None) is not None:
        from cuda_shim import setup_errors

        setup_errors.install()
    for output in ("report", "profile", "trace"):
        destination = os.environ.get(f"CUDA_SHIM_{output.upper()}", "").strip()
        if destination.lower() not in OFF:
            _join_report(output, destination)


def _forget_early_import() -> None:
    """Forget ``cuda.bindings``, which the start-up file of cuda-bindings 12.9.0 has imported before ours runs.

    No program has begun, and the package has nothing but its version; the finder is asked for what is not loaded.
    """
    root = sys.modules.get("cuda")
    if root is not None and "_cuda_bindings_redirector" in sys.modules:
        for name in ("cuda.bindings._version", "cuda.bindings"):
            sys.modules.pop(name, None)
        root.__dict__.pop("bindings", None)


def _begin_session() -> "Finder":
    from cuda_shim.session import begin_from_environment  # not before a program imports cuda

    return begin_from_environment()


def _join_report(output: str, destination: str) -> None:
    """Make this process the one that reports, before it starts children that would take it on themselves."""
    try:
        from cuda_shim import settings
        from cuda_shim.usage import report_folder

        report_folder.join(output, settings.setting(output).check(destination, f"CUDA_SHIM_{output.upper()}"))
    except Exception as error:  # noqa: BLE001  nothing of ours may stop a program that is starting
        if sys.stderr is not None:
            print(f"cuda_shim: usage is not recorded: {error}", file=sys.stderr)

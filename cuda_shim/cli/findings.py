"""The findings of ``doctor``: observations of this machine, each with its state and advice."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata

from cuda_shim import __file__ as package_file
from cuda_shim import __version__, session, settings, unknown_settings
from cuda_shim.backends import description
from cuda_shim.binding.native_calls import build as native_calls
from cuda_shim.c_level import build
from cuda_shim.cli.interpreter import startup_file
from cuda_shim.errors import ShimError
from cuda_shim.hook.finder import Finder, shadowing_file
from cuda_shim.hook.metadata import ServedDistribution
from cuda_shim.layouts import served_layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["Finding", "find", "hip"]

#: Distributions that put files under cuda/, and the effect of the shim on each.
_NEIGHBOURS = {
    "cuda-bindings": "its modules are hidden while the shim is active",
    "cuda-python": "its modules are hidden while the shim is active",
    "cuda-core": "works, from 0.3.2 on",
    "cuda-pathfinder": "works beside the shim",
    "hip-python-as-cuda": "its modules are hidden while the shim is active",
    "hip-python-interop": "its modules are hidden while the shim is active",
}


class Finding:
    """One line of the report.

    Attributes:
        section: heading: python, cuda_shim, cuda, hip, settings, conflicts, kernels.
        name: the observed thing.
        value: the observation, in words.
        state: "ok", "note" (worth knowing) or "problem" (the shim cannot work until it is solved).
        data: the same as plain values, for JSON.
    """

    __slots__ = ("data", "name", "section", "state", "value")

    def __init__(self, section: str, name: str, value: str, state: str = "ok", data: Any = None) -> None:
        self.section = section
        self.name = name
        self.value = value
        self.state = state
        self.data = value if data is None else data


def find() -> list[Finding]:
    """Look at everything; never raises for errors of the machine, since they are the report."""
    return [*_python(), *_package(), *_cuda(), *hip(), *_settings(), *_conflicts()]


def _python() -> Iterator[Finding]:
    implementation, version = platform.python_implementation(), platform.python_version()
    data = {"implementation": implementation, "version": version}
    yield Finding("python", "version", f"{implementation} {version}", data=data)
    yield Finding("python", "executable", sys.executable or "unknown")
    yield Finding("python", "platform", platform.platform())


def _package() -> Iterator[Finding]:
    yield Finding("cuda_shim", "version", __version__)
    yield Finding("cuda_shim", "folder", os.path.dirname(os.path.abspath(package_file)))
    file = startup_file()
    if file is not None:
        yield Finding("cuda_shim", "start-up file", file)
    elif sys.flags.no_site:
        value = "not read under python -S: CUDA_SHIM=1 has no effect"
        yield Finding("cuda_shim", "start-up file", value, "note")
    else:
        value = "not installed: CUDA_SHIM=1 alone has no effect; python -m cuda_shim run works all the same"
        yield Finding("cuda_shim", "start-up file", value, "note")
    yield _enabled()


def _enabled() -> Finding:
    try:
        state = session.status()
    except ShimError as error:
        return Finding("cuda_shim", "enabled", str(error), "problem")
    if not state["enabled"]:
        return Finding("cuda_shim", "enabled", "no, not in this process", data=state)
    return Finding("cuda_shim", "enabled", f"yes, by {state['origin']}", data=state)


def _cuda() -> Iterator[Finding]:
    try:
        layout = served_layout(settings.current())
    except ShimError as error:
        yield Finding("cuda", "served", str(error), "problem")
        return
    line = f"{layout.name} (as cuda-bindings {layout.version}): {layout.reason}"
    data = {"layout": layout.name, "version": layout.version, "why": layout.reason}
    yield Finding("cuda", "served", line, data=data)


def hip() -> list[Finding]:
    """Report the backends, and whether a kernel runs; only missing parts of the chosen backend are problems."""
    try:
        chosen = settings.current()
    except ShimError:
        return []  # among the settings, with its variable
    backends = list(_backends(chosen))
    if any(item.state == "problem" for item in backends):
        return backends
    tried = _trial()
    return [*_backends(chosen), tried, _calls(chosen), *_c_level(chosen)]  # again: the trial builds missing libraries


def _backends(chosen: settings.Settings) -> Iterator[Finding]:
    for seen in description.describe(chosen):
        state = "ok" if not seen.problem else "problem" if seen.needed else "note"
        yield Finding("hip", seen.name, seen.problem or seen.text, state, seen.values)


def _calls(chosen: settings.Settings) -> Finding:
    """Report the library of compiled calls, which the trial has built where it can be."""
    if chosen.compiled_calls == "0":
        return Finding("hip", "compiled calls", "not used: calls go through Python")
    try:
        library = native_calls.find_library(chosen)
    except ShimError as error:
        return Finding("hip", "compiled calls", f"calls go through Python, which takes longer: {error}", "note")
    return Finding("hip", "compiled calls", library or "calls go through Python, which takes longer")


def _c_level(chosen: settings.Settings) -> Iterator[Finding]:
    """Report the library that compiled packages call, which is built when the first of them asks."""
    try:
        folder = build.find_library(served_layout(chosen).name, chosen)
    except ShimError as error:
        yield Finding("hip", "c interface", f"for compiled packages such as cuda.core: {error}", "note")
        return
    yield Finding("hip", "c interface", folder or "built when a compiled package, such as cuda.core, first asks for it")


def _trial() -> Finding:
    from cuda_shim.cli import trial

    outcome = trial.run()
    if "problem" in outcome:
        return Finding("hip", "trial", str(outcome["problem"]), "problem", outcome)
    line = f"{outcome['backend']}: a kernel was compiled and run on {outcome['device']} in {outcome['seconds']:.1f} s"
    return Finding("hip", "trial", line, data=outcome)


def _settings() -> Iterator[Finding]:
    for item in settings.SETTINGS:
        try:
            resolved = settings.resolve(item.name)
        except ShimError as error:
            yield Finding("settings", item.variable, str(error), "problem")
        else:
            line = f"{resolved.value or 'unset'} ({resolved.source})"
            data = {"value": resolved.value, "source": resolved.source}
            yield Finding("settings", item.variable, line, data=data)
    for variable, problem in unknown_settings.unknown_variables(os.environ):
        yield Finding("settings", variable, problem, "note")


def _conflicts() -> Iterator[Finding]:
    file = shadowing_file()
    if file is not None:
        yield Finding("conflicts", file, "hides the package cuda: rename this file", "problem")
    for name, meaning in _NEIGHBOURS.items():
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        if not isinstance(distribution, ServedDistribution):
            line = f"{distribution.version} is installed: {meaning}"
            yield Finding("conflicts", name, line, "note", {"version": distribution.version})
    yield from _finders()


def _finders() -> Iterator[Finding]:
    """Name the finders that come before ours and could answer for cuda.* first."""
    for position, finder in enumerate(sys.meta_path):
        if isinstance(finder, Finder):
            before = [type(other).__name__ for other in sys.meta_path[:position]]
            if before:
                yield Finding("conflicts", "sys.meta_path", f"{', '.join(before)} is asked before us", "note")
            return

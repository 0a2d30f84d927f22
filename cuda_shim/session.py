"""The enabled session, the state before it, and its restoration.

There is at most one session in an interpreter, with any number of open handles.  It begins with the
first :func:`enable` (or the first import of ``cuda`` when ``CUDA_SHIM=1``) and ends when the last handle is
closed; then ``sys.modules``, the attributes of the package ``cuda``, ``sys.meta_path`` and the environment
are as they were.
"""

from __future__ import annotations

import os
import sys

# The lock comes from _thread: importing threading while the interpreter starts breaks gevent's patching.
from _thread import RLock

from cuda_shim import activation, cuda_home, settings, unknown_settings
from cuda_shim.errors import SettingError
from cuda_shim.hook import patched_modules
from cuda_shim.hook.finder import Finder
from cuda_shim.hook.replaced import Replaced, loaded_elsewhere, refusal
from cuda_shim.layouts import ServedLayout, legacy_layout, served_layout
from cuda_shim.notices import notify
from cuda_shim.recording import OUTPUTS, Recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from cuda_shim.hook.proxy import Binder
    from cuda_shim.usage.usage_report import Report

__all__ = ["Handle", "begin_from_environment", "disable", "enable", "is_enabled", "recording", "report", "status"]

_lock = RLock()
_session: Session | None = None

#: Settings that ``enable()`` takes: all but the one that decides whether to enable.
_ARGUMENTS = tuple(item.name for item in settings.SETTINGS if item.name != "mode")

#: The package in which packages such as cuda.core look for the functions of NVIDIA's compilers.
_INTERNAL = "cuda.bindings._internal"

#: The settings that the CPU runtime reads when it is loaded, and never again.
_READ_ONCE = tuple(item.name for item in settings.SETTINGS if item.reader != "shim")


class Session:
    """One period during which ``cuda.*`` is served."""

    def __init__(self, arguments: dict[str, str], chosen: settings.Settings, layout: ServedLayout, origin: str) -> None:
        from cuda_shim import pygpu
        from cuda_shim.mapping import C_MODULES, modules

        self.arguments = arguments
        self.settings = chosen
        self.layout = layout
        self.origin = origin
        self.handles = 0
        modules_served = {**modules(layout.name), **C_MODULES, _INTERNAL: None, **pygpu.MODULES}
        self.finder = Finder(modules_served, self.open_module, layout.version, self.report_shadowed, self)
        self.replaced: Replaced | None = None
        self.environment: dict[str, tuple[str | None, str]] = {}
        self.recording = Recording()

    def open_module(self, fullname: str) -> Binder:
        """Open the tables of a module, on its first use."""
        from cuda_shim import binding, pygpu
        from cuda_shim.mapping import C_MODULES

        if fullname in pygpu.MODULES:
            return pygpu.open_module()
        legacy = not fullname.startswith("cuda.bindings")
        layout = legacy_layout(self.layout.name) if legacy else self.layout.name
        if fullname in C_MODULES:
            from cuda_shim import c_level

            return c_level.open_module(fullname, layout)
        binder: Binder = binding.open_module(fullname, layout, self.layout.name)
        return binder

    def declarations(self) -> str:
        """Return the folder of the declarations for Cython."""
        from cuda_shim.c_level.include import declarations_folder

        return declarations_folder(self.layout.name)

    def library_file(self, name: str) -> str | None:
        """Return the file that stands for one of NVIDIA's libraries, None if there is none or `dlopen` is off."""
        if not self.settings.dlopen:
            return None
        from cuda_shim.c_level.by_name import library_file

        return library_file(name, self.layout.name)

    def begin(self, force: bool) -> None:
        """Put the finder in place; AlreadyImported if ``cuda.*`` came from elsewhere before."""
        names = loaded_elsewhere(self.finder)
        if names and not force:
            raise refusal(names)
        self.hand_down()
        if self.settings.mode == "require":
            self.require()
        self.replaced = Replaced(self.finder)
        sys.meta_path.insert(0, self.finder)
        patched_modules.install(self)
        self.recording.begin(self.settings)
        self.set_environment(cuda_home.missing_variables(os.environ))
        self.set_environment(unknown_settings.warn(os.environ))

    def hand_down(self) -> None:
        """Give the settings to all below, and an explicit choice to the backends.

        Raises:
            BackendNotFound: another backend already answers HIP calls in this process.
            SettingError: the CPU runtime has read another value already.
        """
        late = [name for name in _READ_ONCE if name in self.arguments]
        if late and "cuda_shim.backends" in sys.modules:
            _check_still_in_time({name: self.arguments[name] for name in late})
        self.select_backend(self.arguments.get("backend"))
        settings.use(self.settings)

    def require(self) -> None:
        """Raise BackendNotFound now, not at the first call, where no call could work."""
        from cuda_shim.backends import available

        try:
            available.require()
        except Exception:
            settings.use(None)
            self.select_backend(None)
            raise

    def select_backend(self, name: str | None) -> None:
        """Choose the backend, or with None let the settings and the machine choose again."""
        if "backend" in self.arguments:
            from cuda_shim import backends

            backends.select(name)

    def export(self) -> None:
        """Make child processes serve ``cuda.*`` as this one does."""
        variables = {settings.setting(name).variable: value for name, value in self.arguments.items()}
        mode = settings.setting("mode").variable
        variables[mode] = "require" if os.environ.get(mode, "").lower() == "require" else "1"
        self.set_environment(variables)

    def set_environment(self, variables: Mapping[str, str]) -> None:
        """Set variables until the session ends."""
        for variable, value in variables.items():
            if variable not in self.environment:
                self.environment[variable] = (os.environ.get(variable), value)
                os.environ[variable] = value

    def report_shadowed(self, path: str) -> None:
        """Say that a user's file hides the package: Python's own message ("not a package") names no file."""
        if not self.settings.quiet:
            notify(f"{path} hides the package cuda, so cuda.* cannot be served; rename that file")

    def end(self) -> None:
        """Put everything back."""
        if self.finder in sys.meta_path:
            sys.meta_path.remove(self.finder)
        if self.replaced is not None:
            self.replaced.restore()
        patched_modules.uninstall()
        settings.use(None)
        self.select_backend(None)
        self.recording.end()
        for variable, (before, value) in self.environment.items():
            if os.environ.get(variable) != value:
                continue  # the program changed it since: its word stands
            if before is None:
                del os.environ[variable]
            else:
                os.environ[variable] = before


class Handle:
    """One caller's hold on the session; a context manager that lets go at the end of the block.

    Attributes:
        backend: the backend asked for ("auto", "rocm", "cpu").
        cuda: the CUDA layout served ("11.8", "12.9", "13.5").
        strict: True if unsupported names raise.
    """

    def __init__(self, session: Session) -> None:
        self._session: Session | None = session
        self.backend = session.settings.backend
        self.cuda = session.layout.name
        self.strict = session.settings.strict

    @property
    def active(self) -> bool:
        """True while this handle holds the session that is enabled."""
        return self._session is not None and self._session is _session

    def disable(self) -> None:
        """Let go; the session ends when no other handle holds it.  Calling it again does nothing."""
        with _lock:
            session, self._session = self._session, None
            if session is None or session is not _session:
                return
            session.handles -= 1
            if session.handles == 0:
                _end()

    def __enter__(self) -> Handle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.disable()

    def __repr__(self) -> str:
        state = "active" if self.active else "closed"
        return f"<cuda_shim.Handle {state}: backend={self.backend} cuda={self.cuda} strict={self.strict}>"


def enable(
    backend: str | None = None, cuda: str | None = None, strict: bool | None = None,
    force: bool = False, propagate: bool = True, **others: str | int | bool | None,
) -> Handle:  # fmt: skip
    """Serve ``cuda.*`` from now on, in this interpreter and in the children it starts.

    Call it before ``cuda`` is imported.  While the shim is enabled already, this returns one more handle on
    it: arguments left out mean "as it is", and arguments that contradict it are refused.

    Args:
        backend: "auto", "rocm" or "cpu"; default ``CUDA_SHIM_BACKEND``, else "auto".
        cuda: CUDA layout to serve, such as "12.9"; default ``CUDA_SHIM_CUDA``, else the installed one.
        strict: raise UnsupportedAPI for calls that HIP cannot serve; default ``CUDA_SHIM_STRICT``, else False.
        force: replace ``cuda.*`` modules that were imported before.  Modules that took names from them
            keep the old objects.
        propagate: set ``CUDA_SHIM`` and the arguments in the environment that children inherit.
        others: any other setting by its name in docs/settings.md, such as ``report="usage.json"`` or
            ``cpu_devices=4``; those of the CPU runtime before the first call.

    Raises:
        AlreadyImported: ``cuda.*`` was imported before, from another package, and ``force`` is not given.
        SettingError: a value is not allowed, or contradicts the session that is enabled.
    """
    arguments = _canonical({"backend": backend, "cuda": cuda, "strict": strict, **others})
    global _session
    with _lock:
        if _session is None:
            from_environment = activation.installed_finder() is not None
            _session = _begin(arguments, "environment" if from_environment else "enable()", force)
            _session.handles += from_environment  # the environment's own hold: closing every handle must not end it
        else:
            _check_agreement(_session, arguments)
            _begin_report(_session, arguments)
        _session.handles += 1
        if propagate:
            _session.export()
        return Handle(_session)


def disable() -> None:
    """End the session even if handles are open on it; does nothing when none is enabled."""
    with _lock:
        activation.uninstall()
        patched_modules.uninstall()
        if _session is not None:
            _end()


def is_enabled() -> bool:
    """Return whether ``cuda.*`` is served, or will be at its first import."""
    return _session is not None or activation.installed_finder() is not None


def adjust(arguments: Mapping[str, str | int | bool | None]) -> None:
    """Give the session that is enabled other settings, as if it had begun with them.

    For a process in which nothing has been called yet. The layout is not among them: names were imported from it.

    Raises:
        SettingError: a value is not allowed, or the CPU runtime has read another one already.
        BackendNotFound: another backend already answers HIP calls in this process.
    """
    global _session
    with _lock:
        if _session is None:
            _session = _begin({}, "environment", force=False)
            _session.handles += 1
        _session.arguments.update(_canonical(dict(arguments)))
        _session.settings = settings.read(_session.arguments)
        _session.hand_down()
        _session.export()


def status() -> dict[str, object]:
    """Return the state of the session: a dictionary of plain values, for people and for JSON.

    Keys: enabled, origin ("enable()" or "environment"), backend, strict, cuda (layout), cuda_version,
    cuda_reason, modules (the served modules that are imported now), handles (open ones), report (the setting).
    """
    with _lock:
        if not is_enabled():
            return {"enabled": False}
        session = _session
        current = settings.current()
        layout = served_layout(current) if session is None else session.layout
        loaded = [] if session is None else [
            name for name in session.finder.modules if session.finder.owns(sys.modules.get(name))
        ]  # fmt: skip
        return {
            "enabled": True,
            "origin": "environment" if session is None else session.origin,
            "backend": current.backend,
            "strict": current.strict,
            "cuda": layout.name,
            "cuda_version": layout.version,
            "cuda_reason": layout.reason,
            "modules": sorted(loaded),
            "handles": 0 if session is None else session.handles,
            "report": current.report,
        }


def report() -> Report:
    """Return the calls of this program and its children so far: counts, times, errors, unsupported calls.

    Its ``print()`` shows tables, ``as_dict()`` gives plain values, ``write(path)`` makes a JSON file.

    Raises:
        SettingError: nothing was recorded; ``run --report``, ``CUDA_SHIM_REPORT=1`` or
            ``enable(report=True)`` turns recording on.
    """
    from cuda_shim.usage import report_folder
    from cuda_shim.usage.usage_report import Report

    listening = recording()
    if listening is not None:
        listening.flush()
    return Report.of_folder(report_folder.path())


def recording() -> Recording | None:
    """Return the recording of the session, None where none is enabled."""
    return None if _session is None else _session.recording


def begin_from_environment() -> Finder:
    """Begin the session that ``CUDA_SHIM`` asks for and return its finder.

    No handle stands for it, so it lasts until :func:`disable`; handles opened on top do not end it.
    """
    global _session
    with _lock:
        if _session is None:
            _session = _begin({}, "environment", force=False)
            _session.handles += 1
        return _session.finder


def _begin(arguments: dict[str, str], origin: str, force: bool) -> Session:
    chosen = settings.read(arguments)  # refuses a bad environment before anything is changed
    session = Session(arguments, chosen, served_layout(chosen), origin)
    session.begin(force)
    activation.uninstall()
    return session


def _end() -> None:
    global _session
    session, _session = _session, None
    if session is not None:
        session.end()


def _canonical(values: dict[str, str | int | bool | None]) -> dict[str, str]:
    """Return the arguments that are given, checked and in their canonical spelling."""
    arguments = {}
    for name, value in values.items():
        if name not in _ARGUMENTS:
            hint = unknown_settings.nearest(name, _ARGUMENTS, f"the settings are {', '.join(_ARGUMENTS)}")
            raise SettingError(f"enable() takes no setting {name!r}; {hint}")
        if value is not None:
            arguments[name] = settings.resolve(name, value).value
    for name in (*OUTPUTS, "cpu_check_json"):
        if arguments.get(name, "0") not in settings.NO_FILE:
            # The program may change its folder before it ends, and its children have folders of their own.
            arguments[name] = os.path.abspath(arguments[name])
    return arguments


def _begin_report(session: Session, arguments: dict[str, str]) -> None:
    """Let recording start in a session that began without."""
    outputs = {name: arguments[name] for name in OUTPUTS if arguments.get(name, "0") != "0"}
    new = {name: text for name, text in outputs.items() if session.settings.text(name) in ("", "0")}
    if new:
        session.arguments.update(new)
        sources = {**session.settings.sources, **dict.fromkeys(new, "argument")}
        session.settings = session.settings.replaced(**new, sources=sources)
        settings.use(session.settings)
        session.recording.begin(session.settings)


def _check_still_in_time(values: dict[str, str]) -> None:
    """Refuse values for the CPU runtime that it has no more use for."""
    from cuda_shim import backends

    decided = backends.decided()
    if decided is None or decided.name != "cpu":
        return
    for name, value in values.items():
        current = settings.resolve(name).value  # the environment's value when the runtime was loaded
        if value != current:
            raise SettingError(
                f"{name}={value} comes too late: the CPU runtime of this process has been loaded with "
                f"{current or 'its default'}; set it before the first CUDA call"
            )


def _decided_backend() -> str | None:
    """Return the backend that answers HIP calls in this process, None while it is open."""
    if "cuda_shim.backends" not in sys.modules:
        return None
    from cuda_shim import backends

    decided = backends.decided()
    return None if decided is None else decided.name


def _check_agreement(session: Session, arguments: dict[str, str]) -> None:
    """Refuse arguments that the enabled session does not already satisfy."""
    for name, value in arguments.items():
        if name in OUTPUTS:
            continue  # recording can begin at any time
        current = session.layout.name if name == "cuda" else session.settings.text(name)
        if name == "backend" and current == "auto":
            current = _decided_backend() or current
        if value != current:
            raise SettingError(
                f"{name}={value} contradicts the session that is enabled with {name}={current}; "
                "call cuda_shim.disable() first"
            )
